#include "vyre/base/process/abandonable.h"

#include <gtest/gtest.h>

#include <future>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "vyre/base/memory/no_memory_testing.h"
#include "vyre/base/process/sanitizers_testing.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(Abandonable, GivesTheResultOfItsWork) {
  const auto length = [text = std::string("four")]() -> Result<std::size_t> { return text.size(); };
  EXPECT_EQ(result_of_abandonable("it", length, {}), 4U);
  const auto refuses = []() -> Result<int> { return fail(Code::io, "refused"); };
  EXPECT_EQ(result_of_abandonable("it", refuses, {}).error().what, "refused");
}

TEST(Abandonable, MemoryThatRunsOutIsAnError) {
  const auto ran = run_abandonable("it", [] { throw std::bad_alloc(); });
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, Code::out_of_memory);
}

TEST(Abandonable, AnAttemptNeedsNoMemoryToFindThatThereIsNone) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
  EXPECT_TRUE(holds_in_a_process([] {
    // As many references as fit into no std::function without memory.
    std::string one, two, three, four;
    std::string* last = nullptr;
    Result<void> ran;
    Result<void> failed;
    {
      const NoMemory none;
      ran = attempt_work([&] {
        last = &four;
        one = two + three + std::string(10'000, 'x');
      });
      failed = attempt_work([] { throw std::runtime_error("a text too long to need no memory"); });
    }
    return last == &four && !ran && ran.error().code == Code::out_of_memory && !failed;
  }));
}

TEST(Abandonable, GivingUpIsTheErrorThatWasGiven) {
  bool went_on = false;
  const auto ran = attempt_work([&] {
    EXPECT_TRUE(is_in_abandonable_work());
    abandon_work({Code::unavailable, "no way", {}});
    went_on = true;
  });
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, Code::unavailable);
  EXPECT_EQ(ran.error().what, "no way");
  EXPECT_FALSE(went_on);
  EXPECT_FALSE(is_in_abandonable_work());
  EXPECT_TRUE(attempt_work([] {}));
}

// Work that goes on until its caller has left, and says so.
struct Endless {
  std::promise<void> seen;
  std::function<void()> work() {
    return [this] {
      while (!is_work_unwanted()) std::this_thread::sleep_for(1ms);
      seen.set_value();
    };
  }
  bool ended() { return seen.get_future().wait_for(10s) == std::future_status::ready; }
};

TEST(Abandonable, TheCallerLeavesAtTheDeadlineAndTheWorkSeesIt) {
  Endless endless;
  const auto begin = Clock::now();
  const auto ran = run_abandonable("the endless work", endless.work(), {.deadline = begin + 30ms});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, Code::device);
  EXPECT_EQ(ran.error().what, "the endless work was not done by its deadline");
  EXPECT_GE(Clock::now() - begin, 30ms);
  EXPECT_TRUE(endless.ended());
}

TEST(Abandonable, TheCallerLeavesWhenItIsStopped) {
  Endless endless;
  std::atomic<std::uint32_t> stop{0};
  std::thread stopper([&] {
    std::this_thread::sleep_for(20ms);
    stop = 1;
  });
  const auto ran = run_abandonable("the endless work", endless.work(), {.stop = &stop});
  stopper.join();
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().what, "the endless work was stopped");
  EXPECT_TRUE(endless.ended());
}

TEST(Abandonable, HasAStackForDeepRecursion) {
  const std::function<int(int)> deep = [&](int levels) {
    volatile char frame[1024];
    frame[0] = 1;
    return levels == 0 ? 0 : frame[0] + deep(levels - 1);
  };
  EXPECT_EQ(result_of_abandonable("it", [&]() -> Result<int> { return deep(1500); }, {}), 1500);
}

TEST(Abandonable, CountsTheTimeOfItsThread) {
  const double before = work_ns();
  const auto spin = [] {
    for (const auto end = Clock::now() + 30ms; Clock::now() < end;) {
    }
  };
  ASSERT_TRUE(run_abandonable("it", spin));
  EXPECT_GE(work_ns() - before, 1e6);
}

}  // namespace
}  // namespace vyre
