// The number of invocations of an extent.
#pragma once

#include <cstdint>
#include <optional>

#include "vyre/base/arithmetic.h"
#include "vyre/base/extent.h"

namespace vyre {

constexpr double volume(const Extent& extent) {
  return double{static_cast<double>(extent[0])} * extent[1] * extent[2];
}

// Absent if the number does not fit into 64 bits, or 32 bits.
inline std::optional<std::uint64_t> volume_in_64_bits(const Extent& extent) {
  const auto plane = checked_mul<std::uint64_t>(extent[0], extent[1]);
  return plane ? checked_mul<std::uint64_t>(*plane, extent[2]) : std::nullopt;
}
inline std::optional<std::uint32_t> volume_in_32_bits(const Extent& extent) {
  const auto all = volume_in_64_bits(extent);
  if (!all || *all > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*all);
}

}  // namespace vyre
