#include "vyre/tune/time_words.h"

#include <gtest/gtest.h>

#include <limits>

namespace vyre {
namespace {

TEST(TimeWords, TakeTheLargestUnitInWhichATimeIsAtLeastOne) {
  EXPECT_EQ(time_words(0), "0 ns");
  EXPECT_EQ(time_words(0.5), "0.5 ns");
  EXPECT_EQ(time_words(999.4), "999 ns");
  EXPECT_EQ(time_words(999.6), "1.00 us");
  EXPECT_EQ(time_words(187'654), "187.7 us");
  EXPECT_EQ(time_words(999'960), "1.00 ms");
  EXPECT_EQ(time_words(9'996'000), "10.0 ms");
  EXPECT_EQ(time_words(98'765'432'100), "98.8 s");
  EXPECT_EQ(time_words(12'345e9), "12345.0 s");
  EXPECT_EQ(time_words(-2e3), "-2.00 us");
  EXPECT_EQ(time_words(std::numeric_limits<double>::infinity()), "-");
}

}  // namespace
}  // namespace vyre
