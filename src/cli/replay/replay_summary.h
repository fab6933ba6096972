// Summaries of the runs of a strategy: curves over evaluations, and the evaluations after which
// fractions of the optimum are reached.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/tune/search/search_replay.h"
#include "vyre/tune/search/search_score.h"

namespace vyre {

// The fractions of the optimum in the table of goals.
inline constexpr std::array kReplayGoals{0.90, 0.95, 0.99};

struct ReplayGoal {
  double fraction = 0;
  std::uint32_t runs = 0;  // that got there
  // Medians over all runs; nothing where half of them did not get there.
  std::optional<double> evaluations, charged_s;
};

// Performance over time against random search, as search_score.h defines it.
struct ReplayScore {
  double score = 0;
  double covered = 1;  // of the budget, which the runs reached on average
};

struct ReplayCurve {
  std::string strategy;
  std::uint32_t runs = 0;
  std::vector<double> mean, low, high;  // by evaluation, from the first; quartiles
  std::vector<double> charged_s;        // mean
  std::vector<ReplayGoal> goals;
  std::optional<ReplayScore> score;  // absent where the space has no ScoreBudget
};

// A run that ended by itself keeps what it had. `runs` is not empty, nor is any of them. Curves and
// goals have `budget` evaluations; runs may be longer for the score's sake.
ReplayCurve summarise(std::string strategy, std::span<const ReplayRun> runs, std::uint32_t budget,
                      const std::optional<ScoreBudget>& scored);

// The mean over spaces of one strategy: fractions alone, quartiles being means of quartiles. Goals
// are those of the mean curve; the score is the mean over the spaces that have one.
ReplayCurve mean_of(std::span<const ReplayCurve* const> curves);

// The evaluations to show: 1, 5, 10, 25, 50, 100, 200, ... up to the budget, which is the last.
std::vector<std::uint32_t> replay_marks(std::uint32_t budget);

}  // namespace vyre
