// Arithmetic of ranges that saturates far from the ends of the type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "vyre/ir/access/value_numbers.h"

namespace vyre {

inline bool within(ValueRange inner, ValueRange outer) {
  return inner.low >= outer.low && inner.high <= outer.high;
}
inline ValueRange overlap(ValueRange a, ValueRange b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}
inline bool is_empty(ValueRange r) { return r.low > r.high; }

// Far from the ends of the type: sums and differences of two such numbers fit.
constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;

inline std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return (a < 0) == (b < 0) ? kFar : -kFar;
  return std::clamp(out, -kFar, kFar);
}
inline std::int64_t sum(std::int64_t a, std::int64_t b) { return std::clamp(a + b, -kFar, kFar); }

inline ValueRange scaled(ValueRange r, std::int64_t factor) {
  const std::int64_t a = product(r.low, factor);
  const std::int64_t b = product(r.high, factor);
  return {std::min(a, b), std::max(a, b)};
}
inline ValueRange added(ValueRange a, ValueRange b) {
  return {sum(a.low, b.low), sum(a.high, b.high)};
}

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return q - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

}  // namespace vyre
