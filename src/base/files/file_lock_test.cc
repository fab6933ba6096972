#include "vyre/base/files/file_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "vyre/base/files/silent_disk_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"

namespace vyre {
namespace {

using std::chrono::milliseconds;

class FileLocks : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  PrivateFolder folder_at_ = PrivateFolder::make(folder_.path()).value();
};

TEST_F(FileLocks, ASecondHolderIsRefusedAfterTheWait) {
  const auto first = FileLock::acquire(folder_at_, "file");
  ASSERT_TRUE(first);
  const auto second = FileLock::acquire(folder_at_, "file", milliseconds(5));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::unavailable);
  EXPECT_NE(second.error().what.find((folder_.path() / "file").string()), std::string::npos);
}

TEST_F(FileLocks, TheLockGoesWithItsHolder) {
  {
    const auto first = FileLock::acquire(folder_at_, "file");
  }
  EXPECT_TRUE(FileLock::acquire(folder_at_, "file", milliseconds(0)));
}

TEST_F(FileLocks, MovingALockKeepsIt) {
  auto first = FileLock::acquire(folder_at_, "file");
  ASSERT_TRUE(first);
  const FileLock moved = *std::move(first);
  EXPECT_FALSE(FileLock::acquire(folder_at_, "file", milliseconds(1)));
}

TEST_F(FileLocks, ALockInAFolderThatIsGoneIsAnError) {
  const auto gone = PrivateFolder::make(folder_.path() / "gone");
  ASSERT_TRUE(gone);
  std::filesystem::remove(gone->path());
  const auto lock = FileLock::acquire(*gone, "file");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Code::io);
}

TEST_F(FileLocks, TheLockIsAFileThatOnlyItsOwnerCanOpen) {
  const auto lock = FileLock::acquire(folder_at_, "file");
  ASSERT_TRUE(lock);
  EXPECT_EQ(folder_at_.names().value(), std::vector<std::string>{".file.lock"});
  EXPECT_EQ(folder_at_.mode(".file.lock").value(), 0600u);
}

TEST_F(FileLocks, ThreadsExcludeEachOther) {
  int unguarded = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const auto lock = FileLock::acquire(folder_at_, "file");
        ASSERT_TRUE(lock);
        const int seen = unguarded;
        std::this_thread::yield();
        unguarded = seen + 1;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(unguarded, 100);
}

TEST_F(FileLocks, ALockOfAProcessThatDiedIsFree) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto lock = FileLock::acquire(folder_at_, "file");
    ::_exit(lock ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(FileLock::acquire(folder_at_, "file", milliseconds(0)));
}

TEST_F(FileLocks, ProcessesExcludeEachOther) {
  int ready[2];
  int done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  char byte = 0;
  if (child == 0) {
    const auto lock = FileLock::acquire(folder_at_, "file");
    if (!lock || ::write(ready[1], &byte, 1) != 1) ::_exit(1);
    ::_exit(::read(done[0], &byte, 1) == 1 ? 0 : 1);
  }
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(FileLock::acquire(folder_at_, "file", milliseconds(5)));
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(FileLock::acquire(folder_at_, "file", milliseconds(100)));
  for (int end : {ready[0], ready[1], done[0], done[1]}) ::close(end);
}

TEST_F(FileLocks, NeitherAForkNorAnotherLockWaitsForADiskThatDoesNotAnswer) {
  using Clock = std::chrono::steady_clock;
  std::thread stuck;
  {
    const SilentDisk silent(".slow.lock");
    stuck = std::thread([&] { EXPECT_TRUE(FileLock::acquire(folder_at_, "slow")); });
    while (silent.waiting() == 0) std::this_thread::sleep_for(milliseconds(1));
    ::alarm(30);  // rather than for ever
    const auto begin = Clock::now();
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(60);
      ::_exit(FileLock::acquire(folder_at_, "file") ? 0 : 1);
    }
    EXPECT_TRUE(FileLock::acquire(folder_at_, "other"));
    ::alarm(0);
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(1));
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stuck.join();
}

TEST_F(FileLocks, NoLockStaysWithAChildThatWasForkedWhileItWasOpenedOrClosed) {
  const std::array<std::string, 4> names{"a", "b", "c", "d"};
  std::atomic<bool> stop = false;
  std::vector<std::thread> users;
  for (const std::string& name : names) {
    users.emplace_back([&] {
      while (!stop) EXPECT_TRUE(FileLock::acquire(folder_at_, name));
    });
  }
  std::vector<pid_t> children;
  for (int i = 0; i < 40; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    ::alarm(60);
    while (true) ::pause();
  }
  stop = true;
  for (std::thread& user : users) user.join();
  for (const std::string& name : names) {
    EXPECT_TRUE(FileLock::acquire(folder_at_, name, milliseconds(0))) << name;
  }
  for (const pid_t child : children) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

}  // namespace
}  // namespace vyre
