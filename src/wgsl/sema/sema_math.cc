// The pure builtin functions, and errors of constant operations.
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/argument_rules.h"
#include "vyre/wgsl/sema/sema_builtins.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_overload.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

void report_no_overload(Context& cx, std::string_view name, std::span<const Pattern> patterns,
                        std::span<const Value> arguments, Span span) {
  std::string candidates;
  for (const Pattern& pattern : patterns) {
    if (pattern.kinds == kind_bit(ScalarKind::abstract_float)) continue;
    candidates += fmt::format("{}{}{}", candidates.empty() ? "" : "; ", name, describe(pattern));
  }
  cx.error(span, fmt::format("no overload of '{}' takes {}", name, spell_types(cx, arguments)))
      .with_fix("there is " + candidates);
}

std::string call_text(const Context& cx, std::string_view name, std::span<const Value> arguments) {
  std::vector<std::string> texts;
  for (const Value& v : arguments) {
    texts.push_back(v.is_constant() ? spell_constant(cx, v) : std::string("..."));
  }
  return fmt::format("{}({})", name, fmt::join(texts, ", "));
}

// The value of the function if all its arguments are constant; otherwise the error that the
// constant arguments cause.
Fault evaluate(Context& cx, MathFn fn, TypeId result, std::span<const Value> arguments,
               std::vector<std::uint64_t>& out) {
  std::array<std::vector<std::uint64_t>, kMaxParameters> scalars;
  std::array<Operand, kMaxParameters> operands{};
  bool constant = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    constant = constant && arguments[i].is_constant();
    if (arguments[i].is_constant()) scalars[i] = flatten(cx, arguments[i]);
    operands[i] = {arguments[i].type, scalars[i]};
  }
  const std::span<const Operand> known(operands.data(), arguments.size());
  if (!constant) return argument_fault(fn, cx.types(), known);
  out.resize(cx.types().scalar_count(result));
  return apply(fn, cx.types(), result, known, out);
}

Value select_constant(Context& cx, TypeId type, std::span<const Value> v, Span span) {
  const std::vector<std::uint64_t> on_false = flatten(cx, v[0]);
  const std::vector<std::uint64_t> on_true = flatten(cx, v[1]);
  const std::vector<std::uint64_t> condition = flatten(cx, v[2]);
  std::vector<std::uint64_t> out(on_false.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = condition[condition.size() == 1 ? 0 : i] != 0 ? on_true[i] : on_false[i];
  }
  return make_constant(cx, type, std::move(out), span);
}

struct Combined {
  Phase phase = Phase::constant;
  bool reads = false;
};
Combined combine(std::span<const Value> values) {
  Combined all;
  for (const Value& v : values) {
    all.phase = later(all.phase, v.phase);
    all.reads = all.reads || v.reads;
  }
  return all;
}

bool convert_arguments(Context& cx, const Match& match, Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = convert(cx, std::move(arguments[i]), match.parameters[i]);
    if (arguments[i].failed()) return false;
  }
  return true;
}

std::uint64_t bit_size(const TypeTable& types, TypeId type) {
  const auto kind = types.scalar_kind(type);
  const bool plain = types.get_if<ScalarType>(type) || types.get_if<VectorType>(type);
  if (!plain || !kind || *kind == ScalarKind::boolean) return 0;
  return types.scalar_count(type) * (*kind == ScalarKind::f16 ? 16 : 32);
}

// An abstract integer, or a vector of them, without negative components.
bool is_natural(const Context& cx, const Value& value) {
  if (cx.types().scalar_kind(value.type) != ScalarKind::abstract_int) return false;
  for (const std::uint64_t bits : flatten(cx, value)) {
    if (static_cast<std::int64_t>(bits) < 0) return false;
  }
  return true;
}

}  // namespace

void report_fault(Context& cx, Fault fault, std::string_view text, TypeId type, Span span) {
  const auto kind = cx.types().scalar_kind(type);
  const std::string name = kind ? std::string(to_string(*kind)) : cx.spell(type);
  std::string message;
  switch (fault) {
    case Fault::overflow: message = fmt::format("'{}' overflows {}", text, name); break;
    case Fault::not_finite:
      message = fmt::format("'{}' is not a finite number of type {}", text, name);
      break;
    case Fault::division_by_zero: message = fmt::format("'{}' divides by zero", text); break;
    case Fault::shift_too_large:
      message = fmt::format("'{}' shifts by the width of {} or more", text, name);
      break;
    case Fault::shift_loses_bits:
      message = fmt::format("'{}' shifts significant bits out of {}", text, name);
      break;
    case Fault::domain: message = fmt::format("'{}' is undefined for this argument", text); break;
    case Fault::order:
      message = fmt::format("'{}' has arguments in the wrong order or out of range", text);
      break;
    case Fault::does_not_fit:
      message = fmt::format("'{}' has a value that {} cannot represent", text, name);
      break;
    case Fault::none: return;
  }
  cx.error(span, std::move(message));
}

Value call_math(Context& cx, std::string_view name, Arguments& arguments, Span span) {
  const MathBuiltin& builtin = *find_math(name);
  const auto match = resolve(cx, builtin.patterns, arguments.values());
  if (!match) {
    report_no_overload(cx, name, builtin.patterns, arguments.values(), span);
    return failed(span);
  }
  if (!convert_arguments(cx, *match, arguments)) return failed(span);
  const bool boolean = builtin.fn == MathFn::all || builtin.fn == MathFn::any;
  if (boolean && cx.types().get_if<ScalarType>(arguments[0].type)) {
    Value same = arguments[0];
    same.span = span;
    return same;
  }
  if (builtin.patterns[match->pattern].parameters == "VVS" && builtin.fn == MathFn::mix) {
    arguments[2] = splat(cx, arguments[2], arguments[0].type);
  }
  const Combined all = combine(arguments.values());
  const bool constant = all.phase == Phase::constant;
  std::vector<std::uint64_t> out;
  const Fault fault = evaluate(cx, builtin.fn, match->result, arguments.values(), out);
  if (fault != Fault::none && !cx.unevaluated) {
    report_fault(cx, fault, call_text(cx, name, arguments.values()), match->result, span);
    return failed(span);
  }
  if (constant) return make_constant(cx, match->result, std::move(out), span);
  std::vector<ExprId> ids;
  for (const Value& v : arguments.values()) ids.push_back(emit(cx, v));
  return computed(cx, match->result, MathExpr{builtin.fn, cx.writer.list(ids)}, all.phase,
                  all.reads, span);
}

Value call_select(Context& cx, Arguments& arguments, Span span) {
  const auto match = resolve(cx, select_patterns(), arguments.values());
  if (!match) {
    report_no_overload(cx, "select", select_patterns(), arguments.values(), span);
    return failed(span);
  }
  if (!convert_arguments(cx, *match, arguments)) return failed(span);
  const Combined all = combine(arguments.values());
  if (all.phase == Phase::constant) {
    return select_constant(cx, match->result, arguments.values(), span);
  }
  const ExprId on_false = emit(cx, arguments[0]);
  const ExprId on_true = emit(cx, arguments[1]);
  const ExprId condition = emit(cx, arguments[2]);
  return computed(cx, match->result, SelectExpr{on_false, on_true, condition}, all.phase, all.reads,
                  span);
}

Value call_bitcast(Context& cx, const ast::Call& node, Arguments& arguments, Span span) {
  if (node.callee.template_args.size() != 1) {
    cx.error(span, "'bitcast' takes the result type as its template argument: bitcast<f32>(x)");
    return failed(span);
  }
  const auto type = resolve_type(cx, *node.callee.template_args[0]);
  if (!type) return failed(span);
  if (arguments.size() != 1) {
    cx.error(span, fmt::format("'bitcast' takes 1 argument; {} given", arguments.size()));
    return failed(span);
  }
  Value& given = arguments[0];
  const ScalarKind to_kind = cx.types().scalar_kind(*type).value_or(ScalarKind::boolean);
  const bool as_unsigned = to_kind == ScalarKind::u32 && is_natural(cx, given);
  Value value = as_unsigned ? convert(cx, given, with_kind(cx.types(), given.type, ScalarKind::u32))
                            : concretize(cx, given);
  if (value.failed()) return failed(span);
  const std::uint64_t bits = bit_size(cx.types(), *type);
  if (bits == 0 || bits != bit_size(cx.types(), value.type)) {
    cx.error(span, fmt::format("'bitcast' needs numbers of the same size in bits; {} cannot become "
                               "{}",
                               cx.spell(value.type), cx.spell(*type)));
    return failed(span);
  }
  if (value.type == *type) return value;
  if (!value.is_constant()) {
    return computed(cx, *type, BitcastExpr{value.expr}, value.phase, value.reads, span);
  }
  const std::vector<std::uint64_t> scalars = flatten(cx, value);
  std::vector<std::uint64_t> out(cx.types().scalar_count(*type));
  const Fault fault = apply_bitcast(cx.types(), *type, {value.type, scalars}, out);
  if (fault != Fault::none && !cx.unevaluated) {
    report_fault(cx, fault, fmt::format("bitcast({})", spell_constant(cx, value)), *type, span);
    return failed(span);
  }
  return make_constant(cx, *type, std::move(out), span);
}

}  // namespace vyre::sema
