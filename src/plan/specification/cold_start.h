// The workgroup for a launch that is not, or only partly, measured: a cost for every width that
// fits, by a model where nothing was measured, and the policy's choice among them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vyre/target/limits.h"
#include "vyre/tune/decisions/candidates.h"

namespace vyre {

inline constexpr std::uint64_t kColdStartGridStepNs = 1024;
inline constexpr std::uint64_t kColdStartIdleLaneNs = 8;
inline constexpr std::uint64_t kColdStartTemperatureNs = 4096;

// The model: every workgroup and every idle lane costs something. width is not 0.
std::uint64_t estimated_ns(std::uint32_t element_count, std::uint32_t width);

bool fits_limits(std::uint32_t width, const Limits& limits);

struct CostRow {
  std::uint32_t width = 0;
  std::uint64_t cost_ns = 0;
  bool measured = false;  // else estimated
  std::uint32_t weight_q16 = 0;
  bool operator==(const CostRow&) const = default;
};

// What was compared, in the order of comparison, and what came out of it.
struct CostTable {
  std::vector<CostRow> rows;
  std::optional<std::uint32_t> selected;  // absent with fewer than two rows
};

// `measured` holds each workgroup once, ascending.
CostTable cost_table(const Extent& declared, std::uint32_t element_count, const Limits& limits,
                     std::span<const Measurement> measured);

// The selection alone.
std::optional<Extent> select_workgroup(const Extent& declared, std::uint32_t element_count,
                                       const Limits& limits, std::span<const Measurement> measured);

}  // namespace vyre
