#include <algorithm>
#include <array>
#include <cassert>

#include "vyre/engine/call_internal.h"

namespace vyre {
namespace {

ServedLaunch fixed_launch(const LaunchStep& d) {
  return {.candidate = 0,
          .code = d.code.get(),
          .grid = d.plan.grid,
          .workgroup = d.plan.variant.workgroup,
          .groups_per_task = d.plan.variant.groups_per_task};
}

Result<void> begin(const CallContext& cx, const Launch& launch, LaunchRuns* timed) {
  if (timed == nullptr) return cx.queue->launch(launch);
  VYRE_TRY(timed->spent, cx.queue->time(launch, timed->count));
  return {};
}

Result<void> launch_with_uniforms(const CallContext& cx, const LaunchStep& d, Launch& launch,
                                  LaunchRuns* timed) {
  std::array<BoundMemory, kGpuBindings> bindings;
  assert(d.bindings.size() <= bindings.size());  // the planner refuses kernels with more
  alignas(16) std::array<std::byte, 2048> values;
  std::ranges::copy(launch.bindings, bindings.begin());
  std::size_t used = 0;
  for (const LaunchStep::Uniform& u : d.uniforms) {
    if (!u.copy->current()) {
      // A kernel or a copy wrote the buffer: ask the device once.
      std::array<std::byte, HostCopy::kMost> all;
      const std::span bytes(all.data(), u.memory.bytes);
      VYRE_CHECK(cx.queue->read(u.memory, bytes));
      u.copy->put_all(bytes);
    }
    u.copy->take(u.offset, {values.data() + used, u.bytes});
    bindings[u.slot] = {reinterpret_cast<std::uintptr_t>(values.data() + used), u.bytes};
    used += (std::size_t{u.bytes} + 15) / 16 * 16;
  }
  launch.bindings = {bindings.data(), d.bindings.size()};
  return begin(cx, launch, timed);
}

}  // namespace

Result<void> submit_step(const CallContext& cx, const LaunchStep& d, const RunLimits& limits) {
  for (const auto& copy : d.written) copy->forget();
  if (d.tuned == nullptr) {
    return launch_served(cx, d, fixed_launch(d), d.bindings, d.plan.extent, limits);
  }
  const ServedLaunch* served = d.served->take();
  if (served == nullptr) return submit_tuned(cx, d, limits);
  return launch_served(cx, d, *served, d.bindings, d.plan.extent, limits);
}

Result<std::chrono::nanoseconds> time_step(const CallContext& cx, const LaunchStep& d,
                                           std::uint32_t launches) {
  for (const auto& copy : d.written) copy->forget();
  LaunchRuns runs{.count = launches};
  ServedLaunch served = fixed_launch(d);
  if (d.tuned != nullptr) {
    const std::uint32_t best = d.tuned->tuner.best();
    VYRE_CHECK(cx.tuning->make_now(*d.tuned, best));
    served = *served_by(d, best);
  }
  VYRE_CHECK(launch_served(cx, d, served, d.bindings, d.plan.extent, {}, &runs));
  return runs.spent / launches;
}

Result<void> launch_served(const CallContext& cx, const LaunchStep& d, const ServedLaunch& served,
                           std::span<const BoundMemory> bindings, const Extent& extent,
                           const RunLimits& limits, LaunchRuns* timed) {
  Launch launch;
  launch.code = served.code;
  launch.kernel = d.plan.kernel;
  launch.bindings = bindings;
  launch.extent = extent;
  launch.grid = served.grid;
  launch.workgroup = served.workgroup;
  launch.groups_per_task = served.groups_per_task > 1 ? served.groups_per_task : 0;
  launch.deadline = limits.deadline;
  launch.stop = limits.stop;
  if (!d.uniforms.empty()) return launch_with_uniforms(cx, d, launch, timed);
  return begin(cx, launch, timed);
}

}  // namespace vyre
