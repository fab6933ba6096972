#include "vyre/report/page/spread.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace vyre {
namespace {

TEST(TimeSpread, QuartilesOfFiveAreTheFive) {
  const TimeSpread spread = spread_of(std::vector<double>{5, 1, 4, 2, 3});
  EXPECT_EQ(spread.count, 5u);
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.first_quartile, 2);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.third_quartile, 4);
  EXPECT_EQ(spread.most, 5);
  EXPECT_DOUBLE_EQ(spread.deviation, 1.4826);
}

TEST(TimeSpread, OneLateSampleMovesNeitherMedianNorDeviation) {
  const TimeSpread calm = spread_of(std::vector<double>{10, 10, 11, 11, 12, 12, 13});
  const TimeSpread late = spread_of(std::vector<double>{10, 10, 11, 11, 12, 12, 9000});
  EXPECT_EQ(calm.median, late.median);
  EXPECT_EQ(calm.deviation, late.deviation);
}

TEST(TimeSpread, WhatIsNoTimeDoesNotCount) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(spread_of(std::vector<double>{}), TimeSpread{});
  EXPECT_EQ(spread_of(std::vector<double>{nan, 0, -3, 1 / 0.0}), TimeSpread{});
  EXPECT_EQ(spread_of(std::vector<double>{nan, 7}).median, 7);
}

}  // namespace
}  // namespace vyre
