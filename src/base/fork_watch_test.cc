#include "vyre/base/fork_watch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "vyre/base/abandonable.h"
#include "vyre/base/memory_promise.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

// What `body` returns in a child, which ends with it.
template <class Body>
bool holds_in_child(const Body& body) {
  const auto child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ForkWatch, IsCalledBeforeInTheParentAndInTheChild) {
  int before = 0, in_parent = 0, in_child = 0;
  {
    const ForkWatch watch({.before = [&](auto) { ++before; },
                           .in_parent = [&] { ++in_parent; },
                           .in_child = [&] { ++in_child; }});
    EXPECT_TRUE(holds_in_child([&] { return before == 1 && in_parent == 0 && in_child == 1; }));
    EXPECT_EQ(before, 1);
    EXPECT_EQ(in_parent, 1);
    EXPECT_EQ(in_child, 0);
  }
  EXPECT_TRUE(holds_in_child([&] { return in_child == 0; }));
}

// Forks while another thread holds the mutex for this long.
template <class Check>
bool holds_beside(ForkSafeMutex& mutex, std::chrono::milliseconds time, const Check& check) {
  std::atomic<bool> held = false;
  std::thread other([&] {
    const std::scoped_lock lock(mutex);
    held = true;
    std::this_thread::sleep_for(time);
  });
  while (!held) std::this_thread::yield();
  const bool out = holds_in_child(check);
  other.join();
  return out;
}

TEST(ForkSafeMutex, IsFreeInTheChild) {
  ForkSafeMutex mutex;
  const auto is_free = [&] { return mutex.try_lock(); };
  EXPECT_TRUE(holds_in_child(is_free));
  EXPECT_TRUE(holds_beside(mutex, 5ms, is_free));
  EXPECT_TRUE(holds_beside(mutex, 500ms, is_free));  // the fork does not wait so long
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(ForkSafeMutex, WhatItGuardsIsWholeInTheChild) {
  ForkSafeMutex mutex;
  std::atomic<bool> ends = false;
  volatile int first = 0, second = 0;
  std::thread writer([&] {
    while (!ends) {
      std::this_thread::sleep_for(500us);
      const std::scoped_lock lock(mutex);
      first = first + 1;
      std::this_thread::sleep_for(500us);
      second = second + 1;
    }
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(holds_in_child([&] { return first == second; }));
  }
  ends = true;
  writer.join();
}

TEST(AbandonableAfterFork, AChildHasNoneOfItsParentsWork) {
  const auto unwanted = [] {
    while (!is_work_unwanted()) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(300ms);
  };
  const auto now = std::chrono::steady_clock::now();
  EXPECT_FALSE(run_abandonable("it", unwanted, {.deadline = now + 5ms}));
  EXPECT_TRUE(is_work_left());
  EXPECT_TRUE(holds_in_child([] { return !is_work_left() && run_abandonable("it", [] {}); }));
}

TEST(AbandonableAfterFork, WorkWaitsForTheForkWhereItAsksWhetherItIsWanted) {
  // Between two questions it changes two numbers: a child sees both changed, or neither.
  volatile int first = 0, second = 0;
  std::atomic<std::uint32_t> stop = 0;
  std::atomic<bool> ended = false;
  const auto work = [&] {
    while (!is_work_unwanted()) {
      first = first + 1;
      std::this_thread::sleep_for(200us);
      second = second + 1;
    }
    ended = true;
  };
  std::thread caller([&] { EXPECT_FALSE(run_abandonable("it", work, {.stop = &stop})); });
  while (first < 3) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(holds_in_child([&] { return first == second; }));
  }
  stop = 1;
  caller.join();
  while (!ended) std::this_thread::yield();
}

TEST(MemoryPromiseAfterFork, AChildIsPromisedWhatItsParentHolds) {
  const auto hundred = [] { return MemoryHeadroom{100, "a limit"}; };
  auto held = promise_memory(80, "it", {}, hundred);
  ASSERT_TRUE(held);
  EXPECT_TRUE(holds_in_child([&] { return promise_memory(80, "it", {}, hundred).has_value(); }));
}

}  // namespace
}  // namespace vyre
