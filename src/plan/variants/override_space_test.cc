#include <gtest/gtest.h>

#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

OverrideAxis axis(const char* text) { return *parse_override_axis(text); }

// Whether the constraint holds for A=7, B=2, Z=0 and YES=true.
Result<bool> holds(const std::string& constraint) {
  const auto found = override_combinations(
      {axis("A=7"), axis("B=2"), axis("Z=0"), axis("YES=true"), axis("a_b@1=1.5f")}, {constraint});
  if (found) return true;
  if (found.error().what == "the constraints leave no combination of the overrides") return false;
  return std::unexpected(found.error());
}

std::string error_of(const std::string& constraint) {
  const auto result = holds(constraint);
  return result ? "" : result.error().what;
}

TEST(Constraint, ComparesNumbers) {
  struct {
    const char* text;
    bool less, equal, greater;
  } const cases[] = {{"<", true, false, false},  {"<=", true, true, false},
                     {">", false, false, true},  {">=", false, true, true},
                     {"==", false, true, false}, {"!=", true, false, true}};
  for (const auto& c : cases) {
    EXPECT_EQ(*holds(std::string("B") + c.text + "A"), c.less) << c.text;
    EXPECT_EQ(*holds(std::string("A ") + c.text + " 7"), c.equal) << c.text;
    EXPECT_EQ(*holds(std::string("A ") + c.text + "B"), c.greater) << c.text;
  }
}

TEST(Constraint, Computes) {
  for (const char* text : {"A + B == 9",
                           "A - B == 5",
                           "A - B - B == 3",
                           "A * B == 14",
                           "A / B == 3.5",
                           "A / B / B == 1.75",
                           "A % B == 1",
                           "A + B * 3 == 13",
                           "(A + B) * 3 == 27",
                           "-A + 8 == 1",
                           "A - -B == 9",
                           "- - A == A",
                           "2 * A % 4 == 2",
                           "a_b@1 * 2 == 3",
                           "  A\t==\n7  ",
                           "YES",
                           "A",
                           "-1",
                           "!Z",
                           "!(A == B)",
                           "!!A",
                           "0.5"}) {
    const auto result = holds(text);
    ASSERT_TRUE(result) << text << ": " << result.error().what;
    EXPECT_TRUE(*result) << text;
  }
  for (const char* text : {"Z", "!A", "!YES", "A - 7", "!(Z == 0)", "A / Z", "A % Z", "A / Z > 0",
                           "A / Z == A / Z", "0"}) {
    const auto result = holds(text);
    ASSERT_TRUE(result) << text << ": " << result.error().what;
    EXPECT_FALSE(*result) << text;
  }
}

TEST(Constraint, AndBindsCloserThanOr) {
  for (const int a : {0, 1}) {
    for (const int b : {0, 1}) {
      for (const int c : {0, 1}) {
        const auto with = [&](const char* first, const char* second) {
          return *holds(std::to_string(2 * a) + first + std::to_string(3 * b) + second +
                        std::to_string(c));
        };
        EXPECT_EQ(with(" || ", " && "), (a != 0) || (b != 0 && c != 0)) << a << b << c;
        EXPECT_EQ(with(" && ", " || "), (a != 0 && b != 0) || (c != 0)) << a << b << c;
        EXPECT_EQ(with("&&", "&&"), a != 0 && b != 0 && c != 0) << a << b << c;
        EXPECT_EQ(with("||", "||"), a != 0 || b != 0 || c != 0) << a << b << c;
      }
    }
  }
}

TEST(Constraint, SaysWhatIsMissingAndWhere) {
  EXPECT_EQ(error_of("A >"), "the constraint 'A >' is wrong at '': a number or a name is missing");
  EXPECT_EQ(error_of("A B"), "the constraint 'A B' is wrong at 'B': an operator is missing");
  EXPECT_EQ(error_of("(A"), "the constraint '(A' is wrong at '': ')' is missing");
  EXPECT_EQ(error_of("A < B < 3"),
            "the constraint 'A < B < 3' is wrong at '< 3': an operator is missing");
  EXPECT_EQ(error_of("C > 1"), "the constraint 'C > 1' names 'C', which is not searched");
  EXPECT_EQ(error_of("!= 1"),
            "the constraint '!= 1' is wrong at '!= 1': a number or a name is missing");
  EXPECT_EQ(error_of(""), "the constraint '' is wrong at '': a number or a name is missing");
}

TEST(Constraint, NestsUpToALimit) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "A" + std::string(depth, ')');
  };
  EXPECT_TRUE(*holds(nested(63)));
  EXPECT_EQ(error_of(nested(64)), "the constraint is nested too deeply");
  // Depth counts nesting, not length.
  std::string sum = "A";
  for (int i = 0; i < 200; ++i) sum += " + (B)";
  EXPECT_TRUE(*holds(sum));
}

TEST(OverrideAxis, TakesTheValuesThatWgslWrites) {
  const OverrideAxis values = axis("T=1,2u,-3i,0.5f,1e3h,true,false");
  EXPECT_EQ(values.name, "T");
  EXPECT_EQ(values.values,
            (std::vector<std::string>{"1", "2u", "-3i", "0.5f", "1e3h", "true", "false"}));
  EXPECT_EQ(axis("T=4").values, std::vector<std::string>{"4"});
  for (const char* wrong :
       {"T", "T=", "=1", "", "T=1,", "T=,1", "T=1uu", "T=2x", "T=True", "T=u"}) {
    EXPECT_FALSE(parse_override_axis(wrong)) << wrong;
  }
  EXPECT_EQ(parse_override_axis("T=1,2,1").error().what, "T has the value 1 twice");
  EXPECT_EQ(parse_override_axis("T=x").error().what, "T: 'x' is no value");
}

TEST(OverrideCombinations, VaryTheLastAxisFastest) {
  const auto all = override_combinations({axis("A=1,2"), axis("B=3,4,5")}, {});
  ASSERT_TRUE(all);
  std::vector<std::string> texts;
  for (const auto& settings : *all) {
    ASSERT_EQ(settings.size(), 2U);
    texts.push_back(settings[0].name + settings[0].value + settings[1].name + settings[1].value);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"A1B3", "A1B4", "A1B5", "A2B3", "A2B4", "A2B5"}));
  EXPECT_EQ(override_combinations({}, {})->size(), 1U) << "nothing is set in one way";
}

TEST(OverrideCombinations, EveryConstraintMustHold) {
  const auto size = [](const std::vector<std::string>& constraints) {
    return override_combinations({axis("A=1,2,3,4")}, constraints)->size();
  };
  EXPECT_EQ(size({"A > 1", "A < 4"}), 2U);
  EXPECT_EQ(size({"A > 1", "A > 0"}), 3U);
  EXPECT_EQ(size({"A > 0", "A > 1"}), 3U);
}

TEST(OverrideCombinations, AreLimited) {
  const OverrideAxis a = axis("A=1,2,3,4"), b = axis("B=1,2,3,4");
  EXPECT_EQ(override_combinations({a, b}, {}, 16)->size(), 16U);
  EXPECT_EQ(override_combinations({a, b}, {}, 15).error().what,
            "more than 15 combinations are allowed");
  EXPECT_EQ(override_combinations({a, b}, {"A == B"}, 4)->size(), 4U) << "after the constraints";
  EXPECT_EQ(override_combinations({a, a}, {}).error().what, "A is given twice");

  const auto many = [](const char* name, int count) {
    OverrideAxis out{name, {}};
    for (int i = 0; i < count; ++i) out.values.push_back(std::to_string(i));
    return out;
  };
  const auto refused = [](const std::vector<OverrideAxis>& axes) {
    // No combination is left, so that 2^24 of them are not kept.
    const auto all = override_combinations(axes, {"1 == 2"});
    return all.error().code == Code::limit;
  };
  EXPECT_TRUE(refused({many("A", 4097), many("B", 4096)}));
  EXPECT_TRUE(refused({many("A", 4096), many("B", 4096), many("C", 4096), many("D", 4096)}))
      << "the product must not wrap around";
}

}  // namespace
}  // namespace vyre
