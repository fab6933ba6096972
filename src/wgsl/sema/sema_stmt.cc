#include "vyre/wgsl/sema/sema_stmt.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "vyre/base/overloaded.h"
#include "vyre/wgsl/sema/sema_attributes.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_memory.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_stage.h"
#include "vyre/wgsl/sema/sema_swizzle.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

// ---- Assignments

// The name at the beginning of an access; null if there is none.
const ast::Name* first_name(const ast::Expr& expr) {
  if (const auto* name = expr.get_if<ast::Identifier>()) return &name->name;
  if (const auto* member = expr.get_if<ast::Member>()) return first_name(*member->object);
  if (const auto* index = expr.get_if<ast::Index>()) return first_name(*index->object);
  return nullptr;
}

void report_assigned_value(Context& cx, const ast::Expr& written) {
  const ast::Name* name = first_name(written);
  const Symbol* symbol = name == nullptr ? nullptr : lookup(cx, name->text);
  const bool variable = symbol != nullptr && (std::holds_alternative<VarSymbol>(symbol->what) ||
                                              std::holds_alternative<GlobalSymbol>(symbol->what));
  if (symbol == nullptr || variable) {
    cx.error(written.span, "this is a value and cannot be assigned; only variables can");
    return;
  }
  cx.error(written.span, fmt::format("'{}' is {} and cannot be assigned; only variables can",
                                     name->text, kind_of(*symbol)))
      .note(symbol->declared, "declared here");
}

bool check_target(Context& cx, const Value& target, const ast::Expr& written) {
  if (target.failed()) return false;
  if (!target.is_reference() && !target.is_swizzle()) {
    if (target.kind == Value::Kind::value &&
        cx.types().get_if<PointerType>(target.type) != nullptr) {
      cx.error(written.span, "a pointer cannot be assigned")
          .with_fix("write '*' in front to assign what it points to");
    } else {
      report_assigned_value(cx, written);
    }
    return false;
  }
  if (target.access == Access::read) {
    cx.error(written.span, fmt::format("this {} memory is read-only", to_string(target.memory)))
        .with_fix(target.memory == MemoryKind::storage ? "declare it var<storage, read_write>"
                                                       : "");
    return false;
  }
  if (target.is_swizzle() && !check_assigned_lanes(cx, target)) return false;
  if (target.is_swizzle() || target.of_swizzle) note_feature(cx, "swizzle_assignment");
  if (!cx.types().is_constructible(target.type) && !is_plain_atomic(cx, target)) {
    Diagnostic& error =
        cx.error(written.span, fmt::format("{} cannot be assigned", cx.spell(target.type)));
    if (cx.types().get_if<AtomicType>(target.type)) error.with_fix("use atomicStore");
    return false;
  }
  return true;
}

void emit_store(Context& cx, const Value& target, const Value& value, Span span) {
  if (target.is_swizzle()) return store_swizzle(cx, target, value, span);
  note_write(cx, target.root);
  const ExprId stored = emit(cx, value);
  if (cx.types().get_if<AtomicType>(target.type) != nullptr) {
    emit_plain_atomic(cx, target, stored, kNoLocal, span);
    return;
  }
  cx.at(span);
  cx.writer.stmt(StoreStmt{target.expr, stored});
}

void check_phony(Context& cx, const ast::Expr& right) {
  const Value value = check_value(cx, right);
  if (value.failed()) return;
  if (cx.handle_info(value.type) != nullptr) return;
  if (cx.types().is_constructible(value.type) || cx.types().get_if<PointerType>(value.type)) {
    keep_overrides(cx, value);  // effects have been emitted
    return;
  }
  cx.error(value.span, fmt::format("{} is not a value", cx.spell(value.type)));
}

void check_plain_assign(Context& cx, const ast::Assign& node, Span span) {
  Value target = check(cx, *node.left);
  const bool fine = check_target(cx, target, *node.left);
  if (target.is_swizzle()) freeze(cx, target);  // each component is a store of its own
  Value value;
  {
    const Hold hold(cx, target);
    value = fine ? check_as(cx, *node.right, held_type(cx, target), "the assigned value")
                 : check_value(cx, *node.right);
  }
  if (fine && !value.failed()) emit_store(cx, target, value, span);
}

// The value of a memory view, as an operand beside the view itself.
Value load_copy(Context& cx, const Value& view) {
  Value copy = view;
  copy.expr = clone(cx, view.expr, view.span);
  return load(cx, std::move(copy));
}

void check_compound_assign(Context& cx, const ast::Assign& node, Span span) {
  Value target = check(cx, *node.left);
  if (!check_target(cx, target, *node.left)) {
    check_value(cx, *node.right);
    return;
  }
  freeze(cx, target);
  Value left = load_copy(cx, target);
  Value right;
  {
    const Hold hold_target(cx, target);
    const Hold hold_left(cx, left);
    right = check_value(cx, *node.right);
  }
  const Value result = coerce(cx, binary(cx, ir_operator(*node.op), left, right, span),
                              held_type(cx, target), "the result");
  if (!result.failed()) emit_store(cx, target, result, span);
}

void check_assign(Context& cx, const ast::Assign& node, Span span) {
  if (node.left == nullptr) {
    check_phony(cx, *node.right);
  } else if (node.op) {
    check_compound_assign(cx, node, span);
  } else {
    check_plain_assign(cx, node, span);
  }
}

void check_increment(Context& cx, const ast::Increment& node, Span span) {
  Value target = check(cx, *node.left);
  if (!check_target(cx, target, *node.left)) return;
  const auto* scalar = cx.types().get_if<ScalarType>(held_type(cx, target));
  if (scalar == nullptr || !is_integer(scalar->kind)) {
    cx.error(node.left->span, fmt::format("'{}' takes a variable of type i32 or u32; this is {}",
                                          node.up ? "++" : "--", cx.spell(target.type)));
    return;
  }
  const Value one = make_constant(cx, Scalar{scalar->kind, 1}, span);
  freeze(cx, target);
  const Value old = load_copy(cx, target);
  emit_store(cx, target, binary(cx, node.up ? BinaryOp::add : BinaryOp::sub, old, one, span), span);
}

// ---- Control flow

Behaviour check_if_arms(Context& cx, const ast::If& node, std::size_t arm, Span span) {
  const ExprId condition = check_condition(cx, *node.arms[arm].condition, "an 'if' condition");
  cx.writer.open();
  Behaviour behaviour = check_block(cx, *node.arms[arm].body);
  const Block then = cx.writer.close();
  cx.writer.open();
  if (arm + 1 < node.arms.size()) {
    behaviour |= check_if_arms(cx, node, arm + 1, node.arms[arm + 1].condition->span);
  } else if (node.else_body != nullptr) {
    behaviour |= check_block(cx, *node.else_body);
  } else {
    behaviour |= kNext;
  }
  const Block otherwise = cx.writer.close();
  cx.at(span);
  if (condition != kNoExpr) cx.writer.stmt(IfStmt{condition, then, otherwise});
  return behaviour;
}

void check_return(Context& cx, const ast::Return& node, Span span) {
  const TypeId result = cx.body->info.result;
  const bool returns = result != cx.types().void_type();
  for (const Breakable& b : cx.body->breakables) {
    if (b.kind == Breakable::Kind::continuing) {
      cx.error(span, "'return' cannot stand in 'continuing'");
      break;
    }
  }
  if (cx.body->info.broken) {  // its return type is unknown
    if (node.value != nullptr) check_value(cx, *node.value);
    return;
  }
  if (node.value == nullptr) {
    if (returns) {
      cx.error(span, fmt::format("'{}' must return a value of type {}",
                                 cx.body->info.ast->name.text, cx.spell(result)));
    }
    cx.at(span);
    cx.writer.stmt(ReturnStmt{});
    return;
  }
  const Value value = returns ? check_as(cx, *node.value, result, "the returned value")
                              : check_value(cx, *node.value);
  if (value.failed()) return;
  if (!returns) {
    cx.error(node.value->span, fmt::format("'{}' returns nothing", cx.body->info.ast->name.text));
    return;
  }
  const ExprId expr = emit(cx, value);
  cx.at(span);
  cx.writer.stmt(ReturnStmt{expr});
}

}  // namespace

// ---- Declarations

Declared check_declared(Context& cx, const ast::Variable& variable, bool keep_abstract) {
  Declared out;
  out.initial.kind = Value::Kind::none;
  std::optional<TypeId> type;
  if (variable.type != nullptr) type = resolve_type(cx, *variable.type);
  const bool type_fine = variable.type == nullptr || type;
  if (variable.initializer != nullptr) {
    out.initial = check_value(cx, *variable.initializer);
    if (type) {
      out.initial = coerce(cx, std::move(out.initial), *type,
                           fmt::format("the value of '{}'", variable.name.text));
    } else if (!keep_abstract) {
      out.initial = concretize(cx, std::move(out.initial));
    }
    if (out.initial.failed()) return out;
    out.type = out.initial.type;
  }
  if (type) out.type = *type;
  out.fine = type_fine;
  return out;
}

namespace {

void declare_const(Context& cx, const ast::Variable& variable) {
  const Declared declared = check_declared(cx, variable, true);
  Symbol symbol;
  if (declared.fine && !declared.initial.is_constant()) {
    cx.error(
        variable.initializer->span,
        fmt::format("'{}' is const; its value must be a constant expression", variable.name.text));
  } else if (declared.fine) {
    symbol.what = ConstSymbol{declared.initial};
  }
  declare(cx, variable.name, std::move(symbol));
}

// A let with this name and value. The result of a call is already a let, which gets the name.
LocalId name_value(Context& cx, const ast::Name& name, const Value& value) {
  const ExprId expr = emit(cx, value);
  if (const auto* use = std::get_if<LocalExpr>(&cx.program[expr].node)) {
    if (cx.body->temporaries.erase(static_cast<std::uint32_t>(use->id)) != 0) {
      cx.body->function.locals[static_cast<std::size_t>(use->id)].name = std::string(name.text);
      return use->id;
    }
  }
  const LocalId local = new_local(cx, name.text, LocalKind::let, value.type, name.span);
  cx.writer.stmt(LetStmt{local, expr});
  return local;
}

void declare_let(Context& cx, const ast::Variable& variable) {
  Declared declared = check_declared(cx, variable, false);
  Symbol symbol;
  if (declared.fine && cx.handle_info(declared.type) != nullptr) {
    note_feature(cx, "texture_and_sampler_let");
    symbol.what = TreeSymbol{declared.initial};
  } else if (declared.fine && cx.types().get_if<PointerType>(declared.type)) {
    freeze(cx, declared.initial);
    keep_overrides(cx, declared.initial);
    symbol.what = TreeSymbol{declared.initial};
  } else if (declared.fine && !cx.types().is_constructible(declared.type)) {
    cx.error(variable.name.span, fmt::format("'{}' cannot be a value of type {}",
                                             variable.name.text, cx.spell(declared.type)));
  } else if (declared.fine) {
    symbol.what = LetSymbol{name_value(cx, variable.name, declared.initial), declared.type};
  }
  declare(cx, variable.name, std::move(symbol));
}

bool check_local_space(Context& cx, const ast::Variable& variable) {
  if (variable.template_args.empty()) return true;
  const auto space = enumerant(cx, *variable.template_args[0], "an address space");
  if (!space) return false;
  if (*space != "function") {
    cx.error(variable.template_args[0]->span,
             fmt::format("a variable in a function lives in 'function' memory, not '{}'", *space))
        .with_fix("declare it outside of functions");
    return false;
  }
  if (variable.template_args.size() > 1) {
    cx.error(variable.template_args[1]->span, "only storage variables take an access mode");
    return false;
  }
  return true;
}

void declare_var(Context& cx, const ast::Variable& variable) {
  const bool space_fine = check_local_space(cx, variable);
  const Declared declared = check_declared(cx, variable, false);
  Symbol symbol;
  if (declared.fine && !cx.types().is_constructible(declared.type)) {
    cx.error(variable.name.span, fmt::format("'{}' cannot be a variable of type {} in a function",
                                             variable.name.text, cx.spell(declared.type)));
  } else if (declared.fine && space_fine) {
    const bool given = declared.initial.kind != Value::Kind::none;
    const ExprId initial = given ? emit(cx, declared.initial) : kNoExpr;
    const LocalId local =
        new_local(cx, variable.name.text, LocalKind::var, declared.type, variable.name.span);
    cx.writer.stmt(VarStmt{local, initial});
    symbol.what = VarSymbol{local, declared.type};
  }
  declare(cx, variable.name, std::move(symbol));
}

}  // namespace

void check_local(Context& cx, const ast::Variable& variable) {
  check_attributes(cx, variable.attributes, "a declaration in a function", {});
  switch (variable.kind) {
    case ast::VariableKind::const_: return declare_const(cx, variable);
    case ast::VariableKind::let: return declare_let(cx, variable);
    case ast::VariableKind::var: return declare_var(cx, variable);
    case ast::VariableKind::override_:
      cx.error(variable.name.span, "'override' cannot be declared in a function");
      declare(cx, variable.name, {});
      return;
  }
}

void check_assert(Context& cx, const ast::ConstAssert& assertion) {
  const Value value = check_value(cx, *assertion.condition);
  if (value.failed()) return;
  const auto* scalar = cx.types().get_if<ScalarType>(value.type);
  if (scalar == nullptr || scalar->kind != ScalarKind::boolean || !value.is_constant()) {
    cx.error(value.span,
             fmt::format("const_assert takes a constant bool; this is {}{}",
                         value.is_constant() ? "" : "not a constant, ", cx.spell(value.type)));
  } else if (value.bits() == 0) {
    cx.error(value.span, "this assertion is false");
  }
}

ExprId check_condition(Context& cx, const ast::Expr& expr, std::string_view what) {
  const Value value = check_value(cx, expr);
  if (value.failed()) return kNoExpr;
  const auto* scalar = cx.types().get_if<ScalarType>(value.type);
  if (scalar == nullptr || scalar->kind != ScalarKind::boolean) {
    cx.error(value.span, fmt::format("{} is a bool; this is {}", what, cx.spell(value.type)));
    return kNoExpr;
  }
  return emit(cx, value);
}

Behaviour check_statement(Context& cx, const ast::Statement& statement) {
  const Span span = statement.span;
  return std::visit(Overloaded{
                        [&](const ast::Block& s) { return check_block(cx, s); },
                        [&](const ast::Variable& s) {
                          check_local(cx, s);
                          return kNext;
                        },
                        [&](const ast::Assign& s) {
                          check_assign(cx, s, span);
                          return kNext;
                        },
                        [&](const ast::Increment& s) {
                          check_increment(cx, s, span);
                          return kNext;
                        },
                        [&](const ast::CallStatement& s) {
                          const auto& call = std::get<ast::Call>(s.call->node);
                          const Value result = check_call(cx, *s.call, call);
                          if (!result.failed()) check_result_unused(cx, call);
                          return kNext;
                        },
                        [&](const ast::If& s) {
                          const FilterScope filters(cx, s.attributes);
                          check_attributes(cx, s.attributes, "an 'if'",
                                           {ast::AttributeKind::diagnostic});
                          return check_if_arms(cx, s, 0, span);
                        },
                        [&](const ast::Switch& s) { return check_switch(cx, s, span); },
                        [&](const ast::Loop& s) { return check_loop(cx, s, span); },
                        [&](const ast::For& s) { return check_for(cx, s, span); },
                        [&](const ast::While& s) { return check_while(cx, s, span); },
                        [&](const ast::Break&) {
                          check_break(cx, span);
                          return kBreak;
                        },
                        [&](const ast::Continue&) {
                          check_continue(cx, span);
                          return kContinue;
                        },
                        [&](const ast::Return& s) {
                          check_return(cx, s, span);
                          return kReturn;
                        },
                        [&](const ast::Discard&) {
                          need_stage(cx, kFragment, "'discard'", span);
                          not_run(cx, "discard");
                          return kNext;
                        },
                        [&](const ast::ConstAssert& s) {
                          check_assert(cx, s);
                          return kNext;
                        },
                    },
                    statement.node);
}

Behaviour check_statements(Context& cx, ast::List<const ast::Statement*> statements) {
  Behaviour all = kNext;
  for (const ast::Statement* statement : statements) {
    if (cx.diagnostics.full()) break;
    const Behaviour one = check_statement(cx, *statement);
    if ((all & kNext) != 0) all = static_cast<Behaviour>((all & ~kNext) | one);
  }
  return all;
}

Behaviour check_block(Context& cx, const ast::Block& block) {
  const FilterScope filters(cx, block.attributes);
  check_attributes(cx, block.attributes, "a block", {ast::AttributeKind::diagnostic});
  push_scope(cx);
  const Behaviour behaviour = check_statements(cx, block.statements);
  pop_scope(cx);
  return behaviour;
}

}  // namespace vyre::sema
