#include "vyre/base/memory/shared_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace vyre {
namespace {

using Cache = SharedCache<int, int>;

void put(Cache& cache, int key, std::uint64_t bytes = 1) {
  Cache::Forgotten forgotten;
  EXPECT_NE(cache.put(key, std::make_shared<int>(key), bytes, forgotten), nullptr);
}

TEST(SharedCache, FindsWhatWasPutFirst) {
  Cache cache({});
  Cache::Forgotten forgotten;
  const auto first = cache.put(1, std::make_shared<int>(10), 1, forgotten);
  EXPECT_EQ(cache.put(1, std::make_shared<int>(20), 1, forgotten), first);
  EXPECT_EQ(cache.find(1), first);
  EXPECT_EQ(cache.find(2), nullptr);
}

TEST(SharedCache, ForgetsTheLeastRecentlyUsed) {
  Cache cache({.count = 8});
  for (int i = 0; i < 8; ++i) put(cache, i);
  EXPECT_EQ(cache.size(), 8U);
  EXPECT_NE(cache.find(0), nullptr);
  put(cache, 8);
  EXPECT_NE(cache.find(0), nullptr);
  EXPECT_EQ(cache.find(1), nullptr);
  EXPECT_NE(cache.find(8), nullptr);
}

TEST(SharedCache, CountsBytesAsWell) {
  Cache cache({.bytes = 100});
  for (int i = 0; i < 1000; ++i) put(cache, i, 30);
  EXPECT_LE(cache.size(), 4U);
  EXPECT_NE(cache.find(999), nullptr);
}

TEST(SharedCache, KeepsWhatSomebodyHolds) {
  Cache cache({.count = 4});
  std::vector<std::shared_ptr<int>> held;
  for (int i = 0; i < 100; ++i) {
    put(cache, i);
    held.push_back(cache.find(i));
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(cache.find(i), held[static_cast<std::size_t>(i)]);
  held.clear();
  for (int i = 100; i < 200; ++i) put(cache, i);
  EXPECT_LE(cache.size(), 16U) << "what nobody holds any more is forgotten";
}

TEST(SharedCache, HandsOverWhatItForgets) {
  Cache cache({.count = 8});
  const std::weak_ptr<int> watched = [&] {
    Cache::Forgotten none;
    return std::weak_ptr(cache.put(0, std::make_shared<int>(0), 1, none));
  }();
  Cache::Forgotten forgotten;
  for (int i = 1; i < 9; ++i) (void)cache.put(i, std::make_shared<int>(i), 1, forgotten);
  EXPECT_FALSE(watched.expired()) << "the caller destroys it";
  forgotten.clear();
  EXPECT_TRUE(watched.expired());
}

TEST(SharedCache, GivesAwayWhatIsTaken) {
  Cache cache({.bytes = 10});
  put(cache, 1, 10);
  EXPECT_EQ(*cache.take(1), 1);
  EXPECT_EQ(cache.take(1), nullptr);
  EXPECT_EQ(cache.size(), 0U);
  put(cache, 2, 10);
  EXPECT_NE(cache.find(2), nullptr) << "its bytes are no longer counted";
}

}  // namespace
}  // namespace vyre
