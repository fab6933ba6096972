#include <gtest/gtest.h>

#include "vyre/tune/foreign/kernel_sweep_internal.h"

namespace vyre {
namespace {

// Answers until the end, with 100 ns for every step that a candidate is away from the best.
std::size_t run_to_the_end(KernelSweep& sweep, std::uint32_t best) {
  std::size_t runs = 0;
  while (const auto candidate = sweep.next()) {
    const double away = candidate > best ? *candidate - best : best - *candidate;
    sweep.report(*candidate, 1000 + 100 * away);
    ++runs;
  }
  return runs;
}

TEST(KernelSweep, FindsTheFastestOfAll) {
  KernelSweep sweep(std::vector<bool>(20), 0, {.seed = 1});
  const std::size_t runs = run_to_the_end(sweep, 13);
  EXPECT_TRUE(sweep.finished());
  const FinalsResult result = *sweep.result();
  EXPECT_EQ(result.winner, 13U);
  EXPECT_TRUE(result.proved);
  EXPECT_NEAR(result.gain.gain, 1 - 1000.0 / 2300, 1e-3);
  EXPECT_EQ(sweep.median_ns(13), 1000);
  EXPECT_EQ(runs, 20 * (1 + KernelSweep::kFirstSamples) +
                      (KernelSweep::kFinalists + 1) *
                          (KernelSweep::kFinalSamples - KernelSweep::kFirstSamples) +
                      2 * result.pairs);
}

TEST(KernelSweep, ThrowsTheFirstTimeAway) {
  KernelSweep sweep({false, true}, 0, {.seed = 1});
  bool first = true;
  while (const auto candidate = sweep.next()) {
    EXPECT_EQ(candidate, 0U);
    sweep.report(*candidate, first ? 1e9 : 100);
    first = false;
  }
  EXPECT_EQ(sweep.times_ns(0), std::vector<double>(KernelSweep::kFinalSamples, 100));
}

TEST(KernelSweep, WaitsForTimesThatComeLate) {
  KernelSweep sweep({false, false}, 0, {.seed = 1});
  std::vector<std::uint32_t> asked;
  while (const auto candidate = sweep.next()) asked.push_back(*candidate);
  EXPECT_EQ(asked.size(), 2 * (1 + KernelSweep::kFirstSamples));
  EXPECT_FALSE(sweep.finished());
  for (const std::uint32_t candidate : asked) sweep.report(candidate, candidate == 0 ? 200 : 100);
  while (const auto candidate = sweep.next()) sweep.report(*candidate, *candidate == 0 ? 200 : 100);
  EXPECT_EQ(sweep.result()->winner, 1U);
}

TEST(KernelSweep, ACandidateThatIsDroppedDoesNotWin) {
  KernelSweep sweep({false, false, false}, 2, {.seed = 1});
  while (const auto candidate = sweep.next()) {
    if (*candidate == 1) {
      sweep.drop(1);
    } else {
      sweep.report(*candidate, 100 + *candidate);
    }
  }
  EXPECT_EQ(sweep.result()->winner, 0U);
}

TEST(KernelSweep, WhereTheFavouriteFailsTheFastestServes) {
  KernelSweep sweep({false, false, false}, 0, {.seed = 1});
  unsigned runs = 0;
  while (const auto candidate = sweep.next()) {
    if (*candidate == 0 && ++runs == 14) {
      sweep.drop(0);
    } else {
      sweep.report(*candidate, 100 - 20.0 * *candidate);
    }
  }
  EXPECT_EQ(sweep.result()->winner, 2U);
  EXPECT_FALSE(sweep.result()->proved);
}

TEST(KernelSweep, EndsWhereNoTimeEverComes) {
  KernelSweep abandoned({false, false}, 0, {.seed = 1});
  while (const auto candidate = abandoned.next()) abandoned.abandon(*candidate);
  EXPECT_TRUE(abandoned.finished());
  EXPECT_FALSE(abandoned.result());

  KernelSweep silent({false, false}, 0, {.seed = 1});
  for (int i = 0; i < 100000 && !silent.finished(); ++i) static_cast<void>(silent.next());
  EXPECT_TRUE(silent.finished());
  EXPECT_FALSE(silent.result());

  // Times that stop coming within the pairs.
  KernelSweep stops({false, false}, 0, {.seed = 1});
  for (int i = 0; i < 400'000 && !stops.finished(); ++i) {
    const auto candidate = stops.next();
    if (candidate && i < 22) stops.report(*candidate, 100 + *candidate);
  }
  EXPECT_TRUE(stops.finished());
  EXPECT_EQ(stops.result()->winner, 0U);
  EXPECT_TRUE(stops.result()->undecided);

  KernelSweep nothing({true, true}, 0, {.seed = 1});
  EXPECT_FALSE(nothing.next());
  EXPECT_TRUE(nothing.finished());
}

}  // namespace
}  // namespace vyre
