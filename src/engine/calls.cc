#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "vyre/engine/calls_internal.h"

namespace vyre {

ServedLaunch Calls::own_launch(const Dispatch& d) {
  return {.candidate = 0,
          .code = d.code_.get(),
          .grid = d.plan_.grid,
          .workgroup = d.plan_.variant.workgroup,
          .groups_per_task = d.plan_.variant.groups_per_task};
}

Result<void> Calls::submit(const Dispatch& d, const RunLimits& limits) const {
  for (const auto& copy : d.written_) copy->forget();
  if (d.tuned_ == nullptr) {
    return launch_served(d, own_launch(d), d.bindings_, d.plan_.extent, limits);
  }
  const ServedLaunch* served = d.served_->take();
  if (served == nullptr) return submit_tuned(d, limits);
  return launch_served(d, *served, d.bindings_, d.plan_.extent, limits);
}

Result<std::chrono::nanoseconds> Calls::time(const Dispatch& d, std::uint32_t launches) const {
  for (const auto& copy : d.written_) copy->forget();
  Runs runs{.count = launches};
  ServedLaunch served = own_launch(d);
  if (d.tuned_ != nullptr) {
    const std::uint32_t best = d.tuned_->tuner.best();
    VYRE_CHECK(tuning_->make_now(*d.tuned_, best));
    served = *served_by(d, *d.tuned_, best);
  }
  VYRE_CHECK(launch_served(d, served, d.bindings_, d.plan_.extent, {}, &runs));
  return runs.spent / launches;
}

Result<void> Calls::begin(const Launch& launch, Runs* timed) const {
  if (timed == nullptr) return queue_->launch(launch);
  VYRE_TRY(timed->spent, queue_->time(launch, timed->count));
  return {};
}

Result<void> Calls::launch_served(const Dispatch& d, const ServedLaunch& served,
                                  std::span<const BoundMemory> bindings, const Extent& extent,
                                  const RunLimits& limits, Runs* timed) const {
  Launch launch;
  launch.code = served.code;
  launch.kernel = d.plan_.kernel;
  launch.bindings = bindings;
  launch.extent = extent;
  launch.grid = served.grid;
  launch.workgroup = served.workgroup;
  launch.groups_per_task = served.groups_per_task > 1 ? served.groups_per_task : 0;
  launch.deadline = limits.deadline;
  launch.stop = limits.stop;
  if (!d.uniforms_.empty()) return submit_with_uniforms(d, launch, timed);
  return begin(launch, timed);
}

Result<void> Calls::submit_with_uniforms(const Dispatch& d, Launch& launch, Runs* timed) const {
  std::array<BoundMemory, kGpuBindings> bindings;
  assert(d.bindings_.size() <= bindings.size());  // legality has been decided when it was planned
  alignas(16) std::array<std::byte, 2048> values;
  std::ranges::copy(launch.bindings, bindings.begin());
  std::size_t used = 0;
  for (const Dispatch::Uniform& u : d.uniforms_) {
    HostCopy& copy = *u.buffer.copy_;
    if (!copy.current()) {
      // A kernel or a copy wrote it: ask the device once.
      std::array<std::byte, HostCopy::kMost> all;
      const std::span bytes(all.data(), u.buffer.size());
      VYRE_CHECK(queue_->read({u.buffer.address(), u.buffer.size()}, bytes));
      copy.put_all(bytes);
    }
    copy.take(u.offset, {values.data() + used, u.bytes});
    bindings[u.slot] = {reinterpret_cast<std::uintptr_t>(values.data() + used), u.bytes};
    used += (std::size_t{u.bytes} + 15) / 16 * 16;
  }
  launch.bindings = {bindings.data(), d.bindings_.size()};
  return begin(launch, timed);
}

}  // namespace vyre
