#include "vyre/base/memory/memory_promise.h"

#include <gtest/gtest.h>

#include <thread>

namespace vyre {
namespace {

using namespace std::chrono_literals;

const auto kHundred = [] { return MemoryHeadroom{100 << 20, "a limit"}; };

TEST(MemoryPromise, MoreThanThereIsIsRefusedWithTheLimitsName) {
  const auto promised = promise_memory(101 << 20, "the work", {}, kHundred);
  ASSERT_FALSE(promised);
  EXPECT_EQ(promised.error().code, Code::out_of_memory);
  EXPECT_EQ(promised.error().what, "the work may take 101 MiB, and a limit leaves 100 MiB");
}

TEST(MemoryPromise, TheSameMemoryIsNotPromisedTwice) {
  auto first = promise_memory(60 << 20, "the first", {}, kHundred);
  ASSERT_TRUE(first);
  const auto second = promise_memory(
      60 << 20, "the second", {.deadline = std::chrono::steady_clock::now() + 20ms}, kHundred);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::device);
  EXPECT_TRUE(promise_memory(40 << 20, "a small one", {}, kHundred));
  first->reset();
  EXPECT_TRUE(promise_memory(60 << 20, "the second", {}, kHundred));
}

TEST(MemoryPromise, WhoWaitsIsPromisedWhatIsGivenBack) {
  auto first = promise_memory(60 << 20, "the first", {}, kHundred);
  ASSERT_TRUE(first);
  std::thread other([&] { EXPECT_TRUE(promise_memory(60 << 20, "the second", {}, kHundred)); });
  std::this_thread::sleep_for(10ms);
  first->reset();
  other.join();
}

}  // namespace
}  // namespace vyre
