#include "vyre/tune/online/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace vyre {
namespace {

const auto kNever = [] { return false; };

// A machine on which other programs run: one time in `disturbed` takes up to four times as long,
// all have a little noise, and now and then everything is slower for a while.
class Machine {
 public:
  Machine(std::vector<double> ns, unsigned seed) : ns_(std::move(ns)), random_(seed) {}

  double time(std::uint32_t i) {
    ++calls;
    std::uniform_real_distribution<double> any(0, 1);
    double ns = ns_[i] * (1 + 0.01 * any(random_));
    if (any(random_) < 0.35) ns *= 1 + 3 * any(random_);
    if (calls / 150 % 3 == 2) ns *= 1.5;
    return ns;
  }

  std::vector<std::vector<double>> first_times() {
    std::vector<std::vector<double>> out(ns_.size());
    for (std::uint32_t i = 0; i < ns_.size(); ++i) {
      for (int run = 0; run < 3; ++run) out[i].push_back(time(i));
    }
    return out;
  }

  std::size_t calls = 0;

 private:
  std::vector<double> ns_;
  std::mt19937 random_;
};

std::uint32_t first_of(const RaceResult& result, std::uint32_t favourite) {
  return result.ranking.empty() ? favourite : result.ranking.front();
}

TEST(RaceTest, FindsTheFastestOnABusyMachine) {
  std::vector<double> ns;
  for (int i = 0; i < 40; ++i) ns.push_back(100'000 * (1 + 0.02 * i));
  std::ranges::shuffle(ns, std::mt19937(5));
  const auto fastest = static_cast<std::uint32_t>(std::ranges::min_element(ns) - ns.begin());
  int right = 0, good = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Machine machine(ns, seed);
    auto times = machine.first_times();
    const RaceResult result = race(
        times, 0, [&](std::uint32_t i) { return machine.time(i); }, {.sample_ns = 1e5}, kNever);
    const std::uint32_t winner = first_of(result, 0);
    right += winner == fastest ? 1 : 0;
    good += ns[winner] <= 1.021 * ns[fastest] ? 1 : 0;
    EXPECT_LE(machine.calls, 40U * 3 + 32 * 4 + 16 * 8 + 8 * 16 + 6 * 96);
  }
  EXPECT_GE(right, 180);
  EXPECT_GE(good, 196);
}

TEST(RaceTest, WhatWasQuickOnceIsNotForgottenInBusyTimes) {
  // The second candidate needs both processors, and one of them is taken away after the first
  // times.
  const auto time = [](std::uint32_t i) { return std::optional(i == 0 ? 103e3 : 107e3); };
  std::vector<std::vector<double>> times{{103e3, 104e3, 103e3}, {53e3, 54e3, 53e3}};
  EXPECT_EQ(first_of(race(times, 0, time, {}, kNever), 0), 1U);
}

TEST(RaceTest, TheFavouriteIsTimedAgainAfterItsFirstTimes) {
  // The first candidate was timed before the threads were awake.
  const auto time = [](std::uint32_t i) { return std::optional(i == 0 ? 50e3 : 55e3); };
  std::vector<std::vector<double>> times{{105e3, 110e3, 106e3}, {56e3}, {55e3}, {58e3}};
  EXPECT_EQ(first_of(race(times, 0, time, {}, kNever), 0), 0U);
}

TEST(RaceTest, TheFavouriteStaysInTheRaceHoweverSlowItSeems) {
  unsigned of_favourite = 0;
  const auto time = [&](std::uint32_t i) {
    if (i == 9) ++of_favourite;
    return std::optional(i == 9 ? 5e6 : 1e6 * (1 + 0.001 * i));
  };
  std::vector<std::vector<double>> times(10, {1e6});
  const RaceResult result = race(times, 9, time, {.stage_ns = 1e9}, kNever);
  EXPECT_EQ(of_favourite, result.rounds);
  ASSERT_FALSE(result.ranking.empty());
  EXPECT_EQ(result.ranking.front(), 0U);
  EXPECT_TRUE(std::ranges::is_sorted(result.ranking));
}

TEST(RaceTest, WhoFailsIsOut) {
  const auto time = [](std::uint32_t i) {
    return i == 2 ? std::nullopt : std::optional(1e6 + 1e5 * i);
  };
  std::vector<std::vector<double>> times{{}, {1.1e6}, {0.9e6}, {1.3e6}};
  const RaceResult result = race(times, 3, time, {}, kNever);
  EXPECT_EQ(first_of(result, 3), 1U);
  EXPECT_TRUE(times[0].empty());
  EXPECT_EQ(times[2].size(), 1U);
}

TEST(RaceTest, WhoWasNotTimedIsNotOut) {
  Machine machine({100'000, 80'000, 90'000}, 1);
  auto times = machine.first_times();
  bool stopped = false;
  const RaceResult result = race(
      times, 0,
      [&](std::uint32_t i) {
        stopped = stopped || machine.calls > 30;
        return stopped ? 0 : machine.time(i);
      },
      {.sample_ns = 1e5}, [&] { return stopped; });
  EXPECT_EQ(first_of(result, 0), 1U);
  for (const auto& of_one : times) EXPECT_GT(std::ranges::min(of_one), 0);
}

TEST(RaceTest, EndsWhenItsTimeIsOver) {
  std::vector<std::vector<double>> times(10, {1e6});
  times[7] = {0.8e6};
  unsigned calls = 0;
  const auto time = [&](std::uint32_t i) {
    ++calls;
    return std::optional(i == 7 ? 0.8e6 : 1e6);
  };
  EXPECT_EQ(first_of(race(times, 0, time, {}, [&] { return true; }), 0), 7U);
  EXPECT_EQ(calls, 0U);
  EXPECT_EQ(first_of(race(times, 0, time, {}, [&] { return calls >= 10; }), 0), 7U);
  EXPECT_EQ(calls, 10U);
}

TEST(RaceTest, AQuietMachineNeedsFewRounds) {
  std::vector<std::vector<double>> times(20, {1e6});
  std::mt19937 random(3);
  std::uniform_real_distribution<double> noise(0.999, 1.001);
  unsigned calls = 0;
  const auto time = [&](std::uint32_t i) {
    ++calls;
    return std::optional((i == 11 ? 0.97e6 : 1e6) * noise(random));
  };
  EXPECT_EQ(first_of(race(times, 0, time, {}, kNever), 0), 11U);
  EXPECT_LE(calls, 20U * 4 + 16 * 8 + 8 * 16 + 6 * 24);
}

TEST(RaceTest, LongRunsAreTimedSeldom) {
  std::vector<std::vector<double>> times(8, {2e8});
  unsigned calls = 0;
  const auto time = [&](std::uint32_t i) {
    ++calls;
    return std::optional(2e8 + i);
  };
  (void)race(times, 0, time, {.stage_ns = 1e9}, kNever);
  EXPECT_LE(calls, 8U * 2 + 8 * 2 + 8 * 3 + 6 * 5);
}

TEST(RaceTest, FiguresCompareTimesOfOneRound) {
  // The second is a tenth slower, in rounds that differ by far more.
  const std::vector<std::vector<double>> rounds{
      {10, 11, 0}, {50, 55, 0}, {20, 22, 0}, {15, 16.5, 0}};
  const auto figures = figures_of_rounds(rounds);
  EXPECT_NEAR(figures[1] / figures[0], 1.1, 1e-9);
  EXPECT_EQ(figures[2], 0);
  EXPECT_GE(figures[0], 10);
  EXPECT_LE(figures[0], 50);
  EXPECT_TRUE(figures_of_rounds({}).empty());
}

}  // namespace
}  // namespace vyre
