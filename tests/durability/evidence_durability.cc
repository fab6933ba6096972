// Evidence under many processes, kills and compactions.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "processes.h"
#include "vyre/tune/evidence/evidence.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;

constexpr int kProcesses = 16;
constexpr int kNumbersEach = 100'000;  // more than any process gets to

TuningKey key_of(int number) {
  return {.program = fmt::format("program {}", number / kNumbersEach % 5), .device = "device"};
}

// The number is a candidate with one sample: what is read can be counted. Others may hold the lock
// for longer than an append waits, which has then written nothing.
bool append_number(EvidenceStore& store, int number) {
  const EvidenceEvent event{.kind = EventKind::measured,
                            .candidate = fmt::format("n={}", number),
                            .times_ns = {1.0 * number}};
  Result<void> appended;
  do {
    appended = store.append(key_of(number), std::span(&event, 1));
  } while (!appended && appended.error().code == Code::unavailable);
  return appended.has_value();
}

// How many samples each number has.
std::map<int, std::uint64_t> read_numbers(const fs::path& path) {
  std::map<int, std::uint64_t> numbers;
  const auto store = EvidenceStore::open(path);
  EXPECT_TRUE(store) << (store ? "" : describe(store.error()));
  if (!store) return numbers;
  for (const KeyState& state : (*store)->all()) {
    for (const CandidateState& each : state.candidates) {
      EXPECT_EQ(each.recent_ns, std::vector<double>{std::stod(each.candidate.substr(2))});
      numbers[std::stoi(each.candidate.substr(2))] += each.samples;
    }
  }
  return numbers;
}

class EvidenceDurability : public testing::Test {
 protected:
  EvidenceDurability() {
    std::string name = (fs::temp_directory_path() / "vyre-evidence-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~EvidenceDurability() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "tuner" / "evidence.jsonl"; }

  // Acknowledges each number when its append has returned, until it is killed.
  Child start_writer(int first, Pipe& acknowledged) const {
    return Child([&, first] {
      acknowledged.close_reading();
      const auto store = EvidenceStore::open(path());
      if (!store) return 1;
      for (int number = first;; ++number) {
        if (!append_number(**store, number)) return 2;
        if (!acknowledged.write_number(number)) return 3;
      }
    });
  }
  Child start_compactor() const {
    return Child([&] {
      const auto store = EvidenceStore::open(path());
      if (!store) return 1;
      while ((*store)->compact()) std::this_thread::sleep_for(microseconds(500));
      return 2;
    });
  }

  fs::path folder_;
};

TEST_F(EvidenceDurability, ManyProcessesAppendWhileOneCompactsAndNothingIsLostOrCountedTwice) {
  const int each = scaled(60);
  std::vector<Child> writers;
  for (int p = 0; p < kProcesses; ++p) {
    writers.emplace_back([&, p] {
      const auto store = EvidenceStore::open(path());
      if (!store) return 1;
      for (int i = 0; i < each; ++i) {
        if (!append_number(**store, p * kNumbersEach + i)) return 2;
      }
      return 0;
    });
  }
  Child compactor = start_compactor();
  for (Child& writer : writers) EXPECT_EQ(writer.wait(), 0);
  compactor.kill_now();
  const auto numbers = read_numbers(path());
  EXPECT_EQ(numbers.size(), static_cast<std::size_t>(kProcesses * each));
  for (const auto& [number, samples] : numbers) ASSERT_EQ(samples, 1u) << number;
}

TEST_F(EvidenceDurability, KilledWritersAndCompactorsLeaveEverythingThatWasAcknowledged) {
  const int rounds = scaled(10);
  std::mt19937 random(20240229);
  std::uniform_int_distribution<int> pause_us(0, 8000);
  std::vector<int> acknowledged;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Pipe> told(kProcesses);
    std::vector<Child> writers;
    for (int p = 0; p < kProcesses; ++p) {
      // No writer comes so far that it meets the numbers of the next round.
      writers.push_back(start_writer(p * kNumbersEach + round * (kNumbersEach / rounds),
                                     told[static_cast<unsigned>(p)]));
    }
    for (Pipe& pipe : told) pipe.close_writing();
    Child compactor = start_compactor();
    if (round % 2 == 0) {
      for (const Pipe& pipe : told) pipe.wait_for_a_number();
    }
    std::this_thread::sleep_for(microseconds(20'000));
    for (Child& writer : writers) {
      std::this_thread::sleep_for(microseconds(pause_us(random)));
      writer.kill_now();
    }
    compactor.kill_now();
    for (const Pipe& pipe : told) {
      for (const int number : pipe.read_numbers()) acknowledged.push_back(number);
    }
    const auto numbers = read_numbers(path());
    for (const int number : acknowledged) {
      ASSERT_TRUE(numbers.contains(number)) << number << " in round " << round;
    }
    for (const auto& [number, samples] : numbers) ASSERT_EQ(samples, 1u) << number;
  }
  EXPECT_GE(acknowledged.size(), static_cast<std::size_t>(rounds) / 2 * kProcesses);
  // The next one to compact clears away what the killed ones left.
  ASSERT_TRUE(EvidenceStore::open(path()).value()->compact());
  EXPECT_EQ(std::distance(fs::directory_iterator(path().parent_path()), {}), 2);  // and its lock
  EXPECT_GE(read_numbers(path()).size(), acknowledged.size());
}

TEST_F(EvidenceDurability, ReadersBesideWritersAndCompactorsOnlySeeMore) {
  Pipe told;
  Child writer = start_writer(0, told);
  told.close_writing();
  Child compactor = start_compactor();
  told.wait_for_a_number();
  const auto store = EvidenceStore::open(path());
  ASSERT_TRUE(store);
  std::size_t before = 0;
  for (int i = 0; i < scaled(200); ++i) {
    const auto refreshed = (*store)->refresh();
    ASSERT_TRUE(refreshed) << describe(refreshed.error());
    const auto state = (*store)->find(key_of(0));
    const std::size_t now = state ? state->candidates.size() : 0;
    ASSERT_GE(now, before);
    before = now;
    std::this_thread::sleep_for(microseconds(300));
  }
  writer.kill_now();
  compactor.kill_now();
  EXPECT_GT(before, 0u);
}

}  // namespace
}  // namespace vyre
