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
  KernelSweep sweep(std::vector<bool>(20));
  const std::size_t runs = run_to_the_end(sweep, 13);
  EXPECT_TRUE(sweep.finished());
  EXPECT_EQ(sweep.winner(), 13U);
  EXPECT_EQ(sweep.median_ns(13), 1000);
  EXPECT_EQ(runs, 20 * (1 + KernelSweep::kFirstSamples) +
                      KernelSweep::kFinalists *
                          (KernelSweep::kFinalSamples - KernelSweep::kFirstSamples));
}

TEST(KernelSweep, ThrowsTheFirstTimeAway) {
  KernelSweep sweep({false, true});
  bool first = true;
  while (const auto candidate = sweep.next()) {
    EXPECT_EQ(candidate, 0U);
    sweep.report(*candidate, first ? 1e9 : 100);
    first = false;
  }
  EXPECT_EQ(sweep.times_ns(0), std::vector<double>(KernelSweep::kFinalSamples, 100));
}

TEST(KernelSweep, WaitsForTimesThatComeLate) {
  KernelSweep sweep({false, false});
  std::vector<std::uint32_t> asked;
  while (const auto candidate = sweep.next()) asked.push_back(*candidate);
  EXPECT_EQ(asked.size(), 2 * (1 + KernelSweep::kFirstSamples));
  EXPECT_FALSE(sweep.finished());
  for (const std::uint32_t candidate : asked) sweep.report(candidate, candidate == 0 ? 200 : 100);
  while (const auto candidate = sweep.next()) sweep.report(*candidate, *candidate == 0 ? 200 : 100);
  EXPECT_EQ(sweep.winner(), 1U);
}

TEST(KernelSweep, ACandidateThatIsDroppedDoesNotWin) {
  KernelSweep sweep({false, false, false});
  while (const auto candidate = sweep.next()) {
    if (*candidate == 1) {
      sweep.drop(1);
    } else {
      sweep.report(*candidate, 100 + *candidate);
    }
  }
  EXPECT_EQ(sweep.winner(), 0U);
}

TEST(KernelSweep, EndsWhereNoTimeEverComes) {
  KernelSweep abandoned({false, false});
  while (const auto candidate = abandoned.next()) abandoned.abandon(*candidate);
  EXPECT_TRUE(abandoned.finished());
  EXPECT_FALSE(abandoned.winner());

  KernelSweep silent({false, false});
  for (int i = 0; i < 100000 && !silent.finished(); ++i) static_cast<void>(silent.next());
  EXPECT_TRUE(silent.finished());
  EXPECT_FALSE(silent.winner());

  KernelSweep nothing({true, true});
  EXPECT_FALSE(nothing.next());
  EXPECT_TRUE(nothing.finished());
}

}  // namespace
}  // namespace vyre
