#include "vyre/tune/search/search_strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/tune/search/search_landscape_testing.h"
#include "vyre/tune/search/search_replay.h"

namespace vyre {
namespace {

// All trials of a strategy, with costs from the space.
std::vector<Trial> trials(const RecordedSpace& space, std::string_view name, std::uint64_t seed,
                          std::size_t most = SIZE_MAX, std::span<const double> prior = {}) {
  auto search = make_strategy(name, space.space, {.seed = seed, .prior = prior});
  EXPECT_TRUE(search) << describe(search.error());
  std::vector<Trial> out;
  while (out.size() < most) {
    const auto trial = (*search)->next();
    if (!trial) break;
    out.push_back(*trial);
    (*search)->report(*trial, space.recordings[trial->configuration].cost_ns);
  }
  return out;
}

TEST(SearchStrategy, EveryOneFindsTheBestOfASmallSpace) {
  const RecordedSpace space = make_landscape({.seed = 2, .parameters = 3, .failing = 0.1});
  for (const std::string_view name : kStrategyNames) {
    bool found = false;
    for (const Trial& trial : trials(space, name, 7)) found |= trial.configuration == space.best;
    EXPECT_TRUE(found) << name;
  }
}

TEST(SearchStrategy, NoConfigurationIsTriedTwiceAndNoneIsLeftOut) {
  const RecordedSpace space = make_landscape({.seed = 2, .parameters = 4, .failing = 0.2});
  for (const std::string_view name : kStrategyNames) {
    if (name == "halving") continue;
    std::set<std::uint32_t> seen;
    for (const Trial& trial : trials(space, name, 3)) {
      EXPECT_TRUE(seen.insert(trial.configuration).second) << name;
      EXPECT_EQ(trial.samples, 0U);
    }
    EXPECT_EQ(seen.size(), space.space.size()) << name;
  }
}

TEST(SearchStrategy, TheSameSeedGivesTheSameSearch) {
  const RecordedSpace space = make_landscape({.seed = 5, .parameters = 5});
  for (const std::string_view name : kStrategyNames) {
    const auto first = trials(space, name, 11, 100);
    EXPECT_EQ(first, trials(space, name, 11, 100)) << name;
    EXPECT_EQ(first == trials(space, name, 12, 100), name == "exhaustive") << name;
  }
}

TEST(SearchStrategy, ASpaceWhereEverythingFailsIsSearchedToItsEnd) {
  RecordedSpace space = make_landscape({.seed = 5, .parameters = 3});
  for (Recording& recording : space.recordings) recording.cost_ns.reset();
  for (const std::string_view name : kStrategyNames) {
    EXPECT_EQ(trials(space, name, 1).size(), space.space.size()) << name;
  }
}

TEST(SearchStrategy, ASpaceOfOneIsTriedOnce) {
  RecordedSpace space;
  space.space = *SearchSpace::make({{"a", {"1"}}}, {0});
  space.recordings = {{.cost_ns = 5.0, .samples_ns = {}, .compile_ns = 0, .benchmark_ns = 0}};
  for (const std::string_view name : kStrategyNames) {
    EXPECT_EQ(trials(space, name, 1).size(), 1U) << name;
  }
}

TEST(SearchStrategy, EqualCostsAreNoTrouble) {
  RecordedSpace space = make_landscape({.seed = 5, .parameters = 3});
  for (Recording& recording : space.recordings) recording.cost_ns = 1000;
  EXPECT_EQ(trials(space, "natural", 1).size(), space.space.size());
}

TEST(SearchStrategy, HalvingDoublesTheSamplesOfTheFasterHalf) {
  const RecordedSpace space = make_landscape({.seed = 6, .parameters = 5});
  const auto all = trials(space, "halving", 1, 31);
  ASSERT_EQ(all.size(), 31U);
  std::size_t at = 0;
  for (const std::uint32_t samples : {1U, 2U, 4U, 8U, 16U}) {
    for (std::uint32_t i = 0; i < 16 / samples; ++i) EXPECT_EQ(all[at++].samples, samples);
  }
  double least = INFINITY;
  for (std::size_t i = 0; i < 16; ++i) {
    least = std::min(least, *space.recordings[all[i].configuration].cost_ns);
  }
  EXPECT_EQ(*space.recordings[all.back().configuration].cost_ns, least);
}

TEST(SearchStrategy, APriorIsFollowedWhereItIsRight) {
  const RecordedSpace space = make_landscape({.seed = 8, .parameters = 6});
  std::vector<double> prior;
  for (const Recording& recording : space.recordings) prior.push_back(*recording.cost_ns * 3);
  const auto with = trials(space, "natural", 1, 10, prior);
  EXPECT_EQ(with.front().configuration, space.best);
  const std::vector<double> wrong(3, 1.0);
  EXPECT_FALSE(make_strategy("natural", space.space, {.seed = 1, .prior = wrong}));
}

TEST(SearchStrategy, UnknownNamesAreRefusedWithTheKnown) {
  const RecordedSpace space = make_landscape({.seed = 8, .parameters = 2});
  const auto search = make_strategy("annealing", space.space);
  ASSERT_FALSE(search);
  EXPECT_EQ(search.error().what, "there is no strategy 'annealing'");
  EXPECT_NE(search.error().fix.find("hillclimb"), std::string::npos);
}

// The mean fraction of the optimum after each of these numbers of evaluations, of the same runs.
std::vector<double> mean_fractions(std::string_view strategy, std::span<const std::size_t> after,
                                   double failing) {
  std::vector<double> out(after.size());
  constexpr std::uint32_t kSpaces = 6, kRuns = 4;
  for (std::uint64_t seed = 1; seed <= kSpaces; ++seed) {
    const RecordedSpace space = make_landscape({.seed = seed, .failing = failing});
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      const auto replayed = replay_run(space, strategy, replay_seed(1, run),
                                       {static_cast<std::uint32_t>(after.back())});
      for (std::size_t i = 0; i < after.size(); ++i) {
        const auto& steps = replayed->steps;
        out[i] += steps[std::min(after[i], steps.size()) - 1].fraction / (kSpaces * kRuns);
      }
    }
  }
  return out;
}

TEST(SearchStrategy, NaturalIsAtLeastAsGoodAsHillClimbing) {
  if (kSanitized) GTEST_SKIP() << "many searches, of the same code as the others here";
  constexpr std::array<std::size_t, 3> kAfter{25, 50, 100};
  for (const double failing : {0.0, 0.15}) {
    const auto natural = mean_fractions("natural", kAfter, failing);
    const auto hillclimb = mean_fractions("hillclimb", kAfter, failing);
    const auto random = mean_fractions("random", kAfter, failing);
    for (std::size_t i = 0; i < kAfter.size(); ++i) {
      EXPECT_GE(natural[i], hillclimb[i]) << kAfter[i];
      EXPECT_GE(natural[i], random[i]) << kAfter[i];
      EXPECT_GE(natural[i], kAfter[i] >= 50 ? 0.9 : 0.5) << kAfter[i];
    }
  }
}

}  // namespace
}  // namespace vyre
