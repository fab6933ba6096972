// What a call of a dispatch does. Each file has one concern:
//
//   launch_call.cc    a launch, with uniforms by value; one that is timed by itself
//   indirect_call.cc  a launch whose grid is in a buffer
//   serve.cc          a call served by a candidate
//   tuned_call.cc     a call of a tuned dispatch: serve it, and let the search do one thing beside
//   it verify.cc         a candidate's results on shadows, compared with the incumbent's harvest.cc
//   times and comparisons that have become ready sweep.cc          mode `on`: the whole search
//   before the first call sweep_measure.cc  its first part: candidates are compiled, compared and
//   timed
#pragma once

#include <array>
#include <span>

#include "vyre/engine/tuned_kernel_internal.h"

namespace vyre {

// What a session holds, for the time of one call.
struct CallContext {
  Device& device;
  const std::shared_ptr<Queue>& queue;
  CodeStore& codes;
  Tuning* tuning;  // null: nothing is tuned
  const LaunchCosts& costs;
};

// ---- launch_call.cc

// A launch that is made this many times in a row, and what the device took for all of them.
struct LaunchRuns {
  std::uint32_t count = 1;
  std::chrono::nanoseconds spent{};
};

// The bindings of one launch, with a copy of uniforms that go with it by value.
struct GatheredBindings {
  std::array<BoundMemory, kGpuBindings> bindings;
  alignas(16) std::array<std::byte, 2048> values;
};
// Replaces the launch's bindings, which are those of the step's slots, by its own. `slots`: the
// slots that it takes, in the order of its own; empty: all. `by_value`: which of its own slots are
// uniforms whose contents go with the launch.
Result<void> gather(const CallContext& cx, const LaunchStep& step, Launch& launch,
                    std::span<const std::uint32_t> slots, std::span<const std::uint32_t> by_value,
                    GatheredBindings& out);

// A served launch without limits, and one of those of a candidate that has several. Their bindings
// are those of the step's slots.
Launch plain_launch(const LaunchStep& step, const ServedLaunch& served,
                    std::span<const BoundMemory> bindings, const Extent& extent);
Launch part_launch(const PartLaunch& part, std::span<const BoundMemory> bindings);
// What a call launches where the plan is fixed.
ServedLaunch fixed_launch(const LaunchStep& step);
// What a call of a tuned step launches where nothing is tried: the same object as long as the
// incumbent is the same.
const ServedLaunch* steady_launch(const LaunchStep& step);

Result<void> submit_step(const CallContext& cx, const LaunchStep& step, const RunLimits& limits);
// What a step whose plan is fixed launches.
ServedLaunch fixed_launch(const LaunchStep& step);
// The device's time for one launch: the mean of this number of launches.
Result<std::chrono::nanoseconds> time_step(const CallContext& cx, const LaunchStep& step,
                                           std::uint32_t launches);
Result<void> launch_served(const CallContext& cx, const LaunchStep& step,
                           const ServedLaunch& served, std::span<const BoundMemory> bindings,
                           const Extent& extent, const RunLimits& limits,
                           LaunchRuns* timed = nullptr);

// ---- indirect_call.cc

// A launch whose grid is in a buffer. `timed`: as for launch_served.
Result<void> submit_indirect(const CallContext& cx, const LaunchStep& step, const RunLimits& limits,
                             LaunchRuns* timed = nullptr);

// ---- serve.cc

const ServedLaunch* served_by(const LaunchStep& step, std::uint32_t candidate);
// The call itself, by one of the candidates.
Result<void> serve(const CallContext& cx, const LaunchStep& step, std::uint32_t candidate,
                   const RunLimits& limits);
// The same, noting what the call loses to a compiler beside it.
Result<void> serve_beside_compilers(const CallContext& cx, const LaunchStep& step,
                                    std::uint32_t candidate, const RunLimits& limits);
// A candidate on other memory or over another extent than the call's.
Result<void> launch_candidate(const CallContext& cx, const LaunchStep& step,
                              std::uint32_t candidate, std::span<const BoundMemory> bindings,
                              const Extent& extent, const RunLimits& limits,
                              LaunchRuns* timed = nullptr);

// ---- tuned_call.cc

Result<void> submit_tuned(const CallContext& cx, const LaunchStep& step, const RunLimits& limits);

// ---- verify.cc

// Whether results can be compared by now.
bool can_compare(const CallContext& cx, TunedKernel& kernel, SearchWork& work);
// Allocates shadows for what the kernel writes; the reason where there is no room.
std::string make_shadows(const CallContext& cx, const LaunchStep& step, SearchWork& work);
// Whether shadows are there by now; the first question has them allocated.
bool ask_for_shadows(const CallContext& cx, const LaunchStep& step, SearchWork& work);
// The step's bindings with shadows in place of what is written, filled with what is there now.
Result<std::vector<BoundMemory>> fill_shadows(const CallContext& cx, const LaunchStep& step,
                                              SearchWork& work, const Slice& slice);
// Runs a candidate on shadows, serves the call by `served`, and has the two compared.
Result<void> verify_beside(const CallContext& cx, const LaunchStep& step, SearchWork& work,
                           std::uint32_t served, std::uint32_t candidate, const RunLimits& limits);
// Why the candidate's results on shadows are not the expected ones; empty: they are.
Result<std::string> differs_on_shadows(const CallContext& cx, const LaunchStep& step,
                                       SearchWork& work, std::uint32_t candidate,
                                       std::span<const DeviceMemory> expected, RunLimits limits);

// ---- harvest.cc

// The time between two moments; 0 where there is none.
double between(Event& later, Event& earlier);
// Whether asking the event again would tell nothing new.
bool is_ready(Event& event);
// Takes the times and the comparison that have become ready.
void harvest(const CallContext& cx, TunedKernel& kernel, SearchWork& work);

// ---- sweep.cc, sweep_measure.cc

Result<void> sweep(const CallContext& cx, const LaunchStep& step, const RunLimits& limits);
// Nanoseconds of one run on the shadows.
Result<double> time_on_shadows(const CallContext& cx, const LaunchStep& step,
                               std::uint32_t candidate, std::span<const BoundMemory> bindings,
                               const RunLimits& limits);
Result<void> measure_candidates(const CallContext& cx, const LaunchStep& step, SearchWork& work,
                                std::uint32_t first, const std::function<bool()>& is_over,
                                SweptTimes& swept);

}  // namespace vyre
