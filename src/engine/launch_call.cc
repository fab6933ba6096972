#include <algorithm>
#include <array>
#include <cassert>

#include "vyre/engine/call_internal.h"

namespace vyre {
namespace {

Result<void> begin(const CallContext& cx, const Launch& launch, LaunchRuns* timed) {
  if (timed == nullptr) return cx.queue->launch(launch);
  VYRE_TRY(timed->spent, cx.queue->time(launch, timed->count));
  return {};
}

Result<void> launch_gathered(const CallContext& cx, const LaunchStep& d, Launch& launch,
                             std::span<const std::uint32_t> slots,
                             std::span<const std::uint32_t> by_value, LaunchRuns* timed) {
  GatheredBindings gathered;
  VYRE_CHECK(gather(cx, d, launch, slots, by_value, gathered));
  return begin(cx, launch, timed);
}

// A candidate's launches one after the other.
Result<void> launch_parts(const CallContext& cx, const LaunchStep& d,
                          std::span<const PartLaunch> parts, const Launch& limits,
                          std::span<const BoundMemory> bindings) {
  for (const PartLaunch& part : parts) {
    const CandidateLaunch& of = *part.of;
    for (const std::uint32_t slot : of.cleared) VYRE_CHECK(cx.queue->clear(bindings[slot]));
    Launch launch = part_launch(part, bindings);
    launch.deadline = limits.deadline;
    launch.asked = limits.asked;
    launch.stop = limits.stop;
    VYRE_CHECK(launch_gathered(cx, d, launch, of.slots, of.options.by_value, nullptr));
  }
  return {};
}

// Times all parts together, one after the other as in a call, so that each part finds in the caches
// what the previous one has left there.
Result<void> time_parts(const CallContext& cx, const LaunchStep& d,
                        std::span<const PartLaunch> parts, const Launch& limits,
                        std::span<const BoundMemory> bindings, LaunchRuns& timed) {
  VYRE_TRY(const auto begun, cx.queue->record());
  for (std::uint32_t run = 0; run < timed.count; ++run) {
    VYRE_CHECK(launch_parts(cx, d, parts, limits, bindings));
  }
  VYRE_TRY(const auto ended, cx.queue->record());
  VYRE_CHECK(ended->wait());
  VYRE_TRY(timed.spent, ended->since(*begun));
  return {};
}

}  // namespace

ServedLaunch fixed_launch(const LaunchStep& d) {
  return {.candidate = 0,
          .groups_per_task = d.plan.variant.groups_per_task,
          .code = d.code.get(),
          .grid = d.plan.grid,
          .workgroup = d.plan.variant.workgroup};
}

Result<void> gather(const CallContext& cx, const LaunchStep& d, Launch& launch,
                    std::span<const std::uint32_t> slots, std::span<const std::uint32_t> by_value,
                    GatheredBindings& out) {
  if (slots.empty() && by_value.empty()) return {};
  const std::size_t count = slots.empty() ? launch.bindings.size() : slots.size();
  if (count > out.bindings.size()) out.many.resize(count);
  const std::span bindings =
      out.many.empty() ? std::span(out.bindings).first(count) : std::span<BoundMemory>(out.many);
  const auto slot_of = [&](std::size_t own) { return slots.empty() ? own : slots[own]; };
  for (std::size_t own = 0; own < count; ++own) bindings[own] = launch.bindings[slot_of(own)];
  std::size_t used = 0;
  for (const std::uint32_t own : by_value) {
    const auto found = std::ranges::find(d.uniforms, slot_of(own), &LaunchStep::Uniform::slot);
    assert(found != d.uniforms.end());
    const LaunchStep::Uniform& u = *found;
    if (!u.copy->current()) {
      // A kernel or a copy has written the buffer: read it back once.
      std::array<std::byte, HostCopy::kMost> all;
      const std::span bytes(all.data(), u.memory.bytes);
      VYRE_CHECK(cx.queue->read(u.memory, bytes));
      u.copy->put_all(bytes);
    }
    std::byte* to = out.values.data() + used;
    u.copy->take(u.offset, {to, u.bytes});
    bindings[own] = {reinterpret_cast<std::uintptr_t>(to), u.bytes};
    used += (std::size_t{u.bytes} + 15) / 16 * 16;
  }
  launch.bindings = bindings;
  return {};
}

Launch plain_launch(const LaunchStep& d, const ServedLaunch& served,
                    std::span<const BoundMemory> bindings, const Extent& extent) {
  Launch launch;
  launch.code = served.code;
  launch.kernel = d.plan.kernel;
  launch.bindings = bindings;
  launch.extent = extent;
  launch.grid = served.grid;
  launch.workgroup = served.workgroup;
  launch.groups_per_task = served.groups_per_task > 1 ? served.groups_per_task : 0;
  launch.together = d.together;
  return launch;
}

Launch part_launch(const PartLaunch& part, std::span<const BoundMemory> bindings) {
  const CandidateLaunch& of = *part.of;
  Launch launch;
  launch.code = of.code.get();
  launch.kernel = of.kernel.program->name;
  launch.bindings = bindings;
  launch.extent = part.extent;
  launch.grid = part.grid;
  launch.workgroup = of.variant.workgroup;
  launch.groups_per_task = of.variant.groups_per_task > 1 ? of.variant.groups_per_task : 0;
  return launch;
}

const ServedLaunch* steady_launch(const LaunchStep& d) {
  return served_by(d, d.tuned->tuner.best());
}

Result<void> submit_step(const CallContext& cx, const LaunchStep& d, const RunLimits& limits) {
  for (const auto& copy : d.written) copy->forget();
  if (d.groups) [[unlikely]]
    return submit_indirect(cx, d, limits);
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
  if (d.groups) {
    VYRE_CHECK(submit_indirect(cx, d, {}, &runs));
    return runs.spent / launches;
  }
  const ServedLaunch fixed = fixed_launch(d);
  const ServedLaunch* served = &fixed;
  if (d.tuned != nullptr) {
    const std::uint32_t best = d.tuned->tuner.best();
    VYRE_CHECK(cx.tuning->maker().make_now(*d.tuned, best));
    served = served_by(d, best);
  }
  VYRE_CHECK(launch_served(cx, d, *served, d.bindings, d.plan.extent, {}, &runs));
  return runs.spent / launches;
}

Result<void> launch_served(const CallContext& cx, const LaunchStep& d, const ServedLaunch& served,
                           std::span<const BoundMemory> bindings, const Extent& extent,
                           const RunLimits& limits, LaunchRuns* timed) {
  Launch launch = plain_launch(d, served, bindings, extent);
  launch.deadline = limits.deadline;
  launch.asked = limits.asked;
  launch.stop = limits.stop;
  if (served.parts != nullptr) [[unlikely]] {
    return timed == nullptr ? launch_parts(cx, d, *served.parts, launch, bindings)
                            : time_parts(cx, d, *served.parts, launch, bindings, *timed);
  }
  if (d.uniforms.empty()) return begin(cx, launch, timed);
  return launch_gathered(cx, d, launch, {}, d.by_value, timed);
}

}  // namespace vyre
