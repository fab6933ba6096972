// The planner lists the variants in which a launch could run, and chooses the first one. Nothing
// else in vyre chooses a variant. docs/planning.md describes the order of authority.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/base/process/abandonable.h"
#include "vyre/plan/launch_plan.h"
#include "vyre/tune/online/online_opening.h"

namespace vyre {

// What was learned before, and how a plan may use it.
struct PlanMemory {
  const EvidenceStore* evidence = nullptr;  // null: there is none
  bool decision_file = false;               // whether the adapter's decision file is read
  // off and frozen use neither hints nor the model.
  TunerMode mode = TunerMode::cached_or_default;
  // The choice is for exactly this size. Otherwise all sizes of a bucket share one choice, unless
  // the evidence has a decision for exactly this size.
  bool exact_size = false;
  std::size_t most_candidates = 4096;
  WorkLimits limits{};  // of reading the decision file, whose disk may not answer
};

// The `kernel` of a candidate that launches other kernels than those of the request.
constexpr std::size_t kOtherKernels = SIZE_MAX;

// One way to run the launch.
struct LaunchCandidate {
  std::size_t kernel = 0;  // the position among the request's kernels, or kOtherKernels
  Variant variant;
  std::string text;        // the configuration, which names the candidate in the evidence
  double expected_ns = 0;  // by the cost model, up to a common factor
};

// All candidates of a launch, and the one that serves first.
struct LaunchSpace {
  TuningKey key;
  bool exact = false;  // the key is for exactly this size, not for its bucket
  Extent largest{};    // the largest extent that shares the key
  std::vector<LaunchCandidate> candidates;
  std::optional<std::uint32_t> declared;  // the declared variant
  std::uint32_t start = 0;                // the candidate that serves first
  Authority by = Authority::declared;     // who decided `start`
  std::string why;
  std::string left_out;  // which part of the space was left out, and why; empty: none
};

// The key of a request, and whether it is for exactly its size.
struct LaunchKey {
  TuningKey key;
  bool exact = false;
};
Result<LaunchKey> launch_key(const LaunchRequest& request, const PlanDevice& device,
                             const PlanMemory& memory);

// Requires that the request fixes nothing, and that more than the limits of the device is known.
Result<LaunchSpace> plan_space(const LaunchRequest& request, const PlanDevice& device,
                               const PlanMemory& memory);

// The two parts of `plan_space`: the candidates, and which of them serves first. Candidates that
// launch other kernels may be added between the two.
Result<LaunchSpace> candidate_space(const LaunchRequest& request, const PlanDevice& device,
                                    const PlanMemory& memory);
void decide_start(const LaunchRequest& request, const PlanDevice& device, const PlanMemory& memory,
                  LaunchSpace& space);

// The plan of the first launch.
Result<LaunchPlan> plan_launch(const LaunchRequest& request, const PlanDevice& device,
                               const PlanMemory& memory);

}  // namespace vyre
