#include "vyre/cli/run/timing.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

using std::chrono::nanoseconds;

TEST(Timing, OneSampleIsEverything) {
  const Timing t = summarise({nanoseconds(7)});
  EXPECT_EQ(t.runs, 1U);
  EXPECT_EQ(t.median_ns, 7U);
  EXPECT_EQ(t.p10_ns, 7U);
  EXPECT_EQ(t.p90_ns, 7U);
}

TEST(Timing, TheMedianIgnoresAnOutlier) {
  std::vector<nanoseconds> samples;
  for (int i = 20; i > 0; --i) samples.emplace_back(i == 20 ? 1'000'000 : 100 + i);
  const Timing t = summarise(samples);
  EXPECT_NEAR(static_cast<double>(t.median_ns), 110, 1);
  EXPECT_NEAR(static_cast<double>(t.p10_ns), 103, 1);
  EXPECT_NEAR(static_cast<double>(t.p90_ns), 118, 1);
  EXPECT_EQ(t.fastest_ns, 101U);
  EXPECT_EQ(t.slowest_ns, 1'000'000U);
}

TEST(Timing, AsManyRunsAsAskedBehindTheWarmUp) {
  std::uint64_t calls = 0;
  const auto timing = measure({.runs = 5}, [&]() -> Result<nanoseconds> {
    ++calls;
    return nanoseconds(10);
  });
  ASSERT_TRUE(timing);
  EXPECT_EQ(timing->runs, 5U);
  EXPECT_GE(timing->warm_up_runs, 2U);
  EXPECT_EQ(calls, timing->runs + timing->warm_up_runs);
}

TEST(Timing, ByItselfItEndsSoon) {
  const auto quick = measure({}, []() -> Result<nanoseconds> { return nanoseconds(1); });
  ASSERT_TRUE(quick);
  EXPECT_EQ(quick->runs, 1000U);
  const auto slow =
      measure({}, []() -> Result<nanoseconds> { return nanoseconds(std::chrono::seconds(1)); });
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->runs, 10U);
}

TEST(Timing, AFailureEndsIt) {
  std::uint64_t calls = 0;
  const auto timing = measure({.runs = 50}, [&]() -> Result<nanoseconds> {
    if (++calls == 3) return fail(Code::device, "no more");
    return nanoseconds(std::chrono::milliseconds(50));
  });
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().what, "no more");
  EXPECT_EQ(calls, 3U);
}

}  // namespace
}  // namespace vyre
