#include "vyre/wgsl/diagnostics.h"

#include <gtest/gtest.h>

#include <string>

namespace vyre {
namespace {

std::string show(std::string text, Span span) {
  const Source source("f.wgsl", std::move(text));
  return render(source, Diagnostic{Severity::error, span, "wrong", {}, {}});
}

TEST(Render, ShowsPlaceLineAndCaret) {
  EXPECT_EQ(show("one\nlet abc = 1;\n", {8, 11}),
            "f.wgsl:2:5: error: wrong\n"
            "    2 | let abc = 1;\n"
            "      |     ^~~\n");
}

TEST(Render, MarksOneColumnForAnEmptySpan) {
  EXPECT_EQ(show("ab", {1, 1}),
            "f.wgsl:1:2: error: wrong\n"
            "    1 | ab\n"
            "      |  ^\n");
  EXPECT_EQ(show("ab", {2, 2}),
            "f.wgsl:1:3: error: wrong\n"
            "    1 | ab\n"
            "      |   ^\n");
}

TEST(Render, MarksUpToTheEndOfTheFirstLine) {
  EXPECT_EQ(show("a(b\nc)", {1, 6}),
            "f.wgsl:1:2: error: wrong\n"
            "    1 | a(b\n"
            "      |  ^~\n");
}

TEST(Render, AddsNotesAndTheFix) {
  const Source source("f.wgsl", "a\nb");
  Diagnostics diagnostics;
  diagnostics.error({2, 3}, "b is taken").note({0, 1}, "a is here").with_fix("use c");
  EXPECT_EQ(render(source, diagnostics),
            "f.wgsl:2:1: error: b is taken\n"
            "    2 | b\n"
            "      | ^\n"
            "f.wgsl:1:1: note: a is here\n"
            "    1 | a\n"
            "      | ^\n"
            "fix: use c\n");
}

TEST(Render, ExpandsTabsInLineAndCaretLine) {
  EXPECT_EQ(show("\tx\ty", {3, 4}),
            "f.wgsl:1:4: error: wrong\n"
            "    1 |     x    y\n"
            "      |          ^\n");
}

TEST(Render, CountsWideCharactersAsTwoColumnsAndCombiningOnesAsNone) {
  EXPECT_EQ(show("\xE6\x9C\x9D\xE7\x84\xBC x", {3, 6}),
            "f.wgsl:1:2: error: wrong\n"
            "    1 | \xE6\x9C\x9D\xE7\x84\xBC x\n"
            "      |   ^~\n");
  EXPECT_EQ(show("e\xCC\x81x", {3, 4}),
            "f.wgsl:1:3: error: wrong\n"
            "    1 | e\xCC\x81x\n"
            "      |  ^\n");
}

TEST(Render, ReplacesWhatCannotBeShown) {
  EXPECT_EQ(show(std::string("a\0\xFF\xE2\x80\xAE"
                             "b",
                             7),
                 {6, 7}),
            "f.wgsl:1:5: error: wrong\n"
            "    1 | a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
            "b\n"
            "      |     ^\n");
}

TEST(Render, CutsLongLinesAroundTheCaret) {
  const std::string text = std::string(5000, 'a') + "!" + std::string(5000, 'b');
  EXPECT_EQ(show(text, {5000, 5001}), "f.wgsl:1:5001: error: wrong\n    1 | ..." +
                                          std::string(70, 'a') + "!" + std::string(39, 'b') +
                                          "...\n      | " + std::string(73, ' ') + "^\n");
}

TEST(Render, KeepsTheBeginningOfALongLineWhenTheCaretIsThere) {
  const std::string text = "!" + std::string(500, 'b');
  EXPECT_EQ(show(text, {0, 1}),
            "f.wgsl:1:1: error: wrong\n    1 | !" + std::string(109, 'b') + "...\n      | ^\n");
}

TEST(Render, StaysInsideTheTextWhateverTheSpan) {
  EXPECT_EQ(show("ab", {90, 80}),
            "f.wgsl:1:3: error: wrong\n"
            "    1 | ab\n"
            "      |   ^\n");
}

TEST(Diagnostics, AreShownInTheOrderOfTheText) {
  const Source source("f", "abc");
  Diagnostics diagnostics;
  diagnostics.error({2, 3}, "second");
  diagnostics.warning({0, 1}, "first");
  const std::string text = render(source, diagnostics);
  EXPECT_LT(text.find("f:1:1: warning: first"), text.find("f:1:3: error: second"));
}

TEST(Diagnostics, KeepTheFirstErrorOfAPlace) {
  Diagnostics diagnostics;
  diagnostics.error({1, 2}, "cause");
  diagnostics.error({1, 2}, "consequence").note({0, 1}, "lost as well");
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].message, "cause");
  EXPECT_TRUE(diagnostics.all()[0].notes.empty());
}

TEST(Diagnostics, StopAtTwentyErrors) {
  const Source source("f", std::string(100, 'x'));
  Diagnostics diagnostics;
  for (std::uint32_t i = 0; i < 30; ++i) diagnostics.error({i, i + 1}, "e");
  EXPECT_EQ(diagnostics.error_count(), 20U);
  EXPECT_TRUE(diagnostics.full());
  EXPECT_TRUE(render(source, diagnostics).ends_with("f: stopped after 20 errors\n"));
}

TEST(Diagnostics, WarningsAreNoErrors) {
  Diagnostics diagnostics;
  diagnostics.warning({0, 1}, "w");
  EXPECT_FALSE(diagnostics.has_errors());
}

}  // namespace
}  // namespace vyre
