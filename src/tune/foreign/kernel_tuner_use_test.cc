#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>

#include "vyre/tune/foreign/kernel_tuner.h"
#include "vyre/tune/foreign/kernel_tuner_internal.h"
#include "vyre/tune/foreign/kernel_tuner_testing.h"

namespace vyre {
namespace {

TEST_F(KernelTunerTest, TimesThatAreNoneAndCallsThatDoNotWaitAreErrors) {
  KernelTuner tuner = open(12);
  KernelTuner other = open(12, {}, kernel_key("other"));
  SimulatedKernel kernel = twelve_candidates();
  KernelCall call = tuner.next();
  for (int i = 0; !call.timed && i < 100; ++i) call = tuner.next();
  ASSERT_TRUE(call.timed);
  for (const double ns : {-1.0, std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
    EXPECT_FALSE(tuner.report(call, ns)) << ns;
  }
  EXPECT_FALSE(other.report(call, 1000));
  EXPECT_TRUE(tuner.report(call, 0));
  EXPECT_FALSE(tuner.report(call, 1000));
  EXPECT_FALSE(tuner.abandon(call));
  EXPECT_FALSE(tuner.failed(call, "late"));
  call.id = 0;
  EXPECT_TRUE(tuner.report(call, 1000)) << "a call that is not timed may be reported";
}

TEST(ExplainKernel, NamesTimeInDoubtAndInPauses) {
  const std::vector<CandidateView> view{{.text = "c=0", .time = {}}};
  const auto explained = [&](const Ledger& ledger) {
    return explain_kernel({.name = "saxpy"}, view, 0, ledger, "");
  };
  EXPECT_FALSE(explained({}).contains("doubt") || explained({}).contains("pauses"));
  EXPECT_TRUE(explained({.doubted_ns = 3e6}).contains("3.00 ms in doubt"));
  EXPECT_TRUE(explained({.disturbed_ns = 5e6}).contains("5.00 ms in pauses of the machine"));
}

TEST_F(KernelTunerTest, FrozenServesDecisionsAndWritesNothing) {
  SimulatedKernel kernel = twelve_candidates();
  {
    KernelTuner nothing_known = open(12, {.mode = TunerMode::frozen, .start = 3});
    for (int i = 0; i < 200; ++i) {
      const KernelCall call = nothing_known.next();
      EXPECT_EQ(call.choice.index(), 3U);
      EXPECT_FALSE(call.timed);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(file()) && std::filesystem::file_size(file()) > 0);
  {
    KernelTuner tuner = open(12);
    work(tuner, kernel, 1000);
  }
  const auto size = std::filesystem::file_size(file());
  {
    KernelTuner tuner = open(12, {.mode = TunerMode::frozen});
    for (int i = 0; i < 200; ++i) {
      const KernelCall call = tuner.next();
      EXPECT_EQ(call.choice.index(), kernel.best());
      EXPECT_FALSE(call.timed);
    }
  }
  EXPECT_EQ(std::filesystem::file_size(file()), size);
}

TEST_F(KernelTunerTest, ASweepMeasuresAllAndKeepsTheBest) {
  SimulatedKernel kernel = twelve_candidates();
  {
    KernelTuner tuner = open(12, {.mode = TunerMode::sweep});
    ASSERT_TRUE(tuner.verify([&](const Choice& c) { return c.index() != kernel.best(); }));
    std::set<std::uint32_t> ran;
    for (int i = 0; i < 200; ++i) {
      const KernelCall call = tuner.next();
      ran.insert(call.choice.index());
      ASSERT_TRUE(tuner.report(call, kernel.run(call.choice.index())));
    }
    EXPECT_EQ(ran.size(), 11U);
    EXPECT_FALSE(ran.contains(kernel.best()));
    EXPECT_EQ(tuner.best().index(), 8U) << tuner.explain();
  }
  EXPECT_EQ(open(12, {.mode = TunerMode::frozen}).next().choice.index(), 8U);
  EXPECT_EQ(open(12).next().choice.index(), 8U);
}

TEST_F(KernelTunerTest, WhatCannotBeTunedIsAnErrorWhenOpened) {
  const auto opens = [&](KernelKey k, std::vector<Configuration> c, KernelTunerOptions o) {
    o.path = file();
    return KernelTuner::open(k, std::move(c), std::move(o)).has_value();
  };
  EXPECT_TRUE(opens(kernel_key(), numbered(3), {}));
  EXPECT_FALSE(opens(kernel_key(""), numbered(3), {}));
  EXPECT_FALSE(opens(kernel_key(), {}, {}));
  EXPECT_FALSE(opens(kernel_key(), {{{"a", "1"}}, {{"a", "1"}}}, {}));
  EXPECT_FALSE(opens(kernel_key(), {{{"a", "1 2"}}}, {}));
  EXPECT_FALSE(opens(kernel_key(), std::vector<Configuration>(4097, {{"a", "1"}}), {}));
  EXPECT_FALSE(opens(kernel_key(), numbered(3), {.start = 3}));
  EXPECT_FALSE(opens(kernel_key(), numbered(3), {.share = -1}));
  EXPECT_FALSE(opens(kernel_key(), numbered(3), {.share = std::nan("")}));
  EXPECT_FALSE(opens(kernel_key(), numbered(3), {.allowance_ns = -1}));
  EXPECT_FALSE(opens(kernel_key(), numbered(3), {.least_gain = 1}));
  EXPECT_FALSE(opens(kernel_key(), numbered(3), {.least_gain = -0.1}));
  EXPECT_FALSE(opens(kernel_key(), numbered(3), {.clock_tick_ns = 0}));
  EXPECT_FALSE(
      opens(kernel_key(), numbered(3), {.expected_ns = [](const Choice&) { return 0.0; }}));
}

TEST_F(KernelTunerTest, AFileThatIsNotOursIsAnErrorAndStaysAsItIs) {
  std::ofstream(file()) << "a letter to a friend\nwith two lines\n";
  EXPECT_FALSE(KernelTuner::open(kernel_key(), numbered(3), {.path = file()}));
  EXPECT_EQ(std::filesystem::file_size(file()), 36U);
}

TEST_F(KernelTunerTest, GoesOnWithoutTheUsersOwnStore) {
  std::filesystem::create_directories(folder_.path() / "vyre/tuner");
  std::ofstream(folder_.path() / "vyre/tuner/evidence.jsonl") << "nothing of ours\nat all\n";
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
  auto tuner = KernelTuner::open(kernel_key(), numbered(12), {.mode = TunerMode::natural_gradient});
  if (before == nullptr) {
    unsetenv("XDG_CACHE_HOME");
  } else {
    setenv("XDG_CACHE_HOME", kept.c_str(), 1);
  }
  ASSERT_TRUE(tuner) << describe(tuner.error());
  EXPECT_NE(tuner->why().find("not remembered"), std::string::npos);
  SimulatedKernel kernel = twelve_candidates();
  work(*tuner, kernel, 1000);
  EXPECT_EQ(tuner->best().index(), kernel.best());
  const auto closed = tuner->close();
  ASSERT_FALSE(closed) << "nothing was kept";
  EXPECT_NE(closed.error().what.find("evidence.jsonl"), std::string::npos) << closed.error().what;
}

TEST_F(KernelTunerTest, AClosedTunerServesTheBestUntimed) {
  KernelTuner tuner = open(12);
  SimulatedKernel kernel = twelve_candidates();
  work(tuner, kernel, 1000);
  ASSERT_TRUE(tuner.close());
  ASSERT_TRUE(tuner.close());
  for (int i = 0; i < 200; ++i) {
    const KernelCall call = tuner.next();
    EXPECT_EQ(call.choice.index(), kernel.best());
    EXPECT_FALSE(call.timed);
  }
}

TEST_F(KernelTunerTest, HostCodeIsTimedFromTheQuestionToTheEndOfTheBlock) {
  KernelTuner tuner = open(2);
  // On a machine that is uneven for a while the search waits.
  for (int i = 0; i < 400 || (tuner.best().index() != 1 && i < 8000); ++i) {
    const HostCall call = tuner.timed();
    std::this_thread::sleep_for(std::chrono::microseconds(call.number("c") == 0 ? 900 : 100));
  }
  EXPECT_EQ(tuner.best().index(), 1U) << tuner.explain();
  EXPECT_GT(tuner.ledger().spent_ns, 400 * 100e3);
}

TEST_F(KernelTunerTest, HostCodeThatThrowsIsNotTimed) {
  KernelTuner tuner = open(2);
  for (int i = 0; i < 50; ++i) {
    try {
      const HostCall call = tuner.timed();
      throw std::runtime_error("interrupted");
    } catch (const std::runtime_error&) {
    }
  }
  for (const CandidateView& row : tuner.view()) EXPECT_EQ(row.samples, 0U);
  HostCall failing = tuner.timed();
  const std::string text = failing.choice().text();
  failing.failed("no");
  failing.failed("no");
  EXPECT_NE(tuner.explain().find("out: no"), std::string::npos);
}

}  // namespace
}  // namespace vyre
