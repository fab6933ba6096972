#include "vyre/ir/scalar.h"

namespace vyre {
namespace {

// Narrows an IEEE pattern with `mantissa_bits` and an exponent bias of `bias` to binary16, rounding
// to nearest, ties to even. One function serves binary32 and binary64, so that neither is rounded
// twice.
std::uint16_t narrow_to_f16(std::uint64_t pattern, int mantissa_bits, int bias) {
  const int exponent_bits = bias == 127 ? 8 : 11;
  const auto sign =
      static_cast<std::uint16_t>(((pattern >> (mantissa_bits + exponent_bits)) & 1U) << 15U);
  const std::uint64_t mantissa_mask = (std::uint64_t{1} << mantissa_bits) - 1;
  const auto raw_exponent =
      static_cast<int>((pattern >> mantissa_bits) & ((std::uint64_t{1} << exponent_bits) - 1));
  const std::uint64_t mantissa = pattern & mantissa_mask;

  if (raw_exponent == (1 << exponent_bits) - 1) {
    if (mantissa == 0) return sign | 0x7C00U;
    const auto payload = static_cast<std::uint16_t>(mantissa >> (mantissa_bits - 10));
    return static_cast<std::uint16_t>(sign | 0x7E00U | payload);
  }
  // Subnormal sources are far below half of the smallest binary16 subnormal.
  if (raw_exponent == 0) return sign;

  const int exponent = raw_exponent - bias;
  if (exponent > 15) return sign | 0x7C00U;
  if (exponent < -25) return sign;
  const std::uint64_t significand = mantissa | (mantissa_mask + 1);
  // A normal result keeps 10 mantissa bits; below 2^-14 each step loses one more.
  const int drop = mantissa_bits - 10 + (exponent < -14 ? -14 - exponent : 0);
  std::uint64_t kept = significand >> drop;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  if (rest > half || (rest == half && (kept & 1U) != 0)) ++kept;
  // `kept` carries the implicit bit of normals, so the biased exponent is added less one; a carry
  // out of the mantissa moves to the next exponent, and to infinity at the end.
  const std::uint64_t base =
      exponent < -14 ? 0 : static_cast<std::uint64_t>(exponent + 15 - 1) << 10U;
  return static_cast<std::uint16_t>(sign | (base + kept));
}

}  // namespace

std::string_view to_string(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::boolean: return "bool";
    case ScalarKind::i32: return "i32";
    case ScalarKind::u32: return "u32";
    case ScalarKind::f32: return "f32";
    case ScalarKind::f16: return "f16";
    case ScalarKind::abstract_int: return "AbstractInt";
    case ScalarKind::abstract_float: return "AbstractFloat";
  }
  return "unknown";
}

float f16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
  std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U));
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 127 - 15) << 23U) | (mantissa << 13U));
  }
  if (mantissa == 0) return std::bit_cast<float>(sign);
  std::uint32_t shifted = 127 - 15 + 1;
  while ((mantissa & 0x400U) == 0) {
    mantissa <<= 1U;
    --shifted;
  }
  return std::bit_cast<float>(sign | (shifted << 23U) | ((mantissa & 0x3FFU) << 13U));
}

std::uint16_t float_to_f16(float value) {
  return narrow_to_f16(std::bit_cast<std::uint32_t>(value), 23, 127);
}

std::uint16_t double_to_f16(double value) {
  return narrow_to_f16(std::bit_cast<std::uint64_t>(value), 52, 1023);
}

std::int64_t Scalar::as_int() const {
  switch (kind) {
    case ScalarKind::boolean: return as_bool() ? 1 : 0;
    case ScalarKind::i32: return as_i32();
    case ScalarKind::u32: return as_u32();
    case ScalarKind::abstract_int: return static_cast<std::int64_t>(bits);
    case ScalarKind::f32:
    case ScalarKind::f16:
    case ScalarKind::abstract_float: break;
  }
  return 0;
}

double Scalar::as_double() const {
  switch (kind) {
    case ScalarKind::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ScalarKind::f16: return f16_to_float(static_cast<std::uint16_t>(bits));
    case ScalarKind::abstract_float: return std::bit_cast<double>(bits);
    case ScalarKind::boolean:
    case ScalarKind::i32:
    case ScalarKind::u32:
    case ScalarKind::abstract_int: break;
  }
  return static_cast<double>(as_int());
}

}  // namespace vyre
