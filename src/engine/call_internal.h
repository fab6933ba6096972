// What a call of a dispatch does. Each file has one concern:
//
// - launch_call.cc: a launch, with uniforms by value; and one that is timed by itself
// - indirect_call.cc: a launch whose grid is in a buffer
// - serve.cc: a call that a candidate serves
// - tuned_call.cc: a call of a tuned dispatch, which is served and lets the search do one thing
// - verify.cc: a candidate runs on shadows, and its results are compared with the incumbent's
// - harvest.cc: takes the times and comparisons that have become ready
// - sweep.cc: in the mode `on`, the whole search before the first call
// - sweep_measure.cc: the first part of a sweep compiles, compares and times candidates
#pragma once

#include <array>
#include <span>

#include "vyre/engine/tuned/tuning_internal.h"

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

// The number of consecutive launches that are timed, and the device's time for all of them.
struct LaunchRuns {
  std::uint32_t count = 1;
  std::chrono::nanoseconds spent{};
};

// The bindings of one launch, with copies of the uniforms that it takes by value.
struct GatheredBindings {
  std::array<BoundMemory, kGpuBindings> bindings;
  std::vector<BoundMemory> many;  // used instead if there are more, which only the CPU takes
  alignas(16) std::array<std::byte, 2048> values;
};
// Replaces the bindings of `launch`, which are in the order of the step's slots, by those of the
// kernel that it runs. `slots` has for each slot of the kernel the slot of the step; empty: they
// are equal. `by_value`: the slots of the kernel that are uniforms taken by value. Where nothing is
// to be replaced, the launch keeps its bindings.
Result<void> gather(const CallContext& cx, const LaunchStep& step, Launch& launch,
                    std::span<const std::uint32_t> slots, std::span<const std::uint32_t> by_value,
                    GatheredBindings& out);

// The launch of a served candidate, without limits, and one of the launches of a candidate that has
// several. Their bindings are in the order of the step's slots.
Launch plain_launch(const LaunchStep& step, const ServedLaunch& served,
                    std::span<const BoundMemory> bindings, const Extent& extent);
Launch part_launch(const PartLaunch& part, std::span<const BoundMemory> bindings);
// What a call launches if the plan is fixed.
ServedLaunch fixed_launch(const LaunchStep& step);
// What a call of a tuned step launches when it tries nothing. As long as the incumbent stays the
// same, this is the same object.
const ServedLaunch* steady_launch(const LaunchStep& step);

Result<void> submit_step(const CallContext& cx, const LaunchStep& step, const RunLimits& limits);
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
// Serves the call with one of the candidates.
Result<void> serve(const CallContext& cx, const LaunchStep& step, std::uint32_t candidate,
                   const RunLimits& limits);
// Serves the call, and notes how much slower it is because something is compiled meanwhile.
Result<void> serve_beside_compilers(const CallContext& cx, const LaunchStep& step,
                                    std::uint32_t candidate, const RunLimits& limits);
// Launches a candidate on other memory or over another extent than those of the call.
Result<void> launch_candidate(const CallContext& cx, const LaunchStep& step,
                              std::uint32_t candidate, std::span<const BoundMemory> bindings,
                              const Extent& extent, const RunLimits& limits,
                              LaunchRuns* timed = nullptr);

// ---- tuned_call.cc

Result<void> submit_tuned(const CallContext& cx, const LaunchStep& step, const RunLimits& limits);

// ---- verify.cc

// Whether results can be compared by now.
bool can_compare(const CallContext& cx, TunedKernel& kernel, SearchWork& work);
// Allocates shadows for everything that the kernel writes. Returns why there is no room; empty:
// there is.
std::string make_shadows(const CallContext& cx, const LaunchStep& step, SearchWork& work);
// Whether shadows are allocated. The first call starts the allocation.
bool ask_for_shadows(const CallContext& cx, const LaunchStep& step, SearchWork& work);
// The step's bindings, with shadows in place of the buffers that are written. The shadows get the
// present contents of these buffers.
Result<std::vector<BoundMemory>> fill_shadows(const CallContext& cx, const LaunchStep& step,
                                              SearchWork& work, const Slice& slice);
// Runs a candidate on shadows, serves the call by `served`, and has the two compared.
Result<void> verify_beside(const CallContext& cx, const LaunchStep& step, SearchWork& work,
                           std::uint32_t served, std::uint32_t candidate, const RunLimits& limits);
// Why the candidate's results on shadows differ from the expected ones; empty: they are equal.
Result<std::string> differs_on_shadows(const CallContext& cx, const LaunchStep& step,
                                       SearchWork& work, std::uint32_t candidate,
                                       std::span<const DeviceMemory> expected, RunLimits limits);

// ---- harvest.cc

// The time between two events in nanoseconds; 0 if it is not known.
double between(Event& later, Event& earlier);
// Whether the event has happened, or has failed.
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
