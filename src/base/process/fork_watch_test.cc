#include "vyre/base/process/fork_watch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "vyre/base/memory/memory_promise.h"
#include "vyre/base/process/abandonable.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

bool ended_well(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// What `body` returns in a child, which ends with it.
template <class Body>
bool holds_in_child(const Body& body) {
  const auto child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  return ended_well(child);
}

// A thread changes two numbers, one after the other.
struct TwoNumbers {
  std::atomic<int> first = 0, second = 0;

  void change(std::chrono::microseconds between) {
    ++first;
    std::this_thread::sleep_for(between);
    ++second;
  }
  bool are_equal_in_child() const {
    return holds_in_child([&] { return first == second; });
  }
};

TEST(ForkWatch, IsCalledBeforeInTheParentAndInTheChild) {
  int before = 0, in_parent = 0, in_child = 0;
  {
    const ForkWatch watch({.before =
                               [&](const ForkPatience&) {
                                 ++before;
                                 return true;
                               },
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
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
  ForkSafeMutex of_work(HeldFor::work);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(holds_beside(of_work, 1s, [&] {
    return of_work.try_lock() && std::chrono::steady_clock::now() - begin < 1s;
  }));
}

// Each number of microseconds is one hold of the mutex by another thread, with a pause between.
class Changing {
 public:
  Changing(ForkSafeMutex& mutex, std::chrono::microseconds time)
      : thread_([this, &mutex, time] {
          while (!ends_) {
            std::this_thread::sleep_for(500us);
            const std::scoped_lock lock(mutex);
            numbers.change(time);
          }
        }) {
    while (numbers.first < 1) std::this_thread::yield();
  }
  ~Changing() {
    ends_ = true;
    thread_.join();
  }
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;

  TwoNumbers numbers;

 private:
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

TEST(ForkSafeMutex, WhatItGuardsIsWholeInTheChild) {
  ForkSafeMutex mutex;
  const Changing changing(mutex, 500us);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(changing.numbers.are_equal_in_child());
}

TEST(ForkSafeMutex, WhatItGuardsIsWholeHoweverLongTheThreadIsKeptFromRunning) {
  ForkSafeMutex mutex;
  const Changing changing(mutex, 150ms);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(changing.numbers.are_equal_in_child());
}

TEST(ForkSafeMutex, WhatItGuardsIsWholeBesideALaunch) {
  ForkSafeMutex mutex;
  ForkSafeMutex of_launch(HeldFor::work);
  const Changing changing(mutex, 60ms);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(holds_beside(of_launch, 100ms, [&] {
      return of_launch.try_lock() && changing.numbers.first == changing.numbers.second;
    }));
  }
}

TEST(ForkSafeMutex, AThreadThatHoldsOneMayMakeAnother) {
  ForkSafeMutex mutex;
  std::atomic<bool> ends = false;
  std::thread other([&] {
    while (!ends) {
      std::this_thread::sleep_for(1ms);
      const std::scoped_lock lock(mutex);
      std::this_thread::sleep_for(1ms);
      const ForkSafeMutex another;
    }
  });
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(holds_in_child([&] { return mutex.try_lock(); }));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);  // or each fork waits two seconds
  ends = true;
  other.join();
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
  // A child sees both numbers changed, or neither.
  TwoNumbers numbers;
  std::atomic<std::uint32_t> stop = 0;
  std::atomic<bool> ended = false;
  const auto work = [&] {
    while (!is_work_unwanted()) numbers.change(200us);
    ended = true;
  };
  std::thread caller([&] { EXPECT_FALSE(run_abandonable("it", work, {.stop = &stop})); });
  while (numbers.first < 3) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(numbers.are_equal_in_child());
  stop = 1;
  caller.join();
  while (!ended) std::this_thread::yield();
}

TEST(AbandonableAfterFork, AChildOfAThreadThatForkedBesideWorkRefusesTheLike) {
  std::atomic<bool> begun = false, ends = false;
  const auto work = [&] {
    begun = true;
    while (!ends) std::this_thread::sleep_for(1ms);
  };
  std::thread caller([&] { EXPECT_TRUE(run_abandonable("it", work)); });
  while (!begun) std::this_thread::yield();
  EXPECT_TRUE(holds_in_child([] {
    const auto ran = run_abandonable("it", [] {});
    return !ran && ran.error().code == Code::unavailable && !ran.error().fix.empty();
  }));
  ends = true;
  caller.join();
  EXPECT_TRUE(run_abandonable("it", [] {}));
  EXPECT_TRUE(holds_in_child([] { return run_abandonable("it", [] {}).has_value(); }));
}

TEST(MemoryPromiseAfterFork, AChildIsPromisedWhatItsParentHolds) {
  const auto hundred = [] { return MemoryHeadroom{100, "a limit"}; };
  auto held = promise_memory(80, "it", {}, hundred);
  ASSERT_TRUE(held);
  EXPECT_TRUE(holds_in_child([&] { return promise_memory(80, "it", {}, hundred).has_value(); }));
}

}  // namespace
}  // namespace vyre
