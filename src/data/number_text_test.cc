#include "vyre/data/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vyre {
namespace {

TEST(NumberText, WholeNumbersAreDecimalOrHexadecimal) {
  EXPECT_EQ(parse_whole("0").value(), 0U);
  EXPECT_EQ(parse_whole("18446744073709551615").value(), UINT64_MAX);
  EXPECT_EQ(parse_whole("0xff").value(), 255U);
  EXPECT_EQ(parse_whole("007").value(), 7U);
  for (const char* bad :
       {"", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x", "0xg", "one", "18446744073709551616"}) {
    EXPECT_FALSE(parse_whole(bad)) << bad;
  }
  EXPECT_TRUE(parse_whole("10", 10));
  EXPECT_FALSE(parse_whole("11", 10));
}

TEST(NumberText, IntegersMustFitTheirType) {
  EXPECT_EQ(parse_scalar("-2147483648", ScalarKind::i32)->as_i32(),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(parse_scalar("2147483647", ScalarKind::i32)->as_i32(), 2147483647);
  EXPECT_EQ(parse_scalar("-0x10", ScalarKind::i32)->as_i32(), -16);
  EXPECT_EQ(parse_scalar("4294967295", ScalarKind::u32)->as_u32(), UINT32_MAX);
  for (const char* bad : {"2147483648", "-2147483649", "1.0", "--1", "-", ""}) {
    EXPECT_FALSE(parse_scalar(bad, ScalarKind::i32)) << bad;
  }
  for (const char* bad : {"4294967296", "-1", "1.5", "4u"}) {
    EXPECT_FALSE(parse_scalar(bad, ScalarKind::u32)) << bad;
  }
}

TEST(NumberText, FloatsRoundToNearestAndDoNotBecomeInfinite) {
  EXPECT_EQ(parse_scalar("0.1", ScalarKind::f32)->as_double(), 0.1F);
  EXPECT_EQ(parse_scalar("+2e3", ScalarKind::f32)->as_double(), 2000);
  EXPECT_EQ(parse_scalar("1e-999", ScalarKind::f32)->as_double(), 0);
  EXPECT_TRUE(std::isnan(parse_scalar("nan", ScalarKind::f32)->as_double()));
  EXPECT_EQ(parse_scalar("-inf", ScalarKind::f32)->as_double(), -INFINITY);
  EXPECT_EQ(parse_scalar("65504", ScalarKind::f16)->as_double(), 65504);
  EXPECT_EQ(parse_scalar("inf", ScalarKind::f16)->as_double(), INFINITY);
  for (const char* bad : {"3.5e38", "1e999", "-1e999", "x", "", "+", "+-1", "1.0f"}) {
    EXPECT_FALSE(parse_scalar(bad, ScalarKind::f32)) << bad;
  }
  EXPECT_FALSE(parse_scalar("65520", ScalarKind::f16));
}

TEST(NumberText, QuotedTextIsShortAndHasNoControlBytes) {
  EXPECT_EQ(quote("abc"), "'abc'");
  EXPECT_EQ(quote("a\x1b[2Jb\n"), "'a?[2Jb?'");
  EXPECT_EQ(quote(std::string(100, 'x')), "'" + std::string(60, 'x') + "...'");
}

}  // namespace
}  // namespace vyre
