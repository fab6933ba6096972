#include "vyre/tune/online/paired_comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace vyre {
namespace {

// A machine whose speed wanders and that stands still at times. Whatever runs second in a pair is
// 1% faster, because the first has warmed it up.
class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed) {}

  // One pair whose challenger saves `gain`; a coin, or nothing, decides who runs first.
  void add_pair(PairedComparison& to, double gain, bool with_coin = true) {
    const bool challenger_first = !with_coin || random_() % 2 == 0;
    const double first = next(), second = 0.99 * next();
    const double challenger = (challenger_first ? first : second) * (1 - gain);
    to.add(challenger_first ? second : first, challenger);
  }

 private:
  double next() {
    const double step = double(random_() % 2001) / 1000 - 1;
    level_ = 0.95 * level_ + 0.02 * step;
    const double pause = random_() % 40 == 0 ? double(random_() % 50) : 0;
    return 1e5 * std::exp(level_) * (1 + pause);
  }
  std::mt19937_64 random_;
  double level_ = 0;
};

// The share of comparisons whose evidence ever reaches log(100) within 300 pairs.
double share_won(double gain, bool with_coin, int comparisons) {
  int won = 0;
  for (int i = 0; i < comparisons; ++i) {
    Machine machine(static_cast<std::uint64_t>(i) + 1);
    PairedComparison it;
    bool reached = false;
    for (int pair = 0; pair < 300 && !reached; ++pair) {
      machine.add_pair(it, gain, with_coin);
      reached = it.evidence_above(0) >= std::log(100);
    }
    won += reached ? 1 : 0;
  }
  return double(won) / comparisons;
}

TEST(PairedComparison, LuckWinsOnceInAHundredHoweverOftenOneLooks) {
  EXPECT_LE(share_won(0, true, 1000), 0.01);
}

TEST(PairedComparison, WithoutTheCoinTheSecondSlotWins) {
  // The second run of a pair is faster. With a fixed order the incumbent therefore seems faster,
  // and a true gain is not found.
  EXPECT_LE(share_won(0.01, false, 50), 0.1);
  EXPECT_GE(share_won(0.05, true, 50), 0.9);
}

TEST(PairedComparison, AClearGainNeedsFewPairs) {
  PairedComparison it;
  for (int i = 0; i < 12; ++i) it.add(100, 80);
  EXPECT_GE(it.evidence_above(0), std::log(200));
  EXPECT_NEAR(it.gain(), 0.2, 1e-4);
  const GainInterval interval = it.interval(0.99);
  EXPECT_GT(interval.low, 0);
  EXPECT_LT(interval.low, 0.2);
  EXPECT_GE(interval.high, it.gain());
}

TEST(PairedComparison, TheIntervalHoldsTheTruthAndNarrows) {
  int missed = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Machine machine(seed);
    PairedComparison it;
    for (int i = 0; i < 50; ++i) machine.add_pair(it, 0.03);
    const GainInterval early = it.interval(0.99);
    for (int i = 0; i < 450; ++i) machine.add_pair(it, 0.03);
    const GainInterval late = it.interval(0.99);
    missed += late.low > 0.03 || late.high < 0.03 ? 1 : 0;
    EXPECT_LT(late.high - late.low, early.high - early.low) << seed;
    EXPECT_LE(late.low, late.gain);
    EXPECT_GE(late.high, late.gain);
  }
  EXPECT_LE(missed, 3);
}

TEST(PairedComparison, WhatGainsTooLittleIsShownToDoSo) {
  Machine machine(5);
  PairedComparison it;
  for (int i = 0; i < 1000; ++i) machine.add_pair(it, 0);
  EXPECT_GE(it.evidence_below(0.02), std::log(20));
  EXPECT_LT(it.evidence_above(0.02), 0);
}

TEST(PairedComparison, PairsOfSeveralProcessesAddUp) {
  Machine machine(7);
  PairedComparison whole;
  for (int i = 0; i < 60; ++i) machine.add_pair(whole, 0.02);
  PairedComparison parts;
  for (const int log_ratio : whole.log_ratios()) {
    parts.add(log_ratio);
    (void)parts.evidence_above(0);  // looking does not change it
  }
  EXPECT_EQ(parts.evidence_above(0), whole.evidence_above(0));
  EXPECT_EQ(parts.interval(0.99).low, whole.interval(0.99).low);
}

std::vector<bool> tosses(std::uint64_t seed) {
  FairCoin coin(seed);
  std::vector<bool> out(64);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = coin.toss();
  return out;
}

TEST(FairCoin, WithoutASeedNoTwoCoinsMakeTheSameTosses) {
  EXPECT_EQ(tosses(7), tosses(7));
  EXPECT_NE(tosses(7), tosses(8));
  EXPECT_NE(tosses(0), tosses(0));
}

TEST(PairedComparison, NothingIsKnownWithoutPairs) {
  const PairedComparison it;
  EXPECT_EQ(it.evidence_above(0), 0);
  EXPECT_EQ(it.gain(), 0);
  EXPECT_EQ(it.interval(0.99).low, -1);
  EXPECT_EQ(it.interval(0.99).high, 1);
}

TEST(PairedComparison, WordsSayGainAndInterval) {
  EXPECT_EQ(gain_words({0.031, 0.012, 0.05}), "3.1% faster (99% interval 1.2 to 5.0)");
  EXPECT_EQ(gain_words({-0.02, -0.05, 0.01}, "a=1"),
            "2.0% slower than a=1 (99% interval -1.0 to 5.0)");
}

}  // namespace
}  // namespace vyre
