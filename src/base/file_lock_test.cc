#include "vyre/base/file_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "vyre/base/files.h"
#include "vyre/base/temporary_folder_testing.h"

namespace vyre {
namespace {

using std::chrono::milliseconds;

class FileLocks : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "file";
};

TEST_F(FileLocks, ASecondHolderIsRefusedAfterTheWait) {
  const auto first = FileLock::acquire(path_);
  ASSERT_TRUE(first);
  const auto second = FileLock::acquire(path_, milliseconds(5));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::unavailable);
  EXPECT_NE(second.error().what.find(path_.string()), std::string::npos);
}

TEST_F(FileLocks, TheLockGoesWithItsHolder) {
  {
    const auto first = FileLock::acquire(path_);
  }
  EXPECT_TRUE(FileLock::acquire(path_, milliseconds(0)));
}

TEST_F(FileLocks, MovingALockKeepsIt) {
  auto first = FileLock::acquire(path_);
  ASSERT_TRUE(first);
  const FileLock moved = *std::move(first);
  EXPECT_FALSE(FileLock::acquire(path_, milliseconds(1)));
}

TEST_F(FileLocks, ALockInAFolderThatIsNotThereIsAnError) {
  const auto lock = FileLock::acquire(folder_.path() / "no" / "file");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, Code::io);
}

TEST_F(FileLocks, ThreadsExcludeEachOther) {
  int unguarded = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const auto lock = FileLock::acquire(path_);
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
    const auto lock = FileLock::acquire(path_);
    ::_exit(lock ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(FileLock::acquire(path_, milliseconds(0)));
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
    const auto lock = FileLock::acquire(path_);
    if (!lock || ::write(ready[1], &byte, 1) != 1) ::_exit(1);
    ::_exit(::read(done[0], &byte, 1) == 1 ? 0 : 1);
  }
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(FileLock::acquire(path_, milliseconds(5)));
  ASSERT_EQ(::write(done[1], &byte, 1), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(FileLock::acquire(path_, milliseconds(100)));
  for (int end : {ready[0], ready[1], done[0], done[1]}) ::close(end);
}

}  // namespace
}  // namespace vyre
