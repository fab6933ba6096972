#include "vyre/ir/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vyre {
namespace {

// The value of a binary16 pattern by its definition, without any conversion code.
double value_of_f16(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> 10U) & 0x1F;
  const int mantissa = bits & 0x3FF;
  if (exponent == 0x1F) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Half, WidensEveryPatternExactly) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double expected = value_of_f16(half);
    const float got = f16_to_float(half);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(got)) << bits;
    } else {
      ASSERT_EQ(expected, got) << bits;
      ASSERT_EQ(std::signbit(expected), std::signbit(got)) << bits;
    }
  }
}

TEST(Half, NarrowingUndoesWidening) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float wide = f16_to_float(half);
    if (std::isnan(wide)) {
      ASSERT_TRUE(std::isnan(f16_to_float(float_to_f16(wide))));
      continue;
    }
    ASSERT_EQ(float_to_f16(wide), half) << bits;
    ASSERT_EQ(double_to_f16(wide), half) << bits;
  }
}

TEST(Half, RoundsToNearestAndTiesToEven) {
  for (std::uint16_t half = 0; half < 0x7BFF; ++half) {
    const double low = value_of_f16(half);
    const double high = value_of_f16(static_cast<std::uint16_t>(half + 1));
    const double middle = (low + high) / 2;
    const std::uint16_t even = half % 2 == 0 ? half : static_cast<std::uint16_t>(half + 1);
    ASSERT_EQ(double_to_f16(middle), even) << half;
    ASSERT_EQ(double_to_f16(std::nextafter(middle, 0.0)), half) << half;
    ASSERT_EQ(double_to_f16(std::nextafter(middle, 1e9)), half + 1) << half;
    const auto as_float = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(as_float), middle);
    ASSERT_EQ(float_to_f16(as_float), even) << half;
    ASSERT_EQ(float_to_f16(std::nextafter(as_float, 0.0F)), half) << half;
    ASSERT_EQ(float_to_f16(-as_float), even | 0x8000U) << half;
  }
}

TEST(Half, BeyondTheLargestIsInfinite) {
  EXPECT_EQ(float_to_f16(65504.0F), 0x7BFF);
  EXPECT_EQ(float_to_f16(65519.99F), 0x7BFF);
  EXPECT_EQ(float_to_f16(65520.0F), 0x7C00);
  EXPECT_EQ(float_to_f16(-1e30F), 0xFC00);
  EXPECT_EQ(double_to_f16(std::numeric_limits<double>::infinity()), 0x7C00);
}

TEST(Half, TinyValuesKeepTheirSign) {
  EXPECT_EQ(float_to_f16(-1e-30F), 0x8000);
  EXPECT_EQ(double_to_f16(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(double_to_f16(std::ldexp(1.0, -25)), 0);
  EXPECT_EQ(double_to_f16(std::ldexp(1.5, -25)), 1);
}

TEST(Half, DoublesAreNotRoundedTwice) {
  // Just above the middle of two halves, by less than a float can tell.
  const double above = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  EXPECT_EQ(double_to_f16(above), 0x3C01);
  EXPECT_EQ(float_to_f16(static_cast<float>(above)), 0x3C00);
}

TEST(Scalar, WidensByItsKind) {
  EXPECT_EQ(Scalar::of(-3).as_int(), -3);
  EXPECT_EQ(Scalar::of(0xFFFFFFFFU).as_int(), 4294967295);
  EXPECT_EQ(Scalar::of(true).as_int(), 1);
  EXPECT_EQ(Scalar::abstract(std::int64_t{-7}).as_int(), -7);
  EXPECT_EQ(Scalar::of(1.5F).as_double(), 1.5);
  EXPECT_EQ(Scalar::of_f16(-0.25F).as_double(), -0.25);
  EXPECT_EQ(Scalar::abstract(0.1).as_double(), 0.1);
}

}  // namespace
}  // namespace vyre
