#include "vyre/device/cpu/watchdog.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <new>
#include <thread>
#include <vector>

#include "vyre/base/memory/no_memory_testing.h"
#include "vyre/base/process/sanitizers_testing.h"

namespace vyre {
namespace {

using Clock = Watchdog::Clock;
using namespace std::chrono_literals;
using Flag = std::atomic<std::uint32_t>;

bool raised_within(const Flag& flag, std::chrono::milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (flag == 0 && Clock::now() < end) std::this_thread::sleep_for(1ms);
  return flag != 0;
}

TEST(Watchdog, RaisesBothFlagsWhenTheTimeHasCome) {
  Watchdog watchdog;
  Flag one{0}, two{0};
  const auto when = Clock::now() + 20ms;
  const auto id = watchdog.arm(when, {&one, &two});
  ASSERT_TRUE(id);
  EXPECT_TRUE(raised_within(one, 10s));
  EXPECT_GE(Clock::now(), when);
  EXPECT_TRUE(raised_within(two, 10s));
  watchdog.disarm(*id);
}

TEST(Watchdog, LeavesFlagsAloneThatWereDisarmed) {
  Watchdog watchdog;
  Flag one{0}, two{0};
  const auto id = watchdog.arm(Clock::now() + 20ms, {&one, &two});
  ASSERT_TRUE(id);
  watchdog.disarm(*id);
  Flag later{0};
  ASSERT_TRUE(watchdog.arm(Clock::now() + 40ms, {&later, &later}));
  EXPECT_TRUE(raised_within(later, 10s));
  EXPECT_EQ(one, 0U);
  EXPECT_EQ(two, 0U);
}

TEST(Watchdog, LeavesAFlagAloneThatSomebodyElseHasSet) {
  Watchdog watchdog;
  Flag taken{1}, other{0};
  ASSERT_TRUE(watchdog.arm(Clock::now(), {&taken, &other}));
  EXPECT_TRUE(raised_within(other, 10s));
  EXPECT_EQ(other, Watchdog::kRaised);
  EXPECT_EQ(taken, 1U);
}

TEST(Watchdog, TakesTheEarliestFirst) {
  Watchdog watchdog;
  Flag early{0}, late{0};
  ASSERT_TRUE(watchdog.arm(Clock::now() + 1h, {&late, &late}));
  ASSERT_TRUE(watchdog.arm(Clock::now() + 5ms, {&early, &early}));
  EXPECT_TRUE(raised_within(early, 10s));
  EXPECT_EQ(late, 0U);
}

TEST(Watchdog, ATimeThatIsPastIsDueAtOnce) {
  Watchdog watchdog;
  Flag flag{0};
  ASSERT_TRUE(watchdog.arm(Clock::now() - 1s, {&flag, &flag}));
  EXPECT_TRUE(raised_within(flag, 10s));
}

TEST(Watchdog, EndsWithDeadlinesLeft) {
  Flag flag{0};
  {
    Watchdog watchdog;
    ASSERT_TRUE(watchdog.arm(Clock::now() + 1h, {&flag, &flag}));
  }
  EXPECT_EQ(flag, 0U);
}

TEST(Watchdog, AGuardLeavesTheFlagsAloneAtItsEnd) {
  Watchdog watchdog;
  Flag flag{0}, later{0};
  {
    Watchdog::Guard guard(watchdog);
    ASSERT_TRUE(guard.arm(Clock::now() + 20ms, {&flag, &flag}));
  }
  ASSERT_TRUE(watchdog.arm(Clock::now() + 40ms, {&later, &later}));
  EXPECT_TRUE(raised_within(later, 10s));
  EXPECT_EQ(flag, 0U);
}

TEST(Watchdog, WithoutMemoryForItsThreadMemoryIsWhatIsMissing) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
  EXPECT_TRUE(holds_in_a_process([] {
    Watchdog watchdog;
    Flag flag{0};
    const auto when = Clock::now() + 1h;
    const auto refused = [&] {
      const NoMemory none;
      try {
        const auto id = watchdog.arm(when, {&flag, &flag});
        return !id && id.error().code == Code::out_of_memory;
      } catch (const std::bad_alloc&) {
        return true;
      }
    };
    return refused() && watchdog.arm(when, {&flag, &flag}).has_value();
  }));
  // There is memory for everything but the thread's stack.
  EXPECT_TRUE(holds_in_a_process([] {
    Watchdog watchdog;
    Flag flag{0};
    pthread_attr_t large{};
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, std::size_t{1} << 30);
    const rlimit limit{0, RLIM_INFINITY};
    if (pthread_setattr_default_np(&large) != 0 || setrlimit(RLIMIT_AS, &limit) != 0) return false;
    const auto id = watchdog.arm(Clock::now() + 1h, {&flag, &flag});
    return !id && id.error().code == Code::out_of_memory;
  }));
}

TEST(Watchdog, ServesManyThreads) {
  Watchdog watchdog;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        Flag flag{0};
        const bool short_one = (i + t) % 5 == 0;
        const auto id = watchdog.arm(Clock::now() + (short_one ? 1ms : 60'000ms), {&flag, &flag});
        if (!id) ++wrong;
        if (short_one && !raised_within(flag, 10s)) ++wrong;
        if (id) watchdog.disarm(*id);
        if (!short_one && flag != 0) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace vyre
