#include "vyre/device/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace vyre {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 7U}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads == 0 ? 1 : threads);
    for (const std::uint64_t count : {0U, 1U, 2U, 1000U}) {
      std::vector<std::atomic<int>> times(count);
      pool.run(count, [&](std::uint64_t i) { ++times[i]; });
      for (const auto& t : times) EXPECT_EQ(t, 1);
    }
  }
}

TEST(ThreadPool, ReturnsWhenAllAreDone) {
  ThreadPool pool(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> values(64);  // not atomic: the pool orders the writes before its return
    pool.run(values.size(), [&](std::uint64_t i) { values[i] = round; });
    for (const int v : values) ASSERT_EQ(v, round);
  }
}

TEST(ThreadPool, UsesSeveralThreads) {
  ThreadPool pool(3);
  std::atomic<int> arrived = 0;
  std::mutex mutex;
  std::set<std::thread::id> seen;
  // Each task waits for the others: one thread alone would never end.
  pool.run(3, [&](std::uint64_t) {
    {
      const std::scoped_lock lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_TRUE(seen.contains(std::this_thread::get_id()));
}

TEST(ThreadPool, ServesManyCallersAtOnce) {
  ThreadPool pool(3);
  std::atomic<std::uint64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        pool.run(20, [&](std::uint64_t i) { sum += i; });
      }
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(sum, 4U * 100 * 190);
}

TEST(ThreadPool, ATaskMayAskThePool) {
  ThreadPool pool(2);
  std::atomic<int> inner = 0;
  pool.run(4, [&](std::uint64_t) { pool.run(3, [&](std::uint64_t) { ++inner; }); });
  EXPECT_EQ(inner, 12);
}

}  // namespace
}  // namespace vyre
