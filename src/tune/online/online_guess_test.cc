// A first guess that serves in place of the declared variant, in recorded noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/tune/online/online_policy.h"
#include "vyre/tune/online/recorded_noise_testing.h"

namespace vyre {
namespace {

constexpr std::uint32_t kCandidates = 30;

Recording recorded(const std::string& name) {
  return read_recording(VYRE_ROOM_DIR "/online/noise/" + name);
}

struct Outcome {
  bool moved = false;      // another than the guess has ever served
  std::uint32_t last = 0;  // what serves at the end
  double worst = 0;        // the most that was lost at any time, as a share of the bound
  double lost_ns = 0;
  double above_ns = 0;  // what the calls of the guess took above the declared variant's, in truth
};

// Candidate 0 is the declared one, which takes `call_ns`; 1 is the guess, which serves first and
// takes `slower` times as long. All others take as long as the declared one. Code is there four
// calls after it was asked for.
Outcome run(const Recording& noise, double call_ns, double slower, std::uint64_t seed,
            std::uint64_t calls) {
  std::vector<OnlineCandidate> candidates;
  for (std::uint32_t i = 0; i < kCandidates; ++i) {
    candidates.push_back({"c=" + std::to_string(i), i == 1 ? 100.0 : 120.0});
  }
  OnlinePolicy policy(candidates, 1, {.seed = seed, .needs_code = true, .declared = 0});
  RecordedNoise factors(noise, seed);
  std::deque<std::pair<std::uint32_t, std::uint64_t>> making;
  Outcome out;
  for (std::uint64_t call = 0; call < calls; ++call) {
    for (; !making.empty() && making.front().second <= call; making.pop_front()) {
      policy.made(making.front().first);
    }
    const OnlineStep step = policy.next();
    const double usual_ns = (step.candidate == 1 ? slower : 1) * call_ns;
    out.above_ns += usual_ns - call_ns;
    if (step.make) making.emplace_back(*step.make, call + 4);
    if (step.timed) policy.report(step, usual_ns * factors.next());
    if (!step.timed) factors.next();
    out.moved = out.moved || policy.incumbent() != 1;
    const Ledger ledger = policy.ledger();
    if (ledger.bound_ns > 0) out.worst = std::max(out.worst, ledger.lost_ns / ledger.bound_ns);
  }
  out.last = policy.incumbent();
  out.lost_ns = policy.ledger().lost_ns;
  return out;
}

TEST(OnlineGuess, OneThatIsAsFastAsTheDeclaredVariantStays) {
  if (kSanitized) GTEST_SKIP() << "its statistics are those of the release build";
  for (const std::string& name : all_recordings()) {
    const Recording noise = recorded(name);
    for (const double call_ns : {200e3, 20e6}) {
      double worst = 0;
      const double moved = share_of(300, [&](std::uint64_t seed) {
        const Outcome it = run(noise, call_ns, 1, seed, 2000);
        worst = std::max(worst, it.worst);
        return it.moved;
      });
      std::printf(
          "%-26s calls of %5.1f ms: an equal guess lost its place in %.1f%% of searches; "
          "at most %.2f of the bound was lost\n",
          name.c_str(), call_ns / 1e6, 100 * moved, worst);
      EXPECT_LE(moved, 0.01) << name;
      // The pauses of a recording are as long as they were beside calls of such a length.
      if (call_ns < 1e6) {
        EXPECT_LE(worst, 1) << name;
      }
    }
  }
}

TEST(OnlineGuess, ASlowOneLosesItsPlaceBeforeItLosesMoreThanItMay) {
  if (kSanitized) GTEST_SKIP() << "its statistics are those of the release build";
  for (const std::string& name : all_recordings()) {
    const Recording noise = recorded(name);
    for (const double slower : {1.1, 1.5, 6.0}) {
      double worst = 0, worst_truth = 0;
      const double returned = share_of(100, [&](std::uint64_t seed) {
        const Outcome it = run(noise, 200e3, slower, seed, 5000);
        worst = std::max(worst, it.worst);
        worst_truth = std::max(worst_truth, it.above_ns / 200e3);
        return it.last != 1;
      });
      std::printf(
          "%-26s a guess %.1f times as slow lost its place in %.0f%% of searches; at most "
          "%.2f of the bound was lost, and in truth %.0f calls\n",
          name.c_str(), slower, 100 * returned, worst, worst_truth);
      EXPECT_GE(returned, 0.9) << name << " " << slower;
      EXPECT_LE(worst, 1) << name << " " << slower;
    }
  }
}

}  // namespace
}  // namespace vyre
