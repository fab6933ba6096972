// Stand-alone grid plans and ring geometries under the standard sizing, remembered per thread: at
// most 128 of each, the least recently used goes first. Errors are not remembered. The values are
// those of plan_grid and ring_geometry; the recommendation does not come through here.
#pragma once

#include <cstddef>

#include "vyre/resident/sizing.h"

namespace vyre {

inline constexpr std::size_t kGeometryCacheCapacity = 128;

ResidentResult<GridPlan> cached_grid_plan(const GridPlanInput& input);

RingGeometry cached_ring_geometry(std::uint32_t slot_count, std::uint32_t worker_count,
                                  std::uint32_t max_workgroup_size_x);

struct GeometryCacheStats {
  std::size_t grid_plans = 0;
  std::size_t geometries = 0;
};

// The counters of the calling thread.
GeometryCacheStats geometry_cache_stats();
void reset_geometry_cache();

}  // namespace vyre
