// Statements: checking and emitting them.
#pragma once

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// Checks statements in the current scope and emits them into the open block; returns the ways in
// which control can leave them.
Behaviour check_statements(Context& cx, ast::List<const ast::Statement*> statements);
// The same in a new scope.
Behaviour check_block(Context& cx, const ast::Block& block);

// A condition: a value of type bool, ready to be used in a statement; kNoExpr after an error.
ExprId check_condition(Context& cx, const ast::Expr& expr, std::string_view what);

// sema_flow.cc
Behaviour check_loop(Context& cx, const ast::Loop& loop, Span span);
Behaviour check_for(Context& cx, const ast::For& loop, Span span);
Behaviour check_while(Context& cx, const ast::While& loop, Span span);
Behaviour check_switch(Context& cx, const ast::Switch& node, Span span);
void check_break(Context& cx, Span span);
void check_continue(Context& cx, Span span);

// const, let and var in functions, and `const_assert` anywhere.
void check_local(Context& cx, const ast::Variable& variable);
void check_assert(Context& cx, const ast::ConstAssert& assertion);
// Any statement.
Behaviour check_statement(Context& cx, const ast::Statement& statement);

// The value of a declared type and an initializer, either of which may be missing; kind `none`
// without an initializer. Abstract values become concrete unless they are kept.
struct Declared {
  bool fine = false;
  TypeId type{};
  Value initial;
};
Declared check_declared(Context& cx, const ast::Variable& variable, bool keep_abstract);

}  // namespace vyre::sema
