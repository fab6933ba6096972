#include "vyre/plan/geometry.h"

#include <algorithm>
#include <utility>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

std::optional<std::uint32_t> thread_count(const Extent& workgroup) {
  const auto plane = checked_mul(workgroup[0], workgroup[1]);
  return plane ? checked_mul(*plane, workgroup[2]) : std::nullopt;
}

PlanResult<void> check_threads(const Extent& workgroup, const std::string& backend,
                               std::uint32_t max) {
  const auto threads = thread_count(workgroup);
  if (!threads) return std::unexpected(WorkgroupProductOverflow{backend});
  if (*threads > max) return std::unexpected(TooManyThreads{backend, *threads, max});
  return {};
}

template <class AxisLimit>
PlanResult<void> check_axes(const Extent& requested, const std::string& backend,
                            const Extent& max) {
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    if (requested[axis] > max[axis])
      return std::unexpected(AxisLimit{backend, axis, requested[axis], max[axis]});
  }
  return {};
}

}  // namespace

PlanError geometry_error(const Extent& workgroup, const Extent& grid, const Limits& limits) {
  const std::string& backend = limits.backend;
  if (has_zero(workgroup) || has_zero(grid)) return ZeroDimension{backend};
  if (auto threads = check_threads(workgroup, backend, limits.max_threads_per_block); !threads)
    return std::move(threads).error();
  if (auto axes = check_axes<WorkgroupAxisLimit>(workgroup, backend, limits.max_block_dim); !axes)
    return std::move(axes).error();
  return check_axes<GridAxisLimit>(grid, backend, limits.max_grid_dim).error();
}

PlanResult<void> check_before_dispatch(const Extent& declared, const DispatchConfig& config,
                                       const BackendLimits& limits) {
  const Extent& workgroup = config.workgroup_override ? *config.workgroup_override : declared;
  if (has_zero(workgroup)) return std::unexpected(ZeroDimension{limits.backend});
  VYRE_CHECK(check_axes<WorkgroupAxisLimit>(workgroup, limits.backend, limits.max_workgroup_size));
  VYRE_CHECK(check_threads(workgroup, limits.backend, limits.max_invocations_per_workgroup));
  if (!config.grid_override) return {};
  if (has_zero(*config.grid_override)) return std::unexpected(ZeroDimension{limits.backend});
  const std::uint32_t most = limits.max_workgroups_per_dimension;
  return check_axes<GridAxisLimit>(*config.grid_override, limits.backend, {most, most, most});
}

std::uint32_t ceil_square_root(std::uint32_t value) {
  std::uint32_t root = 0;  // the largest integer with root^2 < value, built bit by bit
  for (std::uint32_t bit = 1u << 15; bit != 0; bit >>= 1) {
    const std::uint64_t next = root | bit;
    if (next * next < value) root |= bit;
  }
  return value == 0 ? 0 : root + 1;
}

std::uint32_t ceil_cube_root(std::uint32_t value) {
  std::uint32_t root = 0;  // the largest integer with root^3 < value; 1625^3 < 2^32 - 1 < 1626^3
  for (std::uint32_t bit = 1u << 10; bit != 0; bit >>= 1) {
    const std::uint64_t next = root | bit;
    if (next * next * next < value) root |= bit;
  }
  return value == 0 ? 0 : root + 1;
}

PlanResult<Extent> grid_for_count(std::uint32_t count, const Extent& workgroup) {
  if (has_zero(workgroup)) return std::unexpected(ZeroWorkgroup{workgroup});
  const auto [x, y, z] = workgroup;
  const std::uint32_t elements = std::max(count, 1u);
  if (y == 1 && z == 1) return Extent{ceil_div(elements, x), 1, 1};
  if (z == 1) {
    const std::uint32_t side = ceil_square_root(elements);
    return Extent{ceil_div(side, x), ceil_div(ceil_div(elements, side), y), 1};
  }
  const std::uint32_t side = ceil_cube_root(elements);
  const std::uint32_t layers = ceil_div(elements, side * side);
  return Extent{ceil_div(side, x), ceil_div(side, y), ceil_div(layers, z)};
}

}  // namespace vyre
