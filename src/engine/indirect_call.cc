#include <fmt/format.h>

#include <array>

#include "vyre/base/arithmetic.h"
#include "vyre/engine/call_internal.h"
#include "vyre/pipeline/ready_pipeline.h"
#include "vyre/plan/geometry.h"

namespace vyre {
namespace {

// The invocations of that many workgroups; an error beyond the limits of the device.
Result<Extent> invocations_of(const Extent& groups, const LaunchStep& d) {
  const Extent& most = d.plan_device->limits.max_grid_dim;
  const auto out = extent_in(DispatchSize::workgroups(groups), d.plan.declared);
  const bool fits = groups[0] <= most[0] && groups[1] <= most[1] && groups[2] <= most[2];
  if (out && fits) return out;
  return fail(Code::limit,
              fmt::format("kernel '{}': its buffer asks for {}x{}x{} workgroups of {}x{}x{}; {} "
                          "allows {}x{}x{}, and 2^32 - 1 invocations on an axis",
                          d.plan.kernel, groups[0], groups[1], groups[2], d.plan.declared[0],
                          d.plan.declared[1], d.plan.declared[2], d.plan.device, most[0], most[1],
                          most[2]));
}

}  // namespace

Result<void> submit_indirect(const CallContext& cx, const LaunchStep& d, const RunLimits& limits,
                             LaunchRuns* timed) {
  Extent groups{};
  VYRE_CHECK(cx.queue->read(*d.groups, std::as_writable_bytes(std::span(groups))));
  if (has_zero(groups)) return {};
  VYRE_TRY(const Extent extent, invocations_of(groups, d));
  ServedLaunch served = fixed_launch(d);
  VYRE_TRY(served.grid, grid_for(extent, d.plan.variant, *d.plan_device));
  return launch_served(cx, d, served, d.bindings, extent, limits, timed);
}

}  // namespace vyre
