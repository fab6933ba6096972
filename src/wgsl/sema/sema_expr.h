// Expressions: checking, folding and emitting them.
#pragma once

#include <span>
#include <string_view>

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// Checks an expression and emits the statements that it needs; references stay references.
Value check(Context& cx, const ast::Expr& expr);
// The same with the load rule: a value, or an error. A call that returns nothing is an error.
Value check_value(Context& cx, const ast::Expr& expr);
// A value converted to `type`; `what` names it in the error: "the value of 'x'".
Value check_as(Context& cx, const ast::Expr& expr, TypeId type, std::string_view what);
Value coerce(Context& cx, Value value, TypeId type, std::string_view what);

// left op right for operands that have been evaluated.
Value binary(Context& cx, BinaryOp op, Value left, Value right, Span span);
BinaryOp ir_operator(ast::BinaryOp op);
// A scalar as a vector of the given type.
Value splat(Context& cx, const Value& scalar, TypeId vector);

// Whether evaluating the expression emits statements.
bool has_effects(const Context& cx, const ast::Expr& expr);

// sema_access.cc
// A memory view of the part of `object` that `node` chooses.
Value view_of_part(Context& cx, const Value& object, TypeId part, ExprNode node, bool reads,
                   Span span);
Value check_index(Context& cx, const ast::Expr& expr, const ast::Index& node);
Value check_member(Context& cx, const ast::Expr& expr, const ast::Member& node);

// Whether WGSL predeclares a function of this name that vyre knows.
bool is_builtin_function(std::string_view name);
// sema_call.cc; the result may be of kind none.
Value check_call(Context& cx, const ast::Expr& expr, const ast::Call& node);
// Whether a call statement may drop the result; reports when it may not.
bool check_result_unused(Context& cx, const ast::Call& node);

// Arguments that have been evaluated in order; they are pending until released.
class Arguments {
 public:
  Arguments(Context& cx, ast::ExprList written);
  ~Arguments() { release(); }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void release();
  bool failed() const { return failed_; }
  std::span<Value> values() { return values_; }
  Value& operator[](std::size_t i) { return values_[i]; }
  std::size_t size() const { return values_.size(); }

 private:
  Context& cx_;
  std::vector<Value> values_;
  std::size_t held_ = 0;
  bool failed_ = false;
};

// sema_construct.cc
Value construct(Context& cx, TypeId type, Arguments& arguments, Span span);
// vec3(...), mat2x2(...), array(...) with the element type inferred.
Value construct_inferred(Context& cx, const ast::Name& name, Arguments& arguments, Span span);

// sema_math.cc
Value call_math(Context& cx, std::string_view name, Arguments& arguments, Span span);
Value call_select(Context& cx, Arguments& arguments, Span span);
Value call_bitcast(Context& cx, const ast::Call& node, Arguments& arguments, Span span);
// The error of a constant operation; `text` is the operation as written.
void report_fault(Context& cx, Fault fault, std::string_view text, TypeId type, Span span);

// sema_memory_builtins.cc
Value call_special(Context& cx, const ast::Call& node, Arguments& arguments, Span span);

}  // namespace vyre::sema
