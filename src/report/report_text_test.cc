#include "vyre/report/report_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace vyre {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ReportText, TimesHaveThreeDigitsThatCountAndOneUnit) {
  EXPECT_EQ(time_text(0), "0\u00a0ns");
  EXPECT_EQ(time_text(0.5), "0.5\u00a0ns");
  EXPECT_EQ(time_text(812), "812\u00a0ns");
  EXPECT_EQ(time_text(999.6), "1.00\u00a0\u00b5s");
  EXPECT_EQ(time_text(187654), "187.7\u00a0\u00b5s");
  EXPECT_EQ(time_text(1.4321e6), "1.43\u00a0ms");
  EXPECT_EQ(time_text(99.97e6), "100.0\u00a0ms");
  EXPECT_EQ(time_text(12.34e9), "12.3\u00a0s");
  EXPECT_EQ(time_text(-2e3), "-2.00\u00a0\u00b5s");
}

TEST(ReportText, WhatIsNoNumberIsADash) {
  for (const double value : {kNan, kInfinity, -kInfinity}) {
    EXPECT_EQ(time_text(value), "\u2013");
    EXPECT_EQ(number_text(value), "\u2013");
    EXPECT_EQ(count_text(value), "\u2013");
    EXPECT_EQ(percent_text(value), "\u2013");
    EXPECT_EQ(rate_text(value), "\u2013");
  }
}

TEST(ReportText, RatiosCountsSharesRatesAndDates) {
  EXPECT_EQ(ratio_text(1.434), "1.43\u00d7");
  EXPECT_EQ(ratio_text(0.9997), "1.00\u00d7");
  EXPECT_EQ(ratio_text(123.4), "123\u00d7");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(percent_text(0), "0.0%");
  EXPECT_EQ(percent_text(0.00001), "<0.01%");
  EXPECT_EQ(percent_text(0.0123), "1.2%");
  EXPECT_EQ(percent_text(1), "100%");
  EXPECT_EQ(rate_text(4.05e12), "4.05\u00a0TB/s");
  EXPECT_EQ(seconds_text(12.4), "12.4\u00a0s");
  EXPECT_EQ(seconds_text(125), "2\u00a0min 5\u00a0s");
  EXPECT_EQ(date_text(1'794'755'040'000), "2026-11-15 15:04 UTC");
  EXPECT_EQ(date_text(-1), "\u2013");
  EXPECT_EQ(date_text(std::numeric_limits<std::int64_t>::max()), "\u2013");
}

TEST(ReportText, NothingThatMeansSomethingInHtmlIsLeft) {
  EXPECT_EQ(html_escaped("<b a=\"1\" c='2'>&</b>"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&lt;/b&gt;");
}

TEST(ReportText, BytesThatAreNoUtf8AreReplacedAndControlsLeftOut) {
  EXPECT_EQ(clean_utf8("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(clean_utf8("\xC0\x80"), "\uFFFD\uFFFD");            // too long a form of 0
  EXPECT_EQ(clean_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(clean_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(clean_utf8("\xE2\x82"), "\uFFFD\uFFFD");  // cut off
  EXPECT_EQ(clean_utf8("\u00b5\u20ac\U0001F600"), "\u00b5\u20ac\U0001F600");
  EXPECT_EQ(clean_utf8(std::string("a\0b\x1b[31mc\x7f\xC2\x85", 12)), "ab[31mc");
  EXPECT_EQ(clean_utf8("a\n\tb"), "a\n\tb");
}

TEST(ReportText, ShorteningCountsCharactersAndNotBytes) {
  EXPECT_EQ(shortened("\u00b5\u00b5\u00b5", 3), "\u00b5\u00b5\u00b5");
  EXPECT_EQ(shortened("\u00b5\u00b5\u00b5\u00b5", 3), "\u00b5\u00b5\u2026");
  EXPECT_EQ(shortened("two\nlines", 20), "two lines");
  EXPECT_EQ(shortened("", 3), "");
}

TEST(ReportText, ExtentsLoseTheirOnesAndOtherTextsNothing) {
  EXPECT_EQ(short_extent("256x1x1"), "256");
  EXPECT_EQ(short_extent("16x16x1"), "16x16");
  EXPECT_EQ(short_extent("1x1x1"), "1");
  EXPECT_EQ(short_extent("1x1x4"), "1x1x4");
  EXPECT_EQ(short_extent("0x1"), "0x1");
  EXPECT_EQ(short_extent("max1x1"), "max1x1");
  EXPECT_EQ(spelled_out({{"workgroup", "64x1x1"}, {"items", "4"}}, ""),
            "workgroup\u00a064, items\u00a04");
  EXPECT_EQ(spelled_out({}, "as it is"), "as it is");
}

}  // namespace
}  // namespace vyre
