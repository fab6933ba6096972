#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "vyre/tune/foreign/kernel_tuner.h"
#include "vyre/tune/foreign/kernel_tuner_testing.h"

namespace vyre {
namespace {

TEST_F(KernelTunerTest, AWrongCandidateIsNeverHandedOut) {
  SimulatedKernel kernel = twelve_candidates();
  const std::uint32_t wrong = kernel.best();
  for (int round = 0; round < 2; ++round) {
    KernelTuner tuner = open(12);
    std::set<std::uint32_t> verified;
    ASSERT_TRUE(tuner.verify([&](const Choice& choice) {
      verified.insert(choice.index());
      return choice.index() != wrong;
    }));
    for (int i = 0; i < 3000; ++i) {
      const KernelCall call = tuner.next();
      ASSERT_NE(call.choice.index(), wrong);
      if (round == 0 && call.choice.index() != 0) {
        ASSERT_TRUE(verified.contains(call.choice.index())) << call.choice.index();
      }
      ASSERT_TRUE(tuner.report(call, kernel.run(call.choice.index())));
    }
    EXPECT_LE(kernel.ns[tuner.best().index()], 1.95e6 * 1.001) << tuner.explain();
    EXPECT_EQ(verified.contains(wrong), round == 0) << "rejections are remembered";
    EXPECT_NE(tuner.explain().find("gave a wrong result"), std::string::npos);
  }
}

TEST_F(KernelTunerTest, AVerifierThatCannotTellDropsTheCandidate) {
  KernelTuner tuner = open(4);
  ASSERT_TRUE(tuner.verify([&](const Choice& choice) -> Result<Verdict> {
    if (choice.index() == 1) return fail(Code::device, "out of scratch memory");
    if (choice.index() == 2) throw std::runtime_error("no such luck");
    return true;
  }));
  SimulatedKernel kernel{{400e3, 200e3, 200e3, 300e3}};
  for (int i = 0; i < 2000; ++i) {
    const KernelCall call = tuner.next();
    ASSERT_TRUE(call.choice.index() == 0 || call.choice.index() == 3);
    ASSERT_TRUE(tuner.report(call, kernel.run(call.choice.index())));
  }
  EXPECT_EQ(tuner.best().index(), 3U);
  EXPECT_NE(tuner.explain().find("out of scratch memory"), std::string::npos);
  EXPECT_NE(tuner.explain().find("no such luck"), std::string::npos);
}

TEST_F(KernelTunerTest, WhatWasVerifiedBeforeIsNotVerifiedAgain) {
  SimulatedKernel kernel = twelve_candidates();
  std::set<std::uint32_t> verified;
  for (int round = 0; round < 2; ++round) {
    KernelTuner tuner = open(12);
    ASSERT_TRUE(tuner.verify([&](const Choice& choice) {
      EXPECT_TRUE(verified.insert(choice.index()).second) << choice.index();
      return true;
    }));
    work(tuner, kernel, 1000);
    EXPECT_EQ(tuner.best().index(), kernel.best());
  }
  EXPECT_TRUE(verified.contains(kernel.best()));
}

TEST_F(KernelTunerTest, ADecisionThatWasNeverVerifiedIsVerifiedFirst) {
  SimulatedKernel kernel = twelve_candidates();
  {
    KernelTuner tuner = open(12);
    work(tuner, kernel, 1000);
    ASSERT_EQ(tuner.best().index(), kernel.best());
  }
  for (const TunerMode mode : {TunerMode::natural_gradient, TunerMode::frozen}) {
    KernelTuner tuner = open(12, {.mode = mode});
    ASSERT_TRUE(tuner.verify([&](const Choice& c) { return c.index() != kernel.best(); }));
    for (int i = 0; i < 100; ++i) EXPECT_NE(tuner.next().choice.index(), kernel.best());
  }
}

TEST_F(KernelTunerTest, TheTimeOfVerifyingIsCharged) {
  KernelTuner tuner = open(3, {.allowance_ns = 50e6});
  ASSERT_TRUE(tuner.verify([](const Choice&) { return Verdict(true, 3e6); }));
  SimulatedKernel kernel{{1e6, 0.99e6, 1.01e6}};
  int calls = 0;
  while (tuner.ledger().lost_ns < 3e6 && calls < 1000) {
    work(tuner, kernel, 1);
    ++calls;
  }
  EXPECT_LT(calls, 1000);
  EXPECT_LE(tuner.ledger().lost_ns, tuner.ledger().bound_ns);
}

TEST_F(KernelTunerTest, TheVerifierComesBeforeTheFirstQuestion) {
  KernelTuner tuner = open(3);
  EXPECT_TRUE(tuner.verify([](const Choice&) { return true; }));
  tuner.next();
  EXPECT_FALSE(tuner.verify([](const Choice&) { return true; }));
}

TEST_F(KernelTunerTest, AVerifierMayAskTheTunerItself) {
  KernelTuner tuner = open(12);
  ASSERT_TRUE(tuner.verify([&](const Choice& choice) {
    EXPECT_NE(tuner.next().choice.index(), choice.index());
    return true;
  }));
  SimulatedKernel kernel = twelve_candidates();
  work(tuner, kernel, 1000);
  EXPECT_LE(kernel.ns[tuner.best().index()], 2.05e6);
}

TEST_F(KernelTunerTest, ACandidateThatFailedIsNotHandedOutAgain) {
  KernelTuner tuner = open(12);
  SimulatedKernel kernel = twelve_candidates();
  bool failed = false;
  for (int i = 0; i < 2000; ++i) {
    const KernelCall call = tuner.next();
    if (call.choice.index() == kernel.best()) {
      ASSERT_FALSE(failed);
      ASSERT_TRUE(tuner.failed(call, "too many registers"));
      failed = true;
      continue;
    }
    ASSERT_TRUE(tuner.report(call, kernel.run(call.choice.index())));
  }
  EXPECT_TRUE(failed);
  EXPECT_NE(tuner.explain().find("too many registers"), std::string::npos);
}

TEST_F(KernelTunerTest, AnotherCandidateServesWhereTheStartFails) {
  for (const bool verified : {false, true}) {
    KernelTuner tuner = open(4, {.store = EvidenceStore::in_memory()});
    if (verified) {
      ASSERT_TRUE(tuner.verify([](const Choice& c) { return c.index() != 1; }));
    }
    ASSERT_TRUE(tuner.failed(tuner.next(), "no launch"));
    SimulatedKernel kernel{{100e3, 300e3, 200e3, 400e3}};
    for (int i = 0; i < 2000; ++i) {
      const KernelCall call = tuner.next();
      ASSERT_NE(call.choice.index(), 0U) << i;
      ASSERT_FALSE(verified && call.choice.index() == 1);
      ASSERT_TRUE(tuner.report(call, kernel.run(call.choice.index())));
    }
    EXPECT_EQ(tuner.best().index(), 2U) << tuner.explain();
  }
}

TEST_F(KernelTunerTest, WhereAllFailTheStartIsServedUntimed) {
  KernelTuner tuner = open(3);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(tuner.failed(tuner.next(), "no launch"));
  for (int i = 0; i < 100; ++i) {
    const KernelCall call = tuner.next();
    EXPECT_EQ(call.choice.index(), 0U);
    EXPECT_FALSE(call.timed);
  }
}

}  // namespace
}  // namespace vyre
