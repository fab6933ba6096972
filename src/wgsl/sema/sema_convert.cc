#include "vyre/wgsl/sema/sema_convert.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "vyre/base/overloaded.h"

namespace vyre::sema {
namespace {

std::optional<std::uint32_t> kind_rank(ScalarKind from, ScalarKind to) {
  if (from == to) return 0;
  if (from == ScalarKind::abstract_float) {
    if (to == ScalarKind::f32) return 1;
    if (to == ScalarKind::f16) return 2;
  }
  if (from == ScalarKind::abstract_int) {
    switch (to) {
      case ScalarKind::i32: return 3;
      case ScalarKind::u32: return 4;
      case ScalarKind::abstract_float: return 5;
      case ScalarKind::f32: return 6;
      case ScalarKind::f16: return 7;
      default: break;
    }
  }
  return std::nullopt;
}

ScalarKind concrete_kind(ScalarKind kind) {
  if (kind == ScalarKind::abstract_int) return ScalarKind::i32;
  if (kind == ScalarKind::abstract_float) return ScalarKind::f32;
  return kind;
}

std::string shape_suffix(const TypeTable& types, TypeId operand) {
  const ScalarKind kind = *types.scalar_kind(operand);
  const std::string_view name = is_abstract(kind) ? "abstract" : to_string(kind);
  if (const auto* vector = types.get_if<VectorType>(operand)) {
    return fmt::format("vec{}_{}", vector->size, name);
  }
  return std::string(name);
}

// Converts all scalars of a constant whose type has the same shape as `to`.
void convert_scalars(Context& cx, TypeId from, TypeId to, std::span<const std::uint64_t> in,
                     std::vector<std::uint64_t>& out, Fault& fault, Scalar& culprit) {
  const auto from_kind = cx.types().scalar_kind(from);
  const auto to_kind = cx.types().scalar_kind(to);
  if (from_kind && to_kind) {
    for (const std::uint64_t bits : in) {
      Scalar result;
      const Scalar value{*from_kind, bits};
      const Fault found = convert(value, *to_kind, result);
      if (found != Fault::none && fault == Fault::none) {
        fault = found;
        culprit = value;
      }
      out.push_back(result.bits);
    }
    return;
  }
  const std::uint32_t count = cx.types().component_count(from);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const TypeId part = cx.types().component(from, i);
    const std::size_t size = cx.types().scalar_count(part);
    convert_scalars(cx, part, cx.types().component(to, i), in.subspan(at, size), out, fault,
                    culprit);
    at += size;
  }
}

Value convert_constant(Context& cx, const Value& value, TypeId to) {
  Value result = value;
  result.type = to;
  if (!value.data) return result;  // zero is zero in every type
  std::vector<std::uint64_t> scalars;
  scalars.reserve(value.data->size());
  Fault fault = Fault::none;
  Scalar culprit;
  convert_scalars(cx, value.type, to, *value.data, scalars, fault, culprit);
  if (fault != Fault::none && !cx.unevaluated) {
    const auto kind = cx.types().scalar_kind(to);
    cx.error(value.span,
             fmt::format("the value {} cannot be represented as {}", spell_scalar(culprit),
                         kind ? to_string(*kind) : cx.spell(to)));
    return failed(value.span);
  }
  return make_constant(cx, to, std::move(scalars), value.span);
}

void append_spelling(const TypeTable& types, TypeId type, std::span<const std::uint64_t> scalars,
                     std::string& out) {
  if (const auto* scalar = types.get_if<ScalarType>(type)) {
    out += spell_scalar({scalar->kind, scalars[0]});
    return;
  }
  std::string name = types.spell(type);
  out += name.substr(0, name.find('<'));
  out += '(';
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < types.component_count(type); ++i) {
    if (i != 0) out += ", ";
    if (out.size() > 60) {
      out += "...";
      break;
    }
    const TypeId part = types.component(type, i);
    const std::size_t size = types.scalar_count(part);
    append_spelling(types, part, scalars.subspan(at, size), out);
    at += size;
  }
  out += ')';
}

}  // namespace

// ---- Types

bool is_abstract_type(const TypeTable& types, TypeId type) {
  if (const auto kind = types.scalar_kind(type)) return is_abstract(*kind);
  if (const auto* array = types.get_if<ArrayType>(type)) {
    return is_abstract_type(types, array->element);
  }
  if (const auto* structure = types.get_if<StructType>(type)) {
    return structure->name.starts_with("__") && is_abstract_type(types, structure->members[0].type);
  }
  return false;
}

TypeId with_kind(TypeTable& types, TypeId type, ScalarKind kind) {
  if (const auto* vector = types.get_if<VectorType>(type)) return types.vector(kind, vector->size);
  if (const auto* matrix = types.get_if<MatrixType>(type)) {
    return types.matrix(kind, matrix->columns, matrix->rows);
  }
  return types.scalar(kind);
}

TypeId concrete_type(TypeTable& types, TypeId type) {
  if (!is_abstract_type(types, type)) return type;
  if (const auto kind = types.scalar_kind(type)) {
    return with_kind(types, type, concrete_kind(*kind));
  }
  if (const auto* array = types.get_if<ArrayType>(type)) {
    const std::uint32_t count = array->count;
    return types.array(concrete_type(types, array->element), count);
  }
  const auto& structure = std::get<StructType>(types[type]);
  const ResultStruct which =
      structure.name.starts_with("__frexp") ? ResultStruct::frexp : ResultStruct::modf;
  return result_struct(types, which, concrete_type(types, structure.members[0].type));
}

std::optional<std::uint32_t> conversion_rank(const TypeTable& types, TypeId from, TypeId to) {
  if (from == to) return 0;
  const Type& a = types[from];
  const Type& b = types[to];
  if (a.index() != b.index()) return std::nullopt;
  return std::visit(
      Overloaded{
          [&](const ScalarType& f) { return kind_rank(f.kind, std::get<ScalarType>(b).kind); },
          [&](const VectorType& f) -> std::optional<std::uint32_t> {
            const auto& t = std::get<VectorType>(b);
            if (f.size != t.size) return std::nullopt;
            return kind_rank(f.kind, t.kind);
          },
          [&](const MatrixType& f) -> std::optional<std::uint32_t> {
            const auto& t = std::get<MatrixType>(b);
            if (f.columns != t.columns || f.rows != t.rows) return std::nullopt;
            return kind_rank(f.kind, t.kind);
          },
          [&](const ArrayType& f) -> std::optional<std::uint32_t> {
            const auto& t = std::get<ArrayType>(b);
            if (f.count == 0 || f.count != t.count) return std::nullopt;
            return conversion_rank(types, f.element, t.element);
          },
          [&](const StructType& f) -> std::optional<std::uint32_t> {
            const auto& t = std::get<StructType>(b);
            if (!is_abstract_type(types, from) || !t.name.starts_with("__") ||
                f.members[0].name != t.members[0].name || f.members[1].name != t.members[1].name) {
              return std::nullopt;
            }
            return conversion_rank(types, f.members[0].type, t.members[0].type);
          },
          [](const auto&) -> std::optional<std::uint32_t> { return std::nullopt; },
      },
      a);
}

std::optional<TypeId> common_type(const TypeTable& types, TypeId a, TypeId b) {
  if (conversion_rank(types, b, a)) return a;
  if (conversion_rank(types, a, b)) return b;
  return std::nullopt;
}

TypeId result_struct(TypeTable& types, ResultStruct which, TypeId operand) {
  const std::string suffix = shape_suffix(types, operand);
  if (which == ResultStruct::modf) {
    return types.structure("__modf_result_" + suffix, {{.name = "fract", .type = operand},
                                                       {.name = "whole", .type = operand}});
  }
  const bool abstract = is_abstract_type(types, operand);
  const TypeId exponent =
      with_kind(types, operand, abstract ? ScalarKind::abstract_int : ScalarKind::i32);
  return types.structure("__frexp_result_" + suffix,
                         {{.name = "fract", .type = operand}, {.name = "exp", .type = exponent}});
}

TypeId compare_exchange_result(TypeTable& types, ScalarKind kind) {
  return types.structure(fmt::format("__atomic_compare_exchange_result_{}", to_string(kind)),
                         {{.name = "old_value", .type = types.scalar(kind)},
                          {.name = "exchanged", .type = types.scalar(ScalarKind::boolean)}});
}

// ---- Constants

std::string spell_scalar(Scalar scalar) {
  if (scalar.kind == ScalarKind::boolean) return scalar.as_bool() ? "true" : "false";
  if (is_integer(scalar.kind)) return fmt::format("{}", scalar.as_int());
  if (scalar.kind == ScalarKind::f32) {
    return fmt::format("{}", static_cast<float>(scalar.as_double()));
  }
  return fmt::format("{}", scalar.as_double());
}

std::string spell_constant(const Context& cx, const Value& constant) {
  std::string out;
  if (!constant.data && cx.types().scalar_count(constant.type) > 16) {
    return cx.spell(constant.type) + "()";
  }
  append_spelling(cx.types(), constant.type, flatten(cx, constant), out);
  return out;
}

Value make_zero(TypeId type, Span span) {
  Value value;
  value.kind = Value::Kind::value;
  value.phase = Phase::constant;
  value.type = type;
  value.span = span;
  return value;
}

Value make_constant(Context& cx, TypeId type, std::vector<std::uint64_t> scalars, Span span) {
  if (scalars.size() > 16) {
    cx.constant_scalars += scalars.size();
    if (cx.constant_scalars > Limits::kModuleConstantScalars) {
      cx.error(span, fmt::format("the constants of this module hold more than {} numbers",
                                 Limits::kModuleConstantScalars));
      return failed(span);
    }
  }
  Value value = make_zero(type, span);
  value.data = std::make_shared<const std::vector<std::uint64_t>>(std::move(scalars));
  return value;
}

Value make_constant(Context& cx, Scalar scalar, Span span) {
  return make_constant(cx, cx.types().scalar(scalar.kind), {scalar.bits}, span);
}

std::vector<std::uint64_t> flatten(const Context& cx, const Value& constant) {
  if (constant.data) return *constant.data;
  return std::vector<std::uint64_t>(cx.types().scalar_count(constant.type));
}

Value constant_component(Context& cx, const Value& composite, std::uint32_t i, Span span) {
  const TypeId part = cx.types().component(composite.type, i);
  if (!composite.data) return make_zero(part, span);
  const std::uint64_t size = cx.types().scalar_count(part);
  std::uint64_t at = 0;
  if (cx.types().get_if<StructType>(composite.type) != nullptr) {
    for (std::uint32_t k = 0; k < i; ++k) {
      at += cx.types().scalar_count(cx.types().component(composite.type, k));
    }
  } else {
    at = size * i;
  }
  const auto first = composite.data->begin() + static_cast<std::ptrdiff_t>(at);
  return make_constant(cx, part, {first, first + static_cast<std::ptrdiff_t>(size)}, span);
}

// ---- Values

Value convert(Context& cx, Value value, TypeId to) {
  if (value.failed() || value.type == to) return value;
  return convert_constant(cx, value, to);  // only abstract values convert, and they are constant
}

Value concretize(Context& cx, Value value) {
  if (value.failed() || !is_abstract_type(cx.types(), value.type)) return value;
  const TypeId to = concrete_type(cx.types(), value.type);
  if (!value.data || value.data->size() <= 16) return convert(cx, std::move(value), to);
  const auto known = cx.concrete_constants.find(value.data.get());
  if (known != cx.concrete_constants.end()) {
    Value result = known->second;
    result.span = value.span;
    return result;
  }
  const ConstData key = value.data;
  Value result = convert(cx, std::move(value), to);
  cx.kept_constants.push_back(key);
  cx.concrete_constants.emplace(key.get(), result);
  return result;
}

Value convert_explicitly(Context& cx, Value value, TypeId to) {
  if (value.failed() || value.type == to) return value;
  if (value.is_constant()) return convert_constant(cx, value, to);
  return computed(cx, to, ConvertExpr{value.expr}, value.phase, value.reads, value.span);
}

Value computed(Context& cx, TypeId type, ExprNode node, Phase phase, bool reads, Span span) {
  cx.at(span);
  Value value;
  value.kind = Value::Kind::value;
  value.phase = phase;
  value.type = type;
  value.expr = cx.writer.expr(type, node);
  value.reads = reads;
  value.span = span;
  return value;
}

ExprId emit(Context& cx, const Value& value) {
  if (!value.is_constant()) return value.expr;
  cx.at(value.span);
  const std::uint64_t count = cx.types().scalar_count(value.type);
  if (count <= 16) {
    const bool composite = cx.types().scalar_kind(value.type) == std::nullopt;
    if (!value.data && (composite || count > 4)) return cx.writer.expr(value.type, ZeroExpr{});
    return cx.writer.constant(value.type, flatten(cx, value));
  }
  if (!value.data) return cx.writer.expr(value.type, ZeroExpr{});
  const auto known = cx.emitted_constants.find(value.data.get());
  if (known != cx.emitted_constants.end()) {
    return cx.writer.expr(value.type, ConstantExpr{known->second});
  }
  const ExprId written = cx.writer.constant(value.type, *value.data);
  cx.kept_constants.push_back(value.data);
  cx.emitted_constants.emplace(value.data.get(),
                               std::get<ConstantExpr>(cx.program[written].node).id);
  return written;
}

}  // namespace vyre::sema
