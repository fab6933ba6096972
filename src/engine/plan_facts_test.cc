#include "vyre/engine/plan_facts.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "vyre/device/cpu/cpu_device.h"

namespace vyre {
namespace {

TEST(PlanFacts, ProcessorsAreThoseOnWhichThisProcessMayRun) {
  const auto device = CpuDevice::make({.threads = 1});
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(plan_device_of(*device).processors, static_cast<unsigned>(CPU_COUNT(&all)));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(plan_device_of(*device).processors, 1U);
  EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

}  // namespace
}  // namespace vyre
