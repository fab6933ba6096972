#include "vyre/base/files/disk_wait.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "vyre/base/files/private_folder.h"
#include "vyre/base/files/silent_disk_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/base/process/sanitizers_testing.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Result<std::string> text_in(const std::filesystem::path& folder, const WorkLimits& limits = {}) {
  return with_disk(
      folder,
      [folder]() -> Result<std::string> {
        VYRE_TRY(const auto found, PrivateFolder::find(folder));
        if (!found) return fail(Code::io, "no folder");
        VYRE_TRY(const auto text, found->read("text", 100));
        return text.value_or("none");
      },
      limits);
}

class DiskWait : public testing::Test {
 protected:
  DiskWait() {
    const auto folder = PrivateFolder::make(temporary_.path() / "slow");
    EXPECT_TRUE(folder && folder->replace("text", "here"));
  }
  std::filesystem::path folder() const { return temporary_.path() / "slow"; }

  const TemporaryFolder temporary_;
};

TEST_F(DiskWait, GivesTheResultOfItsWork) {
  EXPECT_EQ(text_in(folder()), "here");
  EXPECT_EQ(text_in(temporary_.path() / "none").error().what, "no folder");
  const auto thrown =
      with_disk(folder(), []() -> Result<void> { throw std::runtime_error("thrown"); });
  EXPECT_EQ(thrown.error().what, "thrown");
}

TEST_F(DiskWait, ADiskThatDoesNotAnswerIsLeftAfterAWhile) {
  {
    const SilentDisk silent("slow");
    const auto begin = Clock::now();
    const auto text = text_in(folder());
    EXPECT_GE(Clock::now() - begin, kDiskWait);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, Code::unavailable);
    EXPECT_TRUE(text.error().what.contains(folder().string())) << text.error().what;
    EXPECT_EQ(silent.waiting(), 1);
    // Nobody waits for it again, and for other folders nobody waits at all.
    EXPECT_FALSE(text_in(folder()));
    EXPECT_EQ(silent.waiting(), 1);
    EXPECT_EQ(text_in(temporary_.path() / "none").error().what, "no folder");
  }
  const auto deadline = Clock::now() + 60s;
  while (!text_in(folder()) && Clock::now() < deadline) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(text_in(folder()), "here");
}

TEST_F(DiskWait, NobodyWaitsLongerThanTheLimitsAllow) {
  const SilentDisk silent("slow");
  const auto begin = Clock::now();
  EXPECT_FALSE(text_in(folder(), {.deadline = begin + 10ms}));
  const std::atomic<std::uint32_t> stop = 1;
  EXPECT_FALSE(text_in(folder(), {.stop = &stop}));
  EXPECT_LT(Clock::now() - begin, kDiskWait);
}

TEST_F(DiskWait, ADeadlineThatIsOverSaysNothingAboutTheDisk) {
  const auto late = text_in(folder(), {.deadline = Clock::now() - 1s});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::device);
  EXPECT_TRUE(late.error().what.contains("deadline")) << late.error().what;
  EXPECT_EQ(text_in(folder()), "here");
  {
    const SilentDisk slow("slow");
    EXPECT_EQ(text_in(folder(), {.deadline = Clock::now() + 10ms}).error().code, Code::device);
    EXPECT_EQ(slow.waiting(), 1);
    EXPECT_EQ(text_in(folder(), {.deadline = Clock::now() + 10ms}).error().code, Code::device);
    EXPECT_EQ(slow.waiting(), 2) << "it may answer the next one";
  }
  EXPECT_EQ(text_in(folder()), "here");
}

TEST_F(DiskWait, CallersWithShortDeadlinesDoNotLeaveThreadsWithoutEnd) {
  const SilentDisk silent("slow");
  const auto begin = Clock::now();
  Result<std::string> text = text_in(folder(), {.deadline = Clock::now() + 2ms});
  while (text.error().code != Code::unavailable && Clock::now() < begin + kDiskWait) {
    text = text_in(folder(), {.deadline = Clock::now() + 2ms});
  }
  EXPECT_EQ(text.error().code, Code::unavailable);
  EXPECT_LT(Clock::now() - begin, kDiskWait);
}

TEST_F(DiskWait, NeitherAForkNorTheEndOfTheProcessWaits) {
  const SilentDisk silent("slow");
  EXPECT_FALSE(text_in(folder(), {.deadline = Clock::now() + 10ms}));
  const auto begin = Clock::now();
  const auto child = fork();
  if (child == 0) {
    alarm(60);
    if (text_in(folder(), {.deadline = Clock::now() + 10ms})) _exit(1);
    if (kSanitized) _exit(0);  // the memory of threads that are not there counts as leaked
    exit(0);
  }
  EXPECT_LT(Clock::now() - begin, 1s);
  int status = 0;
  EXPECT_TRUE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace vyre
