#include "vyre/wgsl/sema/sema_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "vyre/base/overloaded.h"
#include "vyre/ir/argument_rules.h"
#include "vyre/wgsl/sema/sema_builtins.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_memory.h"
#include "vyre/wgsl/sema/sema_overload.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_stage.h"
#include "vyre/wgsl/sema/sema_subgroup.h"
#include "vyre/wgsl/sema/sema_texture.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

Value check_literal(Context& cx, const ast::Expr& expr, const ast::Literal& literal) {
  if (literal.value.kind == ScalarKind::f16 && !cx.needs_extension("f16", "f16", expr.span)) {
    return failed(expr.span);
  }
  return make_constant(cx, literal.value, expr.span);
}

// `continue` may jump over the declaration of a name that the continuing part uses.
bool check_skipped(Context& cx, const ast::Name& name, const Symbol& symbol) {
  if (cx.body == nullptr || symbol.depth == 0) return true;
  for (const LoopState& loop : cx.body->loops) {
    if (!loop.in_continuing || symbol.depth != loop.body_depth ||
        symbol.order < loop.first_continue) {
      continue;
    }
    cx.error(name.span,
             fmt::format("'{}' may not be declared yet when 'continuing' uses it", name.text))
        .note(loop.continue_span, "this 'continue' skips its declaration")
        .note(symbol.declared, "declared here");
    return false;
  }
  return true;
}

Value global_reference(Context& cx, GlobalId id, const ast::Name& name) {
  if (cx.body == nullptr) {
    cx.error(name.span,
             fmt::format("the variable '{}' cannot be used outside of functions", name.text));
    return failed(name.span);
  }
  cx.body->info.mentioned_globals.push_back(id);
  const Global& global = cx.program[id];
  const MemoryKind memory = global.memory;
  const Access access = global.access;
  const TypeId type = global.type;
  if (memory == MemoryKind::workgroup) {
    need_stage(cx, kCompute, fmt::format("the workgroup variable '{}'", name.text), name.span);
  }
  if (memory == MemoryKind::storage && access == Access::read_write) {
    need_stage(cx, kCompute | kFragment, fmt::format("the writable variable '{}'", name.text),
               name.span);
  }
  if (memory == MemoryKind::immediate) {
    not_run(cx, fmt::format("the immediate variable '{}'", name.text));
  }
  const TypeId pointer = cx.types().pointer(memory, type, access);
  Value v = computed(cx, type, GlobalPtrExpr{id}, Phase::runtime, false, name.span);
  cx.program[v.expr].type = pointer;
  v.kind = Value::Kind::reference;
  v.memory = memory;
  v.access = access;
  v.root = {Root::Kind::global, static_cast<std::uint32_t>(id)};
  return v;
}

Value local_reference(Context& cx, const VarSymbol& var, Span span) {
  const TypeId pointer = cx.types().pointer(MemoryKind::function, var.type, Access::read_write);
  Value v = computed(cx, var.type, LocalPtrExpr{var.id}, Phase::runtime, false, span);
  cx.program[v.expr].type = pointer;
  v.kind = Value::Kind::reference;
  v.root = {Root::Kind::local, static_cast<std::uint32_t>(var.id)};
  return v;
}

Value use_symbol(Context& cx, const Symbol& symbol, const ast::Name& name) {
  return std::visit(
      Overloaded{
          [&](const BrokenSymbol&) { return failed(name.span); },
          [&](const ConstSymbol& s) {
            Value v = s.value;
            v.span = name.span;
            return v;
          },
          [&](const OverrideSymbol& s) {
            if (cx.body != nullptr) cx.body->info.mentioned_overrides.push_back(s.id);
            return computed(cx, s.type, OverrideExpr{s.id}, Phase::override_, false, name.span);
          },
          [&](const GlobalSymbol& s) { return global_reference(cx, s.id, name); },
          [&](const LetSymbol& s) { return use_let(cx, s.id, s.type, name.span); },
          [&](const VarSymbol& s) { return local_reference(cx, s, name.span); },
          [&](const TreeSymbol& s) {
            Value v = s.value;
            v.expr = clone(cx, v.expr, name.span);
            v.span = name.span;
            return v;
          },
          [&](const HandleSymbol& s) {
            if (cx.body == nullptr) {
              cx.error(name.span, fmt::format("the variable '{}' cannot be used outside of "
                                              "functions",
                                              name.text));
              return failed(name.span);
            }
            cx.body->info.handles.insert(s.index);
            const HandleInfo* info = cx.handle_info(cx.handles[s.index].type);
            if (info->kind == HandleInfo::Class::storage && info->access != Access::read) {
              need_stage(cx, kCompute | kFragment,
                         fmt::format("the writable texture '{}'", name.text), name.span);
            }
            not_run(cx, fmt::format("the {} '{}'", cx.spell(cx.handles[s.index].type), name.text));
            return computed(cx, cx.handles[s.index].type, ZeroExpr{}, Phase::runtime, false,
                            name.span);
          },
          [&](const auto&) {
            cx.error(name.span,
                     fmt::format("'{}' is {}; a value is needed here", name.text, kind_of(symbol)))
                .note(symbol.declared, "declared here");
            return failed(name.span);
          },
      },
      symbol.what);
}

Value check_identifier(Context& cx, const ast::Expr& expr, const ast::Identifier& node) {
  const Symbol* symbol = lookup(cx, node.name.text);
  if (symbol == nullptr) {
    const bool type = is_type_name(node.name.text) || is_handle_name(node.name.text);
    if (type || is_builtin_function(node.name.text)) {
      cx.error(node.name.span, fmt::format("'{}' is a {}; a value is needed here", node.name.text,
                                           type ? "type" : "builtin function"));
    } else if (const std::string_view why = refusal(node.name.text); !why.empty()) {
      cx.error(node.name.span, fmt::format("'{}' is not available: {}", node.name.text, why));
    } else {
      report_unknown(cx, node.name);
    }
    return failed(expr.span);
  }
  if (!node.template_args.empty() && !std::holds_alternative<BrokenSymbol>(symbol->what)) {
    cx.error(expr.span, fmt::format("'{}' takes no template arguments", node.name.text));
    return failed(expr.span);
  }
  if (!check_skipped(cx, node.name, *symbol)) return failed(expr.span);
  return use_symbol(cx, *symbol, node.name);
}

// ---- Operators

Value check_indirection(Context& cx, const ast::Expr& expr, const ast::Unary& node) {
  const Value pointer = check_value(cx, *node.operand);
  if (pointer.failed()) return failed(expr.span);
  if (cx.types().get_if<PointerType>(pointer.type) == nullptr) {
    cx.error(expr.span, fmt::format("'*' needs a pointer; this is {}", cx.spell(pointer.type)));
    return failed(expr.span);
  }
  return dereference(cx, pointer, expr.span);
}

Value unary(Context& cx, UnaryOp op, const Value& operand, Span span) {
  if (operand.failed()) return failed(span);
  const auto match = resolve(cx, unary_patterns(op), {&operand, 1});
  if (!match) {
    cx.error(span, fmt::format("no operator '{}' takes {}", to_string(op), cx.spell(operand.type)));
    return failed(span);
  }
  const Value value = convert(cx, operand, match->parameters[0]);
  if (value.failed()) return failed(span);
  if (!value.is_constant()) {
    return computed(cx, match->result, UnaryExpr{op, value.expr}, value.phase, value.reads, span);
  }
  const std::vector<std::uint64_t> scalars = flatten(cx, value);
  std::vector<std::uint64_t> out(scalars.size());
  const Fault fault = apply(op, cx.types(), match->result, {value.type, scalars}, out);
  if (fault != Fault::none && !cx.unevaluated) {
    report_fault(cx, fault, fmt::format("{}{}", to_string(op), spell_constant(cx, value)),
                 match->result, span);
    return failed(span);
  }
  return make_constant(cx, match->result, std::move(out), span);
}

Value check_unary(Context& cx, const ast::Expr& expr, const ast::Unary& node) {
  switch (node.op) {
    case ast::UnaryOp::address_of: return address_of(cx, check(cx, *node.operand), expr.span);
    case ast::UnaryOp::indirection: return check_indirection(cx, expr, node);
    case ast::UnaryOp::negate:
      return unary(cx, UnaryOp::negate, check_value(cx, *node.operand), expr.span);
    case ast::UnaryOp::logical_not:
      return unary(cx, UnaryOp::logical_not, check_value(cx, *node.operand), expr.span);
    case ast::UnaryOp::complement:
      return unary(cx, UnaryOp::bit_not, check_value(cx, *node.operand), expr.span);
  }
  return failed(expr.span);
}

bool check_bool(Context& cx, const Value& value, BinaryOp op) {
  if (value.failed()) return false;
  const auto* scalar = cx.types().get_if<ScalarType>(value.type);
  if (scalar != nullptr && scalar->kind == ScalarKind::boolean) return true;
  cx.error(value.span, fmt::format("'{}' takes two values of type bool; this is {}", to_string(op),
                                   cx.spell(value.type)));
  return false;
}

// a && f() where f has effects: var both = a; if (both) { both = f(); }
Value branch_logical(Context& cx, BinaryOp op, const Value& left, const ast::Expr& right,
                     Span span) {
  const TypeId type = cx.types().scalar(ScalarKind::boolean);
  flush(cx);
  const ExprId initial = emit(cx, left);
  const bool both = op == BinaryOp::logical_and;
  const LocalId local = new_local(cx, both ? "both" : "either", LocalKind::var, type, span);
  cx.writer.stmt(VarStmt{local, initial});

  const std::size_t base = std::exchange(cx.body->pending_base, cx.body->pending.size());
  cx.writer.open();
  const Value value = check_value(cx, right);
  const bool fine = check_bool(cx, value, op);
  if (fine) {
    const ExprId pointer = local_reference(cx, {local, type}, span).expr;
    const ExprId stored = emit(cx, value);
    cx.at(span);
    cx.writer.stmt(StoreStmt{pointer, stored});
  }
  const Block block = cx.writer.close();
  cx.body->pending_base = base;

  const auto loaded = [&] {
    const ExprId pointer = local_reference(cx, {local, type}, span).expr;
    return computed(cx, type, LoadExpr{pointer}, Phase::runtime, false, span);
  };
  const ExprId condition = loaded().expr;
  cx.writer.stmt(both ? IfStmt{condition, block, {}} : IfStmt{condition, {}, block});
  return fine ? loaded() : failed(span);
}

Value check_logical(Context& cx, const ast::Expr& expr, const ast::Binary& node) {
  const BinaryOp op = ir_operator(node.op);
  Value left = check_value(cx, *node.left);
  const bool left_fine = check_bool(cx, left, op);
  const bool skips = left.is_constant() && (left.bits() != 0) == (op == BinaryOp::logical_or);
  const bool unevaluated = cx.unevaluated;
  cx.unevaluated = unevaluated || (left_fine && skips);
  Value result = failed(expr.span);
  if (left_fine && cx.body != nullptr && has_effects(cx, *node.right)) {
    result = branch_logical(cx, op, left, *node.right, expr.span);
  } else {
    const Hold hold(cx, left);
    const Value right = check_value(cx, *node.right);
    if (check_bool(cx, right, op) && left_fine) {
      if (left.is_constant() && right.is_constant()) {
        result =
            make_constant(cx, Scalar::of(skips ? left.bits() != 0 : right.bits() != 0), expr.span);
      } else {
        const ExprId a = emit(cx, left);
        const ExprId b = emit(cx, right);
        result = computed(cx, left.type, BinaryExpr{op, a, b}, later(left.phase, right.phase),
                          left.reads || right.reads, expr.span);
      }
    }
  }
  cx.unevaluated = unevaluated;
  return result;
}

Value check_binary(Context& cx, const ast::Expr& expr, const ast::Binary& node) {
  if (node.op == ast::BinaryOp::logical_and || node.op == ast::BinaryOp::logical_or) {
    return check_logical(cx, expr, node);
  }
  Value left = check_value(cx, *node.left);
  Value right;
  {
    const Hold hold(cx, left);
    right = check_value(cx, *node.right);
  }
  return binary(cx, ir_operator(node.op), std::move(left), std::move(right), expr.span);
}

Value fold_binary(Context& cx, BinaryOp op, TypeId result, const Value& left, const Value& right,
                  Span span) {
  const std::vector<std::uint64_t> a = flatten(cx, left);
  const std::vector<std::uint64_t> b = flatten(cx, right);
  std::vector<std::uint64_t> out(cx.types().scalar_count(result));
  const Fault fault = apply(op, cx.types(), result, {left.type, a}, {right.type, b}, out);
  if (fault != Fault::none && !cx.unevaluated) {
    report_fault(
        cx, fault,
        fmt::format("{} {} {}", spell_constant(cx, left), to_string(op), spell_constant(cx, right)),
        result, span);
    return failed(span);
  }
  return make_constant(cx, result, std::move(out), span);
}

void report_no_operator(Context& cx, BinaryOp op, const Value& left, const Value& right,
                        Span span) {
  const std::array<Value, 2> both{left, right};
  Diagnostic& error = cx.error(
      span, fmt::format("no operator '{}' takes {}", to_string(op), spell_types(cx, both)));
  const auto a = cx.types().scalar_kind(left.type);
  const auto b = cx.types().scalar_kind(right.type);
  const bool shifts = op == BinaryOp::shift_left || op == BinaryOp::shift_right;
  if (shifts && b && *b != ScalarKind::u32) {
    error.with_fix("the right side of a shift is u32, or a vector of u32 of the same size");
  } else if (a && b && *a != *b && !(is_abstract(*a) && is_abstract(*b))) {
    error.with_fix(fmt::format("convert one side, for example with {}(...)",
                               cx.spell(is_abstract(*a) ? right.type : left.type)));
  }
}

}  // namespace

BinaryOp ir_operator(ast::BinaryOp op) {
  switch (op) {
    case ast::BinaryOp::add: return BinaryOp::add;
    case ast::BinaryOp::subtract: return BinaryOp::sub;
    case ast::BinaryOp::multiply: return BinaryOp::mul;
    case ast::BinaryOp::divide: return BinaryOp::div;
    case ast::BinaryOp::remainder: return BinaryOp::rem;
    case ast::BinaryOp::bit_and: return BinaryOp::bit_and;
    case ast::BinaryOp::bit_or: return BinaryOp::bit_or;
    case ast::BinaryOp::bit_xor: return BinaryOp::bit_xor;
    case ast::BinaryOp::shift_left: return BinaryOp::shift_left;
    case ast::BinaryOp::shift_right: return BinaryOp::shift_right;
    case ast::BinaryOp::logical_and: return BinaryOp::logical_and;
    case ast::BinaryOp::logical_or: return BinaryOp::logical_or;
    case ast::BinaryOp::equal: return BinaryOp::equal;
    case ast::BinaryOp::not_equal: return BinaryOp::not_equal;
    case ast::BinaryOp::less: return BinaryOp::less;
    case ast::BinaryOp::less_equal: return BinaryOp::less_equal;
    case ast::BinaryOp::greater: return BinaryOp::greater;
    case ast::BinaryOp::greater_equal: return BinaryOp::greater_equal;
  }
  return BinaryOp::add;
}

Value splat(Context& cx, const Value& scalar, TypeId vector) {
  if (!scalar.is_constant()) {
    return computed(cx, vector, SplatExpr{scalar.expr}, scalar.phase, scalar.reads, scalar.span);
  }
  return make_constant(cx, vector,
                       std::vector<std::uint64_t>(cx.types().scalar_count(vector), scalar.bits()),
                       scalar.span);
}

Value binary(Context& cx, BinaryOp op, Value left, Value right, Span span) {
  if (left.failed() || right.failed()) return failed(span);
  const std::array<Value, 2> operands{left, right};
  const std::span<const Pattern> patterns = binary_patterns(op);
  const auto match = resolve(cx, patterns, operands);
  if (!match) {
    report_no_operator(cx, op, left, right, span);
    return failed(span);
  }
  left = convert(cx, std::move(left), match->parameters[0]);
  right = convert(cx, std::move(right), match->parameters[1]);
  if (left.failed() || right.failed()) return failed(span);
  const std::string_view letters = patterns[match->pattern].parameters;
  if (letters == "VS") right = splat(cx, right, left.type);
  if (letters == "SV") left = splat(cx, left, right.type);
  if (left.is_constant() && right.is_constant()) {
    return fold_binary(cx, op, match->result, left, right, span);
  }
  if (right.is_constant() && !cx.unevaluated) {
    const std::vector<std::uint64_t> scalars = flatten(cx, right);
    const Fault fault = right_side_fault(op, cx.types(), {right.type, scalars});
    if (fault != Fault::none) {
      report_fault(cx, fault, fmt::format("... {} {}", to_string(op), spell_constant(cx, right)),
                   match->result, span);
      return failed(span);
    }
  }
  const ExprId a = emit(cx, left);
  const ExprId b = emit(cx, right);
  return computed(cx, match->result, BinaryExpr{op, a, b}, later(left.phase, right.phase),
                  left.reads || right.reads, span);
}

bool has_effects(const Context& cx, const ast::Expr& expr) {
  const auto any = [&](ast::ExprList list) {
    return std::ranges::any_of(list, [&](const ast::Expr* e) { return has_effects(cx, *e); });
  };
  return std::visit(
      Overloaded{
          [](const ast::Literal&) { return false; },
          [](const ast::Identifier&) { return false; },
          [&](const ast::Call& call) {
            const Symbol* symbol = lookup(cx, call.callee.name.text);
            if (symbol != nullptr && std::holds_alternative<FunctionSymbol>(symbol->what)) {
              return true;
            }
            const SpecialEntry* special =
                symbol == nullptr ? find_special(call.callee.name.text) : nullptr;
            if (special != nullptr && has_effects(special->which)) return true;
            if (symbol == nullptr && (is_texture_function(call.callee.name.text) ||
                                      is_derivative(call.callee.name.text) ||
                                      is_subgroup_function(call.callee.name.text))) {
              return true;
            }
            return any(call.arguments);
          },
          [&](const ast::Index& e) {
            return has_effects(cx, *e.object) || has_effects(cx, *e.index);
          },
          [&](const ast::Member& e) { return has_effects(cx, *e.object); },
          [&](const ast::Unary& e) { return has_effects(cx, *e.operand); },
          [&](const ast::Binary& e) {
            return has_effects(cx, *e.left) || has_effects(cx, *e.right);
          },
      },
      expr.node);
}

Value check(Context& cx, const ast::Expr& expr) {
  return std::visit(Overloaded{
                        [&](const ast::Literal& e) { return check_literal(cx, expr, e); },
                        [&](const ast::Identifier& e) { return check_identifier(cx, expr, e); },
                        [&](const ast::Call& e) { return check_call(cx, expr, e); },
                        [&](const ast::Index& e) { return check_index(cx, expr, e); },
                        [&](const ast::Member& e) { return check_member(cx, expr, e); },
                        [&](const ast::Unary& e) { return check_unary(cx, expr, e); },
                        [&](const ast::Binary& e) { return check_binary(cx, expr, e); },
                    },
                    expr.node);
}

Value check_value(Context& cx, const ast::Expr& expr) {
  Value value = check(cx, expr);
  if (value.kind == Value::Kind::none) {
    cx.error(expr.span, "this function returns nothing; a value is needed here");
    return failed(expr.span);
  }
  return load(cx, std::move(value));
}

Value coerce(Context& cx, Value value, TypeId type, std::string_view what) {
  if (value.failed()) return value;
  if (!conversion_rank(cx.types(), value.type, type)) {
    cx.error(value.span,
             fmt::format("{} is {}; it must be {}", what, cx.spell(value.type), cx.spell(type)));
    return failed(value.span);
  }
  return convert(cx, std::move(value), type);
}

Value check_as(Context& cx, const ast::Expr& expr, TypeId type, std::string_view what) {
  return coerce(cx, check_value(cx, expr), type, what);
}

}  // namespace vyre::sema
