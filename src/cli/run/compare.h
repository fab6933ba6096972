// Compares two contents of a buffer, scalar by scalar.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/data/npy/packed_elements.h"

namespace vyre {

// How far two floats may be apart. Integers must be equal; so must infinities; a NaN equals any NaN
// (WGSL leaves their bits open), and 0 equals -0 unless nothing is allowed.
struct Tolerance {
  enum class Kind : std::uint8_t { exact, ulps, relative };
  Kind kind = Kind::exact;
  double value = 0;
};

// "4ulp", or a number that the difference may be of the larger magnitude: "1e-5"; "0" is exact.
Result<Tolerance> parse_tolerance(std::string_view text);
// "bit for bit", "within 4 ulp", "within 1e-05 of the larger".
std::string describe(const Tolerance& tolerance);

// Floats of the kind between two values; none for integers, NaNs, and opposite infinities' likes
// saturate. 0 for equal bits.
std::uint64_t ulps_apart(const Scalar& a, const Scalar& b);

bool close_enough(const Scalar& a, const Scalar& b, const Tolerance& tolerance);

struct Difference {
  std::string place;  // "y[5]", "p.items[2].x"
  Scalar got, expected;
  std::uint64_t ulps = 0;  // of floats that are numbers
};

struct Comparison {
  std::uint64_t scalars = 0;      // compared
  std::uint64_t different = 0;    // beyond the tolerance
  std::uint64_t inexact = 0;      // other bits, within the tolerance
  std::uint64_t most_ulps = 0;    // of floats that are numbers, also of those within the tolerance
  std::vector<Difference> first;  // of those beyond it, in order

  bool same() const { return different == 0; }
};

inline constexpr std::size_t kShownDifferences = 10;

// Adds one buffer to the comparison. Padding is not looked at.
void compare_buffers(const TypeTable& types, const BufferLayout& layout, std::string_view name,
                     std::span<const std::byte> got, std::span<const std::byte> expected,
                     const Tolerance& tolerance, Comparison& into);

}  // namespace vyre
