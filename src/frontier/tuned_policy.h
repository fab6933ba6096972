// The policy's thresholds, searched for between the runs of a prepared graph program, for the
// program and the class of its graph. The tuner for kernels that others run decides which
// thresholds the next run gets, and keeps what it learns as evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/ir/kernel.h"
#include "vyre/resident/policy.h"
#include "vyre/tune/foreign/kernel_tuner.h"

namespace vyre {

// What the best thresholds depend on. Graphs of one class have sizes and degrees that are the same
// when they are rounded to powers of two.
struct TunedSubject {
  Digest program{};  // of one of its kernels
  std::uint32_t vertices = 0, edges = 0, largest_degree = 0;
  std::uint32_t workers = 1;
  std::string device{};  // empty: this machine's processor
};

class TunedPolicy {
 public:
  // The given policy is served first, and is what others are compared with.
  static Result<TunedPolicy> open(const TunedSubject& subject, const ResidentPolicy& policy,
                                  KernelTunerOptions options);

  // The policy of a run, which is reported with its time, or without one if the run did not end.
  struct Turn {
    ResidentPolicy policy;
    KernelCall call;
  };
  Turn next();
  Result<void> report(const Turn& turn, std::optional<double> ns);

  std::string why() const { return tuner_.why(); }

 private:
  TunedPolicy(KernelTuner tuner, const ResidentPolicy& policy)
      : tuner_(std::move(tuner)), policy_(policy) {}

  KernelTuner tuner_;
  ResidentPolicy policy_;
};

}  // namespace vyre
