// Simulated searches in recorded noise: how often they promote a candidate by luck, and how often
// they find a true gain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/tune/online/online_policy.h"
#include "vyre/tune/online/online_simulation_testing.h"
#include "vyre/tune/online/recorded_noise_testing.h"

namespace vyre {
namespace {

constexpr std::uint32_t kCandidates = 30;

constexpr double kCall = 200e3;

Recording recorded(const std::string& name) {
  return read_recording(VYRE_ROOM_DIR "/online/noise/" + name);
}

// Thirty candidates of equal speed, except for the second one, which saves `gain`.
std::vector<double> one_saves(double gain) {
  std::vector<double> out(kCandidates, kCall);
  out[1] *= 1 - gain;
  return out;
}

// Candidates on a machine with the recording's noise, in blocks of about 500 calls from anywhere.
struct Machine {
  const Recording& noise;
  std::vector<double> true_ns;
  std::vector<double> prior_ns{};  // empty: nothing is known

  OnlinePolicy policy(std::uint64_t seed) const {
    std::vector<OnlineCandidate> candidates;
    std::uint32_t start = 0;
    for (std::uint32_t i = 0; i < true_ns.size(); ++i) {
      const double prior_ns_of_it = prior_ns.empty() ? kCall : prior_ns[i];
      candidates.push_back({"c=" + std::to_string(i), prior_ns_of_it});
      if (prior_ns_of_it < candidates[start].prior_ns) start = i;
    }
    return {candidates, start, {.seed = seed}};
  }
  // Returns the most that was lost at any time, as a share of the bound.
  double search(OnlinePolicy& policy, std::uint64_t seed, std::uint64_t calls) const {
    double worst = 0;
    RecordedNoise factors(noise, seed);
    for (std::uint64_t call = 0; call < calls && !policy.settled(); ++call) {
      const double factor = factors.next();
      const OnlineStep step = policy.next();
      if (step.timed) policy.report(step, true_ns[step.candidate] * factor);
      const Ledger ledger = policy.ledger();
      if (ledger.bound_ns > 0) worst = std::max(worst, ledger.lost_ns / ledger.bound_ns);
    }
    return worst;
  }
  // The incumbent at the end.
  std::uint32_t run(std::uint64_t seed, std::uint64_t calls) const {
    OnlinePolicy policy = this->policy(seed);
    search(policy, seed, calls);
    return policy.incumbent();
  }
  // The same as several programs, one after the other, that share their evidence.
  std::uint32_t run_in_parts(std::uint64_t seed, std::uint64_t calls, std::uint32_t parts) const {
    const auto store = EvidenceStore::in_memory();
    const TuningKey key{.program = "p", .size = "1", .device = "d"};
    std::uint32_t incumbent = 0;
    for (std::uint32_t part = 0; part < parts; ++part) {
      OnlinePolicy policy = this->policy(seed * parts + part);
      if (const auto known = store->find(key)) policy.restore(*known, true);
      search(policy, seed * parts + part, calls / parts);
      EXPECT_TRUE(store->append(key, policy.take_events()));
      incumbent = policy.incumbent();
    }
    return incumbent;
  }
};

TEST(OnlineNoise, NoMoreIsLostThanMayBe) {
  for (const std::string& name : all_recordings()) {
    const Recording noise = recorded(name);
    double worst = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      const SimulatedSpace space = simulated_space(kCandidates, kCall, 0.3, seed);
      const Machine machine{noise, space.true_ns, space.prior_ns};
      OnlinePolicy policy = machine.policy(seed);
      worst = std::max(worst, machine.search(policy, seed, 3000));
    }
    std::printf("%-26s at most %.2f of the bound was lost\n", name.c_str(), worst);
    EXPECT_LE(worst, 1) << name;
  }
}

TEST(OnlineNoise, LuckWinsInOneSearchOfAHundredAtMost) {
  if (kSanitized) GTEST_SKIP() << "its statistics are those of the release build";
  for (const std::string& name : all_recordings()) {
    const Recording noise = recorded(name);
    const Machine machine{noise, one_saves(0)};
    const double moved =
        share_of(1000, [&](std::uint64_t seed) { return machine.run(seed, 2000) != 0; });
    std::printf("%-26s the choice moved by luck in %.1f%% of searches\n", name.c_str(),
                100 * moved);
    EXPECT_LE(moved, 0.01) << name;
  }
}

double found(const std::string& name, double gain, std::uint64_t calls) {
  const Recording noise = recorded(name);
  const Machine machine{noise, one_saves(gain)};
  const double share =
      share_of(60, [&](std::uint64_t seed) { return machine.run(seed, calls) == 1; });
  std::printf("%-26s a gain of %.0f%% within %llu calls was found in %.0f%% of searches\n",
              name.c_str(), 100 * gain, static_cast<unsigned long long>(calls), 100 * share);
  return share;
}

TEST(OnlineNoise, TrueGainsAreFoundOnAQuietMachine) {
  EXPECT_GE(found("quiet_gpu.txt", 0.05, 5000), 0.95);
  EXPECT_GE(found("quiet_gpu.txt", 0.02, 5000), 0.6);
  found("quiet_gpu_short_calls.txt", 0.05, 5000);
  found("quiet_gpu_short_calls.txt", 0.02, 5000);
}

TEST(OnlineNoise, TrueGainsAreFoundOnANoisyMachine) {
  if (kSanitized) GTEST_SKIP() << "its statistics are those of the release build";
  for (const std::string& name : noisy_recordings()) {
    EXPECT_GE(found(name, 0.05, 50'000), 0.8) << name;
    found(name, 0.02, 50'000);
  }
}

// The share of the calls in which the search was quiet, and of those the share that were probes.
std::pair<double, double> quiet_share(const std::string& name, double more_noise) {
  Recording noise = recorded(name);
  for (double& factor : noise) factor = std::pow(factor, more_noise);
  double quiet = 0, probes = 0;
  constexpr std::uint64_t kCalls = 5000, kSearches = 40;
  for (std::uint64_t seed = 1; seed <= kSearches; ++seed) {
    const Machine machine{noise, one_saves(0)};
    OnlinePolicy policy = machine.policy(seed);
    RecordedNoise factors(noise, seed);
    for (std::uint64_t call = 0; call < kCalls; ++call) {
      const double factor = factors.next();
      const OnlineStep step = policy.next();
      quiet += policy.quiet() ? 1 : 0;
      probes += policy.quiet() && step.probe ? 1 : 0;
      if (step.timed) policy.report(step, kCall * factor);
    }
  }
  std::printf("%-26s with its noise to the power of %.1f the search was quiet in %.0f%% of calls\n",
              name.c_str(), more_noise, 100 * quiet / (kCalls * kSearches));
  return {quiet / (kCalls * kSearches), quiet > 0 ? probes / quiet : 0};
}

TEST(OnlineNoise, NothingIsTriedWhileNoiseDrownsGainsOfAFewPercent) {
  EXPECT_EQ(quiet_share("quiet_gpu.txt", 1).first, 0);
  EXPECT_LE(quiet_share("stands_still.txt", 1).first, 0.05);
  const auto [some, none] = quiet_share("two_busy_cores.txt", 1);
  EXPECT_GE(some, 0.1);
  EXPECT_EQ(none, 0);
  EXPECT_GE(quiet_share("two_busy_cores.txt", 2).first, 0.5);
}

TEST(OnlineNoise, FreshSearchesEndWithinThreePercentOfEachOther) {
  for (const std::string& name : all_recordings()) {
    const Recording noise = recorded(name);
    std::uint32_t searches = 0, within = 0;
    for (std::uint64_t kernel = 1; kernel <= 3; ++kernel) {
      const SimulatedSpace space = simulated_space(kCandidates, kCall, 0.1, kernel);
      const Machine machine{noise, space.true_ns, space.prior_ns};
      std::vector<double> ends;
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        ends.push_back(space.true_ns[machine.run(seed, 50'000)]);
      }
      const double least = *std::ranges::min_element(ends);
      searches += 20;
      within += static_cast<std::uint32_t>(
          std::ranges::count_if(ends, [&](double ns) { return ns <= 1.03 * least; }));
    }
    std::printf("%-26s %u of %u searches ended within 3%% of the best of them\n", name.c_str(),
                within, searches);
    EXPECT_GE(within, 0.9 * searches) << name;
  }
}

TEST(OnlineNoise, ThreeShortRunsDecideWhatALongOneDoes) {
  for (const std::string& name : quiet_recordings()) {
    const Recording noise = recorded(name);
    const Machine machine{noise, one_saves(0.05)};
    const auto in_parts = [&](std::uint32_t parts) {
      return share_of(
          60, [&](std::uint64_t seed) { return machine.run_in_parts(seed, 1800, parts) == 1; });
    };
    const double one = in_parts(1), three = in_parts(3);
    std::printf(
        "%-26s a gain of 5%% was found in %.0f%% of searches of 1800 calls, and in %.0f%%"
        " of those of three times 600\n",
        name.c_str(), 100 * one, 100 * three);
    EXPECT_GE(three, one - 0.1) << name;
  }
  const Recording noise = recorded("two_shared_cores.txt");
  const Machine equal{noise, one_saves(0)};
  EXPECT_LE(
      share_of(300, [&](std::uint64_t seed) { return equal.run_in_parts(seed, 1800, 3) != 0; }),
      0.01);
}

// Whether programs that each make this many pairs, and share their evidence, promote a candidate
// that is no faster. Of two timed calls in a row the second takes `second` times as long.
bool short_programs_are_fooled(const Recording& noise, std::uint64_t search, std::size_t pairs,
                               double second) {
  const auto store = EvidenceStore::in_memory();
  const TuningKey key{.program = "p", .size = "1", .device = "d"};
  RecordedNoise factors(noise, search);
  for (std::size_t program = 0; program < 120 / pairs; ++program) {
    // The declared variant is compared with the guess from the first calls on.
    OnlinePolicy policy({{"c=0", kCall}, {"c=1", kCall}}, 1, {.declared = 0});
    if (const auto known = store->find(key)) policy.restore(*known, true);
    bool is_second = false;
    std::size_t probes = 0;
    for (int call = 0; call < 100 && (probes < pairs || is_second); ++call) {
      const double factor = factors.next();
      const OnlineStep step = policy.next();
      if (step.timed) policy.report(step, kCall * factor * (is_second ? second : 1));
      is_second = step.timed && !is_second;
      probes += step.probe ? 1 : 0;
    }
    EXPECT_TRUE(store->append(key, policy.take_events()));
    if (policy.incumbent() != 1) return true;
  }
  return false;
}

TEST(OnlineNoise, TheOrderOfCallsFoolsNoProgramsThatMakeAFewPairsEach) {
  const Recording noise = recorded("quiet_gpu.txt");
  double fooled = 0, kinds = 0;
  for (const std::size_t pairs : {2U, 3U, 8U}) {
    for (const double second : {0.985, 1.015}) {
      ++kinds;
      fooled += share_of(300, [&](std::uint64_t search) {
        return short_programs_are_fooled(noise, search, pairs, second);
      });
    }
  }
  std::printf("programs of a few pairs promoted by luck in %.1f%% of searches\n",
              100 * fooled / kinds);
  EXPECT_LE(fooled / kinds, 0.01);
}

}  // namespace
}  // namespace vyre
