// Runs a search strategy on a recorded space: what it would have found, how soon, and how long
// compiling and timing would have taken.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/search/recorded_space.h"

namespace vyre {

// The state after each evaluation of one run, from the first on.
struct ReplayStep {
  double fraction = 0;   // best time of the space / time of the configuration it would choose
  double charged_s = 0;  // compiling and timing, so far
  bool operator==(const ReplayStep&) const = default;
};

struct ReplayRun {
  // One per evaluation; fewer than the budget if the strategy ended early.
  std::vector<ReplayStep> steps;

  bool operator==(const ReplayRun&) const = default;
};

// How long a run continues: for this many evaluations, and then until this much is charged; but
// then for kMostCharged evaluations at most.
struct ReplayBudget {
  static constexpr std::uint32_t kMostCharged = 2000;
  std::uint32_t evaluations = 0;
  double charged_s = 0;
};

// Every trial is an evaluation, even if it fails; the fraction is 0 until a configuration has run.
// Compiling is charged once per configuration, timing in proportion to the samples. `stop` is
// called before each evaluation.
Result<ReplayRun> replay_run(const RecordedSpace& space, std::string_view strategy,
                             std::uint64_t seed, ReplayBudget budget,
                             const std::function<bool()>& stop = {});

// Seeds of the runs of a replay: run r of every strategy starts with the same one.
std::uint64_t replay_seed(std::uint64_t seed, std::uint32_t run);

}  // namespace vyre
