#include "vyre/tune/decisions/decision_text.h"

#include <gtest/gtest.h>

#include <random>

namespace vyre {
namespace {

TEST(DecisionText, IsOneLinePerEntryInOrderOfTheKeys) {
  const std::string launch =
      "launch-v1-5d24f22dd39762ccb8335343832ececd96fb26e9f9c1f78c5512c08336a1ea18";
  const std::string program = "v1-d1f467ed1a21773ba906c020bb1e1bd79787ac30a70f03d594464e99996548ff";
  const Decisions decisions{{program, {128, 1, 1}}, {launch, {192, 1, 1}}};
  EXPECT_EQ(decision_text(decisions),
            "\"" + launch + "\" = [192, 1, 1]\n\"" + program + "\" = [128, 1, 1]\n");
  EXPECT_EQ(decision_text({}), "");
}

TEST(DecisionText, KeepsGoodEntriesAndCountsAllOthers) {
  const auto parsed = parse_decisions(
      "a = [0, 1, 1]\nb = [64, -1, 1]\nc = [64, 1]\nd = [64.0, 1, 1]\n"
      "e = [4294967296, 1, 1]\nf = [128, 1, 1]\n[g]\nh = [1, 1, 1]\ni = [2, 2, 2]\n");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, (ParsedDecisions{{{"f", {128, 1, 1}}}, 6}));
}

TEST(DecisionText, AnyKeyComesBackAsItWas) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    Decisions decisions;
    for (std::size_t i = random() % 8; i > 0; --i) {
      std::string key;
      for (std::size_t k = random() % 12; k > 0; --k) {
        key.push_back(static_cast<char>(random() % 128));
      }
      key += random() % 2 == 0 ? "\u00e9" : "\U0001F600";
      decisions[key] = {1 + static_cast<std::uint32_t>(random() % 9), 0xffff'ffff, 1};
    }
    const std::string text = decision_text(decisions);
    const auto parsed = parse_decisions(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(*parsed, (ParsedDecisions{decisions, 0}));
    std::size_t bytes = 0;
    for (const auto& [key, workgroup] : decisions) bytes += decision_line_bytes(key, workgroup);
    EXPECT_EQ(bytes, text.size());
  }
}

TEST(DecisionText, NoTextHoldsAZeroOrAKeyThatIsNotUtf8) {
  EXPECT_TRUE(is_decision("k", {1, 1, 1}));
  EXPECT_FALSE(is_decision("k", {1, 0, 1}));
  EXPECT_FALSE(is_decision("\xff", {1, 1, 1}));
}

}  // namespace
}  // namespace vyre
