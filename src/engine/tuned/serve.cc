#include <algorithm>

#include "vyre/engine/call_internal.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

ServedLaunch launch_of(const LaunchStep& d, std::uint32_t candidate, const Extent& extent) {
  const TunedCandidate& c = d.tuned->candidates[candidate];
  const auto grid_of = [&](const CandidateLaunch& launch) {
    return grid_covering(launch.extent.value_or(extent), covered_by(launch.variant, d.plan.kind));
  };
  const CandidateLaunch& first = c.first();
  ServedLaunch out{.candidate = candidate,
                   .groups_per_task = first.variant.groups_per_task,
                   .code = first.code.get(),
                   .grid = grid_of(first),
                   .workgroup = first.variant.workgroup};
  if (c.launches.size() == 1 && first.is_plain()) return out;
  std::vector<PartLaunch> parts;
  for (const CandidateLaunch& launch : c.launches) {
    parts.push_back({&launch, launch.extent.value_or(extent), grid_of(launch)});
  }
  out.parts = std::make_unique<const std::vector<PartLaunch>>(std::move(parts));
  return out;
}

}  // namespace

const ServedLaunch* ServedLaunches::add(ServedLaunch launch) {
  const std::scoped_lock lock(mutex_);
  const std::uint32_t candidate = launch.candidate;
  if (!std::exchange(has_first_, true)) first_ = std::move(launch);
  const ServedLaunch* out = &first_;
  if (first_.candidate != candidate) {
    auto found = std::ranges::find(others_, candidate, &ServedLaunch::candidate);
    if (found == others_.end()) found = others_.insert(others_.end(), std::move(launch));
    out = &*found;
  }
  latest_.store(out, std::memory_order_release);
  return out;
}

const ServedLaunch* served_by(const LaunchStep& d, std::uint32_t candidate) {
  const ServedLaunch* served = d.served->find(candidate);
  if (served != nullptr) return served;
  return d.served->add(launch_of(d, candidate, d.plan.extent));
}

Result<void> serve(const CallContext& cx, const LaunchStep& d, std::uint32_t candidate,
                   const RunLimits& limits) {
  return launch_served(cx, d, *served_by(d, candidate), d.bindings, d.plan.extent, limits);
}

Result<void> serve_beside_compilers(const CallContext& cx, const LaunchStep& d,
                                    std::uint32_t candidate, const RunLimits& limits) {
  if (cx.costs.runs_beside_host || !cx.tuning->maker().compiles())
    return serve(cx, d, candidate, limits);
  TunedKernel& t = *d.tuned;
  const auto begin = Clock::now();
  VYRE_CHECK(serve(cx, d, candidate, limits));
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  t.compile_cost.add_call(t.incumbent_ns / t.scale_for(d.plan.extent), ns);
  return {};
}

Result<void> launch_candidate(const CallContext& cx, const LaunchStep& d, std::uint32_t candidate,
                              std::span<const BoundMemory> bindings, const Extent& extent,
                              const RunLimits& limits, LaunchRuns* timed) {
  return launch_served(cx, d, launch_of(d, candidate, extent), bindings, extent, limits, timed);
}

}  // namespace vyre
