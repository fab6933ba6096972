#include "vyre/resident/sizing.h"

#include <limits>

namespace vyre {
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
