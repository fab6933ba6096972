#include "vyre/device/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "vyre/base/memory/no_memory_testing.h"
#include "vyre/base/process/sanitizers_testing.h"

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

TEST(ThreadPool, CallsThatWaitForEachOtherRunAtOnce) {
  ThreadPool pool(3);
  std::atomic<std::uint32_t> stop = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        std::atomic<unsigned> arrived = 0;
        const auto how = pool.run_at_once(3, stop, [&](std::uint64_t) {
          ++arrived;
          while (arrived < 3) std::this_thread::yield();
        });
        ASSERT_EQ(how, ThreadPool::AtOnce::ran);
        ASSERT_EQ(arrived, 3U);
      }
    });
  }
  for (std::thread& t : callers) t.join();
}

TEST(ThreadPool, CallsThatCannotRunAtOnceDoNotBegin) {
  ThreadPool pool(2);
  std::atomic<std::uint32_t> stop = 0;
  int begun = 0;
  EXPECT_EQ(pool.run_at_once(3, stop, [&](std::uint64_t) { ++begun; }),
            ThreadPool::AtOnce::few_threads);
  // The workers work for another caller until the stop has been seen.
  std::atomic<bool> busy = false, over = false;
  std::thread other([&] {
    pool.run(2, [&](std::uint64_t) {
      busy = true;
      while (!over) std::this_thread::yield();
    });
  });
  while (!busy) std::this_thread::yield();
  stop = 1;
  EXPECT_EQ(pool.run_at_once(2, stop, [&](std::uint64_t) { ++begun; }),
            ThreadPool::AtOnce::stopped);
  over = true;
  other.join();
  EXPECT_EQ(begun, 0);
}

TEST(ThreadPool, EveryThreadBeginsWithItsOwnShare) {
  ThreadPool pool(4, std::chrono::microseconds(50));
  std::vector<std::thread::id> by(8);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> arrived = 0;
    // The first task of each share waits until all threads are there.
    pool.run(by.size(), [&](std::uint64_t i) {
      by[i] = std::this_thread::get_id();
      if (i % 2 != 0) return;
      ++arrived;
      while (arrived < 4) std::this_thread::yield();
    });
    const std::vector<std::thread::id> firsts{by[0], by[2], by[4], by[6]};
    EXPECT_EQ(by[0], std::this_thread::get_id());
    // A thread whose own share was taken while it slept takes another; nobody has two of them.
    EXPECT_EQ(std::set(firsts.begin(), firsts.end()).size(), 4U);
  }
}

TEST(ThreadPool, WorkLeftByThreadsThatAreLateIsDone) {
  ThreadPool pool(2, std::chrono::microseconds(50));
  const auto here = std::this_thread::get_id();
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> over = false;
    std::vector<std::atomic<int>> times(16);
    // The worker hangs in its first task until all others are done.
    pool.run(times.size(), [&](std::uint64_t i) {
      if (std::this_thread::get_id() != here) {
        while (!over) std::this_thread::yield();
      }
      ++times[i];
      int done = 0;
      for (const auto& t : times) done += t;
      if (done == 15) over = true;
    });
    for (const auto& t : times) EXPECT_EQ(t, 1);
  }
}

TEST(ThreadPool, SleepsAndWakesBetweenJobs) {
  ThreadPool pool(3, std::chrono::microseconds(20));
  std::atomic<int> sum = 0;
  for (const int pause_us : {0, 5, 20, 40, 200, 0, 1000}) {
    std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
    pool.run(9, [&](std::uint64_t) { ++sum; });
  }
  EXPECT_EQ(sum, 7 * 9);
}

TEST(ThreadPool, TellsTasksTheNumberOfTheirThread) {
  ThreadPool pool(3);
  std::atomic<int> arrived = 0;
  std::vector<std::thread::id> threads(3);
  // Each task waits for the others, so that every thread has one.
  pool.run(3, [&](std::uint64_t, unsigned number) {
    threads.at(number) = std::this_thread::get_id();
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(threads.begin(), threads.end()).size(), 3U);
  for (int round = 0; round < 50; ++round) {
    pool.run(100, [&](std::uint64_t, unsigned number) {
      EXPECT_EQ(threads.at(number), std::this_thread::get_id());
    });
  }
  pool.run(1, [&](std::uint64_t, unsigned number) { EXPECT_EQ(number, 0U); });
}

bool runs_all(ThreadPool& pool) {
  std::atomic<std::uint64_t> sum = 0;
  pool.run(100, [&](std::uint64_t i) { sum += i; });
  return sum == 4950;
}

bool uses_others(ThreadPool& pool) {
  const auto here = std::this_thread::get_id();
  std::atomic<bool> others = false;
  pool.run(100, [&](std::uint64_t) {
    if (std::this_thread::get_id() != here) others = true;
    for (int i = 0; !others && i < 1000; ++i) std::this_thread::yield();
  });
  return others;
}

TEST(ThreadPool, WorksWithoutMemoryForItsThreadsAndGetsThemLater) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
  EXPECT_TRUE(holds_in_a_process([] {
    ThreadPool pool(4);
    {
      const NoMemory none;
      for (int i = 0; i < 3; ++i) {
        if (!runs_all(pool)) return false;
      }
    }
    for (int i = 0; i < 10'000; ++i) {
      if (!runs_all(pool)) return false;
      if (i > 2'000 && uses_others(pool)) return true;
    }
    return false;
  }));
}

TEST(ThreadPool, ATaskMayAskThePool) {
  ThreadPool pool(2);
  std::atomic<int> inner = 0;
  pool.run(4, [&](std::uint64_t) { pool.run(3, [&](std::uint64_t) { ++inner; }); });
  EXPECT_EQ(inner, 12);
}

}  // namespace
}  // namespace vyre
