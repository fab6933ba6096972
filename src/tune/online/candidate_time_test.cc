#include "vyre/tune/online/candidate_time.h"

#include <gtest/gtest.h>

#include "vyre/tune/online/paired_comparison.h"

namespace vyre {
namespace {

CandidateState timed(std::string text, std::vector<double> ns) {
  return {.candidate = std::move(text), .recent_ns = std::move(ns)};
}

TEST(CandidateTime, IsTheMedianOfSamplesThatWereNeverCompared) {
  const KeyState state{.candidates = {timed("a", {10, 30, 20}), timed("b", {5, 7}), timed("c", {})},
                       .incumbent = "a"};
  EXPECT_EQ(candidate_time(state, state.candidates[0]), (CandidateTime{20, 10, 30}));
  EXPECT_EQ(candidate_time(state, state.candidates[1]), (CandidateTime{6, 5, 7}));
  EXPECT_EQ(candidate_time(state, state.candidates[2]), CandidateTime());
}

TEST(CandidateTime, TheIntervalOfManySamplesLeavesOutTheirEnds) {
  std::vector<double> samples;
  for (int i = 1; i <= 15; ++i) samples.push_back(i);
  const KeyState state{.candidates = {timed("a", samples)}};
  // Of 15 tosses at most 2 are heads with a chance of 0.4%: twice that is below 1%.
  EXPECT_EQ(candidate_time(state, state.candidates[0]), (CandidateTime{8, 3, 13}));
}

TEST(CandidateTime, IsWhatPairsWithTheIncumbentSay) {
  KeyState state{.candidates = {timed("a", {100}), timed("b", {500, 600})}, .incumbent = "a"};
  PairedComparison pairs;
  for (int i = 0; i < 20; ++i) pairs.add(100, 90 + i % 3);
  state.candidates[1].compared_with = "a";
  state.candidates[1].log_ratios = pairs.log_ratios();
  const CandidateTime time = candidate_time(state, state.candidates[1]);
  EXPECT_NEAR(time.ns, 91, 0.1);
  EXPECT_LT(time.low_ns, 91);
  EXPECT_GT(time.high_ns, 91);
  state.candidates[1].compared_with = "another";
  EXPECT_EQ(candidate_time(state, state.candidates[1]).ns, 550);
}

TEST(CandidateTime, EndsThatFewPairsLeaveOpenAreThoseOfItsSamples) {
  KeyState state{.candidates = {timed("a", {100}), timed("b", {80, 85, 120})}, .incumbent = "a"};
  PairedComparison pairs;
  for (int i = 0; i < 5; ++i) pairs.add(100, 88 + 6 * i);
  state.candidates[1].compared_with = "a";
  state.candidates[1].log_ratios = pairs.log_ratios();
  const CandidateTime time = candidate_time(state, state.candidates[1]);
  EXPECT_NEAR(time.ns, 100, 0.1);
  EXPECT_EQ(time.low_ns, 80);
  EXPECT_EQ(time.high_ns, 120);
}

TEST(CandidateTime, OfThePredecessorAgreesWithTheGainThatWasTold) {
  const KeyState state{.candidates = {timed("a", {400}), timed("b", {80})},
                       .incumbent = "b",
                       .over = "a",
                       .gain = 0.2,
                       .gain_low = 0.1,
                       .gain_high = 0.5,
                       .pairs = 11};
  const CandidateTime time = candidate_time(state, state.candidates[0]);
  EXPECT_NEAR(time.ns, 100, 1e-9);
  EXPECT_NEAR(time.low_ns, 80 / 0.9, 1e-9);
  EXPECT_NEAR(time.high_ns, 160, 1e-9);
}

}  // namespace
}  // namespace vyre
