// Integer arithmetic with defined overflow: checked (an empty optional) and saturating.
#pragma once

#include <concepts>
#include <limits>
#include <optional>

namespace vyre {

template <std::unsigned_integral T>
constexpr std::optional<T> checked_add(T a, T b) {
  T out{};
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

template <std::unsigned_integral T>
constexpr std::optional<T> checked_mul(T a, T b) {
  T out{};
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

template <std::unsigned_integral T>
constexpr T saturating_add(T a, T b) {
  T out{};
  return __builtin_add_overflow(a, b, &out) ? std::numeric_limits<T>::max() : out;
}

template <std::unsigned_integral T>
constexpr T saturating_sub(T a, T b) {
  return a > b ? static_cast<T>(a - b) : T{0};
}

template <std::unsigned_integral T>
constexpr T saturating_mul(T a, T b) {
  T out{};
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<T>::max() : out;
}

// The smallest integer not below a/b. b is not 0.
template <std::unsigned_integral T>
constexpr T ceil_div(T a, T b) {
  return static_cast<T>(a / b + (a % b != 0));
}

}  // namespace vyre
