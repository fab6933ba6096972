// What a tuner acknowledges is in the file, and what it cannot write yet it keeps and tells:
// killed, locked out, out of space, without permission, and with a folder that comes back.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "processes.h"
#include "vyre/base/files/disk_wait.h"
#include "vyre/base/files/file_lock.h"
#include "vyre/base/files/other_user_testing.h"
#include "vyre/base/files/silent_disk_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/tune/foreign/kernel_tuner.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

TuningKey key() { return {.program = "program", .device = "device"}; }

void hand_over(EvidenceStore& store, int number) {
  store.hand_over(key(), {{.kind = EventKind::measured,
                           .candidate = fmt::format("n={}", number),
                           .times_ns = {1.0 * number}}});
}

// What `save` gives. Where it gave up because its time was over, as on a disk that others keep
// busy, it is asked again: a reason to fail does not take that long.
template <class Save>
Result<void> however_long(const Save& save) {
  Result<void> saved;
  for (int times = 0; times < 12; ++times) {
    const auto begin = steady_clock::now();
    saved = save();
    if (saved || steady_clock::now() - begin < kSaveWait) break;
  }
  return saved;
}
Result<void> flush(EvidenceStore& store) {
  return however_long([&] { return store.flush(); });
}

class Acknowledged : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "tuner" / "evidence.jsonl"; }
  std::shared_ptr<EvidenceStore> open() const { return EvidenceStore::open(path()).value(); }

  // How many times each number is in the file.
  std::map<int, std::uint64_t> numbers() const {
    std::map<int, std::uint64_t> out;
    const auto state = open()->find(key());
    if (!state) return out;
    for (const CandidateState& each : state->candidates) {
      out[std::stoi(each.candidate.substr(2))] += each.samples;
    }
    return out;
  }
  void expect_numbers_below(int end) const {
    const auto found = numbers();
    EXPECT_EQ(found.size(), static_cast<std::size_t>(end));
    for (int i = 0; i < end; ++i) {
      const auto at = found.find(i);
      ASSERT_NE(at, found.end()) << i;
      EXPECT_EQ(at->second, 1u) << i;
    }
  }
  // Nothing is acknowledged while `broken` holds, and everything afterwards.
  void expect_kept_while(const std::function<void()>& break_it, const std::function<void()>& mend,
                         std::string_view reason, bool may_write_some = false) const {
    const auto store = open();
    hand_over(*store, 0);
    ASSERT_TRUE(flush(*store));
    break_it();
    for (int i = 1; i < 40; ++i) hand_over(*store, i);
    for (int again = 0; again < 2; ++again) {
      const auto flushed = store->flush(milliseconds(1500));
      ASSERT_FALSE(flushed);
      const std::string& what = flushed.error().what;
      // On a full disk there may be room for some in the file's last block.
      const int left = std::atoi(what.c_str());
      EXPECT_TRUE(left == 39 || (left > 0 && left < 39 && may_write_some)) << what;
      EXPECT_NE(what.find(path().string()), std::string::npos) << what;
      EXPECT_NE(what.find(reason), std::string::npos) << what;
    }
    mend();
    hand_over(*store, 40);
    const auto flushed = flush(*store);
    EXPECT_TRUE(flushed) << describe(flushed.error());
  }

  TemporaryFolder folder_;
};

TEST_F(Acknowledged, IsInTheFileWhenTheWriterIsKilled) {
  std::mt19937 random(20260229);
  std::uniform_int_distribution<int> moment_us(1'000, 30'000);
  std::vector<int> acknowledged;
  constexpr int kRoundNumbers = 100'000;
  for (int round = 0; round < scaled(40); ++round) {
    Pipe told;
    Child writer([&] {
      told.close_reading();
      const auto store = open();
      for (int number = round * kRoundNumbers;; ++number) {
        hand_over(*store, number);
        if (!flush(*store)) return 2;
        if (!told.write_number(number)) return 3;
      }
    });
    told.close_writing();
    if (round % 2 == 0) told.wait_for_a_number();
    std::this_thread::sleep_for(std::chrono::microseconds(moment_us(random)));
    writer.kill_now();
    for (const int number : told.read_numbers()) acknowledged.push_back(number);
  }
  const auto found = numbers();
  for (const int number : acknowledged) ASSERT_TRUE(found.contains(number)) << number;
  for (const auto& [number, samples] : found) ASSERT_EQ(samples, 1u) << number;
  EXPECT_GE(acknowledged.size(), 20u);
}

TEST_F(Acknowledged, AStoreMayEndWhileItTriesToWriteInVain) {
  Child writer([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{0, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) return 1;  // each store warns
    for (int i = 0; i < 300; ++i) hand_over(*open(), i);
    return 0;
  });
  EXPECT_EQ(writer.wait(), 0);
}

TEST_F(Acknowledged, IsKeptWhileAnotherProcessHasTheLock) {
  std::optional<Child> holder;
  expect_kept_while(
      [&] {
        Pipe told;
        holder.emplace([&] {
          const auto folder = PrivateFolder::make(path().parent_path()).value();
          const auto lock = FileLock::acquire(folder, "evidence.jsonl");
          told.write_number(1);
          told.close_writing();
          while (lock) ::pause();
          return 0;
        });
        told.close_writing();
        ASSERT_EQ(told.read_numbers().size(), 1u);
      },
      [&] { holder->kill_now(); }, "holds the lock");
  expect_numbers_below(41);
}

TEST_F(Acknowledged, IsKeptWhileThereIsNoRoom) {
  // A file may not become larger than it is: what a full disk says, for this process.
  Child writer([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    expect_kept_while(
        [&] {
          const rlimit limit{fs::file_size(path()) + 100, RLIM_INFINITY};
          ::setrlimit(RLIMIT_FSIZE, &limit);
        },
        [&] {
          const rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
          ::setrlimit(RLIMIT_FSIZE, &limit);
        },
        "File too large");
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(writer.wait(), 0);
  expect_numbers_below(41);
}

TEST_F(Acknowledged, IsKeptOnAFullDiskUntilItHasRoom) {
  const fs::path disk = folder_.path() / "tuner";
  fs::create_directory(disk);
  const std::string mount =
      fmt::format("mount -t tmpfs -o size=64k,mode=700 none {} 2>/dev/null", disk.string());
  if (std::system(mount.c_str()) != 0) GTEST_SKIP() << "cannot mount a small disk";
  const std::string fill =
      fmt::format("head -c 1M /dev/zero > {}/filler 2>/dev/null", disk.string());
  expect_kept_while([&] { static_cast<void>(std::system(fill.c_str())); },
                    [&] { fs::remove(disk / "filler"); }, "No space left", true);
  expect_numbers_below(41);
  EXPECT_EQ(std::system(fmt::format("umount {}", disk.string()).c_str()), 0);
}

TEST_F(Acknowledged, IsKeptWhileTheFileMayNotBeWritten) {
  const auto work = [&] {
    expect_kept_while(
        [&] {
          ::chmod(path().c_str(), 0400);
          ::chmod(path().parent_path().c_str(), 0500);
        },
        [&] {
          ::chmod(path().parent_path().c_str(), 0700);
          ::chmod(path().c_str(), 0600);
        },
        "Permission denied");
    return testing::Test::HasFailure() ? 1 : 0;
  };
  if (!may_play_another_user()) {
    work();
  } else {
    give_to_another_user(folder_.path());
    EXPECT_EQ(as_another_user(work), 0);
    ASSERT_EQ(::chown(folder_.path().c_str(), 0, 0), 0);
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      ASSERT_EQ(::chown(entry.path().c_str(), 0, 0), 0);
    }
  }
  expect_numbers_below(41);
}

TEST_F(Acknowledged, IsKeptWhileTheFolderIsAway) {
  const fs::path away = folder_.path() / "away";
  const fs::path here = path().parent_path();
  expect_kept_while(
      [&] {
        fs::rename(here, away);
        ASSERT_TRUE(replace_file(here, "in the way"));
      },
      [&] {
        fs::remove(here);
        fs::rename(away, here);
      },
      "Not a directory");
  expect_numbers_below(41);
}

TEST_F(Acknowledged, IsWrittenByAProcessThatEndsWithoutWaiting) {
  Child writer([&]() -> int {
    static auto store = open();  // which nobody destroys
    for (int i = 0; i < 10; ++i) hand_over(*store, i);
    std::exit(0);
  });
  EXPECT_EQ(writer.wait(), 0);
  expect_numbers_below(10);
}

TEST_F(Acknowledged, IsWrittenOnceByAProcessAndItsChild) {
  const auto store = open();
  for (int i = 0; i < 20; ++i) hand_over(*store, i);
  std::vector<Child> children;
  for (int c = 1; c <= 3; ++c) {
    children.emplace_back([&, c] {
      for (int i = 0; i < 10; ++i) hand_over(*store, 10 + 10 * c + i);
      return flush(*store) ? 0 : 1;
    });
  }
  for (Child& child : children) EXPECT_EQ(child.wait(), 0);
  EXPECT_TRUE(flush(*store));
  expect_numbers_below(50);
}

// ---- The tuner for kernels of one's own ---------------------------------------------------------

std::vector<Configuration> twelve() {
  std::vector<Configuration> out;
  for (int i = 0; i < 12; ++i) out.push_back(parse_configuration(fmt::format("c={}", i)).value());
  return out;
}

// How long this thread has not wanted to run: it waited for a lock, a disk or a clock. On a busy
// machine a call may take long because others run, which the scheduler counts for each thread.
struct Waited {
  steady_clock::time_point when = steady_clock::now();
  std::chrono::nanoseconds used{};  // on a processor, or ready for one

  Waited() {
    std::ifstream file("/proc/thread-self/schedstat");
    std::int64_t ran_ns = 0, was_ready_ns = 0;
    if (file >> ran_ns >> was_ready_ns) used = std::chrono::nanoseconds(ran_ns + was_ready_ns);
  }
  steady_clock::duration since(const Waited& begin) const {
    return when - begin.when - (used - begin.used);
  }
};

steady_clock::duration longest_wait_of_a_call(KernelTuner& tuner) {
  steady_clock::duration longest{};
  std::mt19937 random(7);
  // Long enough for times, and not decisions alone, to be handed over.
  const auto end = steady_clock::now() + milliseconds(600);
  for (int i = 0; i < 3000 || steady_clock::now() < end; ++i) {
    const Waited begin;
    const KernelCall call = tuner.next();
    if (call.timed) {
      EXPECT_TRUE(tuner.report(call, 1e5 * (1 + call.choice.index()) + random() % 1000));
    }
    longest = std::max(longest, Waited().since(begin));
  }
  return longest;
}

TEST_F(Acknowledged, NoCallOfATunerButSaveAndCloseWaitsForTheLock) {
  auto tuner = KernelTuner::open({.name = "kernel"}, twelve(),
                                 {.path = path(), .mode = TunerMode::natural_gradient});
  ASSERT_TRUE(tuner) << describe(tuner.error());
  std::vector<Result<KernelTuner>> others;  // opened while the lock is free
  for (int i = 1; i < 5; ++i) {
    others.push_back(KernelTuner::open({.name = fmt::format("kernel {}", i)}, twelve(),
                                       {.path = path(), .mode = TunerMode::natural_gradient}));
    ASSERT_TRUE(others.back()) << describe(others.back().error());
  }
  const auto folder = PrivateFolder::make(path().parent_path()).value();
  std::optional<FileLock> lock(FileLock::acquire(folder, "evidence.jsonl").value());
  // A call that waits for the lock does so for 100 ms at least, in every round. One that waits for
  // a thread which the scheduler has stopped inside a mutex, does so by chance.
  steady_clock::duration longest = milliseconds(100);
  for (int round = 0; round < 5 && longest >= milliseconds(100); ++round) {
    longest =
        longest_wait_of_a_call(round == 0 ? *tuner : *others[static_cast<std::size_t>(round) - 1]);
  }
  EXPECT_LT(longest, milliseconds(100));
  const auto saved = tuner->save();
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().what.find("evidence.jsonl"), std::string::npos) << saved.error().what;
  lock.reset();
  const auto closed = however_long([&] { return tuner->close(); });
  EXPECT_TRUE(closed) << describe(closed.error());
  const auto states = open()->all();
  ASSERT_FALSE(states.empty());
  EXPECT_GT(states[0].events, 0u);
}

TEST_F(Acknowledged, OpeningWaitsForADiskThatDoesNotAnswerWithinABound) {
  hand_over(*open(), 0);
  {
    const SilentDisk silent("tuner");
    const auto begin = steady_clock::now();
    const auto store = EvidenceStore::open(path());
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, Code::unavailable);
    EXPECT_NE(store.error().what.find(path().parent_path().string()), std::string::npos)
        << store.error().what;
    EXPECT_FALSE(KernelTuner::open({.name = "kernel"}, twelve(), {.path = path()}));
    EXPECT_LT(steady_clock::now() - begin, 4 * kDiskWait);
  }
  const auto end = steady_clock::now() + std::chrono::seconds(60);
  while (!EvidenceStore::open(path()) && steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  expect_numbers_below(1);
}

TEST_F(Acknowledged, ASweepKeepsWhatItMeasured) {
  constexpr int kCalls = 30;
  {
    auto tuner =
        KernelTuner::open({.name = "kernel"}, twelve(), {.path = path(), .mode = TunerMode::sweep});
    ASSERT_TRUE(tuner) << describe(tuner.error());
    for (int i = 0; i < kCalls; ++i) {
      const KernelCall call = tuner->next();
      ASSERT_TRUE(call.timed);
      ASSERT_TRUE(tuner->report(call, 1000.0 * (1 + call.choice.index())));
      if (i % 7 == 0) {
        EXPECT_TRUE(however_long([&] { return tuner->save(); }));
      }
    }
    EXPECT_TRUE(however_long([&] { return tuner->close(); }));
  }
  const auto states = open()->all();
  ASSERT_EQ(states.size(), 1u);
  std::uint64_t samples = 0;
  for (const CandidateState& each : states[0].candidates) samples += each.samples;
  EXPECT_EQ(states[0].candidates.size(), 12u);
  EXPECT_EQ(samples, kCalls - 12u);  // the first run of each warms up
}

TEST_F(Acknowledged, ASweepOfRunsThatOnlyWarmedUpKeepsThem) {
  auto tuner =
      KernelTuner::open({.name = "kernel"}, twelve(), {.path = path(), .mode = TunerMode::sweep});
  ASSERT_TRUE(tuner) << describe(tuner.error());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(tuner->report(tuner->next(), 1000));
  EXPECT_TRUE(however_long([&] { return tuner->close(); }));
  EXPECT_TRUE(tuner->close());
  const auto states = open()->all();
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0].candidates.size(), 5u);
  for (const CandidateState& each : states[0].candidates) EXPECT_EQ(each.samples, 1u);
}

}  // namespace
}  // namespace vyre
