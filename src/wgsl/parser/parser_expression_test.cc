#include <gtest/gtest.h>

#include <string>

#include "vyre/wgsl/parser/ast_testing.h"
#include "vyre/wgsl/parser/parser.h"

namespace vyre {
namespace {

std::string parsed(std::string_view text) { return parse_expression_text(text); }

TEST(Expression, ReadsLiterals) {
  EXPECT_EQ(parsed("1"), "1");
  EXPECT_EQ(parsed("1i"), "1i32");
  EXPECT_EQ(parsed("1u"), "1u32");
  EXPECT_EQ(parsed("1.0"), "1.0");
  EXPECT_EQ(parsed("1f"), "1f32");
  EXPECT_EQ(parsed("1h"), "0x3c00f16");
  EXPECT_EQ(parsed("true"), "true");
  EXPECT_EQ(parsed("false"), "false");
}

TEST(Expression, BindsMultiplicationTighterThanAddition) {
  EXPECT_EQ(parsed("a + b * c - d"), "(- (+ a (* b c)) d)");
  EXPECT_EQ(parsed("a * b / c % d"), "(% (/ (* a b) c) d)");
  EXPECT_EQ(parsed("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(parsed("(a + b) * c"), "(* (+ a b) c)");
}

TEST(Expression, BindsUnaryOperatorsTightest) {
  EXPECT_EQ(parsed("-a * !b"), "(* (- a) (! b))");
  EXPECT_EQ(parsed("-a.x[1]"), "(- ([] (. a x) 1))");
  EXPECT_EQ(parsed("~&*a"), "(~ (& (* a)))");
  EXPECT_EQ(parsed("- - a"), "(- (- a))");
}

TEST(Expression, SplitsTwoCharacterOperatorsWhereOnlyOneCharacterFits) {
  EXPECT_EQ(parsed("--a"), "(- (- a))");
  EXPECT_EQ(parsed("a--b"), "(- a (- b))");
  EXPECT_EQ(parsed("a - --b"), "(- a (- (- b)))");
  EXPECT_EQ(parsed("&&a"), "(& (& a))");
}

TEST(Expression, ComparesSumsAndShifts) {
  EXPECT_EQ(parsed("a + b < c * d"), "(< (+ a b) (* c d))");
  EXPECT_EQ(parsed("a << b == c >> d"), "(== (<< a b) (>> c d))");
  EXPECT_EQ(parsed("a != b"), "(!= a b)");
  EXPECT_EQ(parsed("a <= b"), "(<= a b)");
  EXPECT_EQ(parsed("a >= b"), "(>= a b)");
}

TEST(Expression, ChainsShortCircuitOperatorsOfOneKind) {
  EXPECT_EQ(parsed("a && b == c && d"), "(&& (&& a (== b c)) d)");
  EXPECT_EQ(parsed("a || b < c || d > e"), "(|| (|| a (< b c)) (> d e))");
  EXPECT_EQ(parsed("a && (b || c)"), "(&& a (|| b c))");
  EXPECT_EQ(parsed("a + 1 < b && c << 2 > d"), "(&& (< (+ a 1) b) (> (<< c 2) d))");
}

TEST(Expression, ChainsBitwiseOperatorsOfOneKind) {
  EXPECT_EQ(parsed("a & b & c"), "(& (& a b) c)");
  EXPECT_EQ(parsed("a | -b | c[0]"), "(| (| a (- b)) ([] c 0))");
  EXPECT_EQ(parsed("a ^ b ^ ~c"), "(^ (^ a b) (~ c))");
  EXPECT_EQ(parsed("a & (b | c)"), "(& a (| b c))");
}

TEST(Expression, RefusesToMixOperatorsWithoutParentheses) {
  const auto mixed = [](std::string_view a, std::string_view b) {
    return "error: '" + std::string(a) + "' and '" + std::string(b) +
           "' cannot be mixed without parentheses\n";
  };
  EXPECT_EQ(parsed("a && b || c"), mixed("&&", "||"));
  EXPECT_EQ(parsed("a || b && c"), mixed("||", "&&"));
  EXPECT_EQ(parsed("a || b == c && d"), mixed("||", "&&"));
  EXPECT_EQ(parsed("a & b | c"), mixed("&", "|"));
  EXPECT_EQ(parsed("a ^ b & c"), mixed("^", "&"));
  EXPECT_EQ(parsed("a & b == c"), mixed("&", "=="));
  EXPECT_EQ(parsed("a == b & c"), mixed("==", "&"));
  EXPECT_EQ(parsed("a & b + c"), mixed("&", "+"));
  EXPECT_EQ(parsed("a + b & c"), mixed("+", "&"));
  EXPECT_EQ(parsed("a | b && c"), mixed("|", "&&"));
  EXPECT_EQ(parsed("a && b | c"), mixed("&&", "|"));
  EXPECT_EQ(parsed("a + b << c"), mixed("+", "<<"));
  EXPECT_EQ(parsed("a << b + c"), mixed("<<", "+"));
  EXPECT_EQ(parsed("a * b >> c"), mixed("*", ">>"));
  EXPECT_EQ(parsed("a << b & c"), mixed("<<", "&"));
  EXPECT_EQ(parsed("a << b << c"), "error: '<<' cannot be chained without parentheses\n");
}

TEST(Expression, RefusesToChainComparisons) {
  EXPECT_EQ(parsed("a < b < c"), "error: comparisons cannot be chained\n");
  EXPECT_EQ(parsed("a == b == c"), "error: comparisons cannot be chained\n");
  EXPECT_EQ(parsed("a < b + c == d"), "error: comparisons cannot be chained\n");
}

TEST(Expression, ReadsCallsIndicesAndMembers) {
  EXPECT_EQ(parsed("f()"), "(call f)");
  EXPECT_EQ(parsed("f(a, b + 1,)"), "(call f a (+ b 1))");
  EXPECT_EQ(parsed("f(a).x[i].yz"), "(. ([] (. (call f a) x) i) yz)");
  EXPECT_EQ(parsed("a[b[c]]"), "([] a ([] b c))");
  EXPECT_EQ(parsed("(a)(b)"), "error: expected ';' after variable declaration, found '('\n");
}

TEST(Expression, ReadsTemplateLists) {
  EXPECT_EQ(parsed("vec3<f32>(1, 2, 3)"), "(call vec3<f32> 1 2 3)");
  EXPECT_EQ(parsed("array<vec2<u32>, 4>()"), "(call array<vec2<u32>, 4>)");
  EXPECT_EQ(parsed("array<f32, N * (M + 1),>()"), "(call array<f32, (* N (+ M 1))>)");
  EXPECT_EQ(parsed("bitcast<u32>(x) >> 2"), "(>> (call bitcast<u32> x) 2)");
  EXPECT_EQ(parsed("a < b"), "(< a b)");
  EXPECT_EQ(parsed("(a < b) == (c > d)"), "(== (< a b) (> c d))");
  EXPECT_EQ(parsed("f(a < b, c)"), "(call f (< a b) c)");
  EXPECT_EQ(parsed("f(a < b, c > d)"),
            "error: expected ',' or ')' after the argument, found 'd'\n");  // a template list
  EXPECT_EQ(parsed("f(a < b, (c > d))"), "(call f (< a b) (> c d))");
  EXPECT_EQ(parsed("a<>()"), "error: the template list is empty\n");
}

TEST(Expression, SpansCoverParentheses) {
  const Source source("test.wgsl", "const x = (a + (b)) * -c.d;");
  Diagnostics diagnostics;
  const ast::Module module = parse(source, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors());
  const ast::Expr* whole = module.declarations[0]->get_if<ast::Variable>()->initializer;
  EXPECT_EQ(source.text(whole->span), "(a + (b)) * -c.d");
  const auto* product = whole->get_if<ast::Binary>();
  EXPECT_EQ(source.text(product->op_span), "*");
  EXPECT_EQ(source.text(product->left->span), "(a + (b))");
  EXPECT_EQ(source.text(product->right->span), "-c.d");
  EXPECT_EQ(source.text(product->left->get_if<ast::Binary>()->right->span), "(b)");
  EXPECT_EQ(whole->height, 4);
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_EQ(parsed("1 +"), "error: expected an expression, found ';'\n");
  EXPECT_EQ(parsed("(a"), "error: expected ')', found ';'\n");
  EXPECT_EQ(parsed("a["), "error: expected an expression, found ';'\n");
  EXPECT_EQ(parsed("a[1"), "error: expected ']' after the index, found ';'\n");
  EXPECT_EQ(parsed("a.1"), "error: expected ';' after variable declaration, found '.1'\n");
  EXPECT_EQ(parsed("a.+"), "error: expected a member name after '.', found '+'\n");
  EXPECT_EQ(parsed("f(a b)"), "error: expected ',' or ')' after the argument, found 'b'\n");
  EXPECT_EQ(parsed("a--"), "error: '--' is a statement and cannot be part of an expression\n");
  EXPECT_EQ(parsed("++a"), "error: '++' is a statement and cannot be part of an expression\n");
  EXPECT_EQ(parsed("+a"), "error: WGSL has no unary '+'\n");
  EXPECT_EQ(parsed("_"), "error: '_' can only stand on the left of '='\n");
  EXPECT_EQ(parsed("auto"),
            "error: expected an expression, found 'auto', which is a reserved word\n");
  EXPECT_EQ(
      parsed("__a"),
      "error: expected an expression, found '__a': names cannot begin with two underscores\n");
  EXPECT_EQ(parsed("if"), "error: expected an expression, found 'if'\n");
  EXPECT_EQ(parsed("a ? b : c"), "error: unexpected character '?'\n");
  EXPECT_EQ(parsed("0x1p200f"),
            "error: the value does not fit in f32, whose largest value is about 3.4e38\n");
}

TEST(Expression, GoesOnBehindANumberThatDoesNotFit) {
  EXPECT_EQ(parsed("3000000000i + 5000000000u"),
            "error: the value does not fit in i32, whose largest value is 2147483647\n"
            "error: the value does not fit in u32, whose largest value is 4294967295\n");
}

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Expression, HasBoundedHeight) {
  const std::string too_deep = "error: the expression is nested more than 511 levels deep\n";
  EXPECT_EQ(parsed(repeated("(", 500) + "1" + repeated(")", 500)), "1");
  EXPECT_EQ(parsed(repeated("(", 100000) + "1" + repeated(")", 100000)), too_deep);
  EXPECT_EQ(parsed(repeated("-", 100000) + "1"), too_deep);
  EXPECT_EQ(parsed(repeated("- ", 100000) + "1"), too_deep);
  EXPECT_EQ(parsed(repeated("1 + ", 100000) + "1"), too_deep);
  EXPECT_EQ(parsed("a" + repeated("[0]", 100000)), too_deep);
  EXPECT_EQ(parsed("a" + repeated(".x", 100000)), too_deep);
  EXPECT_EQ(parsed(repeated("f(", 100000)), too_deep);
  EXPECT_EQ(parsed(repeated("a[", 100000)), too_deep);
  EXPECT_EQ(parsed(repeated("a<", 100000) + "b" + repeated(">", 100000)), too_deep);
  EXPECT_TRUE(parsed(repeated("1 + ", 510) + "1").starts_with("(+ "));
}

}  // namespace
}  // namespace vyre
