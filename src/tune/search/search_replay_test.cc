#include "vyre/tune/search/search_replay.h"

#include <gtest/gtest.h>

#include "vyre/tune/search/search_landscape_testing.h"

namespace vyre {
namespace {

TEST(SearchReplay, TheExhaustiveSearchEndsAtTheOptimumAndIsChargedForAll) {
  const RecordedSpace space = make_landscape({.seed = 1, .parameters = 3, .missing = 0});
  const auto run = replay_run(space, "exhaustive", 1, {1000});
  ASSERT_TRUE(run);
  ASSERT_EQ(run->steps.size(), 125U);
  EXPECT_EQ(run->steps.back().fraction, 1.0);
  EXPECT_NEAR(run->steps.front().charged_s, 1.1, 1e-9);
  EXPECT_NEAR(run->steps.back().charged_s, 125 * 1.1, 1e-6);
}

TEST(SearchReplay, FractionsNeverFallWhereMeasurementsAreWhole) {
  const RecordedSpace space = make_landscape({.seed = 2, .failing = 0.3});
  for (const std::string_view strategy : {"natural", "hillclimb", "random"}) {
    const auto run = replay_run(space, strategy, 5, {60});
    ASSERT_TRUE(run);
    ASSERT_EQ(run->steps.size(), 60U);
    for (std::size_t i = 1; i < run->steps.size(); ++i) {
      EXPECT_GE(run->steps[i].fraction, run->steps[i - 1].fraction);
      EXPECT_GT(run->steps[i].charged_s, run->steps[i - 1].charged_s);
    }
  }
}

TEST(SearchReplay, WhatFailsIsChargedForCompilingAndOneRun) {
  RecordedSpace space = make_landscape({.seed = 1, .parameters = 1, .missing = 0});
  for (Recording& recording : space.recordings) {
    recording.compile_ns = 3e9;
    recording.benchmark_ns = 2e9;
  }
  space.recordings[0].cost_ns.reset();
  space.recordings[0].samples_ns.clear();
  const auto run = replay_run(space, "exhaustive", 1, {.evaluations = 1000});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->steps.back().charged_s, 5.0 * double(space.recordings.size()));
}

TEST(SearchReplay, HalvingIsChargedForTheSamplesItTakes) {
  const RecordedSpace space = make_landscape({.seed = 2});
  const auto run = replay_run(space, "halving", 5, {24});
  ASSERT_TRUE(run);
  // One of eight samples each, and compiling.
  EXPECT_NEAR(run->steps[15].charged_s, 16 * (1.0 + 0.1 / 8), 1e-6);
  // Two more of half of them, and nothing to compile.
  EXPECT_NEAR(run->steps[23].charged_s - run->steps[15].charged_s, 8 * 0.1 / 4, 1e-6);
}

TEST(SearchReplay, GoesOnUntilSoMuchIsCharged) {
  const RecordedSpace space = make_landscape({.seed = 2});
  const auto run = replay_run(space, "random", 5, {.evaluations = 10, .charged_s = 44});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->steps.size(), 40U);  // of 1.1 s each
  const auto whole = replay_run(space, "random", 5, {.evaluations = 10, .charged_s = 1e9});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->steps.size(), ReplayBudget::kMostCharged);
}

TEST(SearchReplay, CanBeStopped) {
  const RecordedSpace space = make_landscape({.seed = 2});
  int asked = 0;
  const auto run = replay_run(space, "random", 5, {1000}, [&] { return ++asked > 10; });
  ASSERT_TRUE(run);
  EXPECT_EQ(run->steps.size(), 10U);
}

}  // namespace
}  // namespace vyre
