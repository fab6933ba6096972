#include "vyre/report/page/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vyre {
namespace {

void expect_sound(const Axis& axis) {
  EXPECT_LT(axis.low, axis.high);
  EXPECT_TRUE(std::isfinite(axis.low) && std::isfinite(axis.high));
  EXPECT_GE(axis.ticks.size(), 1u);
  EXPECT_LE(axis.ticks.size(), 14u);
  double before = -1;
  for (const Tick& tick : axis.ticks) {
    EXPECT_GT(tick.value, before);
    before = tick.value;
    EXPECT_GE(axis.at(tick.value), 0);
    EXPECT_LE(axis.at(tick.value), 1);
    EXPECT_FALSE(tick.text.empty());
  }
}

TEST(Axis, IsLogarithmicWhereTimesDifferByMoreThanTwentyTimes) {
  EXPECT_FALSE(time_axis(100, 2000).log);
  EXPECT_TRUE(time_axis(100, 2001).log);
}

TEST(Axis, BeginsAtZeroWhereThatCostsLessThanHalf) {
  EXPECT_EQ(time_axis(40, 100).low, 0);
  EXPECT_GT(time_axis(90, 100).low, 50);
}

TEST(Axis, HoldsWhatItWasMadeForWithAir) {
  for (const auto& [least, most] :
       {std::pair(1.0, 1.0), {1.0, 1.0001}, {0.3, 5.0}, {1e-3, 1e12}, {187e3, 267e3}, {5e9, 6e9}}) {
    const Axis axis = time_axis(least, most);
    SCOPED_TRACE(::testing::Message() << least << " to " << most);
    expect_sound(axis);
    EXPECT_GT(axis.at(least), 0);
    EXPECT_LT(axis.at(most), 1);
  }
}

TEST(Axis, WhatCanBeNoTimeIsDrawnAtItsEnd) {
  const Axis axis = time_axis(1e-300, 1e300);
  expect_sound(axis);
  EXPECT_EQ(axis.at(1e-300), 0);
  EXPECT_EQ(axis.at(1e300), 1);
  expect_sound(amount_axis(1e300));
}

TEST(Axis, OfNothingKnownIsStillAnAxis) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -1.0, nan, infinity}) {
    expect_sound(time_axis(value, value));
    expect_sound(time_axis(infinity, value));
    expect_sound(amount_axis(value));
    expect_sound(ratio_axis(value, value));
    EXPECT_GE(time_axis(1, 2).at(value), 0);
  }
}

TEST(Axis, TicksShareOneUnit) {
  const Axis axis = time_axis(187e3, 267e3);
  for (const Tick& tick : axis.ticks) EXPECT_TRUE(tick.text.ends_with("\u00b5s")) << tick.text;
}

TEST(Axis, CountsAreMarkedAtWholeNumbers) {
  for (const bool log : {false, true}) {
    for (const double last : {1.0, 2.0, 3.0, 17.0, 1000.0, 123456.0, 1e9}) {
      const Axis axis = count_axis(1, last, log);
      expect_sound(axis);
      for (const Tick& tick : axis.ticks) EXPECT_EQ(tick.value, std::floor(tick.value));
    }
  }
}

}  // namespace
}  // namespace vyre
