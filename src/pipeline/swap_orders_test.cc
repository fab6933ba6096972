#include "vyre/pipeline/swap_orders.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

TEST(SwapOrders, APairHasTwo) {
  const auto groups = find_swap_groups(std::vector<Pairs>{{{4, 7}}, {}}, 24);
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 1U);
  const SwapGroup& group = groups->front();
  EXPECT_EQ(group.members, (std::vector<std::size_t>{4, 7}));
  ASSERT_EQ(group.orders.size(), 2U);
  EXPECT_EQ(group.after[0], (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(group.after[1], (std::vector<std::uint32_t>{0, 1})) << "the other loop moves nothing";
}

TEST(SwapOrders, ThreeBuffersInATurnHaveThree) {
  // After a round a holds what b held, b what c held, and c what a held.
  const auto groups = find_swap_groups(std::vector<Pairs>{{{0, 1}, {1, 2}}}, 24);
  ASSERT_TRUE(groups);
  const SwapGroup& group = groups->front();
  ASSERT_EQ(group.orders.size(), 3U);
  EXPECT_EQ(group.orders[1], (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(group.after[0], (std::vector<std::uint32_t>{1, 2, 0}));
}

TEST(SwapOrders, PairsOfTheirOwnAreGroupsOfTheirOwn) {
  const auto groups = find_swap_groups(std::vector<Pairs>{{{0, 1}}, {{3, 2}, {0, 1}}}, 24);
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 2U);
  EXPECT_EQ((*groups)[0].orders.size(), 2U);
  EXPECT_EQ((*groups)[1].after[0], (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ((*groups)[1].after[1], (std::vector<std::uint32_t>{1, 0}));
}

TEST(SwapOrders, TooManyAreRefused) {
  const std::vector<Pairs> all{{{0, 1}}, {{1, 2}}, {{2, 3}}, {{3, 4}}};  // 120 orders
  EXPECT_FALSE(find_swap_groups(all, 24));
  const auto groups = find_swap_groups(all, 120);
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->front().orders.size(), 120U);
}

}  // namespace
}  // namespace vyre
