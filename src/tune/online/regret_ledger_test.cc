#include "vyre/tune/online/regret_ledger.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

constexpr double kCall = 1e5;

// After some calls of 100 us with a share of 2% and an allowance of 50 calls.
RegretLedger ledger_after(std::uint64_t calls) {
  RegretLedger out(0.02, 20e6, 50);
  out.set_call_ns(kCall);
  out.set_allowance();
  out.count_calls(calls);
  out.spend(static_cast<double>(calls) * kCall);
  return out;
}

TEST(RegretLedger, TheAllowanceIsTheSmallerOfATimeAndANumberOfCalls) {
  EXPECT_EQ(ledger_after(0).view().bound_ns, 50 * kCall);
  RegretLedger longer(0.02, 20e6, 50);
  longer.set_allowance();
  EXPECT_EQ(longer.view().bound_ns, 0) << "nothing is known of the calls yet";
  longer.set_call_ns(1e6);
  longer.set_allowance();
  EXPECT_EQ(longer.view().bound_ns, 20e6);
  longer.set_call_ns(1e4);
  longer.set_allowance();
  EXPECT_EQ(longer.view().bound_ns, 20e6) << "and it stays";
}

TEST(RegretLedger, TheBoundGrowsWithTheTimeSpent) {
  EXPECT_DOUBLE_EQ(ledger_after(500).view().bound_ns, 50 * kCall + 0.02 * 500 * kCall);
}

TEST(RegretLedger, WhatIsHeldBackOrInDoubtCannotBeLostTwice) {
  for (const std::uint64_t calls : {10, 5000}) {
    RegretLedger ledger = ledger_after(calls);
    const double room_ns = ledger.room_ns();
    ASSERT_GT(room_ns, 2 * kCall);
    ledger.hold(kCall);
    EXPECT_DOUBLE_EQ(ledger.room_ns(), room_ns - kCall);
    ledger.doubt(kCall);
    EXPECT_DOUBLE_EQ(ledger.room_ns(), room_ns - 2 * kCall);
    ledger.release(kCall);
    ledger.lose(kCall);
    EXPECT_DOUBLE_EQ(ledger.room_ns(), room_ns - 2 * kCall);
    ledger.lose_doubted(kCall);
    EXPECT_DOUBLE_EQ(ledger.room_ns(), room_ns - 2 * kCall);
    EXPECT_DOUBLE_EQ(ledger.view().lost_ns, 2 * kCall);
    EXPECT_DOUBLE_EQ(ledger.view().doubted_ns, 0);
  }
}

TEST(RegretLedger, ADoubtThatWasAPauseIsGivenBack) {
  for (const std::uint64_t calls : {10, 5000}) {
    RegretLedger ledger = ledger_after(calls);
    const double room_ns = ledger.room_ns();
    ledger.doubt(3 * kCall);
    ledger.disturb_doubted(3 * kCall);
    EXPECT_DOUBLE_EQ(ledger.room_ns(), room_ns);
    EXPECT_DOUBLE_EQ(ledger.view().lost_ns, 0);
    EXPECT_DOUBLE_EQ(ledger.view().disturbed_ns, 3 * kCall);
  }
}

TEST(RegretLedger, AStepThatDoesNotFitSaysHowMuchIsMissing) {
  RegretLedger ledger = ledger_after(10);
  const double room_ns = ledger.room_ns();
  EXPECT_TRUE(ledger.may_lose(room_ns));
  EXPECT_FALSE(ledger.may_lose(room_ns + 1));
  EXPECT_NEAR(ledger.missing_ns(room_ns + kCall), kCall, 1e-3);
}

TEST(RegretLedger, NoStepCostsMoreThanTheWholeBoundHoweverMuchIsSaved) {
  const RegretLedger ledger = ledger_after(100'000);
  const double bound_ns = ledger.view().bound_ns;
  EXPECT_TRUE(ledger.may_lose(0.8 * bound_ns));
  EXPECT_FALSE(ledger.may_lose(0.9 * bound_ns)) << "a part is left for surprises";
}

TEST(RegretLedger, WhatWasSavedForLongIsNotLostAtOnce) {
  RegretLedger ledger = ledger_after(100'000);
  const double window_ns = 0.02 * 1000 * kCall;
  double lost_ns = 0;
  for (int i = 0; i < 1000 && ledger.may_lose(kCall); ++i) {
    ledger.lose(kCall);
    lost_ns += kCall;
  }
  EXPECT_GT(lost_ns, 0.2 * window_ns);
  EXPECT_LT(lost_ns, window_ns);
}

TEST(RegretLedger, WhatTheFirstCallsLoseIsNotOwedByLaterOnes) {
  RegretLedger first = ledger_after(1000);
  first.lose(0.5 * first.view().bound_ns);
  first.count_calls(1);
  first.spend(kCall);
  EXPECT_TRUE(first.may_lose(kCall));
  RegretLedger later = ledger_after(1001);
  later.lose(0.5 * later.view().bound_ns);
  EXPECT_FALSE(later.may_lose(kCall));
}

TEST(RegretLedger, AnotherProcessGoesOnWhereOneEnded) {
  RegretLedger ledger(0.02, 20e6, 50);
  ledger.set_call_ns(kCall);
  ledger.resume(5000 * kCall, 40 * kCall);
  ledger.set_allowance();
  EXPECT_DOUBLE_EQ(ledger.view().lost_ns, 40 * kCall);
  EXPECT_DOUBLE_EQ(ledger.view().bound_ns, 150 * kCall);
  EXPECT_FALSE(ledger.may_lose(kCall)) << "its first thousand calls are over, and nothing is saved";
}

TEST(RegretLedger, AStepIsTooMuchForCallsThatAreShort) {
  const RegretLedger ledger = ledger_after(10);
  EXPECT_FALSE(ledger.is_too_much(14 * kCall));
  EXPECT_TRUE(ledger.is_too_much(16 * kCall));
  EXPECT_FALSE(RegretLedger(0.02, 20e6, 50).is_too_much(1e9)) << "nothing is known of the calls";
}

TEST(RegretLedger, IsSpentWhenMoreIsLostThanMayBe) {
  RegretLedger ledger = ledger_after(10);
  EXPECT_FALSE(ledger.is_spent());
  ledger.lose(0.8 * ledger.view().bound_ns);
  EXPECT_FALSE(ledger.is_spent());
  ledger.lose(0.1 * ledger.view().bound_ns);
  EXPECT_TRUE(ledger.is_spent());
}

}  // namespace
}  // namespace vyre
