#include "vyre/tune/search/search_score.h"

#include <gtest/gtest.h>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/tune/search/search_landscape_testing.h"

namespace vyre {
namespace {

// One parameter; every configuration takes a second to compile and time. 0: it fails.
RecordedSpace space_of(const std::vector<double>& times_ns, double seconds = 1) {
  RecordedSpace out;
  SearchParameter parameter{.name = "p", .values = {}};
  std::vector<std::uint16_t> rows;
  for (const double ns : times_ns) {
    rows.push_back(static_cast<std::uint16_t>(rows.size()));
    parameter.values.push_back(std::to_string(rows.size()));
    Recording recording;
    recording.compile_ns = 0.75e9 * seconds;
    recording.benchmark_ns = 0.25e9 * seconds;
    if (ns > 0) recording.cost_ns = ns;
    out.recordings.push_back(std::move(recording));
    const auto& best = out.recordings[out.best].cost_ns;
    if (ns > 0 && (!best || ns < *best)) out.best = static_cast<std::uint32_t>(rows.size() - 1);
  }
  out.space = *SearchSpace::make({parameter}, std::move(rows));
  return out;
}

// The best of nine is 10 ns, the median 50. 95% of the way is 12 ns, at rank 8 of 0 to 8, which
// random search is expected to reach with ceil(8 / (9 + 1 - 8)) = 4 evaluations.
const std::vector<double> kNine{90, 80, 70, 60, 50, 40, 30, 20, 10};

TEST(SearchScore, TheBudgetLastsUntilRandomSearchIsNearTheOptimum) {
  const auto budget = ScoreBudget::of(space_of(kNine));
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->evaluations(), 4U);
  EXPECT_NEAR(budget->start_s(), 1, 1e-9);
  EXPECT_NEAR(budget->end_s(), 4, 1e-9);
  // The expected rank of the best of k is k * 10 / (k + 1): 5, 6.67, 7.5, 8.
  EXPECT_EQ(budget->baseline_ns(0.1), 40);
  EXPECT_EQ(budget->baseline_ns(1.4), 40);
  EXPECT_EQ(budget->baseline_ns(1.6), 20);
  EXPECT_EQ(budget->baseline_ns(3), 10);
  EXPECT_EQ(budget->baseline_ns(100), 10);
}

TEST(SearchScore, IsTheMeanOverTimeOfWhatIsGainedOnRandomSearch) {
  const auto budget = ScoreBudget::of(space_of(kNine));
  ASSERT_TRUE(budget);
  // 1,000 points from 1 s to 4 s: 167 lie before 1.5 s, where the baseline has 40 ns, and 333
  // before 2.5 s, where it has 20; after that it has the optimum, and nothing is compared.
  const auto score = [&](std::vector<ReplayRun> runs) { return budget->score(runs); };
  const ReplayRun nothing{{{.fraction = 0, .charged_s = 9}}};
  EXPECT_NEAR(score({nothing}), (167 * (40 - 50) / 30. + 333 * (20 - 50) / 10.) / 500, 1e-9);
  const ReplayRun best_at_once{{{.fraction = 1, .charged_s = 1}}};
  EXPECT_NEAR(score({best_at_once}), 1, 1e-9);
  // 30 ns from the start, and 10 ns from 2 s on: 166 points at 20 - 30, 167 at the optimum.
  const ReplayRun good{{{.fraction = 10. / 30, .charged_s = 1}, {.fraction = 1, .charged_s = 2}}};
  EXPECT_NEAR(score({good}), (167 * (40 - 30) / 30. - 166 + 167) / 500, 1e-9);
  // Ranks 4 and 8 make rank 6: 30 ns all the time.
  EXPECT_NEAR(score({nothing, best_at_once}), (167 * (40 - 30) / 30. - 333) / 500, 1e-9);
}

TEST(SearchScore, AnEvaluationTakesItsShareOfFailuresToo) {
  std::vector<double> times = kNine;
  times.push_back(0);
  const auto budget = ScoreBudget::of(space_of(times, 2));
  ASSERT_TRUE(budget);
  EXPECT_EQ(budget->evaluations(), 4U);
  EXPECT_NEAR(budget->end_s(), 4 * (2 + 2 * 0.1), 1e-9);
}

TEST(SearchScore, WhereNothingCanBeGainedThereIsNone) {
  EXPECT_FALSE(ScoreBudget::of(space_of({7})));
  EXPECT_FALSE(ScoreBudget::of(space_of({7, 7, 7, 9})));
  EXPECT_FALSE(ScoreBudget::of(space_of(kNine, 0)));
}

TEST(SearchScore, RandomSearchItselfScoresAboutNothing) {
  if (kSanitized) GTEST_SKIP() << "its statistics are those of the release build";
  const RecordedSpace space = make_landscape({.seed = 2});
  const auto budget = ScoreBudget::of(space);
  ASSERT_TRUE(budget);
  const auto score = [&](std::string_view strategy, std::uint32_t count) {
    std::vector<ReplayRun> runs;
    for (std::uint32_t r = 0; r < count; ++r) {
      const ReplayBudget until{.charged_s = budget->end_s()};
      runs.push_back(*replay_run(space, strategy, replay_seed(1, r), until));
    }
    return budget->score(runs);
  };
  EXPECT_NEAR(score("random", 200), 0, 0.1);
  EXPECT_GT(score("natural", 10), 0.8);
}

}  // namespace
}  // namespace vyre
