// What all copies of a session share for tuning: one search for each kernel that is tuned.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "vyre/base/memory/shared_cache.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/engine/tuned/candidate_maker_internal.h"
#include "vyre/engine/tuned/tuned_kernel_internal.h"

namespace vyre {

// What was learned before, as the planner takes it.
PlanMemory plan_memory_of(const TuningOptions& options, const EvidenceStore* store,
                          const WorkLimits& limits = {});
// Opens the file. While its disk does not answer, the store has not read it yet. Without a path, or
// with a warning if the file cannot be read for another reason, the store is in memory alone.
std::shared_ptr<EvidenceStore> open_evidence(const std::optional<std::filesystem::path>& path);

class Tuning {
 public:
  Tuning(TuningOptions options, std::shared_ptr<Device> device,
         std::shared_ptr<const PlanDevice> plan_device, std::shared_ptr<Queue> queue,
         std::shared_ptr<CodeStore> codes, std::shared_ptr<EvidenceStore> store);

  const TuningOptions& options() const { return options_; }
  CandidateMaker& maker() { return maker_; }

  // The same object for equal requests. Its incumbent is compiled.
  Result<std::shared_ptr<TunedKernel>> kernel_for(const LaunchRequest& request,
                                                  const CodeNeeds& needs, const WorkLimits& limits);
  // The same object for equal names. `make` makes it the first time.
  Result<std::shared_ptr<TunedKernel>> find_or_tune(
      const std::string& name, const WorkLimits& limits,
      const std::function<Result<std::shared_ptr<TunedKernel>>()>& make);
  // Makes a search over the caller's candidates. Its incumbent is compiled.
  Result<std::shared_ptr<TunedKernel>> tune(const LaunchSpace& space,
                                            std::deque<TunedCandidate> candidates,
                                            const WorkLimits& limits = {});
  // Returns when all that was learned is in the evidence file, or says how much is not.
  Result<void> save();
  void tell(const TunedCall& call) const;
  void tell(const TunerSpan& span) const;

 private:
  Result<std::shared_ptr<TunedKernel>> make_kernel_for(const LaunchRequest& request,
                                                       const CodeNeeds& needs,
                                                       const WorkLimits& limits);
  OnlineOptions online_options() const;

  const TuningOptions options_;
  const LaunchCosts costs_;
  std::shared_ptr<const PlanDevice> plan_device_;
  std::shared_ptr<EvidenceStore> store_;
  ForkSafeMutex mutex_{HeldFor::work};  // held while a first candidate is compiled
  // On a GPU none is forgotten: work of a search that nobody waited for may still run.
  SharedCache<std::string, TunedKernel> kernels_;
  CandidateMaker maker_;  // last: its threads use the rest
};

}  // namespace vyre
