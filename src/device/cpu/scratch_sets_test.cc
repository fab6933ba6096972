#include "vyre/device/cpu/scratch_sets.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace vyre {
namespace {

TEST(ScratchSets, EachThreadOfEachLaunchHasItsOwnBlock) {
  ScratchSets sets;
  const auto one = sets.lend(1000, 3);
  const auto two = sets.lend(1000, 3);
  std::set<std::byte*> blocks;
  for (const auto* loan : {&one, &two}) {
    for (unsigned thread = 0; thread < 3; ++thread) {
      std::byte* block = loan->of(thread);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0U);
      std::memset(block, 1, 1000);
      EXPECT_EQ(loan->of(thread), block) << "it stays during the launch";
      blocks.insert(block);
    }
  }
  EXPECT_EQ(blocks.size(), 6U);
}

TEST(ScratchSets, BlocksAreKeptForTheNextLaunchAndGrow) {
  ScratchSets sets;
  const auto block_for = [&](std::uint64_t bytes) {
    const auto loan = sets.lend(bytes, 2);
    std::byte* block = loan.of(1);
    EXPECT_NE(block, nullptr);
    if (block != nullptr) std::memset(block, 1, bytes);
    return block;
  };
  std::byte* const first = block_for(1000);
  EXPECT_EQ(block_for(500), first);
  EXPECT_EQ(block_for(1000), first);
  block_for(100'000);  // the sanitizers see whether it has this size
}

TEST(ScratchSets, WhoNeedsNoMemoryGetsNone) {
  ScratchSets sets;
  EXPECT_EQ(sets.lend(0, 2).of(1), nullptr);
}

}  // namespace
}  // namespace vyre
