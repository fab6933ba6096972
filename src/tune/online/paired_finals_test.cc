// Finals with given times, and sweeps in recorded noise that end by proof.
#include "vyre/tune/online/paired_finals.h"

#include <gtest/gtest.h>

#include <numeric>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/tune/foreign/kernel_sweep_internal.h"
#include "vyre/tune/online/race.h"
#include "vyre/tune/online/recorded_noise_testing.h"

namespace vyre {
namespace {

const auto kNever = [] { return false; };
const std::vector<std::string> kTexts{"c=0", "c=1", "c=2", "c=3"};

// Finals whose candidates take exactly these times.
PairedFinals finals_of(const std::vector<double>& ns, std::vector<std::uint32_t> finalists,
                       FinalsOptions options = {}, std::size_t runs = 100'000) {
  options.seed = 1;
  PairedFinals finals(0, std::move(finalists), options);
  std::vector<std::vector<double>> times(ns.size());
  std::size_t run = 0;
  hold_finals(
      finals, times, [&](std::uint32_t i) { return std::optional(ns[i]); },
      [&] { return run++ >= runs; });
  return finals;
}

TEST(PairedFinals, TheFirstThatIsProvedWins) {
  const PairedFinals finals = finals_of({100, 101, 90, 80}, {1, 2, 3});
  EXPECT_TRUE(finals.finished());
  const FinalsResult result = finals.result();
  EXPECT_EQ(result.winner, 2U);
  EXPECT_TRUE(result.proved);
  EXPECT_NEAR(result.gain.gain, 0.1, 1e-4);
  EXPECT_GT(result.gain.low, 0);
  EXPECT_GE(result.pairs, 8U);
  EXPECT_TRUE(finals_words(result, kTexts, 3).starts_with("10.0% faster than c=0 (99% interval "))
      << finals_words(result, kTexts, 3);
  const std::vector<EvidenceEvent> events = finals.events(kTexts);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].kind, EventKind::compared);
  EXPECT_EQ(events[1].candidate, "c=2");
  EXPECT_EQ(events[1].over, "c=0");
  EXPECT_EQ(events[1].final, 2U);
  EXPECT_EQ(events[1].log_ratios.size(), result.pairs);
}

TEST(PairedFinals, TheFavouriteStaysWithoutProof) {
  const FinalsResult result = finals_of({100, 99.9, 104}, {1, 2}).result();
  EXPECT_EQ(result.winner, 0U);
  EXPECT_FALSE(result.proved);
  EXPECT_FALSE(result.undecided);
  EXPECT_EQ(result.closest, 1U);
  EXPECT_TRUE(finals_words(result, kTexts, 2)
                  .starts_with("no other of 2 was faster beyond the noise; the closest is c=1, "
                               "0.1% faster (99% interval "))
      << finals_words(result, kTexts, 2);
}

TEST(PairedFinals, ALeastGainKeepsSmallOnesOut) {
  EXPECT_EQ(finals_of({100, 97}, {1}, {.least_gain = 0.05}).result().winner, 0U);
  EXPECT_EQ(finals_of({100, 97}, {1}, {.least_gain = 0.02}).result().winner, 1U);
  EXPECT_EQ(finals_of({100, 97}, {1}, {.doubt = 0.04}).result().winner, 0U);
}

TEST(PairedFinals, ThatEndEarlySayHowSureTheyAre) {
  const FinalsResult result = finals_of({100, 80}, {1}, {}, 12).result();
  EXPECT_EQ(result.winner, 0U);
  EXPECT_TRUE(result.undecided);
  EXPECT_EQ(result.pairs, 6U);
  const std::string words = finals_words(result, kTexts, 1);
  EXPECT_TRUE(words.starts_with("not enough calls to tell: the closest is c=1, 20.0% faster (99% "))
      << words;
  EXPECT_TRUE(words.ends_with(" in 6 pairs")) << words;
  EXPECT_EQ(finals_words(finals_of({100, 80}, {1}, {}, 0).result(), kTexts, 1),
            "not enough calls to tell");
  EXPECT_EQ(finals_words(finals_of({100}, {}).result(), kTexts, 3),
            "no other of 3 was faster beyond the noise");
}

TEST(PairedFinals, WhoFailsIsOut) {
  PairedFinals finals(0, {1, 2}, {.seed = 1});
  std::vector<std::vector<double>> times(3);
  const auto time = [](std::uint32_t i) {
    return i == 1 ? std::nullopt : std::optional(100 - 10.0 * i);
  };
  hold_finals(finals, times, time, kNever);
  EXPECT_EQ(finals.result().winner, 2U);
  EXPECT_TRUE(times[1].empty());

  PairedFinals without(0, {1}, {.seed = 1});
  without.drop(0);
  EXPECT_TRUE(without.finished());
}

TEST(PairedFinals, APairWithoutBothTimesSaysNothing) {
  PairedFinals finals(0, {1}, {.seed = 1});
  finals.report(*finals.next(), 100);
  finals.abandon();
  const std::uint32_t first = *finals.next();
  finals.take_back(first);
  EXPECT_EQ(*finals.next(), first) << "it is asked for again";
  finals.report(first, 100);
  EXPECT_TRUE(finals.next());
  EXPECT_FALSE(finals.next()) << "until the second time is there";
  EXPECT_EQ(finals.result().pairs, 0U);
}

// The evidence after finals in which candidates take these times.
struct KeptFinals {
  std::shared_ptr<EvidenceStore> store = EvidenceStore::in_memory();
  TuningKey key{.program = "p", .size = "1", .device = "d"};

  FinalsResult hold(const std::vector<double>& ns, std::size_t runs, std::size_t* pairs = nullptr) {
    PairedFinals finals(0, {1, 2}, {.seed = 1}, earlier_finals(store->find(key), kTexts, 0));
    std::vector<std::vector<double>> times(ns.size());
    std::size_t run = 0;
    hold_finals(
        finals, times, [&](std::uint32_t i) { return std::optional(ns[i]); },
        [&] { return run++ >= runs; });
    const std::vector<EvidenceEvent> events = finals.events(kTexts);
    if (pairs != nullptr) {
      for (const EvidenceEvent& event : events) *pairs += event.log_ratios.size();
    }
    EXPECT_TRUE(store->append(key, events));
    return finals.result();
  }
};

TEST(PairedFinals, ContinueWhatEarlierOnesHaveBegun) {
  KeptFinals kept;
  EXPECT_FALSE(kept.hold({100, 101, 90}, 16).proved);
  std::size_t pairs = 0;
  FinalsResult result;
  for (int sweep = 0; sweep < 10 && !result.proved; ++sweep) {
    result = kept.hold({100, 101, 90}, 6, &pairs);
  }
  EXPECT_EQ(result.winner, 2U);
  EXPECT_LT(pairs, result.pairs) << "the pairs of earlier sweeps count";
  const KeyState known = *kept.store->find(kept.key);
  EXPECT_EQ(known.candidates[1].log_ratios.size(), result.pairs);
  EXPECT_EQ(known.candidates[1].final, 2U);
  EXPECT_EQ(known.finals, 2U);
  std::size_t more = 0;
  EXPECT_EQ(kept.hold({100, 101, 90}, 100, &more).winner, 2U);
  EXPECT_EQ(more, 0U) << "earlier pairs prove it";
}

TEST(PairedFinals, ComparisonsAreNumberedOnFromThoseOfEarlierSearches) {
  PairedFinals finals(0, {1, 2}, {.seed = 1}, {.begun = 7});
  for (int pair = 0; pair < 40 && !finals.finished(); ++pair) {
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t candidate = *finals.next();
      finals.report(candidate, candidate == 1 ? 102 : 100);
    }
  }
  const std::vector<EvidenceEvent> events = finals.events(kTexts);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0].final, 8U);
}

constexpr std::uint32_t kCandidates = 30;
constexpr double kCall = 200e3;

// The second of thirty saves `gain`; all others take as long as the first, which is the favourite.
double one_saves(std::uint32_t candidate, double gain) {
  return kCall * (candidate == 1 ? 1 - gain : 1);
}

// What sweeps for one key leave to later ones.
struct Memory {
  std::vector<std::string> texts;
  std::shared_ptr<EvidenceStore> store = EvidenceStore::in_memory();
  TuningKey key{.program = "p", .size = "1", .device = "d"};

  Memory() {
    for (std::uint32_t i = 0; i < kCandidates; ++i) texts.push_back("c=" + std::to_string(i));
  }
  EarlierFinals earlier() const { return earlier_finals(store->find(key), texts, 0); }
  void take(const std::vector<EvidenceEvent>& events) { EXPECT_TRUE(store->append(key, events)); }
};

// A sweep as the mode `on` makes it: a few times of each candidate, a race, and finals.
FinalsResult sweep(const Recording& noise, double gain, std::uint64_t seed, Memory& memory) {
  RecordedNoise factors(noise, seed);
  const auto time = [&](std::uint32_t i) {
    return std::optional(one_saves(i, gain) * factors.next());
  };
  std::vector<std::vector<double>> times(kCandidates);
  for (std::uint32_t i = 0; i < kCandidates; ++i) {
    for (int run = 0; run < 3; ++run) times[i].push_back(*time(i));
  }
  const RaceResult raced = race(times, 0, time, {.sample_ns = kCall, .stage_ns = 1e9}, kNever);
  PairedFinals finals(0, raced.ranking, {.seed = seed}, memory.earlier());
  hold_finals(finals, times, time, kNever);
  memory.take(finals.events(memory.texts));
  return finals.result();
}

// A sweep over a kernel that only the program can run.
FinalsResult foreign_sweep(const Recording& noise, double gain, std::uint64_t seed,
                           Memory& memory) {
  RecordedNoise factors(noise, seed);
  KernelSweep sweep(std::vector<bool>(kCandidates), 0, {.most_pairs = 64, .seed = seed},
                    memory.earlier());
  while (const auto i = sweep.next()) sweep.report(*i, one_saves(*i, gain) * factors.next());
  memory.take(sweep.compared(memory.texts));
  return *sweep.result();
}

using Sweep = FinalsResult (*)(const Recording&, double, std::uint64_t, Memory&);
constexpr std::pair<const char*, Sweep> kKinds[] = {{"mode on", sweep},
                                                    {"foreign sweep", foreign_sweep}};

TEST(SweepNoise, LuckWinsInOneSweepOfAHundredAtMost) {
  if (kSanitized) GTEST_SKIP() << "its statistics are those of the release build";
  for (const auto& [what, run] : kKinds) {
    for (const std::string& name : all_recordings()) {
      const Recording noise = read_recording(VYRE_ROOM_DIR "/online/noise/" + name);
      const double moved = share_of(1000, [&](std::uint64_t seed) {
        Memory memory;
        return run(noise, 0, seed, memory).winner != 0;
      });
      std::printf("%-13s %-26s the choice moved by luck in %.1f%% of sweeps\n", what, name.c_str(),
                  100 * moved);
      EXPECT_LE(moved, 0.01) << what << " " << name;
    }
  }
}

// Each repetition would be another chance for luck if sweeps did not share the allowed error.
TEST(SweepNoise, LuckWinsInOneSeriesOfTwentySweepsInAHundredAtMost) {
  if (kSanitized) GTEST_SKIP() << "its statistics are those of the release build";
  constexpr std::uint64_t kSweeps = 20;
  const Recording noise = read_recording(VYRE_ROOM_DIR "/online/noise/two_shared_cores.txt");
  for (const auto& [what, run] : kKinds) {
    const double moved = share_of(200, [&](std::uint64_t series) {
      Memory memory;
      for (std::uint64_t sweep = 0; sweep < kSweeps; ++sweep) {
        if (run(noise, 0, 10'000 + series * kSweeps + sweep, memory).winner != 0) return true;
      }
      return false;
    });
    std::printf("%-13s the choice moved by luck in %.1f%% of series of %d sweeps\n", what,
                100 * moved, int(kSweeps));
    EXPECT_LE(moved, 0.01) << what;
  }
}

// Small gains, for which one sweep has too few pairs, are found by a few.
TEST(SweepNoise, SweepsAddUp) {
  const Recording noise = read_recording(VYRE_ROOM_DIR "/online/noise/virtual_machine.txt");
  const auto found = [&](std::uint64_t sweeps) {
    return share_of(40, [&](std::uint64_t series) {
      Memory memory;
      for (std::uint64_t sweep = 0; sweep < sweeps; ++sweep) {
        if (foreign_sweep(noise, 0.02, series * 100 + sweep, memory).winner == 1) return true;
      }
      return false;
    });
  };
  const double one = found(1), five = found(5);
  std::printf("a gain of 2%% was found by one sweep in %.0f%% of cases, and by five in %.0f%%\n",
              100 * one, 100 * five);
  EXPECT_GE(five, one + 0.2);
}

TEST(SweepNoise, TrueGainsAreFoundOnAQuietMachine) {
  for (const auto& [what, run] : kKinds) {
    for (const std::string& name : all_recordings()) {
      const Recording noise = read_recording(VYRE_ROOM_DIR "/online/noise/" + name);
      for (const double gain : {0.05, 0.2}) {
        const double found = share_of(100, [&](std::uint64_t seed) {
          Memory memory;
          return run(noise, gain, seed, memory).winner == 1;
        });
        std::printf("%-13s %-26s a gain of %.0f%% was found in %.0f%% of sweeps\n", what,
                    name.c_str(), 100 * gain, 100 * found);
        if (name == "quiet_gpu.txt") {
          EXPECT_GE(found, 0.95) << what << " " << gain;
        }
      }
    }
  }
}

}  // namespace
}  // namespace vyre
