#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "vyre/ir/validate/validate_internal.h"

namespace vyre {
namespace {

// The shape and kind of one argument or of the result. Lanes are 0 for scalars; columns are 0 for
// anything but matrices.
struct Shape {
  std::optional<ScalarKind> kind;  // empty for types without one
  std::uint32_t lanes = 0;
  std::uint32_t columns = 0;

  bool operator==(const Shape&) const = default;
  bool is_scalar() const { return kind && lanes == 0 && columns == 0; }
  bool is_vector() const { return kind && lanes != 0 && columns == 0; }
  bool is_plain() const { return is_scalar() || is_vector(); }
  bool is_floats() const { return is_plain() && is_float(*kind); }
  bool is_integers() const { return is_plain() && is_integer(*kind); }
  bool is_numbers() const { return is_plain() && *kind != ScalarKind::boolean; }
};

Shape shape_of(const TypeTable& types, TypeId id) {
  if (const auto* t = types.get_if<ScalarType>(id)) return {t->kind};
  if (const auto* t = types.get_if<VectorType>(id)) return {t->kind, t->size};
  if (const auto* t = types.get_if<MatrixType>(id)) return {t->kind, t->rows, t->columns};
  return {};
}

struct Call {
  const TypeTable& types;
  MathFn fn;
  std::vector<Shape> arguments;
  Shape result;
  TypeId result_type;

  std::size_t count() const { return arguments.size(); }
  const Shape& a(std::size_t i) const { return arguments[i]; }
  // n arguments, all of the first one's type.
  bool same(std::size_t n) const {
    return count() == n &&
           std::ranges::all_of(arguments, [&](const Shape& s) { return s == a(0); });
  }
  bool gives_first() const { return result == a(0); }
  bool gives_scalar_of_first() const { return result == Shape{a(0).kind}; }
};

bool is(const Shape& shape, ScalarKind kind, std::uint32_t lanes = 0) {
  return shape == Shape{kind, lanes, 0};
}

// {first: same type as the argument, second: of the kind given, same shape}
bool is_pair(const Call& c, ScalarKind second) {
  const auto* s = c.types.get_if<StructType>(c.result_type);
  return s != nullptr && s->members.size() == 2 &&
         shape_of(c.types, s->members[0].type) == c.a(0) &&
         shape_of(c.types, s->members[1].type) == Shape{second, c.a(0).lanes, 0};
}

bool fits_pack(const Call& c) {
  using enum ScalarKind;
  if (c.count() != 1) return false;
  const Shape& a = c.a(0);
  switch (c.fn) {
    case MathFn::pack4x8_snorm:
    case MathFn::pack4x8_unorm: return is(a, f32, 4) && is(c.result, u32);
    case MathFn::pack4x_i8:
    case MathFn::pack4x_i8_clamp: return is(a, i32, 4) && is(c.result, u32);
    case MathFn::pack4x_u8:
    case MathFn::pack4x_u8_clamp: return is(a, u32, 4) && is(c.result, u32);
    case MathFn::pack2x16_snorm:
    case MathFn::pack2x16_unorm:
    case MathFn::pack2x16_float: return is(a, f32, 2) && is(c.result, u32);
    case MathFn::unpack4x8_snorm:
    case MathFn::unpack4x8_unorm: return is(a, u32) && is(c.result, f32, 4);
    case MathFn::unpack4x_i8: return is(a, u32) && is(c.result, i32, 4);
    case MathFn::unpack4x_u8: return is(a, u32) && is(c.result, u32, 4);
    case MathFn::unpack2x16_snorm:
    case MathFn::unpack2x16_unorm:
    case MathFn::unpack2x16_float: return is(a, u32) && is(c.result, f32, 2);
    default: return false;
  }
}

bool fits_vectors(const Call& c) {
  const Shape& a = c.a(0);
  switch (c.fn) {
    case MathFn::cross: return c.same(2) && a.is_floats() && a.lanes == 3 && c.gives_first();
    case MathFn::dot:
      return c.same(2) && a.is_vector() && a.is_numbers() && c.gives_scalar_of_first();
    case MathFn::distance: return c.same(2) && a.is_floats() && c.gives_scalar_of_first();
    case MathFn::length: return c.same(1) && a.is_floats() && c.gives_scalar_of_first();
    case MathFn::normalize: return c.same(1) && a.is_floats() && a.is_vector() && c.gives_first();
    case MathFn::reflect: return c.same(2) && a.is_floats() && a.is_vector() && c.gives_first();
    case MathFn::face_forward:
      return c.same(3) && a.is_floats() && a.is_vector() && c.gives_first();
    case MathFn::refract:
      return c.count() == 3 && a.is_floats() && a.is_vector() && c.a(1) == a &&
             c.a(2) == Shape{a.kind} && c.gives_first();
    case MathFn::determinant:
      return c.count() == 1 && a.columns != 0 && a.columns == a.lanes && c.gives_scalar_of_first();
    case MathFn::transpose:
      return c.count() == 1 && a.columns != 0 && c.result == Shape{a.kind, a.columns, a.lanes};
    default: return false;
  }
}

bool fits(const Call& c) {
  using enum ScalarKind;
  if (c.count() == 0) return false;
  const Shape& a = c.a(0);
  switch (c.fn) {
    case MathFn::all:
    case MathFn::any:
      return c.count() == 1 && a.is_plain() && a.kind == boolean && is(c.result, boolean);

    case MathFn::abs: return c.same(1) && a.is_numbers() && c.gives_first();
    case MathFn::sign: return c.same(1) && a.is_numbers() && a.kind != u32 && c.gives_first();
    case MathFn::max:
    case MathFn::min: return c.same(2) && a.is_numbers() && c.gives_first();
    case MathFn::clamp: return c.same(3) && a.is_numbers() && c.gives_first();

    case MathFn::acos:
    case MathFn::acosh:
    case MathFn::asin:
    case MathFn::asinh:
    case MathFn::atan:
    case MathFn::atanh:
    case MathFn::ceil:
    case MathFn::cos:
    case MathFn::cosh:
    case MathFn::degrees:
    case MathFn::exp:
    case MathFn::exp2:
    case MathFn::floor:
    case MathFn::fract:
    case MathFn::inverse_sqrt:
    case MathFn::log:
    case MathFn::log2:
    case MathFn::radians:
    case MathFn::round:
    case MathFn::saturate:
    case MathFn::sin:
    case MathFn::sinh:
    case MathFn::sqrt:
    case MathFn::tan:
    case MathFn::tanh:
    case MathFn::trunc: return c.same(1) && a.is_floats() && c.gives_first();
    case MathFn::quantize_to_f16:
      return c.same(1) && a.is_floats() && a.kind == f32 && c.gives_first();
    case MathFn::atan2:
    case MathFn::pow:
    case MathFn::step: return c.same(2) && a.is_floats() && c.gives_first();
    case MathFn::fma:
    case MathFn::smoothstep: return c.same(3) && a.is_floats() && c.gives_first();
    case MathFn::mix:
      return c.count() == 3 && a.is_floats() && c.a(1) == a &&
             (c.a(2) == a || c.a(2) == Shape{a.kind}) && c.gives_first();
    case MathFn::ldexp:
      return c.count() == 2 && a.is_floats() && c.a(1) == Shape{i32, a.lanes, 0} && c.gives_first();
    case MathFn::frexp: return c.count() == 1 && a.is_floats() && is_pair(c, i32);
    case MathFn::modf: return c.count() == 1 && a.is_floats() && is_pair(c, *a.kind);

    case MathFn::count_leading_zeros:
    case MathFn::count_one_bits:
    case MathFn::count_trailing_zeros:
    case MathFn::first_leading_bit:
    case MathFn::first_trailing_bit:
    case MathFn::reverse_bits: return c.same(1) && a.is_integers() && c.gives_first();
    case MathFn::extract_bits:
      return c.count() == 3 && a.is_integers() && is(c.a(1), u32) && is(c.a(2), u32) &&
             c.gives_first();
    case MathFn::insert_bits:
      return c.count() == 4 && a.is_integers() && c.a(1) == a && is(c.a(2), u32) &&
             is(c.a(3), u32) && c.gives_first();
    case MathFn::dot4_u8_packed: return c.same(2) && is(a, u32) && is(c.result, u32);
    case MathFn::dot4_i8_packed: return c.same(2) && is(a, u32) && is(c.result, i32);

    case MathFn::cross:
    case MathFn::determinant:
    case MathFn::distance:
    case MathFn::dot:
    case MathFn::face_forward:
    case MathFn::length:
    case MathFn::normalize:
    case MathFn::reflect:
    case MathFn::refract:
    case MathFn::transpose: return fits_vectors(c);

    case MathFn::pack4x8_snorm:
    case MathFn::pack4x8_unorm:
    case MathFn::pack4x_i8:
    case MathFn::pack4x_u8:
    case MathFn::pack4x_i8_clamp:
    case MathFn::pack4x_u8_clamp:
    case MathFn::pack2x16_snorm:
    case MathFn::pack2x16_unorm:
    case MathFn::pack2x16_float:
    case MathFn::unpack4x8_snorm:
    case MathFn::unpack4x8_unorm:
    case MathFn::unpack4x_i8:
    case MathFn::unpack4x_u8:
    case MathFn::unpack2x16_snorm:
    case MathFn::unpack2x16_unorm:
    case MathFn::unpack2x16_float: return fits_pack(c);
  }
  return false;
}

}  // namespace

std::string check_math(const Program& program, MathFn fn, std::span<const ExprId> arguments,
                       TypeId result) {
  Call call{program.types, fn, {}, shape_of(program.types, result), result};
  for (const ExprId id : arguments) {
    call.arguments.push_back(shape_of(program.types, program[id].type));
  }
  if (fits(call)) return "";
  std::string list;
  for (const ExprId id : arguments) {
    list += (list.empty() ? "" : ", ") + program.types.spell(program[id].type);
  }
  return fmt::format("{}({}) does not give {}", to_string(fn), list, program.types.spell(result));
}

}  // namespace vyre
