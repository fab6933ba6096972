#include "vyre/pipeline/loop_condition.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

namespace vyre {
namespace {

template <class T>
bool holds(LoopCondition condition, T value) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return condition.holds(bytes);
}

TEST(LoopCondition, ReadsABufferAComparisonAndANumber) {
  const auto plain = parse_condition("moved == 0");
  ASSERT_TRUE(plain) << plain.error().what;
  EXPECT_EQ(plain->buffer, "moved");
  EXPECT_EQ(plain->compare, CompareWith::equal);
  EXPECT_EQ(plain->number, 0);
  const auto element = parse_condition(" error[ 3 ]<=-1e-3 ");
  ASSERT_TRUE(element) << element.error().what;
  EXPECT_EQ(element->buffer, "error");
  EXPECT_EQ(element->index, 3U);
  EXPECT_EQ(element->compare, CompareWith::at_most);
  EXPECT_EQ(element->number, -1e-3);
}

TEST(LoopCondition, RefusesEverythingElse) {
  for (const char* text : {"", "moved", "== 0", "moved == ", "moved = 0", "moved == x", "a[1 == 0",
                           "a[x] == 0", "a == 0 0", "a ! 0", "[0] == 1", "a == nan"}) {
    EXPECT_FALSE(parse_condition(text)) << text;
  }
}

TEST(LoopCondition, ComparesTheKindOfTheBuffer) {
  const auto with = [](ScalarKind kind, CompareWith compare, double number) {
    return LoopCondition{
        .buffer = 0, .offset = 0, .kind = kind, .compare = compare, .number = number};
  };
  EXPECT_TRUE(holds(with(ScalarKind::u32, CompareWith::more, 4294967294.0), 4294967295U));
  EXPECT_TRUE(holds(with(ScalarKind::i32, CompareWith::less, 0), -1));
  EXPECT_FALSE(holds(with(ScalarKind::u32, CompareWith::less, 0), 0xFFFFFFFFU));
  EXPECT_TRUE(holds(with(ScalarKind::f32, CompareWith::at_least, 0.5), 0.5F));
  EXPECT_TRUE(holds(with(ScalarKind::f16, CompareWith::equal, 1), std::uint16_t{0x3C00}));
  EXPECT_FALSE(holds(with(ScalarKind::f32, CompareWith::less, 1), NAN));
  EXPECT_TRUE(holds(with(ScalarKind::f32, CompareWith::not_equal, 1), NAN));
}

}  // namespace
}  // namespace vyre
