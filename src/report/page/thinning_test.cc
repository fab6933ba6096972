#include "vyre/report/page/thinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace vyre {
namespace {

TEST(Thinning, FewPointsStayAsTheyAre) {
  EXPECT_EQ(thinned(std::vector<double>{0, 1, 2}, std::vector<double>{5, 6, 7}, 3),
            (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Thinning, ManyPointsKeepTheirExtremesAndTheirFirst) {
  std::vector<double> places, values;
  for (int i = 0; i < 100'000; ++i) {
    places.push_back(i);
    values.push_back(100 + i % 7);
  }
  values[54'321] = 900;
  values[76'543] = 1;
  const auto kept = thinned(places, values, 300);
  EXPECT_LE(kept.size(), 300u);
  EXPECT_GE(kept.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(kept));
  for (const std::size_t i : {0, 54'321, 76'543})
    EXPECT_TRUE(std::ranges::binary_search(kept, i)) << i;
}

TEST(Thinning, PointsAtOnePlaceAreOneBin) {
  const std::vector<double> places(50, 3.0), values(50, 2.0);
  EXPECT_EQ(thinned(places, values, 9), (std::vector<std::size_t>{0}));
}

TEST(Thinning, WhatIsNotKnownIsLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(thinned(std::vector<double>{0, 1, nan, 3}, std::vector<double>{nan, 1, 2, 0}, 9),
            (std::vector<std::size_t>{1}));
}

}  // namespace
}  // namespace vyre
