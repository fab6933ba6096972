#include "vyre/base/memory/lru_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace vyre {
namespace {

// The plainest cache with the same rule, to compare with: newest first.
struct ListCache {
  std::size_t capacity;
  std::vector<int> keys;

  bool use(int key) {
    auto at = std::find(keys.begin(), keys.end(), key);
    const bool found = at != keys.end();
    if (found) keys.erase(at);
    keys.insert(keys.begin(), key);
    if (keys.size() > capacity) keys.pop_back();
    return found;
  }
};

TEST(LruIndex, AgreesWithAListKeptInOrderOfUse) {
  std::mt19937 random(7);
  for (std::uint64_t hash_mask : {~0ull, 3ull, 0ull}) {
    LruIndex<8> index;
    std::array<int, 8> keys{};
    ListCache list{8, {}};
    for (int step = 0; step < 5000; ++step) {
      const int key = static_cast<int>(random() % 14);
      const std::uint64_t word = static_cast<std::uint64_t>(key);
      const std::uint64_t hash = hash_words({&word, 1}) & hash_mask;
      const auto slot = index.find(hash, [&](auto at) { return keys[at] == key; });
      EXPECT_EQ(slot.has_value(), list.use(key));
      if (slot) {
        index.touch(*slot);
      } else {
        keys[index.insert(hash)] = key;
      }
      ASSERT_EQ(index.size(), list.keys.size());
      ASSERT_EQ(keys[*index.newest()], list.keys.front());
      ASSERT_EQ(keys[*index.oldest()], list.keys.back());
    }
  }
}

TEST(LruIndex, IsEmptyAfterClear) {
  LruIndex<4> index;
  for (std::uint64_t hash : {1, 2, 3, 4, 5}) index.insert(hash);
  index.clear();
  EXPECT_EQ(index.size(), 0u);
  EXPECT_FALSE(index.newest());
  EXPECT_FALSE(index.oldest());
  EXPECT_FALSE(index.find(5, [](auto) { return true; }));
  EXPECT_EQ(index.insert(9), 0);
}

TEST(LruIndex, HandsOutSlotsInAscendingOrderUntilFull) {
  LruIndex<3> index;
  EXPECT_EQ(index.insert(10), 0);
  EXPECT_EQ(index.insert(20), 1);
  EXPECT_EQ(index.insert(30), 2);
  index.touch(0);
  EXPECT_EQ(index.insert(40), 1);
}

TEST(HashWords, DependsOnEveryWordAndItsPlace) {
  const std::uint64_t base[] = {1, 2, 3, 4, 5};
  for (std::size_t i = 0; i < 5; ++i) {
    std::uint64_t changed[] = {1, 2, 3, 4, 5};
    changed[i] ^= 1;
    EXPECT_NE(hash_words(base), hash_words(changed)) << i;
  }
  const std::uint64_t swapped[] = {3, 2, 1, 4, 5};
  EXPECT_NE(hash_words(base), hash_words(swapped));
}

}  // namespace
}  // namespace vyre
