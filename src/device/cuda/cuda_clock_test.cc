#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "vyre/base/files/disk_wait.h"
#include "vyre/base/files/silent_disk_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/device/cuda/clock_internal.h"
#include "vyre/device/cuda/fake_driver_testing.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

class DeviceClockTest : public testing::Test {
 protected:
  DeviceClockTest() {
    context_.emplace(fake.table, CudaContext::Options{.handle = fake.make_context(),
                                                      .guest = false,
                                                      .leave_current = true,
                                                      .name = "cuda:0"});
    FakeDriver::set_current(context_->handle());
    libraries_.emplace(fake.table);
    pinned_.emplace(*context_);
  }
  std::int64_t now() const {
    return std::chrono::nanoseconds(DeviceClock::Host::now().time_since_epoch()).count() +
           fake.timer_offset;
  }

  FakeDriver fake;
  std::optional<CudaContext> context_;
  std::optional<CudaLibraries> libraries_;
  std::optional<PinnedPool> pinned_;
};

TEST_F(DeviceClockTest, OneThreadReadsTheTimer) {
  std::vector<FakeLaunch> launches;
  fake.kernels["vyre_timer"].run =
      [&, timer = fake.kernels["vyre_timer"].run](const FakeLaunch& launch) {
        launches.push_back(launch);
        return timer(launch);
      };
  DeviceClock clock(*context_, *libraries_, *pinned_, 0s);
  ASSERT_TRUE(clock.in(0s));
  EXPECT_FALSE(launches.empty());
  for (const FakeLaunch& launch : launches) {
    EXPECT_EQ(launch.grid, (Extent{1, 1, 1}));
    EXPECT_EQ(launch.block, (Extent{1, 1, 1}));
  }
  clock.close();
}

TEST_F(DeviceClockTest, FollowsATimerThatDrifts) {
  DeviceClock clock(*context_, *libraries_, *pinned_, 0s);
  EXPECT_FALSE(clock.stale());  // nobody needed it yet
  const auto first = clock.in(1s);
  ASSERT_TRUE(first) << first.error().what;
  EXPECT_NEAR(static_cast<double>(*first), static_cast<double>(now() + 1'000'000'000), 5e8);
  EXPECT_LT(clock.uncertainty(), 500ms);
  fake.timer_offset += 77'000'000'000;
  EXPECT_TRUE(clock.stale());
  clock.refresh();
  EXPECT_NEAR(static_cast<double>(*clock.in(0s)), static_cast<double>(now()), 5e8);
  EXPECT_EQ(fake.live_modules(), 1U);
  clock.close();
  EXPECT_EQ(fake.live_modules(), 0U);
}

TEST_F(DeviceClockTest, DoesNotWaitForWorkThatStays) {
  DeviceClock clock(*context_, *libraries_, *pinned_);
  fake.hold(true);
  const auto time = clock.in(1s);
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().code, Code::device);
  fake.hold(false);
  EXPECT_TRUE(clock.in(1s));
}

TEST_F(DeviceClockTest, WaitsForADiskNoLongerThanTheDeadline) {
  const TemporaryFolder temporary;
  const auto folder = temporary.path() / "clock_code";
  std::filesystem::create_directory(folder);
  const SilentDisk silent("clock_code");
  DeviceClock clock(*context_, *libraries_, *pinned_);
  clock.set_code("sm_90", folder);
  const auto begin = DeviceClock::Host::now();
  EXPECT_TRUE(clock.in(10ms)) << "its code is compiled again";
  EXPECT_LT(DeviceClock::Host::now() - begin, kDiskWait);
  EXPECT_EQ(silent.waiting(), 1);
  clock.close();
}

TEST_F(DeviceClockTest, KeepsItsCodeOnDiskAndReplacesWhatIsBroken) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "vyre_device_clock_test";
  std::filesystem::remove_all(folder);
  const auto start = [&] {
    DeviceClock clock(*context_, *libraries_, *pinned_);
    clock.set_code("sm_90", folder);
    EXPECT_TRUE(clock.in(1s));
    clock.close();
  };
  start();
  EXPECT_EQ(fake.calls("cuLinkComplete"), 1U);
  start();
  EXPECT_EQ(fake.calls("cuLinkComplete"), 1U);
  ASSERT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  const auto path = std::filesystem::directory_iterator(folder)->path();
  std::ofstream(path, std::ios::app) << "x";
  start();
  EXPECT_EQ(fake.calls("cuLinkComplete"), 2U);
  start();
  EXPECT_EQ(fake.calls("cuLinkComplete"), 2U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace vyre
