// Tests the cost of the search itself: how often calls are timed, what is tried beside them, and
// what can be saved up.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "vyre/tune/online/online_policy.h"

namespace vyre {
namespace {

// The steps of a policy in a number of calls of one length, when each timed call is reported at
// once.
struct Steps {
  std::uint64_t timed = 0, made = 0;
};
Steps run_calls(OnlinePolicy& policy, std::uint64_t calls, double call_ns) {
  Steps out;
  for (std::uint64_t call = 0; call < calls; ++call) {
    if (const std::uint64_t idle = std::min(policy.idle_calls(), calls - call); idle > 0) {
      policy.skip(idle);
      call += idle;
    }
    const OnlineStep step = policy.next();
    out.timed += step.timed ? 1 : 0;
    out.made += step.make ? 1 : 0;
    if (step.make) policy.made(*step.make);
    if (step.verify) policy.verified(*step.verify, 0);
    if (step.timed) policy.report(step, call_ns);
  }
  return out;
}

std::vector<OnlineCandidate> some_candidates(std::size_t count) {
  std::vector<OnlineCandidate> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back({"c=" + std::to_string(i), 100 * (1 + 0.01 * double(i))});
  }
  return out;
}

TEST(OnlinePolicy, WhatHasNoOtherIsNotTimedOnceItIsKnown) {
  OnlinePolicy policy(some_candidates(1), 0, {.seed = 1, .timing_ns = 4000});
  run_calls(policy, 100, 5e3);
  EXPECT_TRUE(policy.settled());
  EXPECT_EQ(run_calls(policy, 100'000, 5e3).timed, 0U);
}

TEST(OnlinePolicy, ShortCallsAreTimedMoreSeldom) {
  for (const double call_ns : {4e3, 40e3, 4e6}) {
    OnlinePolicy two(some_candidates(2), 0, {.seed = 1, .timing_ns = 4000});
    run_calls(two, 2000, call_ns);
    ASSERT_TRUE(two.settled());
    const Steps steps = run_calls(two, 100'000, call_ns);
    EXPECT_LE(double(steps.timed) * 4000, 0.0025 * 100'000 * call_ns) << call_ns;
    EXPECT_LE(steps.timed, 100'000U / 64 + 1) << call_ns;
    EXPECT_GT(steps.timed, 0U) << call_ns;
  }
}

TEST(OnlinePolicy, NothingIsTriedBesideCallsThatMayNotLoseSoMuch) {
  const OnlineOptions options{.seed = 1,
                              .needs_code = true,
                              .makes_beside = true,
                              .making_ns = 100e3,
                              .needs_verification = true};
  OnlinePolicy policy(some_candidates(20), 0, options);
  EXPECT_EQ(run_calls(policy, 5000, 4e3).made, 0U);
  EXPECT_TRUE(policy.settled());
  EXPECT_EQ(policy.reason(),
            "the first choice: calls of 4.0 us are too short to try others beside them");
  OnlinePolicy longer(some_candidates(20), 0, options);
  EXPECT_GT(run_calls(longer, 5000, 10e3).made, 0U);
}

TEST(OnlinePolicy, ShortCallsSeemLongerThanTheyAre) {
  const OnlineOptions options{.seed = 1,
                              .timing_bias_ns = 3e3,
                              .needs_code = true,
                              .makes_beside = true,
                              .making_ns = 100e3};
  OnlinePolicy policy(some_candidates(20), 0, options);
  EXPECT_EQ(run_calls(policy, 1000, 8e3).made, 0U);
  EXPECT_EQ(policy.reason(),
            "the first choice: calls of 5.0 us are too short to try others beside them");
  EXPECT_NEAR(policy.ledger().spent_ns, 1000 * 5e3, 0.02 * 1000 * 5e3);
  OnlinePolicy shortest(some_candidates(20), 0, options);
  run_calls(shortest, 1000, 4e3);
  EXPECT_NEAR(shortest.ledger().spent_ns, 1000 * 2e3, 0.05 * 1000 * 2e3) << "half, at least";
}

TEST(OnlinePolicy, CallsTakeNoLongerThanPassesFromOneToTheNext) {
  const OnlineOptions options{
      .seed = 1, .needs_code = true, .makes_beside = true, .making_ns = 100e3};
  OnlinePolicy policy(some_candidates(20), 0, options);
  policy.pace(5e3);
  EXPECT_EQ(run_calls(policy, 1000, 12e3).made, 0U);
  EXPECT_EQ(policy.reason(),
            "the first choice: calls of 5.0 us are too short to try others beside them");
  EXPECT_NEAR(policy.ledger().spent_ns, 1000 * 5e3, 0.05 * 1000 * 5e3);

  OnlinePolicy rare(some_candidates(20), 0, options);
  rare.pace(1e6);  // the program does other things between them
  EXPECT_GT(run_calls(rare, 1000, 12e3).made, 0U);
  EXPECT_NEAR(rare.ledger().spent_ns, 1000 * 12e3, 0.05 * 1000 * 12e3);
}

TEST(OnlinePolicy, APauseOfTheMachineDoesNotMakeCallsLonger) {
  const OnlineOptions options{
      .seed = 1, .needs_code = true, .makes_beside = true, .making_ns = 100e3};
  OnlinePolicy policy(some_candidates(20), 0, options);
  policy.pace(5e3);
  policy.pace(17e3);
  EXPECT_EQ(run_calls(policy, 1000, 20e3).made, 0U);
  EXPECT_NEAR(policy.ledger().spent_ns, 1000 * 5.5e3, 0.1 * 1000 * 5.5e3);
  for (int i = 0; i < 20; ++i) policy.pace(17e3);  // and this is none
  const double before_ns = policy.ledger().spent_ns;
  run_calls(policy, 1000, 20e3);
  EXPECT_NEAR(policy.ledger().spent_ns - before_ns, 1000 * 17e3, 0.05 * 1000 * 17e3);
}

TEST(OnlinePolicy, ASearchEndsWhenCallsTurnOutToBeTooShortForIt) {
  const OnlineOptions options{.seed = 1,
                              .needs_code = true,
                              .makes_beside = true,
                              .making_ns = 100e3,
                              .needs_verification = true};
  OnlinePolicy policy(some_candidates(20), 0, options);
  for (int call = 0; call < 20; ++call) {
    if (const OnlineStep step = policy.next(); step.timed) policy.report(step, 12e3);
  }
  EXPECT_FALSE(policy.settled()) << "something is being made";
  policy.pace(5e3);
  run_calls(policy, 1000, 12e3);
  EXPECT_TRUE(policy.settled());
}

TEST(OnlinePolicy, WhatIsSavedNeverTakesBackALoss) {
  OnlinePolicy policy(some_candidates(20), 0, {.seed = 1});
  double lost_ns = 0;
  for (std::uint32_t call = 0; call < 3000; ++call) {
    const OnlineStep step = policy.next();
    const double noise = 1 + 0.1 * ((call * 7919) % 17) / 17.0;
    if (step.timed) policy.report(step, 1e6 * noise * (1 + 0.02 * step.candidate));
    for (const EvidenceEvent& event : policy.take_events()) {
      EXPECT_GE(event.lost_ns, 0);
      lost_ns += event.lost_ns;
    }
  }
  EXPECT_GE(lost_ns, policy.ledger().lost_ns);
  EXPECT_LE(lost_ns, 1.5 * policy.ledger().lost_ns);
}

TEST(OnlinePolicy, ManyAreMadeAtOnceBesideLongCalls) {
  const OnlineOptions options{
      .seed = 1, .needs_code = true, .makes_beside = true, .most_making = 8};
  for (const auto& [call_ns, most] : {std::pair{7e3, 1U}, std::pair{65e3, 3U}, {200e3, 8U}}) {
    OnlinePolicy policy(some_candidates(40), 0, options);
    std::uint32_t making = 0;
    for (int call = 0; call < 100; ++call) {
      const OnlineStep step = policy.next();
      making += step.make ? 1 : 0;
      if (step.timed) policy.report(step, call_ns);
    }
    EXPECT_EQ(making, most) << call_ns;
  }
}

TEST(OnlinePolicy, AGainThatMayBeInTheClockIsNone) {
  for (const auto& [faster, best] : {std::pair{0.01, 0U}, std::pair{0.05, 1U}}) {
    OnlinePolicy policy(some_candidates(2), 0, {.seed = 1, .timing_doubt_ns = 2e3});
    for (int call = 0; call < 2000; ++call) {
      const OnlineStep step = policy.next();
      if (step.timed) policy.report(step, step.candidate == 1 ? 100e3 * (1 - faster) : 100e3);
    }
    EXPECT_TRUE(policy.settled());
    EXPECT_EQ(policy.incumbent(), best) << faster;
  }
}

TEST(OnlinePolicy, WhatTheFirstCallsLoseIsNotOwedByTheLater) {
  OnlinePolicy policy(some_candidates(200), 0,
                      {.seed = 1, .needs_code = true});  // which nobody makes
  run_calls(policy, 900, 100e3);
  const double bound_ns = policy.ledger().bound_ns;
  policy.charge(0.8 * bound_ns);
  run_calls(policy, 200, 100e3);
  const double window_ns = 0.02 * 1000 * 100e3;
  EXPECT_TRUE(policy.may_lose(0.1 * window_ns));
  policy.charge(window_ns);
  EXPECT_FALSE(policy.may_lose(0.1 * window_ns)) << "but by these it is";
}

TEST(OnlinePolicy, NothingMayCostMoreThanTheWholeBound) {
  // No code is ever compiled, so nothing is lost and everything is saved up.
  OnlinePolicy policy(some_candidates(200), 0, {.seed = 1, .needs_code = true});
  for (const std::uint64_t calls : {500, 5000}) {  // among the first thousand calls, and later
    run_calls(policy, calls, 100e3);
    const double bound_ns = policy.ledger().bound_ns;
    EXPECT_TRUE(policy.may_lose(0.01 * bound_ns)) << calls;
    EXPECT_FALSE(policy.may_lose(1.01 * bound_ns)) << calls;
  }
}

// Beside calls of 50 us whose times come late, where each candidate costs something to put in place
// and to compare, and none is ready before a certain call. The most that the ledger says was lost
// in a thousand calls after the first, as a share of them.
double most_lost_in_a_window(std::uint64_t late, std::uint64_t ready_from) {
  const double call_ns = 50e3;
  const double making_ns = 200e3;
  const double comparing_ns = 170e3;
  OnlinePolicy policy(some_candidates(200), 0,
                      {.seed = 1,
                       .needs_code = true,
                       .makes_beside = true,
                       .making_ns = making_ns,
                       .needs_verification = true});
  std::deque<std::pair<std::uint64_t, OnlineStep>> running;
  std::deque<std::uint32_t> to_load;
  std::vector<double> lost_ns;
  for (std::uint64_t call = 0; call < 8000; ++call) {
    const OnlineStep step = policy.next();
    if (step.make) to_load.push_back(*step.make);
    if (!to_load.empty() && call >= ready_from && policy.may_lose(making_ns)) {
      policy.charge(making_ns);
      policy.made(to_load.front());
      to_load.pop_front();
    }
    if (step.verify || step.timed) running.emplace_back(call + late, step);
    while (!running.empty() && running.front().first <= call) {
      const OnlineStep ended = running.front().second;
      running.pop_front();
      if (ended.verify) policy.verified(*ended.verify, comparing_ns);
      if (ended.timed) policy.report(ended, call_ns * (1 + 0.002 * ended.candidate));
    }
    lost_ns.push_back(policy.ledger().lost_ns);
  }
  double most_ns = 0;
  for (std::size_t call = 1000; call + 1000 < lost_ns.size(); call += 10) {
    most_ns = std::max(most_ns, lost_ns[call + 1000] - lost_ns[call]);
  }
  return most_ns / (1000 * call_ns);
}

TEST(OnlinePolicy, NoThousandCallsAfterTheFirstLoseMoreThanTheirShare) {
  for (const std::uint64_t late : {0, 16, 64}) {
    for (const std::uint64_t ready_from : {0, 900, 990, 1010}) {
      const double most = most_lost_in_a_window(late, ready_from);
      EXPECT_LE(most, 0.02) << late << ' ' << ready_from;
      EXPECT_GE(most, 0.005) << late << ' ' << ready_from << ": and it goes on searching";
    }
  }
}

std::optional<std::uint32_t> made_next(OnlinePolicy& policy) {
  for (int call = 0; call < 50; ++call) {
    const OnlineStep step = policy.next();
    if (step.timed) policy.report(step, 1e5);
    if (step.make) return step.make;
  }
  return {};
}

TEST(OnlinePolicy, WhatIsLeftUnmadeIsAskedForAgain) {
  OnlinePolicy policy(some_candidates(2), 0, {.seed = 1, .needs_code = true});
  ASSERT_EQ(made_next(policy), 1U);
  ASSERT_EQ(made_next(policy), std::nullopt);
  policy.leave_unmade(1);
  EXPECT_EQ(made_next(policy), 1U);
  policy.made(1);
  policy.leave_unmade(1);  // too late
  EXPECT_EQ(policy.view()[1].stage, CandidateStage::verified);
}

}  // namespace
}  // namespace vyre
