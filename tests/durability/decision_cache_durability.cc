// Decision caches under many processes, kills and races.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "processes.h"
#include "vyre/base/digest.h"
#include "vyre/tune/decisions/decision_keys.h"
#include "vyre/tune/decisions/decision_tuner.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

// The key of some program, and the workgroup decided for it: what is read can be checked.
std::string key_of(int number) {
  return std::string(program_key(digest_of(fmt::format("program {}", number)), {}).view());
}
Extent workgroup_of(int number) { return {static_cast<std::uint32_t>(number) + 1, 1, 1}; }

class Durability : public testing::Test {
 protected:
  Durability() {
    std::string name = (fs::temp_directory_path() / "vyre-durability-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~Durability() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "tuner" / "adapter.toml"; }

  // How many of the numbers are missing, or wrong, in a file that must load.
  int missing(const std::vector<int>& numbers) const {
    const auto loaded = load_decisions(path());
    EXPECT_TRUE(loaded) << (loaded ? "" : describe(to_error(loaded.error())));
    if (!loaded) return static_cast<int>(numbers.size());
    EXPECT_EQ(loaded->skipped, 0u);
    int count = 0;
    for (const int number : numbers) {
      const auto found = loaded->entries.find(key_of(number));
      if (found == loaded->entries.end() || found->second != workgroup_of(number)) ++count;
    }
    return count;
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path().parent_path()), {}));
  }

  fs::path folder_;
};

// Records the numbers first .. first + count - 1, with a save after every `batch` of them.
int write_decisions(const fs::path& path, int first, int count, int batch) {
  Tuner tuner(path, TunerMode::natural_gradient);
  if (tuner.load_error()) return 1;
  for (int i = 0; i < count; ++i) {
    if (!tuner.record(key_of(first + i), workgroup_of(first + i))) return 2;
    if ((i + 1) % batch == 0 && !tuner.persist()) return 3;
  }
  return tuner.persist() ? 0 : 3;
}

void write_from_many_processes(const fs::path& path, int processes, int each, int batch) {
  std::vector<Child> children;
  for (int p = 0; p < processes; ++p) {
    children.emplace_back([&, p] { return write_decisions(path, p * each, each, batch); });
  }
  for (Child& child : children) EXPECT_EQ(child.wait(), 0);
}

std::vector<int> numbers_below(int end) {
  std::vector<int> numbers;
  for (int i = 0; i < end; ++i) numbers.push_back(i);
  return numbers;
}

TEST_F(Durability, ManyProcessesWriteOneFileAndLoseNothing) {
  const int processes = scaled(16);
  const int each = scaled(200);
  write_from_many_processes(path(), processes, each, each);
  EXPECT_EQ(missing(numbers_below(processes * each)), 0);
  EXPECT_EQ(load_decisions(path()).value().entries.size(),
            static_cast<std::size_t>(processes * each));
  EXPECT_EQ(files(), 2u);  // and its lock
}

TEST_F(Durability, ManySmallSavesAtTheSameTimeLoseNothing) {
  const int processes = scaled(4);
  write_from_many_processes(path(), processes, 20, 1);
  EXPECT_EQ(missing(numbers_below(processes * 20)), 0);
}

// Saves one decision after the other, and tells each number when its save has returned.
int write_and_acknowledge(const fs::path& path, int first, const Pipe& acknowledged) {
  Tuner tuner(path, TunerMode::natural_gradient);
  if (tuner.load_error()) return 1;
  for (int number = first;; ++number) {
    if (!tuner.record(key_of(number), workgroup_of(number)) || !tuner.persist()) return 2;
    if (!acknowledged.write_number(number)) return 3;
  }
}

TEST_F(Durability, AWriterKilledAtAnyMomentLeavesEverythingItAcknowledged) {
  const int kills = scaled(300);
  // A few saves long, on whatever machine this is.
  using std::chrono::microseconds;
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(Child([&] { return write_decisions(folder_ / "other.toml", 0, 8, 1); }).wait(), 0);
  const auto eight_saves =
      std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begin);
  std::mt19937 random(20240229);
  std::uniform_int_distribution<microseconds::rep> moment_us(0, eight_saves.count() / 2);

  std::vector<int> acknowledged;
  constexpr int kRoundNumbers = 10'000;  // more than any round gets to
  for (int round = 0; round < kills; ++round) {
    Pipe told;
    Child writer([&] {
      told.close_reading();
      return write_and_acknowledge(path(), round * kRoundNumbers, told);
    });
    told.close_writing();
    if (round % 5 == 0) told.wait_for_a_number();
    std::this_thread::sleep_for(microseconds(moment_us(random)));
    writer.kill_now();
    for (const int number : told.read_numbers()) acknowledged.push_back(number);
    ASSERT_EQ(missing(acknowledged), 0) << "after kill " << round;
  }
  EXPECT_GE(acknowledged.size(), static_cast<std::size_t>(kills) / 5);
  // The next save works, and clears away what the killed ones left.
  ASSERT_EQ(write_decisions(path(), kills * kRoundNumbers, 1, 1), 0);
  EXPECT_EQ(missing(acknowledged), 0);
  EXPECT_EQ(files(), 2u);  // and its lock
}

TEST_F(Durability, TwoProcessesRaceOnFirstUse) {
  for (int round = 0; round < scaled(25); ++round) {
    fs::remove_all(path().parent_path());
    Pipe start;
    std::vector<Child> children;
    for (int p = 0; p < 2; ++p) {
      children.emplace_back([&, p] {
        start.close_writing();
        start.read_numbers();  // until the parent lets go of the other end
        return write_decisions(path(), p, 1, 1);
      });
    }
    start.close_writing();
    for (Child& child : children) ASSERT_EQ(child.wait(), 0);
    ASSERT_EQ(missing({0, 1}), 0);
  }
}

TEST_F(Durability, ReadersBesideWritersAlwaysSeeAWholeFile) {
  const int rounds = scaled(60);
  ASSERT_EQ(write_decisions(path(), 0, 50, 50), 0);
  Child writer([&] { return write_decisions(path(), 50, rounds, 1); });
  std::size_t before = 50;
  for (int i = 0; i < rounds; ++i) {
    const auto loaded = load_decisions(path());
    ASSERT_TRUE(loaded);
    ASSERT_GE(loaded->entries.size(), before);
    before = loaded->entries.size();
  }
  EXPECT_EQ(writer.wait(), 0);
  EXPECT_EQ(missing(numbers_below(50 + rounds)), 0);
}

}  // namespace
}  // namespace vyre
