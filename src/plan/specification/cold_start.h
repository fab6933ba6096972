// The workgroup for a launch without complete measurements: every width that fits gets a cost,
// measured or estimated by a model, and the policy chooses among them.
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

// The model: each workgroup and each idle lane has a fixed cost. `width` is not 0.
std::uint64_t estimated_ns(std::uint32_t element_count, std::uint32_t width);

bool fits_limits(std::uint32_t width, const Limits& limits);

struct CostRow {
  std::uint32_t width = 0;
  std::uint64_t cost_ns = 0;
  bool measured = false;  // else estimated
  std::uint32_t weight_q16 = 0;
  bool operator==(const CostRow&) const = default;
};

// The compared widths, in the order of comparison, and the selected one.
struct CostTable {
  std::vector<CostRow> rows;
  std::optional<std::uint32_t> selected;  // absent if there are fewer than two rows
};

// `measured` holds each workgroup once, ascending.
CostTable cost_table(const Extent& declared, std::uint32_t element_count, const Limits& limits,
                     std::span<const Measurement> measured);

// Only the selection.
std::optional<Extent> select_workgroup(const Extent& declared, std::uint32_t element_count,
                                       const Limits& limits, std::span<const Measurement> measured);

}  // namespace vyre
