// Tests what counts as lost: a first guess that is slower than the declared variant counts from its
// first call on, and pauses of the machine do not count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "vyre/tune/online/online_policy.h"

namespace vyre {
namespace {

constexpr double kDeclared = 241e3;

struct Outcome {
  double total_ns = 0, lost_ns = 0, bound_ns = 0;  // the ledger's, at the end
  double worst_excess_ns = 0;                      // lost above the bound, at any call
  std::uint32_t incumbent = 0;
};

// Candidate 0 is the declared variant, and candidate 1 is the guess, which serves first. `times`
// has the time of each.
Outcome run_guess(const std::vector<double>& times_ns, std::uint64_t calls) {
  std::vector<OnlineCandidate> candidates;
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    candidates.push_back({"c=" + std::to_string(i), i == 1 ? 100.0 : 200.0});
  }
  OnlinePolicy policy(candidates, 1, {.seed = 1, .needs_code = true, .declared = 0});
  Outcome out;
  for (std::uint64_t call = 0; call < calls; ++call) {
    const OnlineStep step = policy.next();
    const double ns = times_ns[step.candidate] * (1 + 0.004 * double(call % 5));
    out.total_ns += ns;
    if (step.make) policy.made(*step.make);
    if (step.timed) policy.report(step, ns);
    const Ledger ledger = policy.ledger();
    if (ledger.bound_ns > 0) {
      out.worst_excess_ns = std::max(out.worst_excess_ns, ledger.lost_ns - ledger.bound_ns);
    }
  }
  out.lost_ns = policy.ledger().lost_ns;
  out.bound_ns = policy.ledger().bound_ns;
  out.incumbent = policy.incumbent();
  return out;
}

TEST(OnlineBound, AGuessSixTimesSlowerServesAFewCallsAndIsLost) {
  const Outcome run = run_guess({kDeclared, 1530e3}, 1000);
  EXPECT_EQ(run.incumbent, 0U);
  EXPECT_LE(run.total_ns, 1.02 * 1000 * kDeclared * 1.008 + 20e6);
  EXPECT_GE(run.lost_ns, 5 * (1530e3 - kDeclared)) << "it is a loss from its first call on";
}

TEST(OnlineBound, ASlightlySlowerGuessIsBoundAsWell) {
  for (const double slower : {1.05, 1.3, 2.0}) {
    const Outcome run = run_guess({kDeclared, slower * kDeclared, 1.4 * kDeclared}, 3000);
    EXPECT_EQ(run.incumbent, 0U) << slower;
    EXPECT_LE(run.total_ns, 1.02 * 3000 * kDeclared * 1.008 + 50 * kDeclared) << slower;
  }
}

TEST(OnlineBound, AGuessThatIsFasterStaysAndLosesNothing) {
  const Outcome run = run_guess({kDeclared, 0.7 * kDeclared}, 1000);
  EXPECT_EQ(run.incumbent, 1U);
  EXPECT_LE(run.lost_ns, 12 * 0.5 * kDeclared) << "but for the calls of the declared one";
  EXPECT_EQ(run.worst_excess_ns, 0);
}

TEST(OnlineBound, WhatWasDecidedBeforeIsNoGuess) {
  OnlinePolicy policy({{"c=0", 1}, {"c=1", 1}}, 1, {.seed = 1, .declared = 0});
  KeyState known{.incumbent = "c=1", .settled = true};
  known.candidates.push_back({.candidate = "c=1", .recent_ns = {5e4, 5e4, 5e4}, .samples = 3});
  known.candidates.push_back({.candidate = "c=0", .recent_ns = {4e4, 4e4, 4e4}, .samples = 3});
  policy.restore(known, true);
  for (int call = 0; call < 500; ++call) {
    const OnlineStep step = policy.next();
    EXPECT_EQ(step.candidate, 1U);
    if (step.timed) policy.report(step, 5e4);
  }
  EXPECT_EQ(policy.ledger().lost_ns, 0);
}

// The first probe of candidate 1 meets a pause of 10 ms beside calls of 50 us.
OnlinePolicy paused_policy(double second_ns, int calls) {
  OnlinePolicy policy({{"c=0", 1}, {"c=1", 1}}, 0, {.seed = 1});
  int probes = 0;
  for (int call = 0; call < calls; ++call) {
    const OnlineStep step = policy.next();
    double ns = 50e3;
    if (step.probe) ns = ++probes == 1 ? 10e6 : second_ns;
    if (step.timed) policy.report(step, ns);
  }
  return policy;
}

TEST(OnlineBound, OnePauseOfTheMachineIsInDoubtAndHoldsTheSearchUp) {
  const Ledger ledger = paused_policy(50e3, 200).ledger();
  EXPECT_LE(ledger.lost_ns, ledger.bound_ns);
  EXPECT_NEAR(ledger.doubted_ns, 10e6 - 50e3, 1e3);
  EXPECT_EQ(ledger.disturbed_ns, 0);
}

TEST(OnlineBound, ASecondTimeTellsThatItWasAPause) {
  const Ledger ledger = paused_policy(50e3, 60'000).ledger();
  EXPECT_EQ(ledger.doubted_ns, 0);
  EXPECT_NEAR(ledger.disturbed_ns, 10e6 - 50e3, 1e3);
  EXPECT_LE(ledger.lost_ns, 0.2 * ledger.bound_ns);
}

TEST(OnlineBound, ASecondTimeTellsThatItIsSlow) {
  const Ledger ledger = paused_policy(10e6, 60'000).ledger();
  EXPECT_EQ(ledger.doubted_ns, 0);
  EXPECT_EQ(ledger.disturbed_ns, 0);
  EXPECT_NEAR(ledger.lost_ns, 2 * (10e6 - 50e3), 0.1e6);
  EXPECT_LE(ledger.lost_ns, ledger.bound_ns) << "the second one was tried when it could be paid";
}

TEST(OnlineBound, AVerificationThatWasHeldUpIsNotLost) {
  OnlinePolicy policy({{"c=0", 1}, {"c=1", 1}}, 0, {.seed = 1, .needs_verification = true});
  for (int call = 0; call < 20; ++call) {
    const OnlineStep step = policy.next();
    if (step.verify) policy.verified(*step.verify, 20e6);
    if (step.timed) policy.report(step, 50e3);
  }
  const Ledger ledger = policy.ledger();
  EXPECT_LE(ledger.lost_ns, ledger.bound_ns);
  EXPECT_NEAR(ledger.doubted_ns + ledger.lost_ns, 20e6, 0.1e6);
}

// Calls of 50 us, where the incumbent is compared with itself before anything else is verified.
// `comparisons_ns` are the costs of that comparison and of the verifications after it.
// With `pauses`, every fourth time of the incumbent meets a pause.
OnlinePolicy compared_policy(const std::vector<double>& comparisons_ns, bool pauses = false) {
  OnlinePolicy policy({{"c=0", 1}, {"c=1", 1}, {"c=2", 1}}, 0,
                      {.seed = 1, .needs_verification = true});
  std::size_t compared = 0, times = 0;
  for (int call = 0; call < 20'000 && compared < comparisons_ns.size(); ++call) {
    const OnlineStep step = policy.next();
    if (step.verify) {
      const double cost_ns = comparisons_ns[compared++];
      if (compared == 1) policy.abandon(step);
      if (compared == 1) policy.charge_verification(cost_ns);
      if (compared > 1) policy.verified(*step.verify, cost_ns);
    }
    const bool is_paused = pauses && step.timed && !step.probe && ++times % 4 == 0;
    if (step.timed) policy.report(step, is_paused ? 5e6 : 50e3);
    const Ledger ledger = policy.ledger();
    EXPECT_TRUE(ledger.bound_ns == 0 || ledger.lost_ns <= ledger.bound_ns) << call;
  }
  EXPECT_EQ(compared, comparisons_ns.size());
  return policy;
}

TEST(OnlineBound, AComparisonOfTheIncumbentWithItselfThatWasHeldUpIsNotLost) {
  const Ledger ledger = compared_policy({20e6}).ledger();
  EXPECT_LE(ledger.lost_ns, 0.5e6);
  EXPECT_NEAR(ledger.doubted_ns, 20e6, 0.5e6);
  EXPECT_EQ(ledger.disturbed_ns, 0) << "one long time is not yet known to be a pause";
}

TEST(OnlineBound, TheNextComparisonDecidesAndIsPaidForBefore) {
  const Ledger pause = compared_policy({4e6, 100e3}).ledger();
  EXPECT_EQ(pause.doubted_ns, 0);
  EXPECT_NEAR(pause.disturbed_ns, 4e6, 0.5e6);
  const Ledger slow = compared_policy({4e6, 4e6}).ledger();
  EXPECT_EQ(slow.doubted_ns, 0);
  EXPECT_NEAR(slow.lost_ns, 8e6, 0.5e6);
}

TEST(OnlineBound, ComparisonsMeetThePausesThatCallsMeet) {
  const Ledger ledger = compared_policy({4e6, 3e6, 100e3}, true).ledger();
  EXPECT_EQ(ledger.doubted_ns, 0) << "the incumbent's own calls meet pauses";
  EXPECT_NEAR(ledger.disturbed_ns, 7e6, 0.5e6);
}

TEST(OnlineBound, AfterALongTimeTheIncumbentTellsWhetherThePauseIsOver) {
  OnlinePolicy policy({{"c=0", 1}, {"c=1", 1}}, 0, {.seed = 1});
  int probes = 0;
  bool is_told = true;
  for (int call = 0; call < 400; ++call) {
    const OnlineStep step = policy.next();
    if (!step.timed) continue;
    if (step.probe && ++probes <= 2) {
      EXPECT_TRUE(is_told) << "both may have met the same pause";
      is_told = false;
      policy.report(step, 300e3);
    } else {
      is_told = is_told || !step.probe;
      policy.report(step, 50e3);
    }
  }
  EXPECT_GE(probes, 2);
}

TEST(OnlineBound, OwnWorkThatTheSystemInterruptedIsNotLost) {
  OnlinePolicy policy({{"c=0", 1}, {"c=1", 1}}, 0, {.seed = 1});
  policy.charge_own_work(20e3);
  policy.charge_own_work(4e6);
  EXPECT_NEAR(policy.ledger().lost_ns, 120e3, 1);
  EXPECT_NEAR(policy.ledger().disturbed_ns, 3.9e6, 1);
}

TEST(OnlineBound, WhatMayBeLostIsHeldBackUntilItIsKnown) {
  OnlinePolicy policy({{"c=0", 1}, {"c=1", 1}}, 0, {.seed = 1, .needs_code = true});
  EXPECT_FALSE(policy.hold(1e3)) << "nothing is known yet";
  for (int call = 0; call < 100; ++call) {
    const OnlineStep step = policy.next();
    if (step.timed) policy.report(step, 50e3);
  }
  const double bound_ns = policy.ledger().bound_ns;
  ASSERT_TRUE(policy.hold(0.6 * bound_ns));
  EXPECT_FALSE(policy.hold(0.6 * bound_ns)) << "both together may cost more than the bound";
  policy.settle(0.6 * bound_ns, 0.1 * bound_ns);
  EXPECT_NEAR(policy.ledger().lost_ns, 0.1 * bound_ns, 1);
  EXPECT_TRUE(policy.hold(0.6 * bound_ns));
}

TEST(OnlineBound, NothingIsTriedWhileTimesDifferTooMuchToTell) {
  std::vector<OnlineCandidate> candidates;
  for (int i = 0; i < 30; ++i) candidates.push_back({"c=" + std::to_string(i), 100});
  OnlinePolicy policy(candidates, 0, {.seed = 1});
  std::uint64_t probes = 0;
  const auto run = [&](int calls, double factor) {
    probes = 0;
    for (int call = 0; call < calls; ++call) {
      const OnlineStep step = policy.next();
      probes += step.probe ? 1 : 0;
      // From once to `factor` times as long, evenly in the logarithm.
      const double share = double((call * 7919) % 97) / 97;
      if (step.timed) policy.report(step, 1e5 * std::pow(factor, share));
    }
  };
  run(30, 100);
  EXPECT_TRUE(policy.quiet());
  run(3000, 100);
  EXPECT_EQ(probes, 0U);
  EXPECT_TRUE(policy.reason().starts_with(
      "the first choice; nothing is tried for now: the machine is so uneven that a gain of less "
      "than "))
      << policy.reason();
  run(3000, 1.02);
  EXPECT_FALSE(policy.quiet()) << "it has become calm";
  EXPECT_GT(probes, 0U);
}

}  // namespace
}  // namespace vyre
