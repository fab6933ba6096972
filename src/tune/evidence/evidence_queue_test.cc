#include "vyre/tune/evidence/evidence_queue.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <new>
#include <thread>

namespace vyre {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr milliseconds kLong{20'000};  // for what takes no time on a machine that is not busy

std::vector<EvidenceEvent> events(int count) {
  return std::vector<EvidenceEvent>(static_cast<std::size_t>(count),
                                    {.kind = EventKind::measured, .candidate = "c=1"});
}

// A file that can be made to fail.
struct Disk {
  Result<void> write(const EvidenceBatch& batch) {
    ++tries;
    const std::scoped_lock lock(mutex);
    if (failure) return std::unexpected(*failure);
    lines.push_back(batch.first_line);
    written += batch.events.size();
    return {};
  }
  void set_failure(std::optional<Error> now) {
    const std::scoped_lock lock(mutex);
    failure = std::move(now);
  }

  std::mutex mutex;
  std::optional<Error> failure;
  std::atomic<int> tries = 0;
  std::vector<std::uint64_t> lines;
  std::size_t written = 0;
};

class EvidenceQueues : public testing::Test {
 protected:
  Disk disk;
  EvidenceQueue queue{[this](const EvidenceBatch& batch) { return disk.write(batch); }};
};

TEST_F(EvidenceQueues, WhatIsAddedIsWrittenInItsOrder) {
  for (int i = 1; i <= 5; ++i) queue.add({}, events(i));
  const auto left = queue.flush(kLong);
  EXPECT_EQ(left.events, 0u);
  EXPECT_FALSE(left.failure);
  EXPECT_EQ(disk.written, 15u);
  EXPECT_EQ(disk.lines, (std::vector<std::uint64_t>{0, 1, 3, 6, 10}));
}

TEST_F(EvidenceQueues, WhatFailsIsKeptToldAndTriedAgain) {
  disk.set_failure(Error{.code = Code::io, .what = "no room", .fix = {}});
  queue.add({}, events(2));
  queue.add({}, events(3));
  const auto begin = steady_clock::now();
  const auto left = queue.flush(kLong);
  EXPECT_LT(steady_clock::now() - begin, kLong) << "a failure is told at once";
  EXPECT_EQ(left.events, 5u);
  ASSERT_TRUE(left.failure);
  EXPECT_EQ(left.failure->what, "no room");
  // The first failure stays until everything is written.
  disk.set_failure(Error{.code = Code::io, .what = "another", .fix = {}});
  EXPECT_EQ(queue.flush(kLong).failure->what, "no room");
  disk.set_failure(std::nullopt);
  EXPECT_EQ(queue.flush(kLong).events, 0u);
  EXPECT_FALSE(queue.flush(kLong).failure);
  EXPECT_EQ(disk.written, 5u);
  EXPECT_EQ(disk.lines, (std::vector<std::uint64_t>{0, 2}));
}

TEST_F(EvidenceQueues, WhatFailedIsWrittenLaterWithoutBeingAsked) {
  disk.set_failure(Error{.code = Code::io, .what = "no room", .fix = {}});
  queue.add({}, events(1));
  EXPECT_EQ(queue.flush(kLong).events, 1u);
  disk.set_failure(std::nullopt);
  const auto end = steady_clock::now() + kLong;
  const auto written = [&] {
    const std::scoped_lock lock(disk.mutex);
    return disk.written;
  };
  while (written() == 0 && steady_clock::now() < end) std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(written(), 1u);
}

TEST_F(EvidenceQueues, ALockIsWaitedForAsLongAsAllowed) {
  disk.set_failure(Error{.code = Code::unavailable, .what = "locked", .fix = {}});
  queue.add({}, events(1));
  const auto begin = steady_clock::now();
  const auto left = queue.flush(milliseconds(150));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(150));
  EXPECT_EQ(left.events, 1u);
  EXPECT_EQ(left.failure->what, "locked");
  std::thread unlock([&] {
    std::this_thread::sleep_for(milliseconds(50));
    disk.set_failure(std::nullopt);
  });
  EXPECT_EQ(queue.flush(kLong).events, 0u);
  unlock.join();
}

TEST_F(EvidenceQueues, AddingWaitsForNoWrite) {
  std::atomic<bool> go_on = false;
  EvidenceQueue slow([&](const EvidenceBatch&) -> Result<void> {
    while (!go_on) std::this_thread::sleep_for(milliseconds(1));
    return {};
  });
  slow.add({}, events(1));
  for (int i = 0; i < 1000; ++i) slow.add({}, events(1));  // for ever, if it waited
  EXPECT_GT(slow.flush(milliseconds(20)).events, 0u);
  go_on = true;
  EXPECT_EQ(slow.flush(kLong).events, 0u);
}

TEST_F(EvidenceQueues, WhatIsTooMuchIsCountedAndTold) {
  disk.set_failure(Error{.code = Code::io, .what = "no room", .fix = {}});
  for (std::size_t added = 0; added <= EvidenceQueue::kMostEvents; added += 1024) {
    queue.add({}, events(1024));
  }
  auto left = queue.flush(kLong);
  EXPECT_EQ(left.events, EvidenceQueue::kMostEvents);
  EXPECT_EQ(left.dropped, 1024u);
  disk.set_failure(std::nullopt);
  left = queue.flush(kLong);
  EXPECT_EQ(left.events, 0u);
  EXPECT_EQ(left.dropped, 0u);
}

TEST_F(EvidenceQueues, WhatHasNoMemoryIsKeptToldAndTriedAgain) {
  std::atomic<int> tries = 0;
  std::atomic<bool> memory = false;
  EvidenceQueue poor([&](const EvidenceBatch&) -> Result<void> {
    ++tries;
    if (!memory) throw std::bad_alloc();
    return {};
  });
  poor.add({}, events(2));
  const auto left = poor.flush(kLong);
  EXPECT_EQ(left.events, 2u);
  ASSERT_TRUE(left.failure);
  EXPECT_EQ(left.failure->code, Code::out_of_memory);
  memory = true;
  EXPECT_EQ(poor.flush(kLong).events, 0u);
  EXPECT_GE(tries, 2);
}

TEST_F(EvidenceQueues, WhatCouldNotBeAddedIsCountedAndTold) {
  queue.count_dropped(3);
  const auto left = queue.flush(kLong);
  EXPECT_EQ(left.dropped, 3u);
  EXPECT_TRUE(left.no_memory);
  EXPECT_EQ(queue.flush(kLong).dropped, 0u);
  EXPECT_FALSE(queue.flush(kLong).no_memory);
}

TEST_F(EvidenceQueues, NobodyWaitsForAWriteThatDoesNotComeBack) {
  std::atomic<bool> go_on = false;
  EvidenceQueue hung([&](const EvidenceBatch&) -> Result<void> {
    while (!go_on) std::this_thread::sleep_for(milliseconds(1));
    return {};
  });
  hung.add({}, events(1));
  const auto begin = steady_clock::now();
  EXPECT_EQ(hung.flush(milliseconds(20)).events, 1u);
  EXPECT_FALSE(hung.end(milliseconds(20)));
  EXPECT_LT(steady_clock::now() - begin, kLong);
  go_on = true;
  EXPECT_TRUE(hung.end(kLong));
  EXPECT_TRUE(hung.end(milliseconds(0))) << "it has ended";
}

// While one exists, no thread can be started: nothing has room for so large a stack.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t vast{};
    pthread_getattr_default_np(&vast);
    pthread_attr_setstacksize(&vast, std::size_t{1} << 47);
    EXPECT_EQ(pthread_setattr_default_np(&vast), 0);
    pthread_attr_destroy(&vast);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

TEST_F(EvidenceQueues, WithoutAThreadNobodyWritesAndSavingSaysSo) {
  {
    const NoThreads none;
    queue.add({}, events(2));
    const auto left = queue.flush(kLong);
    EXPECT_EQ(left.events, 2u);
    ASSERT_TRUE(left.failure);
    EXPECT_EQ(left.failure->code, Code::out_of_memory);
    EXPECT_EQ(disk.tries, 0) << "a disk that does not answer would hold the caller";
  }
  EXPECT_EQ(queue.flush(kLong).events, 0u);
  EXPECT_FALSE(queue.flush(kLong).failure);
}

TEST_F(EvidenceQueues, TheEndEndsTheTries) {
  disk.set_failure(Error{.code = Code::io, .what = "no room", .fix = {}});
  queue.add({}, events(1));
  EXPECT_EQ(queue.flush(kLong).events, 1u);
  EXPECT_TRUE(queue.end(kLong));
  const int tries = disk.tries;
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(disk.tries, tries);
}

TEST_F(EvidenceQueues, ManyThreadsAddAndFlush) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        queue.add({}, events(1));
        if (i % 10 == 0) {
          EXPECT_FALSE(queue.flush(kLong).failure);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(queue.flush(kLong).events, 0u);
  EXPECT_EQ(disk.written, 200u);
}

}  // namespace
}  // namespace vyre
