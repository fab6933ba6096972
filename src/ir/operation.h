// The operations of the IR. `apply` defines each of them: constant evaluation and the interpreter
// use it, and every device is compared with it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vyre/ir/type.h"

namespace vyre {

enum class UnaryOp : std::uint8_t { negate, logical_not, bit_not };

enum class BinaryOp : std::uint8_t {
  add,
  sub,
  mul,
  div,
  rem,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,  // of bool, both sides evaluated: expressions are pure
  bit_and,
  bit_or,
  bit_xor,  // bit_and, bit_or also of bool
  shift_left,
  shift_right,
};

// The pure builtin functions under their WGSL names in snake case.
enum class MathFn : std::uint8_t {
  all,
  any,
  abs,
  acos,
  acosh,
  asin,
  asinh,
  atan,
  atanh,
  atan2,
  ceil,
  clamp,
  cos,
  cosh,
  count_leading_zeros,
  count_one_bits,
  count_trailing_zeros,
  cross,
  degrees,
  determinant,
  distance,
  dot,
  dot4_u8_packed,
  dot4_i8_packed,
  exp,
  exp2,
  extract_bits,
  face_forward,
  first_leading_bit,
  first_trailing_bit,
  floor,
  fma,
  fract,
  frexp,
  insert_bits,
  inverse_sqrt,
  ldexp,
  length,
  log,
  log2,
  max,
  min,
  mix,
  modf,
  normalize,
  pow,
  quantize_to_f16,
  radians,
  reflect,
  refract,
  reverse_bits,
  round,
  saturate,
  sign,
  sin,
  sinh,
  smoothstep,
  sqrt,
  step,
  tan,
  tanh,
  transpose,
  trunc,
  pack4x8_snorm,
  pack4x8_unorm,
  pack4x_i8,
  pack4x_u8,
  pack4x_i8_clamp,
  pack4x_u8_clamp,
  pack2x16_snorm,
  pack2x16_unorm,
  pack2x16_float,
  unpack4x8_snorm,
  unpack4x8_unorm,
  unpack4x_i8,
  unpack4x_u8,
  unpack2x16_snorm,
  unpack2x16_unorm,
  unpack2x16_float,
};

std::string_view to_string(UnaryOp op);   // "-", "!", "~"
std::string_view to_string(BinaryOp op);  // "+", "<<", ...
std::string_view to_string(MathFn fn);    // WGSL spelling: "countOneBits"

// Why a constant expression is an error although the same operation at run time is not. The result
// is the one that WGSL defines at run time.
enum class Fault : std::uint8_t {
  none,
  overflow,    // integer result does not fit
  not_finite,  // float result is infinite or NaN
  division_by_zero,
  shift_too_large,   // by the bit width or more
  shift_loses_bits,  // a left shift that drops significant bits
  domain,            // argument outside the function's domain (acos(2), log(-1), ...)
  order,             // clamp with low > high, smoothstep edges equal, bits out of range
  does_not_fit,      // conversion or bitcast to a type that cannot hold the value
};
std::string_view to_string(Fault fault);

// A flattened value: scalars in memory order, bits as in Scalar.
struct Operand {
  TypeId type;
  std::span<const std::uint64_t> scalars;
};

// Each writes the flattened result (scalar_count(result) words) to `out`, which does not overlap
// the operands. Types are as the IR requires (operation.h, program.h); abstract kinds are allowed
// where WGSL allows them. The fault is that of the first component that has one.
//
// Integers of 32 bits wrap around, also in constants. f16 arithmetic is f32 arithmetic rounded
// after each operation. Float sums of products (dot, cross, mix, determinant, matrix products) are
// chains of fused multiply-adds, first product rounded, index ascending. Functions that WGSL
// describes by a formula of sums, products, quotients and roots follow it step by step;
// transcendental functions are computed in double and rounded once. The float remainder is exact.
// A float converted to an integer is held to the values that both types have: f32 1e20 gives the
// i32 2147483520; NaN gives 0.
Fault apply(UnaryOp op, const TypeTable& types, TypeId result, Operand a,
            std::span<std::uint64_t> out);
Fault apply(BinaryOp op, const TypeTable& types, TypeId result, Operand a, Operand b,
            std::span<std::uint64_t> out);
Fault apply(MathFn fn, const TypeTable& types, TypeId result, std::span<const Operand> arguments,
            std::span<std::uint64_t> out);
Fault apply_convert(const TypeTable& types, TypeId result, Operand value,
                    std::span<std::uint64_t> out);
Fault apply_bitcast(const TypeTable& types, TypeId result, Operand value,
                    std::span<std::uint64_t> out);

// Scalar forms of the same meanings.
Fault apply(UnaryOp op, Scalar a, Scalar& out);
Fault apply(BinaryOp op, Scalar a, Scalar b, Scalar& out);
Fault convert(Scalar value, ScalarKind to, Scalar& out);

}  // namespace vyre
