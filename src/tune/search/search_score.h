// How well a search does against random search while it runs: the score of auto-tuning's community
// (Willemsen and others, "A Methodology for Comparing Auto-Tuning Optimization Algorithms", 2024),
// by which strategies can be compared with published ones. docs/replay.md says how it is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vyre/tune/search/search_replay.h"

namespace vyre {

// The stretch of time over which searches of a space are compared: until random search is expected
// to have come kScoreCutoff of the way from the median of the space to its optimum.
class ScoreBudget {
 public:
  static constexpr double kStart = 0.01, kCutoff = 0.95;
  static constexpr std::uint32_t kPoints = 1000;

  // Absent where nothing can be gained on random search: the first configuration is that good, or
  // the file does not say how long evaluations take.
  static std::optional<ScoreBudget> of(const RecordedSpace& space);

  std::uint32_t evaluations() const { return evaluations_; }  // of random search
  double start_s() const { return start_s_; }
  double end_s() const { return end_s_; }
  // What random search is expected to have found by then.
  double baseline_ns(double charged_s) const;
  // The performance of runs of one strategy, averaged over time: 1 is the optimum, 0 is what random
  // search finds, less than 0 is worse. At each moment the runs count with the mean rank of their
  // best times among all times. A run that has found nothing yet has the median; one that ended
  // keeps what it had.
  double score(std::span<const ReplayRun> runs) const;

 private:
  ScoreBudget() = default;
  double time_of_rank(double rank) const;
  double rank_of(double ns) const;

  std::vector<double> times_ns_;  // of the configurations that ran, the slowest first
  double evaluation_s_ = 0;       // of one that ran, with its share of failures
  std::uint32_t evaluations_ = 0;
  double start_s_ = 0, end_s_ = 0;
};

}  // namespace vyre
