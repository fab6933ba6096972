// How many workers a resident launch gets, how wide their groups are, and how many slots the ring
// they drain has.
#pragma once

#include <cstdint>

#include "vyre/base/extent.h"
#include "vyre/plan/dispatch_config.h"
#include "vyre/resident/error.h"

namespace vyre {

struct WorkerSizing {
  std::uint32_t default_worker_count = 64;  // for callers without a wish of their own
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

// What a grid plan is made from. requested_worker_groups 0 asks for as many as occupancy suggests.
struct GridPlanInput {
  std::uint32_t queue_len = 0;
  std::uint32_t requested_worker_groups = 0;
  std::uint32_t max_workgroup_size_x = 0;
  std::uint32_t max_compute_workgroups_per_dimension = 0;
  std::uint32_t max_compute_invocations_per_workgroup = 0;
};

// Lanes of one worker group. The number of worker groups doubles as the lane count of one group.
std::uint32_t worker_workgroup_size(std::uint32_t worker_count, std::uint32_t max_workgroup_size_x);

// Slots rounded up to whole workgroups. The rounding saturates: near 2^32 the result can be below
// slot_count.
std::uint32_t padded_slot_count(std::uint32_t slot_count, std::uint32_t workgroup_size_x);

Extent dispatch_grid_for(const WorkerSizing& sizing, std::uint32_t worker_count,
                         std::uint32_t queue_len, std::uint32_t workgroup_size_x);

std::uint32_t default_worker_groups_from_limits(
    const WorkerSizing& sizing, std::uint32_t max_compute_workgroups_per_dimension,
    std::uint32_t max_compute_invocations_per_workgroup);

RingGeometry ring_geometry(const WorkerSizing& sizing, std::uint32_t slot_count,
                           std::uint32_t worker_count, std::uint32_t max_workgroup_size_x);

// Worker groups that cover every slot once.
std::uint32_t covering_worker_groups(const RingGeometry& geometry);

ResidentResult<GridPlan> plan_grid(const WorkerSizing& sizing, const GridPlanInput& input);

// As ring_geometry, for a count that must be held in full.
ResidentResult<RingGeometry> ring_geometry_for_items(const WorkerSizing& sizing,
                                                     std::uint64_t item_count,
                                                     std::uint32_t worker_count,
                                                     std::uint32_t max_workgroup_size_x);

// The overrides that launch exactly this geometry.
DispatchConfig dispatch_config(const RingGeometry& geometry);

}  // namespace vyre
