// The planner: which variants a launch could run as, and which of them it runs as first. Nothing
// else in vyre chooses a variant. docs/planning.md describes the order of authority.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/plan/launch_plan.h"
#include "vyre/tune/online/online_opening.h"

namespace vyre {

// What was learned before, and how a plan may use it.
struct PlanMemory {
  const EvidenceStore* evidence = nullptr;  // null: nothing is known
  bool decision_file = false;               // whether the adapter's decision file counts, too
  // off and frozen use neither hints nor the model.
  TunerMode mode = TunerMode::cached_or_default;
  // The choice is for exactly this size. Otherwise all sizes of a bucket share one choice, unless
  // the evidence has a decision for exactly this size.
  bool exact_size = false;
  std::size_t most_candidates = 4096;
};

// One way to run the launch.
struct LaunchCandidate {
  std::size_t kernel = 0;  // which of the request's kernels
  Variant variant;
  std::string text;        // of its configuration: its name in the evidence
  double expected_ns = 0;  // by the cost model, up to a common factor
};

// All that a launch could run as, with what serves first.
struct LaunchSpace {
  TuningKey key;
  bool exact = false;  // the key is of exactly this size, not of its bucket
  Extent largest{};    // the largest extent that the key stands for
  std::vector<LaunchCandidate> candidates;
  std::optional<std::uint32_t> declared;  // the candidate that the program's text asks for
  std::uint32_t start = 0;                // the candidate that serves first
  Authority by = Authority::declared;     // who decided that
  std::string why;
  std::string left_out;  // which part of the space is no candidate, and why; empty: none
};

// The key of a request, and whether it is of exactly its size.
struct LaunchKey {
  TuningKey key;
  bool exact = false;
};
Result<LaunchKey> launch_key(const LaunchRequest& request, const PlanDevice& device,
                             const PlanMemory& memory);

// The request fixes nothing, and the device is known by more than its limits.
Result<LaunchSpace> plan_space(const LaunchRequest& request, const PlanDevice& device,
                               const PlanMemory& memory);

// What the request runs as first.
Result<LaunchPlan> plan_launch(const LaunchRequest& request, const PlanDevice& device,
                               const PlanMemory& memory);

}  // namespace vyre
