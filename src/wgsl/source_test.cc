#include "vyre/wgsl/source.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

TEST(Source, CountsLinesAndColumnsFromOne) {
  const Source source("a", "ab\ncd");
  EXPECT_EQ(source.position(0), (LineColumn{1, 1}));
  EXPECT_EQ(source.position(1), (LineColumn{1, 2}));
  EXPECT_EQ(source.position(2), (LineColumn{1, 3}));  // the line break itself
  EXPECT_EQ(source.position(3), (LineColumn{2, 1}));
  EXPECT_EQ(source.position(5), (LineColumn{2, 3}));  // the end
}

TEST(Source, EndsLinesAtEveryBreakThatWgslNames) {
  const Source source("a",
                      "1\n2\v3\f4\r5\r\n6\xC2\x85"
                      "7\xE2\x80\xA8"
                      "8\xE2\x80\xA9"
                      "9");
  const std::string_view text = source.text();
  for (char digit = '1'; digit <= '9'; ++digit) {
    const auto at = static_cast<std::uint32_t>(text.find(digit));
    EXPECT_EQ(source.position(at), (LineColumn{static_cast<std::uint32_t>(digit - '0'), 1}));
    EXPECT_EQ(source.text(source.line(at)), std::string(1, digit));
  }
}

TEST(Source, CountsCodePointsAsColumns) {
  const Source source("a", "\xCE\x94\xE6\x9C\x9D\xF0\x90\xB0\x93x");  // 2, 3 and 4 bytes
  EXPECT_EQ(source.position(9), (LineColumn{1, 4}));
}

TEST(Source, CountsAnInvalidByteAsOneColumn) {
  const Source source("a", "\xFF\xFE\xE6\x9Cx");
  EXPECT_EQ(source.position(4), (LineColumn{1, 5}));
}

TEST(Source, LeavesTheByteOrderMarkOutOfTheFirstLine) {
  const Source source("a",
                      "\xEF\xBB\xBF"
                      "ab");
  EXPECT_EQ(source.position(0), (LineColumn{1, 1}));
  EXPECT_EQ(source.position(3), (LineColumn{1, 1}));
  EXPECT_EQ(source.position(4), (LineColumn{1, 2}));
  EXPECT_EQ(source.text(source.line(0)), "ab");
}

TEST(Source, HasOneEmptyLineWhenEmpty) {
  const Source source("a", "");
  EXPECT_EQ(source.position(0), (LineColumn{1, 1}));
  EXPECT_EQ(source.line(0), (Span{0, 0}));
}

TEST(Source, GivesEmptyLinesEmptySpans) {
  const Source source("a", "\n\r\n\n");
  EXPECT_EQ(source.line(0), (Span{0, 0}));
  EXPECT_EQ(source.line(1), (Span{1, 1}));
  EXPECT_EQ(source.line(2), (Span{1, 1}));
  EXPECT_EQ(source.line(3), (Span{3, 3}));
  EXPECT_EQ(source.line(4), (Span{4, 4}));
  EXPECT_EQ(source.position(4), (LineColumn{4, 1}));
}

}  // namespace
}  // namespace vyre
