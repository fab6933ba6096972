#include "vyre/resident/sizing.h"

#include <algorithm>
#include <limits>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

// Workgroups of this width that `slots` fill; one at least.
std::uint32_t groups_for(std::uint32_t slots, std::uint32_t width) {
  return std::max(1u, saturating_add(slots, width - 1) / width);
}

}  // namespace

std::uint32_t worker_workgroup_size(std::uint32_t worker_count,
                                    std::uint32_t max_workgroup_size_x) {
  if (worker_count == 0) return 1;
  return std::min(worker_count, std::max(max_workgroup_size_x, 1u));
}

std::uint32_t padded_slot_count(std::uint32_t slot_count, std::uint32_t workgroup_size_x) {
  const std::uint32_t width = std::max(workgroup_size_x, 1u);
  return saturating_mul(groups_for(slot_count, width), width);
}

Extent dispatch_grid_for(const WorkerSizing& sizing, std::uint32_t worker_count,
                         std::uint32_t queue_len, std::uint32_t workgroup_size_x) {
  const std::uint32_t groups = groups_for(queue_len, std::max(workgroup_size_x, 1u));
  const std::uint32_t most =
      std::min(std::max(worker_count, 1u), std::max(sizing.max_dispatch_workgroups, 1u));
  return {std::min(groups, most), 1, 1};
}

std::uint32_t default_worker_groups_from_limits(
    const WorkerSizing& sizing, std::uint32_t max_compute_workgroups_per_dimension,
    std::uint32_t max_compute_invocations_per_workgroup) {
  const std::uint32_t share =
      max_compute_workgroups_per_dimension / std::max(sizing.occupancy_divisor, 1u);
  const std::uint32_t groups = std::max(std::min(share, sizing.max_dispatch_workgroups), 1u);
  const bool powerful =
      max_compute_invocations_per_workgroup >= sizing.powerful_invocation_threshold;
  return powerful ? std::max(groups, sizing.powerful_min_worker_groups) : groups;
}

RingGeometry ring_geometry(const WorkerSizing& sizing, std::uint32_t slot_count,
                           std::uint32_t worker_count, std::uint32_t max_workgroup_size_x) {
  const std::uint32_t width = worker_workgroup_size(worker_count, max_workgroup_size_x);
  const std::uint32_t slots = padded_slot_count(slot_count, width);
  return {width, slots, dispatch_grid_for(sizing, worker_count, slots, width)};
}

std::uint32_t covering_worker_groups(const RingGeometry& geometry) {
  return geometry.slot_count / std::max(geometry.workgroup_size_x, 1u);
}

ResidentResult<GridPlan> plan_grid(const WorkerSizing& sizing, const GridPlanInput& input) {
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

ResidentResult<RingGeometry> ring_geometry_for_items(const WorkerSizing& sizing,
                                                     std::uint64_t item_count,
                                                     std::uint32_t worker_count,
                                                     std::uint32_t max_workgroup_size_x) {
  if (item_count > std::numeric_limits<std::uint32_t>::max())
    return std::unexpected(QueueLengthOverflow{item_count});
  const RingGeometry geometry = ring_geometry(sizing, static_cast<std::uint32_t>(item_count),
                                              worker_count, max_workgroup_size_x);
  if (geometry.slot_count < item_count)
    return std::unexpected(RingPaddingOverflow{item_count, geometry.slot_count});
  return geometry;
}

DispatchConfig dispatch_config(const RingGeometry& geometry) {
  DispatchConfig config;
  config.workgroup_override = Extent{geometry.workgroup_size_x, 1, 1};
  config.grid_override = geometry.dispatch_grid;
  return config;
}

}  // namespace vyre
