#include <gtest/gtest.h>

#include <string>

#include "vyre/wgsl/parser/ast_testing.h"

namespace vyre {
namespace {

std::string parsed(std::string_view text) { return parse_body_text(text); }

TEST(Statement, DeclaresVariables) {
  EXPECT_EQ(parsed("var a: i32; var b = 1; var<function> c: f32 = 2; let d: u32 = 3; const e = 4;"),
            "var a: i32\n"
            "var b = 1\n"
            "var<function> c: f32 = 2\n"
            "let d: u32 = 3\n"
            "const e = 4\n");
}

TEST(Statement, AssignsInEveryWay) {
  EXPECT_EQ(parsed("a = 1; a.x[2] += 3; *p -= 4; (*p).y *= 5; a /= 6; a %= 7; _ = f(8);"),
            "a = 1\n"
            "([] (. a x) 2) += 3\n"
            "(* p) -= 4\n"
            "(. (* p) y) *= 5\n"
            "a /= 6\n"
            "a %= 7\n"
            "_ = (call f 8)\n");
  EXPECT_EQ(parsed("a &= 1; a |= 2; a ^= 3; a <<= 4; a >>= 5; a[0]++; (a)--;"),
            "a &= 1\n"
            "a |= 2\n"
            "a ^= 3\n"
            "a <<= 4\n"
            "a >>= 5\n"
            "([] a 0)++\n"
            "a--\n");
  EXPECT_EQ(parsed("f(x).y = 1; *&a = 2; &&a = 3;"),
            "(. (call f x) y) = 1\n"
            "(* (& a)) = 2\n"
            "(& (& a)) = 3\n");
}

TEST(Statement, Calls) {
  EXPECT_EQ(parsed("f(); g(1, 2); storageBarrier();"),
            "(call f)\n(call g 1 2)\n(call storageBarrier)\n");
}

TEST(Statement, BranchesWithAndWithoutParentheses) {
  EXPECT_EQ(parsed("if a { f(); } else if (b) { g(); } else if c < d { } else { h(); }"),
            "if a {\n"
            "  (call f)\n"
            "}\n"
            "else if b {\n"
            "  (call g)\n"
            "}\n"
            "else if (< c d) {\n"
            "}\n"
            "else {\n"
            "  (call h)\n"
            "}\n");
}

TEST(Statement, Switches) {
  EXPECT_EQ(
      parsed("switch (x + 1) { case 1, 2u,: { break; } case 3, default { } case 4 { f(); } }"),
      "switch (+ x 1) {\n"
      "  case 1, 2u32 {\n"
      "    break\n"
      "  }\n"
      "  case 3, default {\n"
      "  }\n"
      "  case 4 {\n"
      "    (call f)\n"
      "  }\n"
      "}\n");
  EXPECT_EQ(parsed("switch x { default: {} }"), "switch x {\n  case default {\n  }\n}\n");
}

TEST(Statement, Loops) {
  EXPECT_EQ(parsed("loop { if a { continue; } continuing { i++; break if i > 3; } }"),
            "loop {\n"
            "  if a {\n"
            "    continue\n"
            "  }\n"
            "}\n"
            "continuing {\n"
            "  i++\n"
            "}\n"
            "break if (> i 3)\n");
  EXPECT_EQ(parsed("loop { break; }"), "loop {\n  break\n}\n");
  EXPECT_EQ(parsed("loop { continuing { } }"), "loop {\n}\ncontinuing {\n}\n");
  EXPECT_EQ(parsed("while i < 3 { i++; }"), "while (< i 3) {\n  i++\n}\n");
}

TEST(Statement, ForHeadersMayLackAnyPart) {
  EXPECT_EQ(parsed("for (var i = 0; i < 4; i++) { f(i); }"),
            "for\n  var i = 0\n  while (< i 4)\n  i++\ndo {\n  (call f i)\n}\n");
  EXPECT_EQ(parsed("for (;;) { break; }"), "for\n  while\ndo {\n  break\n}\n");
  EXPECT_EQ(parsed("for (i = 0; ; i += 2) { }"), "for\n  i = 0\n  while\n  i += 2\ndo {\n}\n");
  EXPECT_EQ(parsed("for (f(); a; g()) { }"), "for\n  (call f)\n  while a\n  (call g)\ndo {\n}\n");
  EXPECT_EQ(parsed("for (let n = 3; ; _ = n) { }"),
            "for\n  let n = 3\n  while\n  _ = n\ndo {\n}\n");
}

TEST(Statement, OfOtherKinds) {
  EXPECT_EQ(parsed("return; return a; discard; const_assert a < b; const_assert(c); ;;"),
            "return\nreturn a\ndiscard\nconst_assert (< a b)\nconst_assert c\n");
  EXPECT_EQ(parsed("{ { f(); } }"), "{\n  {\n    (call f)\n  }\n}\n");
}

TEST(Statement, TakesAttributesWhereTheGrammarDoes) {
  EXPECT_EQ(parsed("@diagnostic(off, a.b) if c @diagnostic(info, d) { }"),
            "@diagnostic(off, a.b) if c @diagnostic(info, d) {\n}\n");
  EXPECT_EQ(parsed("@diagnostic(off,a) { } @diagnostic(off,a) loop @diagnostic(off,b) { break; }"),
            "@diagnostic(off, a) {\n}\n"
            "@diagnostic(off, a) loop @diagnostic(off, b) {\n  break\n}\n");
  EXPECT_EQ(
      parsed("@diagnostic(off,a) switch x @diagnostic(off,b) { default @diagnostic(off,c) {} }"),
      "@diagnostic(off, a) switch x @diagnostic(off, b) {\n"
      "  case default @diagnostic(off, c) {\n  }\n}\n");
  EXPECT_EQ(parsed("@diagnostic(off,a) for (;;) { } @diagnostic(off,a) while b { }"),
            "@diagnostic(off, a) for\n  while\ndo {\n}\n@diagnostic(off, a) while b {\n}\n");
  EXPECT_EQ(parsed("@diagnostic(off,a) let b = 1;"),
            "error: this statement cannot have attributes\n");
}

TEST(Statement, SaysWhatIsWrong) {
  EXPECT_EQ(parsed("let a;"), "error: expected '=' and a value for 'a', found ';'\n");
  EXPECT_EQ(parsed("var a;"),
            "error: expected ':' and a type, or '=' and a value, for 'a', found ';'\n");
  EXPECT_EQ(parsed("let = 1;"), "error: expected a name after 'let', found '='\n");
  EXPECT_EQ(parsed("let a: = 1;"), "error: expected a type, found '='\n");
  EXPECT_EQ(parsed("let a = 1 b;"), "error: expected ';' after variable declaration, found 'b'\n");
  EXPECT_EQ(parsed("a b;"), "error: expected '=', '(' or another part of a statement, found 'b'\n");
  EXPECT_EQ(parsed("a.b;"), "error: expected '=', '++' or '--', found ';'\n");
  EXPECT_EQ(parsed("1 = a;"), "error: expected a statement, found '1'\n");
  EXPECT_EQ(parsed("(f());"), "error: expected '=', '++' or '--', found ';'\n");
  EXPECT_EQ(parsed("--a;"), "error: '--' stands behind what it changes\n");
  EXPECT_EQ(parsed("_ += 1;"), "error: expected '=' after '_', found '+='\n");
  EXPECT_EQ(parsed("if a b;"),
            "error: expected '{' or an operator after the condition, found 'b'\n");
  EXPECT_EQ(parsed("if (a = b) { }"), "error: expected ')', found '='\n");
  EXPECT_EQ(parsed("if a { } else b"), "error: expected '{' or 'if' after 'else', found 'b'\n");
  EXPECT_EQ(parsed("else { }"), "error: 'else' without an 'if' before it\n");
  EXPECT_EQ(parsed("switch a { }"), "error: the switch has no 'default' clause\n");
  EXPECT_EQ(parsed("switch a { b; }"), "error: expected 'case', 'default' or '}', found 'b'\n");
  EXPECT_EQ(parsed("switch a { case: {} }"), "error: expected a value after 'case', found ':'\n");
  EXPECT_EQ(parsed("case 1: { }"), "error: 'case' outside of a 'switch'\n");
  EXPECT_EQ(parsed("break if a;"), "error: 'break if' can only end a 'continuing' block\n");
  EXPECT_EQ(parsed("continuing { }"), "error: 'continuing' can only end the body of a 'loop'\n");
  EXPECT_EQ(parsed("loop { continuing { } a = 1; }"),
            "error: expected '}': nothing can follow 'continuing' in a loop, found 'a'\n");
  EXPECT_EQ(parsed("loop { continuing { break if a; b = 1; } }"),
            "error: expected '}': nothing can follow 'break if', found 'b'\n");
  EXPECT_EQ(parsed("for (let i = 0, i < 3; i++) { }"),
            "error: expected ';' after the first part of the 'for' header, found ','\n");
  EXPECT_EQ(parsed("for (;; let a = 1) { }"),
            "error: the last part of a 'for' header cannot declare anything\n");
  EXPECT_EQ(parsed("for i in a { }"), "error: expected '(' after 'for', found 'i'\n");
  EXPECT_EQ(parsed("override a = 1;"), "error: expected a statement or '}', found 'override'\n");
}

TEST(Statement, HasBoundedNesting) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '{') +
           std::string(static_cast<std::size_t>(depth), '}');
  };
  EXPECT_TRUE(parsed(nested(127)).starts_with("{\n"));
  const std::string too_deep =
      "error: statements are nested too deeply: at most 127 blocks within blocks\n";
  EXPECT_EQ(parsed(nested(128)), too_deep);
  EXPECT_EQ(parsed(nested(100000)), too_deep);
  std::string loops;
  for (int i = 0; i < 100000; ++i) loops += "loop { continuing { switch a { default { ";
  EXPECT_EQ(parsed(loops), too_deep);
  std::string chain = "if a { } ";
  for (int i = 0; i < 100000; ++i) chain += "else if b { } ";
  EXPECT_TRUE(parsed(chain).starts_with("error: ")) << chain.size();
}

}  // namespace
}  // namespace vyre
