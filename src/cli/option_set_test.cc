#include "vyre/cli/option_set.h"

#include <gtest/gtest.h>

#include "vyre/cli/values.h"

namespace vyre {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string entry;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> numbers;
  bool loud = false;
};

class Parsed : public testing::Test {
 protected:
  std::string parse(std::vector<std::string> arguments, std::size_t at_least = 1,
                    std::size_t at_most = 2) {
    options_ = {};
    OptionSet set;
    set.positional("FILE...", "files", options_.files, at_least, at_most);
    set.value("--entry", "NAME", "a name", options_.entry);
    set.value("--count", "N", "a number", options_.count,
              [](const std::string& text) { return parse_whole(text); });
    set.repeated("-n,--number", "N", "numbers", options_.numbers,
                 [](const std::string& text) { return parse_whole(text); });
    set.flag("--loud", "be loud", options_.loud);
    const auto result = set.parse(arguments);
    if (!result) return describe(result.error());
    if (!*result) return set.help({"vyre x FILE...", "Does x.", "examples:\n  vyre x y\n"});
    return "";
  }
  Options options_;
};

TEST_F(Parsed, ValuesGoWhereTheyBelong) {
  EXPECT_EQ(parse({"a", "--entry", "main", "--count=7", "-n", "1", "--number", "2", "--loud", "b"}),
            "");
  EXPECT_EQ(options_.files, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options_.entry, "main");
  EXPECT_EQ(options_.count, 7U);
  EXPECT_EQ(options_.numbers, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_TRUE(options_.loud);
}

TEST_F(Parsed, FilesMayBeDashesAndNamesOfOptions) {
  EXPECT_EQ(parse({"-", "--", "--loud"}), "");
  EXPECT_EQ(options_.files, (std::vector<std::string>{"-", "--loud"}));
  EXPECT_FALSE(options_.loud);
}

TEST_F(Parsed, BracketsAreOrdinaryText) {
  EXPECT_EQ(parse({"a", "--entry", "[x,y]"}), "");
  EXPECT_EQ(options_.entry, "[x,y]");
  EXPECT_EQ(parse({"[a,b]", "--entry={}"}), "");
  EXPECT_EQ(options_.files, (std::vector<std::string>{"[a,b]"}));
  EXPECT_EQ(options_.entry, "{}");
}

TEST_F(Parsed, AnOptionIsGivenOnce) {
  EXPECT_EQ(parse({"a", "--count", "1", "--count", "2"}),
            "--count was given 2 times; give it once");
  EXPECT_EQ(parse({"a", "--entry=x", "--entry", "x"}), "--entry was given 2 times; give it once");
}

TEST_F(Parsed, SaysWhatIsMissing) {
  EXPECT_EQ(parse({}), "FILE... is missing");
  EXPECT_EQ(parse({"--loud"}), "FILE... is missing");
  EXPECT_EQ(parse({"a", "--count"}), "--count needs a value");
  EXPECT_EQ(parse({"a", "--entry="}), "--entry needs a value");
  EXPECT_EQ(parse({"a", "--entry", ""}), "--entry: it is empty");
}

TEST_F(Parsed, SaysWhatIsTooMuch) {
  EXPECT_EQ(parse({"a", "b", "c"}), "unexpected argument 'c'");
  EXPECT_EQ(parse({"a", "--lout"}), "unknown option '--lout'; did you mean --loud?");
  EXPECT_EQ(parse({"a", "--count-it=3"}), "unknown option '--count-it'; did you mean --count?");
  EXPECT_EQ(parse({"a", "-x"}), "unknown option '-x'");
  EXPECT_EQ(parse({"--quite-something-else"}), "unknown option '--quite-something-else'");
  EXPECT_NE(parse({"a", "--loud=yes"}), "");
}

TEST_F(Parsed, ErrorsNameTheirOption) {
  EXPECT_EQ(parse({"a", "--count", "x"}), "--count: 'x' is not a whole number");
  EXPECT_EQ(parse({"a", "-n", "-1"}), "--number: '-1' is not a whole number");
}

TEST_F(Parsed, HelpShowsEveryOption) {
  const std::string expected =
      "usage: vyre x FILE...\n"
      "\n"
      "Does x.\n"
      "\n"
      "  FILE...        files\n"
      "  --entry NAME   a name\n"
      "  --count N      a number\n"
      "  -n,--number N  numbers\n"
      "  --loud         be loud\n"
      "  -h,--help      show this text\n"
      "\n"
      "examples:\n"
      "  vyre x y\n";
  EXPECT_EQ(parse({"--help"}), expected);
  EXPECT_EQ(parse({"a", "b", "--loud", "-h"}), expected);
}

TEST(OptionalValue, IsGivenWithAnEqualsSignOrNotAtAll) {
  const auto parse = [](const std::vector<std::string>& arguments) -> std::string {
    OptionSet set;
    std::vector<std::string> files;
    std::string taken = "absent";
    set.positional("FILE", "a file", files, 0, 9);
    set.optional_value("--time", "N", "a time", taken,
                       [](const std::string& text) -> Result<std::string> {
                         if (text == "bad") return fail(Code::invalid_input, "it is bad");
                         return "<" + text + ">";
                       });
    const auto parsed = set.parse(arguments);
    if (!parsed) return parsed.error().what;
    for (const std::string& file : files) taken += " " + file;
    return taken;
  };
  EXPECT_EQ(parse({}), "absent");
  EXPECT_EQ(parse({"--time"}), "<>");
  EXPECT_EQ(parse({"--time=5"}), "<5>");
  EXPECT_EQ(parse({"--time", "file"}), "<> file");
  EXPECT_EQ(parse({"file", "--time=7"}), "<7> file");
  EXPECT_EQ(parse({"--time=bad"}), "--time: it is bad");
  EXPECT_EQ(parse({"--time", "--time=5"}), "--time was given 2 times");
}

}  // namespace
}  // namespace vyre
