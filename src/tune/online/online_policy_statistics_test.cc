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

TEST(OnlinePolicyStatistics, OfTwoEstimatesTheCertainOneCountsMore) {
  const LogEstimate both = combined({0, 0.2}, {0.3, 0.1});
  EXPECT_NEAR(both.value, 0.24, 1e-12);
  EXPECT_LT(both.error, 0.1);
  // A run of ten times what is expected may have been disturbed.
  const LogEstimate apart = combined({0, 0.2}, {std::log(10), 0.05});
  EXPECT_LT(apart.value, 0.1);
  EXPECT_GT(apart.error, 0.15);
}

TEST(OnlinePolicyStatistics, AnErrorIsCorrectedByWhatIsSeen) {
  EXPECT_DOUBLE_EQ(corrected_error(0.2, 4, 0, 0), 0.2);
  EXPECT_LT(corrected_error(0.2, 4, 0.05, 20), 0.12);
  EXPECT_GT(corrected_error(0.2, 4, 0.5, 20), 0.4);
}

TEST(OnlinePolicyStatistics, AGoodPriorIsBelievedMoreAndMore) {
  Values priors;
  Values times;
  double before = PriorModel(priors, times).predict(1).error;
  for (int i = 0; i < 20; ++i) {
    priors.push_back(0.05 * i);
    times.push_back(5 + 0.05 * i);
    const double now = PriorModel(priors, times).predict(1).error;
    if (i > 0) {
      EXPECT_LE(now, before + 1e-9) << i;
    }
    before = now;
  }
  const PriorModel model(priors, times);
  EXPECT_NEAR(model.predict(2).value, 7, 0.05);
  EXPECT_DOUBLE_EQ(model.error(), 0.1);
}

TEST(OnlinePolicyStatistics, APriorThatTellsNothingIsFlattened) {
  Values priors;
  Values times;
  for (int i = 0; i < 20; ++i) {
    priors.push_back(0.1 * i);
    times.push_back(i % 2 == 0 ? 5.0 : 5.2);
  }
  const PriorModel model(priors, times);
  // What it thinks twenty times as slow is expected to be not much slower.
  EXPECT_LT(model.predict(3).value - model.predict(0).value, 1);
}

TEST(OnlinePolicyStatistics, OneFarCandidateDoesNotSpoilTheModel) {
  Values priors;
  Values times;
  for (int i = 0; i < 12; ++i) {
    priors.push_back(0.05 * i);
    times.push_back(0.05 * i);
  }
  times[6] += std::log(10);
  const PriorModel model(priors, times);
  EXPECT_NEAR(model.predict(0.3).value, 0.3, 0.05);
  EXPECT_LE(model.error(), 0.12);
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
