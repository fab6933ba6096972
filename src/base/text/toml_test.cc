#include "vyre/base/text/toml.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vyre {
namespace {

// One line of a compact notation, to compare whole documents by.
std::string shown(const TomlDocument& document, TomlId id) {
  const TomlNode& node = document.node(id);
  std::string out;
  switch (node.kind) {
    case TomlKind::table:
      for (const TomlId child : document.children(id)) {
        out += out.empty() ? "{" : ",";
        out += std::string(document.node(child).key) + ":" + shown(document, child);
      }
      return out.empty() ? "{}" : out + "}";
    case TomlKind::array:
      for (const TomlId child : document.children(id)) {
        out += (out.empty() ? "[" : ",") + shown(document, child);
      }
      return out.empty() ? "[]" : out + "]";
    case TomlKind::integer: return std::to_string(node.integer);
    case TomlKind::real: return "f" + std::to_string(node.real);
    case TomlKind::boolean: return node.boolean ? "true" : "false";
    case TomlKind::string: return "'" + std::string(node.text) + "'";
    case TomlKind::date_time: return "@" + std::string(node.text);
  }
  return out;
}

std::string read(std::string_view text) {
  const auto document = parse_toml(text);
  if (document) return shown(*document, kTomlRoot);
  return std::to_string(document.error().line) + ":" + std::to_string(document.error().column) +
         " " + document.error().what;
}

bool is_toml(std::string_view text) { return parse_toml(text).has_value(); }

TEST(Toml, ReadsEveryKindOfValue) {
  EXPECT_EQ(read(""), "{}");
  EXPECT_EQ(read("a = 1\nb = -0x1"), "2:5 this is neither a number nor another value");
  EXPECT_EQ(read("a = +1_000\nb = 0x_f"), "2:5 this is neither a number nor another value");
  EXPECT_EQ(read("a=0xfF\nb=0o17\nc=0b101\nd=-9223372036854775808"),
            "{a:255,b:15,c:5,d:-9223372036854775808}");
  EXPECT_EQ(read("a = 1.5e-1\nb = -inf\nc = 1e400\nd = 1e-400"),
            "{a:f0.150000,b:f-inf,c:finf,d:f0.000000}");
  EXPECT_EQ(read("a = true\nb = false # c"), "{a:true,b:false}");
  EXPECT_EQ(read("a = 1979-05-27T07:32:00.5-08:00\nb = 1979-05-27 07:32\nc = 07:32:60"),
            "{a:@1979-05-27T07:32:00.5-08:00,b:@1979-05-27 07:32,c:@07:32:60}");
  EXPECT_EQ(read("a = [ # c\n 1, [2, 'x'],\r\n {b = 1},\n]\n"), "{a:[1,[2,'x'],{b:1}]}");
}

TEST(Toml, ReadsStringsWithTheirEscapes) {
  EXPECT_EQ(read(R"(a = "q\"\\\t\u00e9\U0001F600\x41\e.")"), "{a:'q\"\\\t\u00e9\U0001F600A\x1b.'}");
  EXPECT_EQ(read("a = 'C:\\x'\nb = '''\nl1\nl'2'''''"), "{a:'C:\\x',b:'l1\nl'2'''}");
  EXPECT_EQ(read("a = \"\"\"\nx\\  \n   \n y\"z\"\"\"\"\""), "{a:'xy\"z\"\"'}");
  EXPECT_EQ(read("\"a b\" . 'c' . d-1 = ''"), "{a b:{c:{d-1:''}}}");
}

TEST(Toml, BuildsTablesOfHeadersAndDottedKeys) {
  EXPECT_EQ(read("[a.b]\nc=1\n[a]\nd=2\n[[e]]\nx=1\n[e.f]\ny=2\n[[e]]"),
            "{a:{b:{c:1},d:2},e:[{x:1,f:{y:2}},{}]}");
  EXPECT_EQ(read("[fruit]\napple.color=1\napple.taste.sweet=true\n[fruit.apple.texture]\ns=1"),
            "{fruit:{apple:{color:1,taste:{sweet:true},texture:{s:1}}}}");
  EXPECT_EQ(read("a = { b.c = 1, b.d = 2,\n # more\n }"), "{a:{b:{c:1,d:2}}}");
}

TEST(Toml, RefusesToDefineAnythingTwice) {
  for (const char* text :
       {"a=1\na=2", "a=1\n\"a\"=2", "[a]\n[a]", "a.b=1\n[a]", "a={}\n[a.b]", "a=[]\n[[a]]",
        "[a]\n[[a]]", "[[a]]\n[a]", "a=1\na.b=2", "[a.b.c]\nz=9\n[a]\nb.c.t=1", "a={b=1}\na.c=2",
        "a={b={}, b.c=1}", "a={b=1,b=2}", "[a]\nb.c=1\n[a.b]", "a=[{}]\n[a.b]",
        "[[a.b]]\n[a]\nb.c=1", "a.b.c=1\na.b=2"}) {
    EXPECT_FALSE(is_toml(text)) << text;
  }
}

TEST(Toml, RefusesWhatIsNotToml) {
  for (const char* text : {"a",
                           "a =",
                           "= 1",
                           "a = 1 2",
                           "a = [1 2]",
                           "a = [1,,2]",
                           "a = [,]",
                           "a = {,}",
                           "[",
                           "[]",
                           "[.",
                           "[,",
                           "[a",
                           "[a]]",
                           "[[a]",
                           "[[a] ]",
                           "[ [a]]",
                           "a = [\n}",
                           "a = {b = 1",
                           "a = \"x\ny\"",
                           "a = \"\\q\"",
                           "a = \"\\ud800\"",
                           "a = \"\\u12\"",
                           "a = '\x01'",
                           "a = yes",
                           "a = 01",
                           "a = 1_",
                           "a = 1__0",
                           "a = _1",
                           "a = 1.",
                           "a = .5",
                           "a = 1e",
                           "a = 1.e5",
                           "a = 0xG",
                           "a = +0b1",
                           "a = 9223372036854775808",
                           "a = 1979-13-01",
                           "a = 1979-02-29",
                           "a = 24:00:00",
                           "a = 1979-05-27T",
                           "a = 1979-05-27T07:32:00+25:00",
                           "a = 07:32:00.",
                           "# \x7f",
                           "a = 1\rb = 2",
                           "k\u00e9 = 1",
                           "a\u2028= 1",
                           "\"\"\"a\"\"\" = 1",
                           "a = '''",
                           "a = \"\"\"\\",
                           "a.= 1",
                           ".a = 1",
                           "a = 1\n\xef\xbb\xbf"}) {
    EXPECT_FALSE(is_toml(text)) << text;
  }
  EXPECT_FALSE(is_toml(std::string_view("a = 1\n\0", 7)));
}

TEST(Toml, SaysWhereTheFaultIs) {
  EXPECT_EQ(read("a = 1\nb = 'x'\n  c = @\n"), "3:7 a value is expected here");
  EXPECT_EQ(read("a = 1\n# \xe2\x82"), "2:3 this is not UTF-8");
}

TEST(Toml, IgnoresAByteOrderMarkAtTheBeginningOnly) {
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a = 1"),
            "{a:1}");
  EXPECT_FALSE(
      is_toml("\xef\xbb\xbf\xef\xbb\xbf"
              "a = 1"));
}

TEST(Toml, NeitherDeepNestingNorLongKeysExhaustTheStack) {
  EXPECT_FALSE(is_toml("a = " + std::string(1'000'000, '[')));
  std::string inline_tables;
  for (int i = 0; i < 100'000; ++i) inline_tables += "a = {";
  EXPECT_FALSE(is_toml(inline_tables));
  std::string key = "a";
  for (int i = 0; i < 500'000; ++i) key += ".a";
  EXPECT_FALSE(is_toml(key + " = 1"));
  EXPECT_FALSE(is_toml("[" + key + "]"));
}

TEST(Toml, TheLimitsOnNestingAndBytesAreAllowedAndSaidWherePassed) {
  const auto nested = [](int levels) {
    return "x = " + std::string(levels, '[') + "1" + std::string(levels, ']');
  };
  EXPECT_TRUE(is_toml(nested(kMaxTomlNesting)));
  EXPECT_EQ(parse_toml(nested(kMaxTomlNesting + 1)).error(),
            (TomlFault{1, 133, "values are nested more than 128 levels deep here"}));
  std::string key = "a";
  for (int parts = 1; parts < kMaxTomlNesting; ++parts) key += ".a";
  EXPECT_TRUE(is_toml(key + " = 1"));
  EXPECT_EQ(parse_toml(key + ".a = 1").error(),
            (TomlFault{1, 257, "a key has more than 128 parts here"}));
  EXPECT_EQ(parse_toml("[" + key + ".a]").error(),
            (TomlFault{1, 258, "a key has more than 128 parts here"}));
  std::string text(kMaxTomlBytes, '#');
  EXPECT_TRUE(is_toml(text));
  text += '#';
  EXPECT_EQ(parse_toml(text).error(),
            (TomlFault{1, 1, "the text has 16777217 bytes, and TOML may have 16777216"}));
}

TEST(Toml, FindsMembersByTableAndKey) {
  const std::string_view text = "a.b = 1\nb = 2";
  const auto document = parse_toml(text);
  ASSERT_TRUE(document);
  const TomlId inner = document->find(document->find(kTomlRoot, "a"), "b");
  EXPECT_EQ(document->node(inner).integer, 1);
  EXPECT_EQ(document->node(document->find(kTomlRoot, "b")).line, 2u);
  EXPECT_EQ(document->find(kTomlRoot, "c"), kNoToml);
}

TEST(Utf8, RefusesSurrogatesOverlongFormsAndCutSequences) {
  EXPECT_TRUE(is_utf8("a\u00e9\u20ac\U0001F600"));
  for (const char* bytes :
       {"\x80", "\xc3", "\xc3(", "\xe2\x82", "\xe2\x82 ", "\xed\xa0\x80", "\xc0\xaf",
        "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_FALSE(is_utf8(bytes));
  }
}

}  // namespace
}  // namespace vyre
