#include "vyre/wgsl/parser/lexer.h"

#include <gtest/gtest.h>

#include <string>

namespace vyre {
namespace {

std::string mark(const Token& token, std::string_view text) {
  const std::string spelled(text.substr(token.span.begin, token.span.end - token.span.begin));
  switch (token.kind) {
    case TokenKind::end_of_text: return "end";
    case TokenKind::template_begin: return "T<";
    case TokenKind::template_end: return "T>";
    case TokenKind::identifier: return spelled;
    case TokenKind::number: return "#" + spelled;
    case TokenKind::reserved_word: return "reserved:" + spelled;
    case TokenKind::reserved_name: return "reserved:" + spelled;
    case TokenKind::invalid_utf8: return "bad-utf8";
    case TokenKind::nul_character: return "nul";
    case TokenKind::unknown_character: return "unknown";
    case TokenKind::unterminated_comment: return "unterminated";
    case TokenKind::malformed_number: return "malformed:" + spelled;
    default: return spelled;
  }
}

// The tokens, with spaces between them; template delimiters are T< and T>.
std::string tokens_of(std::string_view text) {
  std::string out;
  for (const Token& token : tokenize(text)) {
    if (token.kind == TokenKind::end_of_text) break;
    if (!out.empty()) out += ' ';
    out += mark(token, text);
  }
  return out;
}

TEST(Lexer, TakesTheLongestOperators) {
  EXPECT_EQ(tokens_of("a+++b"), "a ++ + b");
  EXPECT_EQ(tokens_of("1<<=2>>=3"), "#1 <<= #2 >>= #3");
  EXPECT_EQ(tokens_of("1<=2>=3==4!=5"), "#1 <= #2 >= #3 == #4 != #5");
  EXPECT_EQ(tokens_of("a->b--c&&d||e"), "a -> b -- c && d || e");
  EXPECT_EQ(tokens_of("+=-=*=/=%=&=|=^="), "+= -= *= /= %= &= |= ^=");
  EXPECT_EQ(tokens_of("@{}[]():;,.~!_"), "@ { } [ ] ( ) : ; , . ~ ! _");
}

TEST(Lexer, TellsKeywordsReservedWordsAndNamesApart) {
  const auto kind = [](std::string_view text) { return tokenize(text)[0].kind; };
  EXPECT_EQ(kind("fn"), TokenKind::kw_fn);
  EXPECT_EQ(kind("const_assert"), TokenKind::kw_const_assert);
  EXPECT_EQ(kind("diagnostic"), TokenKind::kw_diagnostic);
  EXPECT_EQ(kind("fns"), TokenKind::identifier);
  EXPECT_EQ(kind("Fn"), TokenKind::identifier);
  EXPECT_EQ(kind("auto"), TokenKind::reserved_word);
  EXPECT_EQ(kind("reinterpret_cast"), TokenKind::reserved_word);
  EXPECT_EQ(kind("yield"), TokenKind::reserved_word);
  EXPECT_EQ(kind("NULL"), TokenKind::reserved_word);
  EXPECT_EQ(kind("null_"), TokenKind::identifier);
  EXPECT_EQ(kind("_"), TokenKind::underscore);
  EXPECT_EQ(kind("_a"), TokenKind::identifier);
  EXPECT_EQ(kind("__a"), TokenKind::reserved_name);
  EXPECT_EQ(kind("__"), TokenKind::reserved_name);
  EXPECT_EQ(kind("f32"), TokenKind::identifier);  // types are no keywords
}

TEST(Lexer, TakesIdentifiersOfAllScripts) {
  for (const std::string_view name : {"Δέλτα", "réflexion", "Кызыл", "𐰓𐰏𐰇", "朝焼け", "سلام",
                                      "검정", "שָׁלוֹם", "गुलाबी", "փիրուզ"}) {
    const auto tokens = tokenize(name);
    ASSERT_EQ(tokens.size(), 2U) << name;
    EXPECT_EQ(tokens[0].kind, TokenKind::identifier) << name;
  }
  EXPECT_EQ(tokens_of("a€b"), "a unknown b");
  EXPECT_EQ(tokens_of("\xCC\x81"), "unknown");  // a combining accent begins no name
}

TEST(Lexer, SkipsEveryBlankspaceCodePoint) {
  EXPECT_EQ(tokens_of("a \t\n\v\f\r\xC2\x85\xE2\x80\x8E\xE2\x80\x8F\xE2\x80\xA8\xE2\x80\xA9z"),
            "a z");
  EXPECT_EQ(tokens_of("a\xC2\xA0z"), "a unknown z");  // a no-break space is not blankspace
}

TEST(Lexer, EndsLineCommentsAtEveryLineBreak) {
  for (const std::string_view end :
       {"\n", "\v", "\f", "\r", "\r\n", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
    EXPECT_EQ(tokens_of("a//b é" + std::string(end) + "c"), "a c");
  }
  EXPECT_EQ(tokens_of("a // to the end"), "a");
}

TEST(Lexer, NestsBlockComments) {
  EXPECT_EQ(tokens_of("a/*b/*c*/d*/e"), "a e");
  EXPECT_EQ(tokens_of("a/**/b/*/*/ */*/c"), "a b c");
  EXPECT_EQ(tokens_of("a /* // */ b"), "a b");
  EXPECT_EQ(tokens_of("a // /*\n b"), "a b");
  EXPECT_EQ(tokens_of("a /* /* */ b"), "a unterminated");
  EXPECT_EQ(tokens_of("a /*/"), "a unterminated");
}

TEST(Lexer, MarksInvalidTextEvenInComments) {
  EXPECT_EQ(tokens_of("a \xFF\xFE b"), "a bad-utf8 b");
  EXPECT_EQ(tokens_of("a // \xFF\nb"), "a bad-utf8 b");
  EXPECT_EQ(tokens_of(std::string_view("a\0\0b/*\0*/", 9)), "a nul b nul");
  EXPECT_EQ(tokens_of("\xC0\x80"), "bad-utf8");          // overlong
  EXPECT_EQ(tokens_of("\xED\xA0\x80"), "bad-utf8");      // a surrogate
  EXPECT_EQ(tokens_of("\xF4\x90\x80\x80"), "bad-utf8");  // beyond U+10FFFF
  EXPECT_EQ(tokens_of("\xE6\x9C"), "bad-utf8");          // cut off
  EXPECT_EQ(tokens_of("# $ ?"), "unknown unknown unknown");
}

TEST(Lexer, KnowsNoByteOrderMark) {
  EXPECT_EQ(tokens_of("\xEF\xBB\xBF"
                      "a"),
            "unknown a");
  EXPECT_EQ(tokens_of("a\xEF\xBB\xBF"), "a unknown");
}

TEST(Lexer, GivesTheEndAloneForAnEmptyText) {
  ASSERT_EQ(tokenize("").size(), 1U);
  EXPECT_EQ(tokenize("")[0].kind, TokenKind::end_of_text);
}

TEST(Lexer, RefusesNumbersThatRunIntoWords) {
  EXPECT_EQ(tokens_of("1x 012 0x 1e 1.5y 0x1.8h 1é"),
            "malformed:1x malformed:012 malformed:0x malformed:1e malformed:1.5y malformed:0x1.8h "
            "malformed:1é");
  EXPECT_EQ(tokens_of("1.5.x"), "#1.5 . x");
  EXPECT_EQ(tokens_of("1-2"), "#1 - #2");
  EXPECT_EQ(tokens_of("1e-2-3"), "#1e-2 - #3");
}

// ---- Template lists

TEST(TemplateLists, AreFoundBehindNames) {
  EXPECT_EQ(tokens_of("vec3<f32>"), "vec3 T< f32 T>");
  EXPECT_EQ(tokens_of("var<storage, read_write>"), "var T< storage , read_write T>");
  EXPECT_EQ(tokens_of("a /* c */ < b >"), "a T< b T>");
  EXPECT_EQ(tokens_of("1 < b >"), "#1 < b >");
  EXPECT_EQ(tokens_of("true < b >"), "true < b >");
  EXPECT_EQ(tokens_of("1u < b > c"), "#1u < b > c");  // the u is part of the number
  EXPECT_EQ(tokens_of("(a) < b > c"), "( a ) < b > c");
  EXPECT_EQ(tokens_of("_ < b >"), "_ < b >");
}

TEST(TemplateLists, SplitTheirEndFromLongerOperators) {
  EXPECT_EQ(tokens_of("array<vec4<f32>>"), "array T< vec4 T< f32 T> T>");
  EXPECT_EQ(tokens_of("a<b<c<d>>>"), "a T< b T< c T< d T> T> T>");
  EXPECT_EQ(tokens_of("let x: vec2<f32>=y"), "let x : vec2 T< f32 T> = y");
  EXPECT_EQ(tokens_of("array<array<i32>>=x"), "array T< array T< i32 T> T> = x");
  EXPECT_EQ(tokens_of("a<b>==c"), "a T< b T> == c");
}

TEST(TemplateLists, AreNoComparisons) {
  EXPECT_EQ(tokens_of("a < b"), "a < b");
  EXPECT_EQ(tokens_of("a < b; c > d"), "a < b ; c > d");
  EXPECT_EQ(tokens_of("if (a < b) { c > d }"), "if ( a < b ) { c > d }");
  EXPECT_EQ(tokens_of("a < b && c > d"), "a < b && c > d");
  EXPECT_EQ(tokens_of("a < b || c > d"), "a < b || c > d");
  EXPECT_EQ(tokens_of("a < b == c > d"), "a T< b == c T> d");
  EXPECT_EQ(tokens_of("x = a < b, y = c > d"), "x = a < b , y = c > d");
  EXPECT_EQ(tokens_of("a[b < c] > d"), "a [ b < c ] > d");
  EXPECT_EQ(tokens_of("a(b < c) > d"), "a ( b < c ) > d");
  EXPECT_EQ(tokens_of("a[b<d]>()"), "a [ b < d ] > ( )");
  EXPECT_EQ(tokens_of("case a < b: c > d"), "case a < b : c > d");
}

TEST(TemplateLists, FollowTheExamplesOfTheSpecification) {
  EXPECT_EQ(tokens_of("A ( B < C, D > ( E ) )"), "A ( B T< C , D T> ( E ) )");
  EXPECT_EQ(tokens_of("array<i32,select(2,3,a>b)>"),
            "array T< i32 , select ( #2 , #3 , a > b ) T>");
  EXPECT_EQ(tokens_of("A<B<<C>"), "A T< B << C T>");
  EXPECT_EQ(tokens_of("A<B<=C>"), "A T< B <= C T>");
  EXPECT_EQ(tokens_of("A<(B>=C)>"), "A T< ( B >= C ) T>");
  EXPECT_EQ(tokens_of("A<(B!=C)>"), "A T< ( B != C ) T>");
  EXPECT_EQ(tokens_of("A<(B==C)>"), "A T< ( B == C ) T>");
}

TEST(TemplateLists, HoldNestedExpressions) {
  EXPECT_EQ(tokens_of("array<f32, N * (M + 1)>"), "array T< f32 , N * ( M + #1 ) T>");
  EXPECT_EQ(tokens_of("array<f32, (a < b && c > d)>"), "array T< f32 , ( a < b && c > d ) T>");
  EXPECT_EQ(tokens_of("array<f32, a[1 < 2]>"), "array T< f32 , a [ #1 < #2 ] T>");
  EXPECT_EQ(tokens_of("a<b<c"), "a < b < c");
  EXPECT_EQ(tokens_of("a < b > > c"), "a T< b T> > c");
  EXPECT_EQ(tokens_of("a<b>>c"), "a T< b T> > c");
  EXPECT_EQ(tokens_of("a>>b"), "a >> b");
}

}  // namespace
}  // namespace vyre
