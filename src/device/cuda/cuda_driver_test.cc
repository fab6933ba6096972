#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/device/cuda/context_internal.h"
#include "vyre/device/cuda/fake_driver_testing.h"
#include "vyre/device/cuda/launch_notes_internal.h"

namespace vyre {
namespace {

TEST(CudaDriver, MissingLibraryIsUnavailableInTheLoadersWords) {
  const auto driver = load_cuda_driver("libno-such-driver.so.7");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, Code::unavailable);
  EXPECT_NE(driver.error().what.find("libno-such-driver.so.7"), std::string::npos)
      << driver.error().what;
}

// The limit is set in a process of its own. The library is one that nothing here has loaded.
TEST(CudaDriver, LibraryForWhichThereIsNoMemoryIsNotAMissingOne) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer reserves more address space than this";
  const auto child = fork();
  if (child == 0) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * static_cast<rlim_t>(getpagesize());
    const rlimit limit{bytes, bytes};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
    const auto driver = load_cuda_driver("libthread_db.so.1");
    _exit(!driver && driver.error().code == Code::out_of_memory ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(CudaDriver, LibraryThatIsNoDriverNamesWhatItLacks) {
  const auto driver = load_cuda_driver("libc.so.6");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, Code::unavailable);
  EXPECT_EQ(driver.error().what, "the CUDA driver libc.so.6 has no cuInit");
}

TEST(CudaDriver, DriverWithoutADeviceIsUnavailable) {
  FakeDriver fake;
  fake.devices = 0;
  const auto count = device_count(fake.table);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code, Code::unavailable);
  fake.fail_next("cuInit", cu::kNoDevice);
  const auto started = initialize_driver(fake.table);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::unavailable);
  EXPECT_EQ(started.error().what, count.error().what);
}

TEST(CudaDriver, DriverThatDoesNotStartSaysWhy) {
  FakeDriver fake;
  fake.fail_next("cuInit", cu::kUnknown);
  const auto started = initialize_driver(fake.table);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::unavailable);
  EXPECT_EQ(started.error().what,
            "the CUDA driver does not start: CUDA_ERROR_OTHER (as the driver puts it)");
}

TEST(CudaDriver, DriverForWhichThereIsNoMemoryIsNotAMissingOne) {
  FakeDriver fake;
  fake.fail_next("cuInit", cu::kOutOfMemory);
  const auto started = initialize_driver(fake.table);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::out_of_memory);
}

TEST(CudaDriver, OrdinalsBeyondTheLastAreUnavailable) {
  FakeDriver fake;
  const auto device = open_cuda(fake.table, 3, {});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::unavailable);
  EXPECT_EQ(device.error().what, "there is no cuda:3: the driver shows 1 device");
}

TEST(CudaDriver, ResultsThatLoseTheContextAreKnown) {
  for (const CuResult result : {214, 700, 702, 710, 714, 715, 716, 717, 718, 719, 999}) {
    EXPECT_TRUE(loses_context(result)) << result;
  }
  for (const CuResult result : {0, 1, 2, 209, 218, 500, 600, 701, 720}) {
    EXPECT_FALSE(loses_context(result)) << result;
  }
}

TEST(LaunchNotes, KeepTheNamesOfLaunchesThatHaveNotEnded) {
  LaunchNotes notes;
  notes.add("a");
  notes.add("b");
  notes.add("b");
  notes.add(std::string(100, 'c'));
  std::vector<std::string> names;
  notes.collect(names);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", std::string(63, 'c')}));
  notes.settle(3);
  names.clear();
  notes.collect(names);
  EXPECT_EQ(names, (std::vector<std::string>{std::string(63, 'c')}));
  notes.settle(1);  // older news changes nothing
  notes.settle(notes.added());
  names.clear();
  notes.collect(names);
  EXPECT_TRUE(names.empty());
}

TEST(LaunchNotes, KeepOnlyTheLastOnes) {
  LaunchNotes notes;
  for (int i = 0; i < 100; ++i) notes.add("kernel_with_a_long_name_" + std::to_string(i));
  std::vector<std::string> names;
  notes.collect(names);
  ASSERT_EQ(names.size(), LaunchNotes::kKept);
  EXPECT_EQ(names.back(), "kernel_with_a_long_name_99");
}

TEST(LaunchNotes, NamesOfEveryLengthAreKept) {
  for (std::size_t length = 0; length <= 70; ++length) {
    LaunchNotes notes;
    notes.add(std::string(70, 'z'));
    std::string name;
    for (std::size_t i = 0; i < length; ++i) name += static_cast<char>('a' + i % 26);
    for (std::size_t i = 0; i < LaunchNotes::kKept; ++i) notes.add(name);  // over every older one
    std::vector<std::string> names;
    notes.collect(names);
    EXPECT_EQ(names, std::vector<std::string>{name.substr(0, 63)}) << length;
  }
}

TEST(LaunchNotes, AreCountedAndSettled) {
  LaunchNotes notes;
  EXPECT_TRUE(notes.all_settled());
  notes.add("a");
  EXPECT_EQ(notes.added(), 1U);
  EXPECT_FALSE(notes.all_settled());
  notes.settle(1);
  EXPECT_TRUE(notes.all_settled());
  EXPECT_EQ(suspects_text({}), "");
  EXPECT_EQ(suspects_text({"a"}), "kernel 'a'");
  EXPECT_EQ(suspects_text({"a", "b"}), "one of the kernels 'a', 'b'");
}

TEST(CurrentContext, OwnContextStaysWhereThereWasNone) {
  FakeDriver fake;
  auto device = open_cuda(fake.table, 0, {});
  ASSERT_TRUE(device) << device.error().what;
  const unsigned before = fake.calls("cuCtxSetCurrent");
  EXPECT_NE(FakeDriver::current_context(), nullptr);
  ASSERT_TRUE((*device)->memory_info());
  EXPECT_EQ(fake.calls("cuCtxSetCurrent"), before);
}

TEST(CurrentContext, OwnContextGoesWhenAskedTo) {
  FakeDriver fake;
  auto device = open_cuda(fake.table, 0, {.leave_current = false});
  ASSERT_TRUE(device);
  EXPECT_EQ(FakeDriver::current_context(), nullptr);
  ASSERT_TRUE((*device)->memory_info());
  EXPECT_EQ(FakeDriver::current_context(), nullptr);
}

TEST(CurrentContext, TheApplicationsContextIsRestored) {
  FakeDriver fake;
  const CuContext theirs = fake.make_context();
  FakeDriver::set_current(theirs);
  auto device = open_cuda(fake.table, 0, {});
  ASSERT_TRUE(device);
  EXPECT_EQ(FakeDriver::current_context(), theirs);
  ASSERT_TRUE((*device)->allocate(100));
  EXPECT_EQ(FakeDriver::current_context(), theirs);
  device->reset();
  EXPECT_EQ(FakeDriver::current_context(), theirs);
  EXPECT_EQ(fake.live_contexts(), 1U);
}

}  // namespace
}  // namespace vyre
