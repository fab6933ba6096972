// The number of workers of a resident launch, the width of their groups, and the number of slots of
// their ring.
#pragma once

#include <algorithm>
#include <cstdint>

#include "vyre/base/arithmetic.h"
#include "vyre/base/extent.h"
#include "vyre/plan/specification/dispatch_config.h"
#include "vyre/resident/error.h"

namespace vyre {

struct WorkerSizing {
  std::uint32_t default_worker_count = 64;  // if the caller requests none
  std::uint32_t occupancy_divisor = 256;
  std::uint32_t max_dispatch_workgroups = 1024;
  std::uint32_t powerful_invocation_threshold = 4096;
  std::uint32_t powerful_min_worker_groups = 64;
  // A fused launch may use at most this many times the threads of its widest part.
  std::uint32_t fused_over_dispatch_multiplier = 4;
  bool operator==(const WorkerSizing&) const = default;
};
inline constexpr WorkerSizing kStandardSizing{};

struct RingGeometry {
  std::uint32_t workgroup_size_x = 0;
  std::uint32_t slot_count = 0;
  Extent dispatch_grid{};
  bool operator==(const RingGeometry&) const = default;
};

struct GridPlan {
  RingGeometry geometry;
  std::uint32_t worker_groups = 0;
  bool operator==(const GridPlan&) const = default;
};

// The inputs of a grid plan. With requested_worker_groups 0, occupancy decides.
struct GridPlanInput {
  std::uint32_t queue_len = 0;
  std::uint32_t requested_worker_groups = 0;
  std::uint32_t max_workgroup_size_x = 0;
  std::uint32_t max_compute_workgroups_per_dimension = 0;
  std::uint32_t max_compute_invocations_per_workgroup = 0;
};

// Every recommendation calls these functions; they are defined here to be inlined.

namespace sizing_detail {
// The number of workgroups of this width that hold `slots`, at least one.
constexpr std::uint32_t groups_for(std::uint32_t slots, std::uint32_t width) {
  return std::max(1u, saturating_add(slots, width - 1) / width);
}
}  // namespace sizing_detail

// Lanes of one worker group. The number of worker groups doubles as the lane count of one group.
constexpr std::uint32_t worker_workgroup_size(std::uint32_t worker_count,
                                              std::uint32_t max_workgroup_size_x) {
  if (worker_count == 0) return 1;
  return std::min(worker_count, std::max(max_workgroup_size_x, 1u));
}

// Slots rounded up to whole workgroups. The rounding saturates: near 2^32 the result can be below
// slot_count.
constexpr std::uint32_t padded_slot_count(std::uint32_t slot_count,
                                          std::uint32_t workgroup_size_x) {
  const std::uint32_t width = std::max(workgroup_size_x, 1u);
  return saturating_mul(sizing_detail::groups_for(slot_count, width), width);
}

constexpr Extent dispatch_grid_for(const WorkerSizing& sizing, std::uint32_t worker_count,
                                   std::uint32_t queue_len, std::uint32_t workgroup_size_x) {
  const std::uint32_t groups = sizing_detail::groups_for(queue_len, std::max(workgroup_size_x, 1u));
  const std::uint32_t most =
      std::min(std::max(worker_count, 1u), std::max(sizing.max_dispatch_workgroups, 1u));
  return {std::min(groups, most), 1, 1};
}

constexpr std::uint32_t default_worker_groups_from_limits(
    const WorkerSizing& sizing, std::uint32_t max_compute_workgroups_per_dimension,
    std::uint32_t max_compute_invocations_per_workgroup) {
  const std::uint32_t share =
      max_compute_workgroups_per_dimension / std::max(sizing.occupancy_divisor, 1u);
  const std::uint32_t groups = std::max(std::min(share, sizing.max_dispatch_workgroups), 1u);
  const bool powerful =
      max_compute_invocations_per_workgroup >= sizing.powerful_invocation_threshold;
  return powerful ? std::max(groups, sizing.powerful_min_worker_groups) : groups;
}

constexpr RingGeometry ring_geometry(const WorkerSizing& sizing, std::uint32_t slot_count,
                                     std::uint32_t worker_count,
                                     std::uint32_t max_workgroup_size_x) {
  const std::uint32_t width = worker_workgroup_size(worker_count, max_workgroup_size_x);
  const std::uint32_t slots = padded_slot_count(slot_count, width);
  return {width, slots, dispatch_grid_for(sizing, worker_count, slots, width)};
}

// Worker groups that cover every slot once.
constexpr std::uint32_t covering_worker_groups(const RingGeometry& geometry) {
  return geometry.slot_count / std::max(geometry.workgroup_size_x, 1u);
}

inline ResidentResult<GridPlan> plan_grid(const WorkerSizing& sizing, const GridPlanInput& input) {
  using enum ResidentLimit;
  if (input.max_workgroup_size_x == 0) return std::unexpected(ZeroLimit{max_workgroup_size_x});
  if (input.max_compute_workgroups_per_dimension == 0)
    return std::unexpected(ZeroLimit{max_compute_workgroups_per_dimension});
  if (input.max_compute_invocations_per_workgroup == 0)
    return std::unexpected(ZeroLimit{max_compute_invocations_per_workgroup});

  const std::uint32_t wanted =
      input.requested_worker_groups != 0
          ? input.requested_worker_groups
          : default_worker_groups_from_limits(sizing, input.max_compute_workgroups_per_dimension,
                                              input.max_compute_invocations_per_workgroup);
  const std::uint32_t workers =
      std::max(std::min(wanted, input.max_compute_workgroups_per_dimension), 1u);
  return GridPlan{
      ring_geometry(sizing, std::max(input.queue_len, 1u), workers, input.max_workgroup_size_x),
      workers};
}

// Like ring_geometry, but an error if the ring cannot hold the whole count.
ResidentResult<RingGeometry> ring_geometry_for_items(const WorkerSizing& sizing,
                                                     std::uint64_t item_count,
                                                     std::uint32_t worker_count,
                                                     std::uint32_t max_workgroup_size_x);

// The overrides that launch exactly this geometry.
DispatchConfig dispatch_config(const RingGeometry& geometry);

}  // namespace vyre
