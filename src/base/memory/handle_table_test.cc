#include "vyre/base/memory/handle_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace vyre {
namespace {

struct Counted {
  Counted(int number, std::atomic<int>& alive) : value(number), count(&alive) { ++alive; }
  ~Counted() {
    value = -1;
    --*count;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  int value;
  std::atomic<int>* count;
};

TEST(HandleTable, FindsWhatWasInserted) {
  std::atomic<int> alive = 0;
  HandleTable<Counted> table(3);
  const std::uint64_t one = table.insert(std::make_unique<Counted>(1, alive));
  const std::uint64_t two = table.insert(std::make_unique<Counted>(2, alive));
  EXPECT_NE(one, two);
  EXPECT_EQ(HandleTable<Counted>::kind_of(one), 3);
  EXPECT_EQ(table.pin(one)->value, 1);
  EXPECT_EQ(table.pin(two)->value, 2);
}

TEST(HandleTable, FindsNothingUnderIdsItNeverGave) {
  std::atomic<int> alive = 0;
  HandleTable<Counted> table(3);
  const std::uint64_t id = table.insert(std::make_unique<Counted>(1, alive));
  EXPECT_FALSE(table.pin(0));
  EXPECT_FALSE(table.pin(~std::uint64_t{0}));
  EXPECT_FALSE(table.close(0));
  for (unsigned bit = 0; bit < 64; ++bit) {
    EXPECT_FALSE(table.pin(id ^ std::uint64_t{1} << bit)) << bit;
    EXPECT_FALSE(table.close(id ^ std::uint64_t{1} << bit)) << bit;
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t guess = random();
    EXPECT_TRUE(guess == id || !table.pin(guess));
  }
  EXPECT_TRUE(table.pin(id));
}

TEST(HandleTable, IdsOfAnotherKindFindNothing) {
  std::atomic<int> alive = 0;
  HandleTable<Counted> buffers(1), kernels(2);
  const std::uint64_t buffer = buffers.insert(std::make_unique<Counted>(1, alive));
  kernels.insert(std::make_unique<Counted>(2, alive));
  EXPECT_FALSE(kernels.pin(buffer));
  EXPECT_FALSE(kernels.close(buffer));
}

TEST(HandleTable, AClosedIdStaysClosedWhenItsPlaceIsUsedAgain) {
  std::atomic<int> alive = 0;
  HandleTable<Counted> table(1);
  std::set<std::uint64_t> old;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t id = table.insert(std::make_unique<Counted>(i, alive));
    EXPECT_TRUE(old.insert(id).second);
    EXPECT_TRUE(table.close(id));
    EXPECT_FALSE(table.close(id));
    EXPECT_FALSE(table.pin(id));
    EXPECT_EQ(alive, 0);
  }
  const std::uint64_t last = table.insert(std::make_unique<Counted>(7, alive));
  for (const std::uint64_t id : old) EXPECT_FALSE(table.pin(id));
  EXPECT_EQ(table.pin(last)->value, 7);
}

TEST(HandleTable, WhatIsHeldOutlivesItsClosing) {
  std::atomic<int> alive = 0;
  HandleTable<Counted> table(1);
  const std::uint64_t id = table.insert(std::make_unique<Counted>(5, alive));
  {
    auto held = table.pin(id);
    auto again = table.pin(id);
    EXPECT_TRUE(table.close(id));
    EXPECT_FALSE(table.pin(id));
    EXPECT_EQ(held->value, 5);
    again = {};
    const auto moved = std::move(held);
    EXPECT_EQ(moved->value, 5);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(HandleTable, GrowsOverManyPlaces) {
  std::atomic<int> alive = 0;
  HandleTable<Counted> table(1);
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 5000; ++i) {
    ids.push_back(table.insert(std::make_unique<Counted>(i, alive)));
  }
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(table.pin(ids[static_cast<std::size_t>(i)])->value, i);
  for (const std::uint64_t id : ids) EXPECT_TRUE(table.close(id));
  EXPECT_EQ(alive, 0);
}

TEST(HandleTable, FreesWhatIsLeft) {
  std::atomic<int> alive = 0;
  {
    HandleTable<Counted> table(1);
    table.insert(std::make_unique<Counted>(1, alive));
  }
  EXPECT_EQ(alive, 0);
}

TEST(HandleTable, ManyThreadsUseAndCloseTheSameIds) {
  std::atomic<int> alive = 0;
  std::atomic<std::uint64_t> shared[8] = {};
  std::atomic<int> closed = 0, wrong = 0;
  std::atomic<int> inserted = 0;
  HandleTable<Counted> table(1);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 20'000; ++i) {
        auto& place = shared[random() % 8];
        switch (random() % 4) {
          case 0: {
            const int number = static_cast<int>(random() % 1000);
            const std::uint64_t old =
                place.exchange(table.insert(std::make_unique<Counted>(number, alive)));
            ++inserted;
            if (table.close(old)) ++closed;
            break;
          }
          case 1:
            if (table.close(place.load())) ++closed;
            break;
          default:
            if (const auto pin = table.pin(place.load()); pin && pin->value < 0) ++wrong;
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (auto& place : shared) {
    if (table.close(place.load())) ++closed;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(closed, inserted.load());
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace vyre
