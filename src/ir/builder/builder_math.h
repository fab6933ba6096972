// The builtins for the builder, under their WGSL names in snake case: sqrt(x), clamp(x, 0, 1).
#pragma once

#include "vyre/ir/builder/builder.h"

namespace vyre {

#define VYRE_BUILTIN_1(name) \
  inline Value name(const Arg& a) { return math(MathFn::name, {a}, a.where); }
#define VYRE_BUILTIN_2(name) \
  inline Value name(const Arg& a, const Arg& b) { return math(MathFn::name, {a, b}, a.where); }
#define VYRE_BUILTIN_3(name)                                    \
  inline Value name(const Arg& a, const Arg& b, const Arg& c) { \
    return math(MathFn::name, {a, b, c}, a.where);              \
  }

VYRE_BUILTIN_1(all)
VYRE_BUILTIN_1(any)
VYRE_BUILTIN_1(abs)
VYRE_BUILTIN_1(acos)
VYRE_BUILTIN_1(acosh)
VYRE_BUILTIN_1(asin)
VYRE_BUILTIN_1(asinh)
VYRE_BUILTIN_1(atan)
VYRE_BUILTIN_1(atanh)
VYRE_BUILTIN_2(atan2)
VYRE_BUILTIN_1(ceil)
VYRE_BUILTIN_3(clamp)
VYRE_BUILTIN_1(cos)
VYRE_BUILTIN_1(cosh)
VYRE_BUILTIN_1(count_leading_zeros)
VYRE_BUILTIN_1(count_one_bits)
VYRE_BUILTIN_1(count_trailing_zeros)
VYRE_BUILTIN_2(cross)
VYRE_BUILTIN_1(degrees)
VYRE_BUILTIN_1(determinant)
VYRE_BUILTIN_2(distance)
VYRE_BUILTIN_2(dot)
VYRE_BUILTIN_2(dot4_u8_packed)
VYRE_BUILTIN_2(dot4_i8_packed)
VYRE_BUILTIN_1(exp)
VYRE_BUILTIN_1(exp2)
VYRE_BUILTIN_3(extract_bits)
VYRE_BUILTIN_3(face_forward)
VYRE_BUILTIN_1(first_leading_bit)
VYRE_BUILTIN_1(first_trailing_bit)
VYRE_BUILTIN_1(floor)
VYRE_BUILTIN_3(fma)
VYRE_BUILTIN_1(fract)
VYRE_BUILTIN_1(frexp)  // a struct of "fract" and "exp"
inline Value insert_bits(const Arg& into, const Arg& bits, const Arg& offset, const Arg& count) {
  return math(MathFn::insert_bits, {into, bits, offset, count}, into.where);
}
VYRE_BUILTIN_1(inverse_sqrt)
VYRE_BUILTIN_2(ldexp)
VYRE_BUILTIN_1(length)
VYRE_BUILTIN_1(log)
VYRE_BUILTIN_1(log2)
VYRE_BUILTIN_2(max)
VYRE_BUILTIN_2(min)
VYRE_BUILTIN_3(mix)
VYRE_BUILTIN_1(modf)  // a struct of "fract" and "whole"
VYRE_BUILTIN_1(normalize)
VYRE_BUILTIN_2(pow)
VYRE_BUILTIN_1(quantize_to_f16)
VYRE_BUILTIN_1(radians)
VYRE_BUILTIN_2(reflect)
VYRE_BUILTIN_3(refract)
VYRE_BUILTIN_1(reverse_bits)
VYRE_BUILTIN_1(round)
VYRE_BUILTIN_1(saturate)
VYRE_BUILTIN_1(sign)
VYRE_BUILTIN_1(sin)
VYRE_BUILTIN_1(sinh)
VYRE_BUILTIN_3(smoothstep)
VYRE_BUILTIN_1(sqrt)
VYRE_BUILTIN_2(step)
VYRE_BUILTIN_1(tan)
VYRE_BUILTIN_1(tanh)
VYRE_BUILTIN_1(transpose)
VYRE_BUILTIN_1(trunc)
VYRE_BUILTIN_1(pack4x8_snorm)
VYRE_BUILTIN_1(pack4x8_unorm)
VYRE_BUILTIN_1(pack4x_i8)
VYRE_BUILTIN_1(pack4x_u8)
VYRE_BUILTIN_1(pack4x_i8_clamp)
VYRE_BUILTIN_1(pack4x_u8_clamp)
VYRE_BUILTIN_1(pack2x16_snorm)
VYRE_BUILTIN_1(pack2x16_unorm)
VYRE_BUILTIN_1(pack2x16_float)
VYRE_BUILTIN_1(unpack4x8_snorm)
VYRE_BUILTIN_1(unpack4x8_unorm)
VYRE_BUILTIN_1(unpack4x_i8)
VYRE_BUILTIN_1(unpack4x_u8)
VYRE_BUILTIN_1(unpack2x16_snorm)
VYRE_BUILTIN_1(unpack2x16_unorm)
VYRE_BUILTIN_1(unpack2x16_float)

#undef VYRE_BUILTIN_1
#undef VYRE_BUILTIN_2
#undef VYRE_BUILTIN_3

}  // namespace vyre
