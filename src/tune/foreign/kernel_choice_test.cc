#include "vyre/tune/foreign/kernel_choice.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

TEST(KernelChoice, CombinationsCountTheLastAxisFastest) {
  const auto all = combinations({{"block", {64, 128}}, {"order", {"row", "column"}}});
  ASSERT_TRUE(all) << describe(all.error());
  std::vector<std::string> texts;
  for (const Configuration& c : *all) texts.push_back(to_string(c));
  EXPECT_EQ(texts, (std::vector<std::string>{"block=64 order=row", "block=64 order=column",
                                             "block=128 order=row", "block=128 order=column"}));
}

TEST(KernelChoice, AConstraintLeavesOutWhatItDoesNotAllow) {
  const auto all = combinations({{"x", {8, 16, 32}}, {"y", {8, 16, 32}}}, [](const Choice& c) {
    return c.number("x").value() * c.number("y").value() <= 256;
  });
  ASSERT_TRUE(all) << describe(all.error());
  EXPECT_EQ(all->size(), 6U);
  for (std::uint32_t i = 0; i < all->size(); ++i) {
    const Choice choice(i, (*all)[i]);
    EXPECT_LE(*choice.number("x") * *choice.number("y"), 256);
  }
}

TEST(KernelChoice, AConstraintMayLeaveFewOfVeryMany) {
  std::vector<AxisValue> many;
  for (int i = 0; i < 1000; ++i) many.emplace_back(i);
  const auto few = combinations({{"a", many}, {"b", many}}, [](const Choice& c) {
    return c.number("a") == 0 && c.number("b").value() < 3;
  });
  ASSERT_TRUE(few) << describe(few.error());
  EXPECT_EQ(few->size(), 3U);
  EXPECT_FALSE(combinations({{"a", many}, {"b", many}}));
  EXPECT_FALSE(combinations({{"a", many}, {"b", many}, {"c", many}, {"d", many}, {"e", many}},
                            [](const Choice&) { return false; }));
}

TEST(KernelChoice, NoCandidateIsAnError) {
  EXPECT_FALSE(combinations({}));
  EXPECT_FALSE(combinations({{"block", {}}}));
  EXPECT_FALSE(combinations({{"block", {64}}}, [](const Choice&) { return false; }));
}

TEST(KernelChoice, NamesAndValuesThatCannotBeWrittenAreErrors) {
  EXPECT_FALSE(combinations({{"block size", {64}}}));
  EXPECT_FALSE(combinations({{"a=b", {64}}}));
  EXPECT_FALSE(combinations({{"", {64}}}));
  EXPECT_FALSE(combinations({{"block", {"6 4"}}}));
  EXPECT_FALSE(combinations({{"block", {64, 64}}}));
  EXPECT_FALSE(combinations({{"block", {64}}, {"block", {128}}}));
  EXPECT_FALSE(check_candidates({Configuration{}}));
}

TEST(KernelChoice, AParameterIsFoundByItsName) {
  const Configuration configuration{{"block", "-64"}, {"order", "row"}, {"big", "12x"}};
  const Choice choice(3, configuration);
  EXPECT_EQ(choice.index(), 3U);
  EXPECT_EQ(choice.number("block"), -64);
  EXPECT_EQ(choice.value("order"), "row");
  EXPECT_EQ(choice.text(), "block=-64 order=row big=12x");
  EXPECT_FALSE(choice.number("order"));
  EXPECT_FALSE(choice.number("big"));
  const auto unknown = choice.number("blok");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().fix, "it has block, order, big");
}

TEST(KernelChoice, KeysOfAnotherVersionOrSizeAreOtherKeys) {
  const KernelKey key{.name = "saxpy", .version = "1", .size = "4096", .device = "GPU"};
  KernelKey other = key;
  other.version = "2";
  EXPECT_NE(key_id(tuning_key(key)), key_id(tuning_key(other)));
  other = key;
  other.size = "4097";
  EXPECT_NE(key_id(tuning_key(key)), key_id(tuning_key(other)));
  other = key;
  other.settings = "type=f32";
  EXPECT_NE(key_id(tuning_key(key)), key_id(tuning_key(other)));
  EXPECT_EQ(tuning_key({.name = "saxpy"}).device, host_device_text());
  EXPECT_NE(host_device_text().find(" threads"), std::string::npos);
}

}  // namespace
}  // namespace vyre
