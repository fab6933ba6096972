#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vyre/engine/tuned/measure_order_internal.h"

namespace vyre {
namespace {

// Tiles whose product is the workgroup, a depth and a flag, on several gangs: 3,600 candidates.
std::vector<SearchedCandidate> tiled_candidates() {
  std::vector<SearchedCandidate> out;
  for (const std::uint32_t x : {4U, 8U, 16U, 32U, 64U}) {
    for (const std::uint32_t y : {1U, 2U, 4U, 8U, 16U}) {
      for (const std::uint32_t depth : {4U, 8U, 16U, 32U}) {
        for (const char* flag : {"false", "true"}) {
          for (const std::uint32_t gang : {4U, 8U, 16U}) {
            for (const std::uint32_t groups : {1U, 2U, 4U, 8U, 16U, 64U}) {
              SearchedCandidate c;
              c.variant.workgroup = c.declared = {x, y, 1};
              c.variant.gang_width = gang;
              c.variant.groups_per_task = groups;
              c.variant.overrides = {{"DEPTH", std::to_string(depth)},
                                     {"FLAG", flag},
                                     {"X", std::to_string(x)},
                                     {"Y", std::to_string(y)}};
              out.push_back(std::move(c));
            }
          }
        }
      }
    }
  }
  return out;
}

// A valley that no single parameter shows: x and y go together, and so do gang and x.
double cost_of(const SearchedCandidate& c) {
  const auto steps = [](double value, double best) { return std::log2(value / best); };
  const double x = c.variant.workgroup[0], y = c.variant.workgroup[1];
  const double depth = std::stod(c.variant.overrides[0].value);
  double cost = 1 + 0.3 * std::abs(steps(x * y, 256)) + 0.15 * std::abs(steps(x, 32)) +
                0.1 * std::abs(steps(depth, 16)) +
                0.2 * std::abs(steps(c.variant.gang_width, std::min(x, 16.0))) +
                0.05 * std::abs(steps(c.variant.groups_per_task, 4));
  if (c.variant.overrides[1].value == "true") cost *= 0.9;
  return cost * 1e5;
}

// The best cost that a strategy has found after this number of trials.
double best_after(std::string_view strategy, std::size_t trials, std::uint64_t seed) {
  const auto candidates = tiled_candidates();
  // The model knows nothing of these overrides: it prefers small workgroups.
  std::vector<double> prior;
  for (const SearchedCandidate& c : candidates) {
    prior.push_back(1.0 + c.variant.workgroup[0] * c.variant.workgroup[1]);
  }
  auto order = MeasureOrder::make(strategy, candidates, prior, {}, 7, seed);
  EXPECT_TRUE(order) << describe(order.error());
  double best = 1e300;
  for (std::size_t i = 0; i < trials; ++i) {
    const auto trial = (*order)->next();
    if (!trial) break;
    const double cost = cost_of(candidates[trial->configuration]);
    best = std::min(best, cost);
    (*order)->report(*trial, cost);
  }
  return best;
}

TEST(MeasureOrderTest, ASearchOfALargeSpaceFindsMoreThanTheOrderOfThePrior) {
  double optimum = 1e300;
  for (const SearchedCandidate& c : tiled_candidates()) optimum = std::min(optimum, cost_of(c));
  const double swept = best_after("exhaustive", 80, 1);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double found = best_after("natural", 80, seed);
    EXPECT_LT(found, swept) << seed;
    EXPECT_LT(found, 1.06 * optimum) << seed;
  }
}

TEST(MeasureOrderTest, TheStrategyFitsTheSizeOfTheSpace) {
  EXPECT_EQ(strategy_for("", kMostSwept, true), "exhaustive");
  EXPECT_EQ(strategy_for("", kMostSwept + 1, true), "natural");
  EXPECT_EQ(strategy_for("", 100'000, false), "exhaustive");
  EXPECT_EQ(strategy_for("random", 3, false), "random");
}

TEST(MeasureOrderTest, AWorkgroupThatOverridesMakeIsNoParameterOfItsOwn) {
  const auto candidates = tiled_candidates();
  const auto space = search_space_of(candidates);
  ASSERT_TRUE(space);
  EXPECT_EQ(space->size(), candidates.size());
  const auto& workgroup = space->parameters().front();
  EXPECT_EQ(workgroup.name, "workgroup");
  EXPECT_EQ(workgroup.values.size(), 1U);
  // Configurations that differ in one override only are in the space.
  std::vector<std::uint32_t> near;
  space->neighbours(0, near);
  EXPECT_EQ(near.size(), 4U + 4 + 3 + 1 + 2 + 5);
}

TEST(MeasureOrderTest, AllThatIsLeftIsMeasuredOnceByEveryStrategy) {
  auto candidates = tiled_candidates();
  candidates.resize(300);
  const std::vector<double> prior(candidates.size(), 1);
  for (const std::string_view strategy : {"natural", "hillclimb", "random", "exhaustive"}) {
    auto order = MeasureOrder::make(strategy, candidates, prior, {}, 5, 1);
    ASSERT_TRUE(order);
    std::set<std::uint32_t> seen;
    while (const auto trial = (*order)->next()) {
      EXPECT_TRUE(seen.insert(trial->configuration).second) << strategy;
      // Every third configuration fails.
      const bool fails = trial->configuration % 3 == 0;
      (*order)->report(
          *trial, fails ? std::nullopt : std::optional(cost_of(candidates[trial->configuration])));
    }
    EXPECT_EQ(seen.size(), candidates.size()) << strategy;
  }
}

TEST(MeasureOrderTest, WhatWasSlowOrWrongBeforeIsNotMeasuredAgain) {
  auto candidates = tiled_candidates();
  candidates.resize(400);
  const std::vector<double> prior(candidates.size(), 1);
  std::vector<CandidateView> known(candidates.size());
  for (std::size_t i = 0; i < 100; ++i) known[i].time.ns = cost_of(candidates[i]);
  for (std::size_t i = 100; i < 150; ++i) {
    known[i].stage = CandidateStage::dropped;
    known[i].dropped = "wrong";
  }
  double best = 1e300;
  for (std::size_t i = 0; i < 100; ++i) best = std::min(best, known[i].time.ns);
  auto order = MeasureOrder::make("natural", candidates, prior, known, 300, 1);
  ASSERT_TRUE(order);
  std::size_t measured = 0;
  while (const auto trial = (*order)->next()) {
    const std::uint32_t i = trial->configuration;
    EXPECT_FALSE(i >= 100 && i < 150);
    // Only candidates that may be the best are measured again.
    if (i < 100) {
      EXPECT_LE(known[i].time.ns, 1.3 * best);
    }
    (*order)->report(*trial, cost_of(candidates[i]));
    ++measured;
  }
  EXPECT_GT((*order)->known(), 50U);
  EXPECT_EQ(measured + (*order)->known(), candidates.size());
}

}  // namespace
}  // namespace vyre
