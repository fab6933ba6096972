// Errors as people see them, and how the parser goes on behind them.
#include <gtest/gtest.h>

#include <string>

#include "vyre/wgsl/parser/ast_testing.h"

namespace vyre {
namespace {

TEST(SyntaxError, NamesPlaceLineAndWhatWasExpected) {
  EXPECT_EQ(rendered_errors("fn f() {\n\tlet x = 1 x;\n}\n"),
            "test.wgsl:2:12: error: expected ';' after variable declaration, found 'x'\n"
            "    2 |     let x = 1 x;\n"
            "      |               ^\n");
}

TEST(SyntaxError, PointsBehindTheLineThatLacksASemicolon) {
  EXPECT_EQ(rendered_errors("fn f() {\n  let x = 1\n  let y = 2;\n}\n"),
            "test.wgsl:2:12: error: expected ';' after variable declaration, found 'let'\n"
            "    2 |   let x = 1\n"
            "      |            ^\n");
}

TEST(SyntaxError, PointsAtBothOperatorsThatDoNotMix) {
  EXPECT_EQ(rendered_errors("const x = a & b == c;"),
            "test.wgsl:1:17: error: '&' and '==' cannot be mixed without parentheses\n"
            "    1 | const x = a & b == c;\n"
            "      |                 ^~\n"
            "test.wgsl:1:13: note: '&' is here\n"
            "    1 | const x = a & b == c;\n"
            "      |             ^\n"
            "fix: put what is to be evaluated first into parentheses\n");
}

TEST(SyntaxError, PointsAtTheParenthesisThatIsNotClosed) {
  EXPECT_EQ(rendered_errors("const x = f((a + 1, 2);"),
            "test.wgsl:1:19: error: expected ')', found ','\n"
            "    1 | const x = f((a + 1, 2);\n"
            "      |                   ^\n"
            "test.wgsl:1:13: note: to close this '('\n"
            "    1 | const x = f((a + 1, 2);\n"
            "      |             ^\n");
}

TEST(SyntaxError, ExplainsATemplateListThatWasMeantAsAComparison) {
  EXPECT_EQ(rendered_errors("const x = a < b == c > d;"),
            "test.wgsl:1:24: error: expected ';' after variable declaration, found 'd'\n"
            "    1 | const x = a < b == c > d;\n"
            "      |                        ^\n"
            "fix: '<' and '>' around an expression are read as a template list: put a comparison "
            "into parentheses\n");
}

TEST(SyntaxError, SuggestsWhatWgslHasInstead) {
  EXPECT_EQ(rendered_errors("const x = a ? 1 : 2;"),
            "test.wgsl:1:13: error: unexpected character '?'\n"
            "    1 | const x = a ? 1 : 2;\n"
            "      |             ^\n"
            "fix: use select(if_false, if_true, condition)\n");
  EXPECT_EQ(rendered_errors("type T = i32;"),
            "test.wgsl:1:1: error: expected a declaration, found 'type'\n"
            "    1 | type T = i32;\n"
            "      | ^~~~\n"
            "fix: write 'alias Name = Type;'\n");
  EXPECT_EQ(rendered_errors("fn f() { ++i; }"),
            "test.wgsl:1:10: error: '++' stands behind what it changes\n"
            "    1 | fn f() { ++i; }\n"
            "      |          ^~\n"
            "fix: write 'x++'\n");
}

TEST(SyntaxError, PointsAtALiteralThatDoesNotFit) {
  EXPECT_EQ(rendered_errors("const x = 1 + 4294967296u;"),
            "test.wgsl:1:15: error: the value does not fit in u32, whose largest value is "
            "4294967295\n"
            "    1 | const x = 1 + 4294967296u;\n"
            "      |               ^~~~~~~~~~~\n");
}

TEST(SyntaxError, ReportsInvalidText) {
  EXPECT_EQ(rendered_errors("const \xFF\xFF = 1;"),
            "test.wgsl:1:7: error: the text is not valid UTF-8 here\n"
            "    1 | const \xEF\xBF\xBD\xEF\xBF\xBD = 1;\n"
            "      |       ^~\n");
  EXPECT_EQ(rendered_errors(std::string_view("const x\0 = 1;", 13)),
            "test.wgsl:1:8: error: the text contains a NUL character\n"
            "    1 | const x\xEF\xBF\xBD = 1;\n"
            "      |        ^\n");
  EXPECT_EQ(rendered_errors("const x = 1;\xE2\x82\xAC"),
            "test.wgsl:1:13: error: unexpected character U+20AC\n"
            "    1 | const x = 1;\xE2\x82\xAC\n"
            "      |             ^\n");
}

TEST(SyntaxError, ReportsAnOpenCommentOnceAndNothingElse) {
  EXPECT_EQ(rendered_errors("fn f() {\n  a(); /* b\n}\n"),
            "test.wgsl:2:8: error: this block comment is not closed\n"
            "    2 |   a(); /* b\n"
            "      |        ^~\n"
            "fix: end it with '*/'\n");
}

TEST(Recovery, FindsEveryErrorOfAFile) {
  EXPECT_EQ(parse_module_text("struct S { a i32, b: f32, 3: u32 }\n"
                              "let x = 1;\n"
                              "fn f(a i32) -> i32 {\n"
                              "  let y = 1 +;\n"
                              "  if (y = 2) { z = ; }\n"
                              "  for (var i = 0 i < 4; i++) { j = k l; }\n"
                              "  g(1, 2;\n"
                              "  return y;\n"
                              "}\n"
                              "const c = 5 5;\n"
                              "fn h() { }\n"),
            "error: expected ':' after the member's name, found 'i32'\n"
            "error: expected a member's name, found '3'\n"
            "error: 'let' can only be used in a function\n"
            "error: expected ':' after the parameter's name, found 'i32'\n"
            "error: expected an expression, found ';'\n"
            "error: expected ')', found '='\n"
            "error: expected an expression, found ';'\n"
            "error: expected ';' after the first part of the 'for' header, found 'i'\n"
            "error: expected ';' after assignment, found 'l'\n"
            "error: expected ',' or ')' after the argument, found ';'\n"
            "error: expected ';' after variable declaration, found '5'\n");
}

TEST(Recovery, GoesOnWithTheNextFunctionWhenABlockIsNotClosed) {
  EXPECT_EQ(rendered_errors("fn f() {\n  if a {\n    b = 1;\n\n@compute\nfn g() {\n  c d;\n}\n"),
            "test.wgsl:5:1: error: expected a statement or '}', found '@'\n"
            "    5 | @compute\n"
            "      | ^\n"
            "test.wgsl:2:8: note: to close this '{'\n"
            "    2 |   if a {\n"
            "      |        ^\n"
            "test.wgsl:7:5: error: expected '=', '(' or another part of a statement, found 'd'\n"
            "    7 |   c d;\n"
            "      |     ^\n");
}

TEST(Recovery, DoesNotReportWhatFollowsAFunctionInsideAFunction) {
  EXPECT_EQ(parse_module_text("fn f() {\n  fn g() { }\n  let x = 1;\n  x y;\n}\nfn h() { }"),
            "error: expected a statement or '}', found 'fn'\n");
}

TEST(Recovery, ReportsSemicolonsBetweenMembersOnce) {
  EXPECT_EQ(rendered_errors("struct S {\n  a: i32;\n  b: i32;\n  c: i32;\n};"),
            "test.wgsl:2:9: error: expected ',' or '}' after the member, found ';'\n"
            "    2 |   a: i32;\n"
            "      |         ^\n"
            "fix: separate members with ','\n");
}

TEST(Recovery, SkipsWholeBlocksOfABrokenStatement) {
  EXPECT_EQ(parse_body_text("do { a = 1; b = 2; } while (c);\nlet x = ;"),
            "error: expected a statement, found 'do', which is a reserved word\n"
            "error: expected an expression, found ';'\n");
}

TEST(Recovery, KeepsTheOtherClausesOfASwitch) {
  EXPECT_EQ(parse_body_text("switch a { case 1 2: { b = ; } case 3: { c = ; } default: {} }"),
            "error: expected '{' after the case, found '2'\n"
            "error: expected an expression, found ';'\n");
}

TEST(Recovery, ReportsAStrayBraceOnce) {
  EXPECT_EQ(parse_module_text("fn f() { } }\nfn g() { }"), "error: '}' without a '{' before it\n");
}

TEST(Recovery, StopsAfterTwentyErrors) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "const a = ;\n";
  const std::string errors = rendered_errors(text);
  EXPECT_NE(errors.find("test.wgsl:20:11: error"), std::string::npos);
  EXPECT_EQ(errors.find("test.wgsl:21:11: error"), std::string::npos);
  EXPECT_TRUE(errors.ends_with("test.wgsl: stopped after 20 errors\n"));
}

TEST(Recovery, EndsOnEveryPrefixOfAModule) {
  const std::string module =
      "enable f16;\n"
      "struct S { @size(16) a: array<vec2<f32>, 4>, b: u32 }\n"
      "@group(0) @binding(0) var<storage, read_write> s: S;\n"
      "@compute @workgroup_size(8, 8)\n"
      "fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
      "  var sum = 0x1p4f + f32(id.x << 2u); /* c */\n"
      "  for (var i = 0u; i < 4 && sum > 0; i++) { sum += s.a[i].x * -1.5e3; }\n"
      "  switch i { case 1, 2: { return; } default: { loop { break; continuing { break if true; } "
      "} } }\n"
      "  if !(a >= b) { _ = f(&s); } else if c { discard; } else { const_assert true; }\n"
      "}\n";
  EXPECT_EQ(rendered_errors(module), "");
  for (std::size_t size = 0; size < module.size(); ++size) {
    rendered_errors(module.substr(0, size));
    std::string without = module;
    without.erase(size, 1);
    rendered_errors(without);
  }
}

}  // namespace
}  // namespace vyre
