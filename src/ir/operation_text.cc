#include "vyre/ir/operation.h"

namespace vyre {

std::string_view to_string(UnaryOp op) {
  switch (op) {
    case UnaryOp::negate: return "-";
    case UnaryOp::logical_not: return "!";
    case UnaryOp::bit_not: return "~";
  }
  return "?";
}

std::string_view to_string(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return "+";
    case BinaryOp::sub: return "-";
    case BinaryOp::mul: return "*";
    case BinaryOp::div: return "/";
    case BinaryOp::rem: return "%";
    case BinaryOp::equal: return "==";
    case BinaryOp::not_equal: return "!=";
    case BinaryOp::less: return "<";
    case BinaryOp::less_equal: return "<=";
    case BinaryOp::greater: return ">";
    case BinaryOp::greater_equal: return ">=";
    case BinaryOp::logical_and: return "&&";
    case BinaryOp::logical_or: return "||";
    case BinaryOp::bit_and: return "&";
    case BinaryOp::bit_or: return "|";
    case BinaryOp::bit_xor: return "^";
    case BinaryOp::shift_left: return "<<";
    case BinaryOp::shift_right: return ">>";
  }
  return "?";
}

std::string_view to_string(MathFn fn) {
  switch (fn) {
    case MathFn::all: return "all";
    case MathFn::any: return "any";
    case MathFn::abs: return "abs";
    case MathFn::acos: return "acos";
    case MathFn::acosh: return "acosh";
    case MathFn::asin: return "asin";
    case MathFn::asinh: return "asinh";
    case MathFn::atan: return "atan";
    case MathFn::atanh: return "atanh";
    case MathFn::atan2: return "atan2";
    case MathFn::ceil: return "ceil";
    case MathFn::clamp: return "clamp";
    case MathFn::cos: return "cos";
    case MathFn::cosh: return "cosh";
    case MathFn::count_leading_zeros: return "countLeadingZeros";
    case MathFn::count_one_bits: return "countOneBits";
    case MathFn::count_trailing_zeros: return "countTrailingZeros";
    case MathFn::cross: return "cross";
    case MathFn::degrees: return "degrees";
    case MathFn::determinant: return "determinant";
    case MathFn::distance: return "distance";
    case MathFn::dot: return "dot";
    case MathFn::dot4_u8_packed: return "dot4U8Packed";
    case MathFn::dot4_i8_packed: return "dot4I8Packed";
    case MathFn::exp: return "exp";
    case MathFn::exp2: return "exp2";
    case MathFn::extract_bits: return "extractBits";
    case MathFn::face_forward: return "faceForward";
    case MathFn::first_leading_bit: return "firstLeadingBit";
    case MathFn::first_trailing_bit: return "firstTrailingBit";
    case MathFn::floor: return "floor";
    case MathFn::fma: return "fma";
    case MathFn::fract: return "fract";
    case MathFn::frexp: return "frexp";
    case MathFn::insert_bits: return "insertBits";
    case MathFn::inverse_sqrt: return "inverseSqrt";
    case MathFn::ldexp: return "ldexp";
    case MathFn::length: return "length";
    case MathFn::log: return "log";
    case MathFn::log2: return "log2";
    case MathFn::max: return "max";
    case MathFn::min: return "min";
    case MathFn::mix: return "mix";
    case MathFn::modf: return "modf";
    case MathFn::normalize: return "normalize";
    case MathFn::pow: return "pow";
    case MathFn::quantize_to_f16: return "quantizeToF16";
    case MathFn::radians: return "radians";
    case MathFn::reflect: return "reflect";
    case MathFn::refract: return "refract";
    case MathFn::reverse_bits: return "reverseBits";
    case MathFn::round: return "round";
    case MathFn::saturate: return "saturate";
    case MathFn::sign: return "sign";
    case MathFn::sin: return "sin";
    case MathFn::sinh: return "sinh";
    case MathFn::smoothstep: return "smoothstep";
    case MathFn::sqrt: return "sqrt";
    case MathFn::step: return "step";
    case MathFn::tan: return "tan";
    case MathFn::tanh: return "tanh";
    case MathFn::transpose: return "transpose";
    case MathFn::trunc: return "trunc";
    case MathFn::pack4x8_snorm: return "pack4x8snorm";
    case MathFn::pack4x8_unorm: return "pack4x8unorm";
    case MathFn::pack4x_i8: return "pack4xI8";
    case MathFn::pack4x_u8: return "pack4xU8";
    case MathFn::pack4x_i8_clamp: return "pack4xI8Clamp";
    case MathFn::pack4x_u8_clamp: return "pack4xU8Clamp";
    case MathFn::pack2x16_snorm: return "pack2x16snorm";
    case MathFn::pack2x16_unorm: return "pack2x16unorm";
    case MathFn::pack2x16_float: return "pack2x16float";
    case MathFn::unpack4x8_snorm: return "unpack4x8snorm";
    case MathFn::unpack4x8_unorm: return "unpack4x8unorm";
    case MathFn::unpack4x_i8: return "unpack4xI8";
    case MathFn::unpack4x_u8: return "unpack4xU8";
    case MathFn::unpack2x16_snorm: return "unpack2x16snorm";
    case MathFn::unpack2x16_unorm: return "unpack2x16unorm";
    case MathFn::unpack2x16_float: return "unpack2x16float";
  }
  return "?";
}

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::none: return "none";
    case Fault::overflow: return "the integer result does not fit its type";
    case Fault::not_finite: return "the result is infinite or not a number";
    case Fault::division_by_zero: return "division by zero";
    case Fault::shift_too_large: return "the shift amount is not below the bit width";
    case Fault::shift_loses_bits: return "the shift drops significant bits";
    case Fault::domain: return "an argument lies outside the function's domain";
    case Fault::order: return "the bounds are out of order or out of range";
    case Fault::does_not_fit: return "the value does not fit the type";
  }
  return "?";
}

}  // namespace vyre
