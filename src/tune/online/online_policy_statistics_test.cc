#include "vyre/tune/online/online_policy_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace vyre {
namespace {

using Values = std::vector<double>;

TEST(OnlinePolicyStatistics, OneDisturbedSampleMovesNeitherMedianNorSpread) {
  EXPECT_EQ(median_of(Values{}), 0);
  EXPECT_EQ(median_of(Values{7}), 7);
  EXPECT_EQ(median_of(Values{1, 2}), 1.5);
  EXPECT_EQ(median_of(Values{3, 1, 900, 2, 4}), 3);
  EXPECT_DOUBLE_EQ(spread_of(Values{3, 1, 900, 2, 4}, 3), 1.4826);
  Values many(1001);
  std::iota(many.begin(), many.end(), 0);
  EXPECT_EQ(median_of(many), 500);
}

TEST(OnlinePolicyStatistics, DriftIsSeveralSamplesInARow) {
  DriftWatch watch;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(watch.moved(i % 2 == 0 ? 0.02 : -0.02, 0.02, 8));
    if (i % 20 == 0) {
      EXPECT_FALSE(watch.moved(1.1, 0.02, 8));  // three times as long, once
    }
  }
  watch.reset();
  int samples = 1;
  while (!watch.moved(0.4, 0.02, 8)) ++samples;
  EXPECT_EQ(samples, 5);
  EXPECT_EQ(watch.run(), 5u);
  watch.reset();
  for (samples = 1; !watch.moved(-0.05, 0.02, 8); ++samples) {
  }
  EXPECT_LE(samples, 6);
}

}  // namespace
}  // namespace vyre
