#include "vyre/base/memory/memory_headroom.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <new>
#include <string_view>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/base/memory/no_memory_testing.h"
#include "vyre/base/process/sanitizers_testing.h"

namespace vyre {
namespace {

class Headroom : public testing::Test {
 protected:
  void put(const std::string& path, std::string_view text) {
    std::filesystem::create_directories((folder_.path() / path).parent_path());
    std::ofstream(folder_.path() / path) << text;
  }
  MemoryHeadroom here() { return memory_headroom(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

TEST_F(Headroom, NothingIsKnownWhereTheSystemTellsNothing) {
  EXPECT_EQ(here().bytes, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(here().limit, "");
}

TEST_F(Headroom, TheMachinesMemoryAndSwapAreALimit) {
  put("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 700 kB\nSwapFree: 30 kB\n");
  EXPECT_EQ(here().bytes, 730U * 1024);
  EXPECT_EQ(here().limit, "the machine's memory");
}

TEST_F(Headroom, OfNestedGroupsTheTightestCounts) {
  put("proc/self/cgroup", "0::/outer/inner\n");
  put("sys/fs/cgroup/outer/memory.max", "1000\n");
  put("sys/fs/cgroup/outer/memory.current", "900\n");
  put("sys/fs/cgroup/outer/inner/memory.max", "800\n");
  put("sys/fs/cgroup/outer/inner/memory.current", "100\n");
  EXPECT_EQ(here().bytes, 100U);
  EXPECT_EQ(here().limit, "the control group's memory.max");
}

TEST_F(Headroom, PagesOfFilesAreFreeAndSharedMemoryIsNot) {
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/memory.max", "1000\n");
  put("sys/fs/cgroup/memory.current", "900\n");
  put("sys/fs/cgroup/memory.stat",
      "anon 100\nfile 500\nshmem 200\ninactive_file 250\nactive_file 50\n");
  EXPECT_EQ(here().bytes, 400U);
}

TEST_F(Headroom, AGroupWithoutALimitIsNone) {
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/memory.max", "max\n");
  put("sys/fs/cgroup/memory.current", "900\n");
  EXPECT_EQ(here().limit, "");
}

TEST_F(Headroom, GroupsOfTheFirstVersionCount) {
  put("proc/self/cgroup", "5:cpu,cpuacct:/c\n4:hugetlb,memory:/a\n0::/c\n");
  put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n");
  put("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4500\n");
  put("sys/fs/cgroup/memory/a/memory.stat", "total_inactive_file 100\ntotal_active_file 10\n");
  EXPECT_EQ(here().bytes, 610U);
  EXPECT_EQ(here().limit, "the control group's memory.limit_in_bytes");
}

TEST_F(Headroom, AContainerThatSeesItsGroupAsTheRootIsLimited) {
  put("proc/self/cgroup", "7:memory:/docker/0123\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "300\n");
  put("sys/fs/cgroup/memory/memory.usage_in_bytes", "400\n");
  EXPECT_EQ(here().bytes, 0U);
}

// The limit is set in a process of its own.
bool leaves_less_than_itself(__rlimit_resource resource, std::string_view name) {
  const auto child = fork();
  if (child == 0) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(getpagesize()) + (rlim_t{64} << 20);
    const rlimit limit{bytes, bytes};
    if (setrlimit(resource, &limit) != 0) _exit(2);
    const MemoryHeadroom left = memory_headroom();
    _exit(left.limit == name && left.bytes > 0 && left.bytes < bytes ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(HeadroomOfThisProcess, IsWhatResourceLimitsLeave) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer reserves more address space than this";
  EXPECT_TRUE(leaves_less_than_itself(RLIMIT_AS, "RLIMIT_AS"));
  EXPECT_TRUE(leaves_less_than_itself(RLIMIT_DATA, "RLIMIT_DATA"));
}

TEST(HeadroomOfThisProcess, IsNotUnlimitedWhereThereIsNoMemoryToFindOut) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
  EXPECT_TRUE(holds_in_a_process([] {
    const NoMemory none;
    try {
      return memory_headroom().bytes < std::uint64_t{1} << 20;
    } catch (const std::bad_alloc&) {
      return true;
    }
  }));
}

}  // namespace
}  // namespace vyre
