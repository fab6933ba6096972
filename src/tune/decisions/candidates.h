// The candidates of the tuner, and their measurements.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>

#include "vyre/base/extent.h"

namespace vyre {

// Workgroup widths, ascending.
inline constexpr std::array<std::uint32_t, 6> kWorkgroupCandidates{32, 64, 128, 256, 512, 1024};

inline constexpr Extent kDefaultWorkgroup{64, 1, 1};

// The candidates of at most `max_invocations` lanes, in the same order; may be empty.
constexpr std::span<const std::uint32_t> candidates_for(std::uint32_t max_invocations) {
  std::size_t count = 0;
  while (count < kWorkgroupCandidates.size() && kWorkgroupCandidates[count] <= max_invocations) {
    ++count;
  }
  return std::span(kWorkgroupCandidates).first(count);
}

struct Measurement {
  Extent workgroup{};
  std::uint64_t elapsed_ns = 0;

  auto operator<=>(const Measurement&) const = default;
};

}  // namespace vyre
