// What calls of dispatches do: launch what serves them, tune it beside them, or measure everything
// before the first. Made of what a session holds, for one call.
#pragma once

#include "vyre/engine/tuned_internal.h"

namespace vyre {

struct Trial;

class Calls {
 public:
  Calls(const std::shared_ptr<Device>& device, const std::shared_ptr<Queue>& queue,
        const std::shared_ptr<CodeStore>& codes, const std::shared_ptr<Tuning>& tuning,
        bool on_host)
      : device_(device), queue_(queue), codes_(codes), tuning_(tuning), on_host_(on_host) {}

  // Of a dispatch that the session has prepared.
  Result<void> submit(const Dispatch& dispatch, const RunLimits& limits) const;
  // One launch, as the mean of so many.
  Result<std::chrono::nanoseconds> time(const Dispatch& dispatch, std::uint32_t launches) const;

 private:
  // So many runs of a launch in a row, and what the device took for all of them.
  struct Runs {
    std::uint32_t count = 1;
    std::chrono::nanoseconds spent{};
  };
  static ServedLaunch own_launch(const Dispatch& dispatch);
  Result<void> begin(const Launch& launch, Runs* timed) const;
  Result<void> launch_served(const Dispatch& dispatch, const ServedLaunch& served,
                             std::span<const BoundMemory> bindings, const Extent& extent,
                             const RunLimits& limits, Runs* timed = nullptr) const;
  Result<void> submit_with_uniforms(const Dispatch& dispatch, Launch& launch, Runs* timed) const;

  // ---- tuned_submit.cc
  Result<void> submit_tuned(const Dispatch& dispatch, const RunLimits& limits) const;
  Result<void> submit_beside(const Dispatch& dispatch, TunedKernel& kernel, std::uint32_t served,
                             std::uint32_t candidate, const RunLimits& limits) const;
  Result<void> serve(const Dispatch& dispatch, const TunedKernel& kernel, std::uint32_t candidate,
                     const RunLimits& limits) const;
  Result<void> serve_beside_compilers(const Dispatch& dispatch, TunedKernel& kernel,
                                      std::uint32_t candidate, const RunLimits& limits) const;
  const ServedLaunch* served_by(const Dispatch& dispatch, const TunedKernel& kernel,
                                std::uint32_t candidate) const;
  Result<void> launch_candidate(const Dispatch& dispatch, const TunedCandidate& candidate,
                                std::span<const BoundMemory> bindings, const Extent& extent,
                                const RunLimits& limits, Runs* timed = nullptr) const;
  bool can_compare(TunedKernel& kernel) const;
  std::string make_shadows(const Dispatch& dispatch, TunedKernel& kernel) const;
  bool ask_for_shadows(const Dispatch& dispatch, TunedKernel& kernel) const;
  Result<std::vector<BoundMemory>> fill_shadows(const Dispatch& dispatch, TunedKernel& kernel,
                                                const Slice& slice) const;
  Result<void> compare_shadows(const Dispatch& dispatch, TunedKernel& kernel,
                               const Slice& slice) const;
  void note_pace(TunedKernel& kernel, const TunedKernel::Timing& timing) const;
  void harvest(TunedKernel& kernel) const;
  // ---- tuned_sweep.cc
  Result<void> sweep(const Dispatch& dispatch, const RunLimits& limits) const;
  Result<double> time_on_shadows(const Dispatch& dispatch, TunedKernel& kernel,
                                 std::uint32_t candidate, std::span<const BoundMemory> bindings,
                                 const RunLimits& limits) const;
  Result<std::string> differs_on_shadows(const Dispatch& dispatch, TunedKernel& kernel,
                                         std::uint32_t candidate,
                                         std::span<const DeviceMemory> expected,
                                         RunLimits limits) const;
  // ---- tuned_search.cc
  Result<void> measure_candidates(const Dispatch& dispatch, TunedKernel& kernel,
                                  std::uint32_t first, const std::function<bool()>& is_over,
                                  SweptTimes& swept) const;
  Result<std::optional<double>> measure_candidate(const Dispatch& dispatch, TunedKernel& kernel,
                                                  const Trial& trial, SweptTimes& swept) const;

  const std::shared_ptr<Device>& device_;
  const std::shared_ptr<Queue>& queue_;
  const std::shared_ptr<CodeStore>& codes_;
  const std::shared_ptr<Tuning>& tuning_;
  const bool on_host_;
};

}  // namespace vyre
