// Value constructors and conversions.
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_overload.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

// A composite of parts that have their final types.
Value assemble(Context& cx, TypeId type, std::span<const Value> parts, Span span) {
  Phase phase = Phase::constant;
  bool reads = false;
  bool all_zero = true;
  for (const Value& part : parts) {
    if (part.failed()) return failed(span);
    phase = later(phase, part.phase);
    reads = reads || part.reads;
    all_zero = all_zero && part.is_constant() && !part.data;
  }
  if (all_zero) return make_zero(type, span);
  if (phase != Phase::constant) {
    std::vector<ExprId> ids;
    ids.reserve(parts.size());
    for (const Value& part : parts) ids.push_back(emit(cx, part));
    return computed(cx, type, ConstructExpr{cx.writer.list(ids)}, phase, reads, span);
  }
  const std::uint64_t count = cx.types().scalar_count(type);
  if (count > Limits::kConstantScalars) {
    cx.error(span, fmt::format("a constant of {} numbers is too large; the limit is {}", count,
                               Limits::kConstantScalars));
    return failed(span);
  }
  std::vector<std::uint64_t> scalars;
  scalars.reserve(count);
  for (const Value& part : parts) {
    const std::vector<std::uint64_t> of_part = flatten(cx, part);
    scalars.insert(scalars.end(), of_part.begin(), of_part.end());
  }
  return make_constant(cx, type, std::move(scalars), span);
}

Value refuse(Context& cx, TypeId type, Arguments& arguments, Span span) {
  cx.error(span, fmt::format("{} cannot be made of {}", cx.spell(type),
                             spell_types(cx, arguments.values())));
  return failed(span);
}

// Whether the scalars and vectors given fill `count` components exactly.
bool fills(const TypeTable& types, std::span<const Value> arguments, std::uint32_t count) {
  std::uint64_t given = 0;
  for (const Value& v : arguments) {
    const bool part = types.get_if<ScalarType>(v.type) || types.get_if<VectorType>(v.type);
    if (!part) return false;
    given += types.scalar_count(v.type);
  }
  return given == count;
}

bool all_scalars(const TypeTable& types, std::span<const Value> arguments) {
  for (const Value& v : arguments) {
    if (types.get_if<ScalarType>(v.type) == nullptr) return false;
  }
  return true;
}

// Converts each argument to the same shape of `kind`; an error names the first that does not.
Value assemble_of_kind(Context& cx, TypeId type, ScalarKind kind, Arguments& arguments, Span span) {
  std::vector<Value> parts;
  parts.reserve(arguments.size());
  for (Value& argument : arguments.values()) {
    const TypeId to = with_kind(cx.types(), argument.type, kind);
    parts.push_back(coerce(cx, argument, to, fmt::format("a component of {}", cx.spell(type))));
    if (parts.back().failed()) return failed(span);
  }
  return assemble(cx, type, parts, span);
}

Value construct_scalar(Context& cx, TypeId type, Arguments& arguments, Span span) {
  if (arguments.size() != 1 || cx.types().get_if<ScalarType>(arguments[0].type) == nullptr) {
    return refuse(cx, type, arguments, span);
  }
  Value value = convert_explicitly(cx, arguments[0], type);
  value.span = span;
  return value;
}

Value construct_vector(Context& cx, TypeId type, Arguments& arguments, Span span) {
  const VectorType vector = *cx.types().get_if<VectorType>(type);
  const TypeTable& types = cx.types();
  if (arguments.size() == 1) {
    Value& only = arguments[0];
    if (types.get_if<ScalarType>(only.type) != nullptr) {
      Value scalar = coerce(cx, only, cx.types().scalar(vector.kind),
                            fmt::format("the component of {}", cx.spell(type)));
      if (scalar.failed()) return failed(span);
      scalar.span = span;
      return splat(cx, scalar, type);
    }
    const auto* given = types.get_if<VectorType>(only.type);
    if (given == nullptr || given->size != vector.size) return refuse(cx, type, arguments, span);
    Value value = convert_explicitly(cx, only, type);
    value.span = span;
    return value;
  }
  if (!fills(types, arguments.values(), vector.size)) return refuse(cx, type, arguments, span);
  return assemble_of_kind(cx, type, vector.kind, arguments, span);
}

bool are_columns(const TypeTable& types, std::span<const Value> arguments, const MatrixType& of) {
  if (arguments.size() != of.columns) return false;
  for (const Value& v : arguments) {
    const auto* column = types.get_if<VectorType>(v.type);
    if (column == nullptr || column->size != of.rows) return false;
  }
  return true;
}

Value construct_matrix(Context& cx, TypeId type, Arguments& arguments, Span span) {
  const MatrixType matrix = *cx.types().get_if<MatrixType>(type);
  const TypeTable& types = cx.types();
  if (arguments.size() == 1) {
    const auto* given = types.get_if<MatrixType>(arguments[0].type);
    if (given == nullptr || given->columns != matrix.columns || given->rows != matrix.rows) {
      return refuse(cx, type, arguments, span);
    }
    Value value = convert_explicitly(cx, arguments[0], type);
    value.span = span;
    return value;
  }
  const bool scalars = arguments.size() == std::size_t{matrix.columns} * matrix.rows &&
                       all_scalars(types, arguments.values());
  if (!scalars && !are_columns(types, arguments.values(), matrix)) {
    return refuse(cx, type, arguments, span);
  }
  return assemble_of_kind(cx, type, matrix.kind, arguments, span);
}

Value construct_array(Context& cx, TypeId type, Arguments& arguments, Span span) {
  const ArrayType array = *cx.types().get_if<ArrayType>(type);
  if (arguments.size() != array.count) {
    cx.error(span, fmt::format("{} has {} elements; {} given", cx.spell(type), array.count,
                               arguments.size()));
    return failed(span);
  }
  std::vector<Value> parts;
  parts.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    parts.push_back(coerce(cx, arguments[i], array.element, fmt::format("element {}", i)));
    if (parts.back().failed()) return failed(span);
  }
  return assemble(cx, type, parts, span);
}

Value construct_struct(Context& cx, TypeId type, Arguments& arguments, Span span) {
  const StructType structure = *cx.types().get_if<StructType>(type);
  if (arguments.size() != structure.members.size()) {
    cx.error(span, fmt::format("{} has {} members; {} given", structure.name,
                               structure.members.size(), arguments.size()));
    return failed(span);
  }
  std::vector<Value> parts;
  parts.reserve(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Member& member = structure.members[i];
    parts.push_back(coerce(cx, arguments[i], member.type,
                           fmt::format("member '{}' of {}", member.name, structure.name)));
    if (parts.back().failed()) return failed(span);
  }
  return assemble(cx, type, parts, span);
}

// The kind that all arguments convert to.
std::optional<ScalarKind> common_kind(Context& cx, Arguments& arguments) {
  std::optional<TypeId> common;
  for (const Value& v : arguments.values()) {
    const auto kind = cx.types().scalar_kind(v.type);
    if (!kind) return std::nullopt;
    const TypeId scalar = cx.types().scalar(*kind);
    common = common ? common_type(cx.types(), *common, scalar) : scalar;
    if (!common) return std::nullopt;
  }
  if (!common) return ScalarKind::abstract_int;
  return cx.types().scalar_kind(*common);
}

Value infer_array(Context& cx, Arguments& arguments, Span span) {
  if (arguments.size() == 0) {
    cx.error(span, "the element type of an empty array is unknown")
        .with_fix("write it out: array<f32, 4>()");
    return failed(span);
  }
  std::optional<TypeId> element = arguments[0].type;
  for (const Value& v : arguments.values()) {
    const auto wider = common_type(cx.types(), *element, v.type);
    if (!wider) {
      cx.error(v.span, fmt::format("the elements of an array have one type; this is {}, those "
                                   "before are {}",
                                   cx.spell(v.type), cx.spell(*element)));
      return failed(span);
    }
    element = wider;
  }
  if (!cx.types().is_constructible(*element)) {
    cx.error(span, fmt::format("{} cannot be the element of an array value", cx.spell(*element)));
    return failed(span);
  }
  const TypeId type = cx.types().array(*element, static_cast<std::uint32_t>(arguments.size()));
  if (!check_type_limits(cx, type, span)) return failed(span);
  return construct_array(cx, type, arguments, span);
}

}  // namespace

Value construct(Context& cx, TypeId type, Arguments& arguments, Span span) {
  if (arguments.failed()) return failed(span);
  if (!cx.types().is_constructible(type)) {
    cx.error(span, fmt::format("a value of type {} cannot be made", cx.spell(type)));
    return failed(span);
  }
  if (arguments.size() == 0) return make_zero(type, span);
  if (cx.types().get_if<ScalarType>(type)) return construct_scalar(cx, type, arguments, span);
  if (cx.types().get_if<VectorType>(type)) return construct_vector(cx, type, arguments, span);
  if (cx.types().get_if<MatrixType>(type)) return construct_matrix(cx, type, arguments, span);
  if (cx.types().get_if<ArrayType>(type)) return construct_array(cx, type, arguments, span);
  return construct_struct(cx, type, arguments, span);
}

Value construct_inferred(Context& cx, const ast::Name& name, Arguments& arguments, Span span) {
  if (arguments.failed()) return failed(span);
  const Generator generator = *find_generator(name.text);
  if (generator.kind == Generator::Kind::array) return infer_array(cx, arguments, span);
  const bool matrix = generator.kind == Generator::Kind::matrix;
  const bool vector = generator.kind == Generator::Kind::vector;
  auto kind = common_kind(cx, arguments);
  if (matrix && kind == ScalarKind::abstract_int && arguments.size() != 0) {
    kind = ScalarKind::abstract_float;
  }
  if ((!matrix && !vector) || !kind || (matrix && (!is_float(*kind) || arguments.size() == 0))) {
    cx.error(span, fmt::format("{} cannot be made of {}", name.text,
                               spell_types(cx, arguments.values())));
    return failed(span);
  }
  const TypeId type = matrix ? cx.types().matrix(*kind, generator.columns, generator.rows)
                             : cx.types().vector(*kind, generator.rows);
  return construct(cx, type, arguments, span);
}

}  // namespace vyre::sema
