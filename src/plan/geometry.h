// Whether a workgroup and a grid are within the limits of a device, and the grid for a number of
// elements. If there are several errors, the order of the tests decides which one is reported.
#pragma once

#include <cstdint>
#include <string>

#include "vyre/base/arithmetic.h"
#include "vyre/plan/error.h"
#include "vyre/plan/specification/dispatch_config.h"
#include "vyre/target/limits.h"

namespace vyre {

constexpr bool has_zero(const Extent& extent) {
  return extent[0] == 0 || extent[1] == 0 || extent[2] == 0;
}

// Whether a launch of this shape is allowed.
constexpr bool is_within(const Extent& workgroup, const Extent& grid, const Limits& limits) {
  // An axis of 0 wraps around and so exceeds every limit.
  const auto in = [](std::uint32_t value, std::uint32_t max) { return value - 1 < max; };
  // The second product is computed only if the first fits into 32 bits.
  const std::uint64_t plane = static_cast<std::uint64_t>(workgroup[0]) * workgroup[1];
  return in(workgroup[0], limits.max_block_dim[0]) && in(workgroup[1], limits.max_block_dim[1]) &&
         in(workgroup[2], limits.max_block_dim[2]) && in(grid[0], limits.max_grid_dim[0]) &&
         in(grid[1], limits.max_grid_dim[1]) && in(grid[2], limits.max_grid_dim[2]) &&
         plane <= limits.max_threads_per_block &&
         plane * workgroup[2] <= limits.max_threads_per_block;
}

// The error of a shape that is not within the limits. The tests, in order: a zero axis, an overflow
// of the workgroup's product, its number of threads, its axes, the grid's axes, from x to z.
PlanError geometry_error(const Extent& workgroup, const Extent& grid, const Limits& limits);

inline PlanResult<void> check_geometry(const Extent& workgroup, const Extent& grid,
                                       const Limits& limits) {
  if (is_within(workgroup, grid, limits)) return {};
  return std::unexpected(geometry_error(workgroup, grid, limits));
}

// The limits of a backend, known before a device is open.
struct BackendLimits {
  std::string backend;
  Extent max_workgroup_size{};
  std::uint32_t max_invocations_per_workgroup = 0;
  std::uint32_t max_workgroups_per_dimension = 0;
};

// The same errors as check_geometry, but the workgroup's axes are tested before its product, and
// the grid only where the config fixes it.
PlanResult<void> check_before_dispatch(const Extent& declared, const DispatchConfig& config,
                                       const BackendLimits& limits);

// The smallest s with s * s >= value, or s * s * s >= value.
std::uint32_t ceil_square_root(std::uint32_t value);
std::uint32_t ceil_cube_root(std::uint32_t value);

// The grid that covers `count` elements (at least one): a line, a square or a cube, depending on
// the number of axes of the workgroup. A 32-bit count always gives a 32-bit grid.
PlanResult<Extent> grid_for_count(std::uint32_t count, const Extent& workgroup);

// The number of workgroups that cover an extent along each axis, where one workgroup covers
// `covers` invocations. No axis of `covers` is 0.
constexpr Extent grid_covering(const Extent& extent, const Extent& covers) {
  return {ceil_div(extent[0], covers[0]), ceil_div(extent[1], covers[1]),
          ceil_div(extent[2], covers[2])};
}

}  // namespace vyre
