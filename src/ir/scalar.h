// Scalars: a kind and the bits of a value. The two abstract kinds exist only while WGSL constants
// are evaluated; no Program contains them.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace vyre {

enum class ScalarKind : std::uint8_t { boolean, i32, u32, f32, f16, abstract_int, abstract_float };

constexpr bool is_float(ScalarKind k) {
  return k == ScalarKind::f32 || k == ScalarKind::f16 || k == ScalarKind::abstract_float;
}
constexpr bool is_integer(ScalarKind k) {
  return k == ScalarKind::i32 || k == ScalarKind::u32 || k == ScalarKind::abstract_int;
}
constexpr bool is_abstract(ScalarKind k) {
  return k == ScalarKind::abstract_int || k == ScalarKind::abstract_float;
}
constexpr bool is_signed(ScalarKind k) {
  return k == ScalarKind::i32 || k == ScalarKind::abstract_int || is_float(k);
}
std::string_view to_string(ScalarKind kind);  // WGSL's spelling: "bool", "i32", ...

// IEEE binary16 <-> binary32, round to nearest even, subnormals and NaN kept.
float f16_to_float(std::uint16_t bits);
std::uint16_t float_to_f16(float value);
std::uint16_t double_to_f16(double value);

// bits: bool 0/1; i32 two's complement in the low 32; f32 and f16 their IEEE pattern in the low
// bits; abstract_int an int64; abstract_float a double's pattern.
struct Scalar {
  ScalarKind kind = ScalarKind::u32;
  std::uint64_t bits = 0;

  static Scalar of(bool v) { return {ScalarKind::boolean, v ? 1U : 0U}; }
  static Scalar of(std::int32_t v) { return {ScalarKind::i32, static_cast<std::uint32_t>(v)}; }
  static Scalar of(std::uint32_t v) { return {ScalarKind::u32, v}; }
  static Scalar of(float v) { return {ScalarKind::f32, std::bit_cast<std::uint32_t>(v)}; }
  static Scalar of_f16(float v) { return {ScalarKind::f16, float_to_f16(v)}; }
  static Scalar abstract(std::int64_t v) {
    return {ScalarKind::abstract_int, static_cast<std::uint64_t>(v)};
  }
  static Scalar abstract(double v) {
    return {ScalarKind::abstract_float, std::bit_cast<std::uint64_t>(v)};
  }

  bool as_bool() const { return bits != 0; }
  std::int32_t as_i32() const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  }
  std::uint32_t as_u32() const { return static_cast<std::uint32_t>(bits); }
  std::int64_t as_int() const;  // any integer kind or bool, widened
  double as_double() const;     // any float kind, widened exactly

  bool operator==(const Scalar&) const = default;
};

}  // namespace vyre
