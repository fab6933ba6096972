#include "vyre/ir/builder/builder_math.h"

#include <fmt/format.h>

#include "vyre/ir/builder/builder_internal.h"

namespace vyre {
namespace {

TypeId with_kind(TypeTable& types, TypeId shape, ScalarKind kind) {
  const auto* v = types.get_if<VectorType>(shape);
  return v != nullptr ? types.vector(kind, v->size) : types.scalar(kind);
}

// {fract, exp} of frexp, {fract, whole} of modf.
TypeId pair_type(TypeTable& types, MathFn fn, TypeId of) {
  const bool frexp = fn == MathFn::frexp;
  const TypeId second = frexp ? with_kind(types, of, ScalarKind::i32) : of;
  std::string suffix(to_string(types.scalar_kind(of).value_or(ScalarKind::f32)));
  if (const auto* v = types.get_if<VectorType>(of)) {
    suffix = fmt::format("vec{}_{}", v->size, suffix);
  }
  return types.structure(
      fmt::format("__{}_result_{}", frexp ? "frexp" : "modf", suffix),
      {{.name = "fract", .type = of}, {.name = frexp ? "exp" : "whole", .type = second}});
}

// The type of the result; the check of the expression finds errors.
TypeId result_type(TypeTable& types, MathFn fn, TypeId first) {
  using enum ScalarKind;
  switch (fn) {
    case MathFn::all:
    case MathFn::any: return types.scalar(boolean);
    case MathFn::dot:
    case MathFn::distance:
    case MathFn::length:
    case MathFn::determinant: return types.scalar(types.scalar_kind(first).value_or(f32));
    case MathFn::transpose: {
      const auto* m = types.get_if<MatrixType>(first);
      return m != nullptr ? types.matrix(m->kind, m->rows, m->columns) : first;
    }
    case MathFn::frexp:
    case MathFn::modf: return pair_type(types, fn, first);
    case MathFn::dot4_i8_packed: return types.scalar(i32);
    case MathFn::pack4x8_snorm:
    case MathFn::pack4x8_unorm:
    case MathFn::pack4x_i8:
    case MathFn::pack4x_u8:
    case MathFn::pack4x_i8_clamp:
    case MathFn::pack4x_u8_clamp:
    case MathFn::pack2x16_snorm:
    case MathFn::pack2x16_unorm:
    case MathFn::pack2x16_float: return types.scalar(u32);
    case MathFn::unpack4x8_snorm:
    case MathFn::unpack4x8_unorm: return types.vector(f32, 4);
    case MathFn::unpack4x_i8: return types.vector(i32, 4);
    case MathFn::unpack4x_u8: return types.vector(u32, 4);
    case MathFn::unpack2x16_snorm:
    case MathFn::unpack2x16_unorm:
    case MathFn::unpack2x16_float: return types.vector(f32, 2);
    default: return first;
  }
}

// The type that a number given as argument `i` takes.
TypeId type_of_number(TypeTable& types, MathFn fn, std::size_t i, TypeId like) {
  const bool counts_bits =
      (fn == MathFn::extract_bits && i >= 1) || (fn == MathFn::insert_bits && i >= 2);
  if (counts_bits) return types.scalar(ScalarKind::u32);
  if (fn == MathFn::ldexp && i == 1) return with_kind(types, like, ScalarKind::i32);
  if (fn == MathFn::refract && i == 2) {
    return types.scalar(types.scalar_kind(like).value_or(ScalarKind::f32));
  }
  return like;
}

}  // namespace

std::uint32_t BuilderState::math(MathFn fn, std::span<const Arg> arguments, Where where) {
  // The first argument that is not a C++ number decides the type of numbers.
  std::vector<std::uint32_t> values(arguments.size(), 0);
  TypeId like{0};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_number(arguments[i])) continue;
    values[i] = value_of(arguments[i]);
    if (values[i] == 0) return 0;
    if (like == TypeId{0}) like = type(values[i]);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!is_number(arguments[i])) continue;
    values[i] = value_of(arguments[i], type_of_number(program.types, fn, i, like));
    if (values[i] == 0) return 0;
  }
  if (values.empty()) return 0;
  std::vector<ExprId> exprs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    exprs.push_back(use(values[i], arguments[i].where));
  }
  const TypeId result = result_type(program.types, fn, type(values[0]));
  return computed(result, MathExpr{fn, writer_.list(exprs)}, values, where);
}

Value math(MathFn fn, std::initializer_list<Arg> arguments, std::source_location where) {
  for (const Arg& arg : arguments) {
    if (BuilderState* state = BuilderState::state_of(arg)) {
      return state->wrap(state->math(fn, std::span(arguments.begin(), arguments.size()), where));
    }
  }
  return {};
}

}  // namespace vyre
