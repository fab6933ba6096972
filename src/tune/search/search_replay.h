// Plays a search strategy against a recorded space: what it would have found, how soon, and what
// compiling and timing would have cost.
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
  // One per evaluation; shorter than the budget when the strategy ended by itself.
  std::vector<ReplayStep> steps;

  bool operator==(const ReplayRun&) const = default;
};

// One run of at most `budget` evaluations. Every trial is an evaluation, also one that fails (a
// fraction of 0 until something ran). Compiling is charged once a configuration; timing in
// proportion to the samples taken. `stop` is asked before each evaluation.
Result<ReplayRun> replay_run(const RecordedSpace& space, std::string_view strategy,
                             std::uint64_t seed, std::uint32_t budget,
                             const std::function<bool()>& stop = {});

// Seeds of the runs of a replay: run r of every strategy starts with the same one.
std::uint64_t replay_seed(std::uint64_t seed, std::uint32_t run);

}  // namespace vyre
