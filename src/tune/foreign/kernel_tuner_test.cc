#include "vyre/tune/foreign/kernel_tuner.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <deque>
#include <random>
#include <thread>

#include "vyre/base/files/files.h"
#include "vyre/tune/foreign/kernel_tuner_testing.h"

namespace vyre {
namespace {

TEST_F(KernelTunerTest, ReachesTheBestWithinItsBound) {
  KernelTuner tuner = open(12);
  SimulatedKernel kernel = twelve_candidates();
  EXPECT_EQ(tuner.next().choice.index(), 0U);
  const double total = work(tuner, kernel, 1000);
  EXPECT_EQ(tuner.best().index(), kernel.best()) << tuner.explain();
  const Ledger ledger = tuner.ledger();
  EXPECT_GT(ledger.spent_ns, 0);
  EXPECT_LE(ledger.lost_ns, ledger.bound_ns);
  EXPECT_LT(total, 1000 * kernel.ns[0]);
  EXPECT_NE(tuner.why().find("c=7"), std::string::npos);
  EXPECT_NE(tuner.explain().find("saxpy"), std::string::npos);
}

TEST_F(KernelTunerTest, ServesTheWinnerAtTheFirstCallAfterARestart) {
  SimulatedKernel kernel = twelve_candidates();
  {
    KernelTuner tuner = open(12);
    work(tuner, kernel, 1000);
    ASSERT_TRUE(tuner.close());
  }
  EXPECT_EQ(open(12).next().choice.index(), kernel.best());
  // Another version of the code is another kernel: the winner is only a hint and does not serve.
  KernelKey changed = kernel_key();
  changed.version = "2";
  EXPECT_EQ(open(12, {}, changed).next().choice.index(), 0U);
}

TEST_F(KernelTunerTest, WhatIsNotClosedIsRememberedToo) {
  SimulatedKernel kernel = twelve_candidates();
  {
    KernelTuner tuner = open(12);
    work(tuner, kernel, 1000);
  }
  EXPECT_EQ(open(12).best().index(), kernel.best());
}

TEST_F(KernelTunerTest, ProcessesShareAStore) {
  constexpr int kProcesses = 4;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // All threads call one kernel, and each thread also calls a kernel of its own.
      SimulatedKernel kernel = twelve_candidates();
      kernel.random.seed(static_cast<unsigned>(i));
      KernelTuner shared = open(12);
      KernelTuner own = open(12, {}, kernel_key("own" + std::to_string(i)));
      work(shared, kernel, 600);
      work(own, kernel, 600);
      const bool good = !HasFailure() && shared.close() && own.close();
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const SimulatedKernel kernel = twelve_candidates();
  EXPECT_LE(kernel.ns[open(12).next().choice.index()], 1.05 * kernel.ns[kernel.best()]);
  for (int i = 0; i < kProcesses; ++i) {
    KernelTuner own = open(12, {}, kernel_key("own" + std::to_string(i)));
    EXPECT_LE(kernel.ns[own.next().choice.index()], 1.05 * kernel.ns[kernel.best()]) << i;
  }
}

TEST_F(KernelTunerTest, ASearchThatWasKilledGoesOn) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SimulatedKernel kernel = twelve_candidates();
    KernelTuner tuner = open(12);
    for (int i = 0; i < 100000; ++i) {
      work(tuner, kernel, 1);
      // Decisions are written soon, by another thread.
      if (tuner.best().index() != 0 && i % 64 == 0 &&
          read_file(file()).value_or("").find("promoted") != std::string::npos) {
        kill(getpid(), SIGKILL);
      }
    }
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  SimulatedKernel kernel = twelve_candidates();
  KernelTuner tuner = open(12);
  EXPECT_NE(tuner.next().choice.index(), 0U) << tuner.explain();
  std::uint64_t samples = 0;
  for (const CandidateView& row : tuner.view()) samples += row.samples;
  EXPECT_GT(samples, 5U);
  work(tuner, kernel, 1000);
  EXPECT_EQ(tuner.best().index(), kernel.best()) << tuner.explain();
}

TEST_F(KernelTunerTest, ManyThreadsShareATuner) {
  KernelTuner tuner = open(12);
  std::atomic<int> verifying = 0;
  std::atomic<bool> overlapped = false;
  ASSERT_TRUE(tuner.verify([&](const Choice& choice) {
    if (verifying.fetch_add(1) != 0) overlapped = true;
    std::this_thread::yield();
    verifying.fetch_sub(1);
    return Verdict(choice.index() != 8, 30e3);  // the clock would see the other threads
  }));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      SimulatedKernel kernel = twelve_candidates();
      kernel.random.seed(t);
      std::deque<KernelCall> late;
      for (int i = 0; i < 1500; ++i) {
        const KernelCall call = tuner.next();
        if (call.choice.index() == 8) ++wrong;
        late.push_back(call);
        if (late.size() < 4) continue;
        const KernelCall then = late.front();
        late.pop_front();
        if (!tuner.report(then, kernel.run(then.choice.index()))) ++wrong;
        if (i % 100 == 0) tuner.explain();
      }
      for (const KernelCall& call : late) {
        if (!tuner.abandon(call)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(overlapped);
  SimulatedKernel kernel = twelve_candidates();
  // The number of calls that reach the search depends on the scheduling of the threads, so it may
  // need more calls.
  for (int i = 0; i < 20000 && kernel.ns[tuner.best().index()] > 2.05e6; ++i) {
    work(tuner, kernel, 1);
  }
  EXPECT_LE(kernel.ns[tuner.best().index()], 2.05e6) << tuner.explain();
  const Ledger ledger = tuner.ledger();
  EXPECT_LE(ledger.lost_ns, ledger.bound_ns * 1.1);
}

TEST_F(KernelTunerTest, TimesMayComeLateAndInAnyOrder) {
  KernelTuner tuner = open(12);
  SimulatedKernel kernel = twelve_candidates();
  std::deque<std::pair<KernelCall, double>> queue;
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    const KernelCall call = tuner.next();
    queue.emplace_back(call, kernel.run(call.choice.index()));
    if (queue.size() < 40) continue;
    std::swap(queue.front(), queue[random() % queue.size()]);
    ASSERT_TRUE(tuner.report(queue.front().first, queue.front().second));
    queue.pop_front();
  }
  EXPECT_LE(kernel.ns[tuner.best().index()], 1.95e6 * 1.001) << tuner.explain();
}

TEST_F(KernelTunerTest, ACallWhoseTimeNeverComesHoldsNothingUp) {
  KernelTuner tuner = open(12);
  SimulatedKernel kernel = twelve_candidates();
  for (int i = 0; i < 6000; ++i) {
    const KernelCall call = tuner.next();
    if (i % 3 == 0) continue;
    ASSERT_TRUE(tuner.report(call, kernel.run(call.choice.index())));
  }
  EXPECT_LE(kernel.ns[tuner.best().index()], 1.95e6 * 1.001) << tuner.explain();
}

TEST_F(KernelTunerTest, ThousandsOfCandidatesWork) {
  const auto axes = std::vector<ParameterAxis>{{"a", {0, 1, 2, 3, 4, 5, 6, 7}},
                                               {"b", {0, 1, 2, 3, 4, 5, 6, 7}},
                                               {"c", {0, 1, 2, 3, 4, 5, 6, 7}},
                                               {"d", {0, 1, 2, 3, 4, 5, 6, 7}}};
  const std::vector<Configuration> all = combinations(axes).value();
  ASSERT_EQ(all.size(), kMaxKernelCandidates);
  auto tuner = KernelTuner::open(
      kernel_key(), all, {.path = file(), .mode = TunerMode::natural_gradient, .start = 4095});
  ASSERT_TRUE(tuner) << describe(tuner.error());
  SimulatedKernel kernel;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const Choice c(i, all[i]);
    kernel.ns.push_back(5e6 * (1 + 0.02 * static_cast<double>(*c.number("a") + *c.number("b") +
                                                              *c.number("c") + *c.number("d"))));
  }
  work(*tuner, kernel, 1500);
  EXPECT_LT(kernel.ns[tuner->best().index()], 0.9 * kernel.ns[4095]) << tuner->explain();
  EXPECT_LE(tuner->ledger().lost_ns, tuner->ledger().bound_ns);
}

TEST_F(KernelTunerTest, SlowFirstCallsDoNotEndTheSearch) {
  for (const int slow_calls : {1, 5, 20, 60}) {
    KernelTuner tuner = open(12, {.store = EvidenceStore::in_memory()});
    ASSERT_TRUE(tuner.verify([](const Choice&) { return Verdict(true, 200e3); }));
    SimulatedKernel kernel = twelve_candidates();
    for (int i = 0; i < 1500; ++i) {
      const KernelCall call = tuner.next();
      const double ns = kernel.run(call.choice.index());
      ASSERT_TRUE(tuner.report(call, i < slow_calls ? 30 * ns : ns));
    }
    EXPECT_LE(kernel.ns[tuner.best().index()], 1.95e6) << slow_calls << "\n" << tuner.explain();
  }
}

TEST_F(KernelTunerTest, CallsThatAreOftenDisturbedDoNotEndTheSearch) {
  int found = 0;
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    KernelTuner tuner = open(12, {.store = EvidenceStore::in_memory()});
    SimulatedKernel kernel = twelve_candidates();
    kernel.random.seed(seed);
    for (int i = 0; i < 4000; ++i) {
      const KernelCall call = tuner.next();
      const double ns = kernel.run(call.choice.index());
      ASSERT_TRUE(tuner.report(call, kernel.random() % 5 == 0 ? 5 * ns : ns));
    }
    found += kernel.ns[tuner.best().index()] <= 2.1e6 ? 1 : 0;
  }
  // One search in hundreds meets only disturbed calls.
  EXPECT_GE(found, 4);
}

}  // namespace
}  // namespace vyre
