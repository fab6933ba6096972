#include "vyre/plan/variants/tunable_parts.h"

#include <gtest/gtest.h>

#include "vyre/plan/kernels_testing.h"

namespace vyre {
namespace {

using Parts = std::vector<std::string>;

TEST(TunableParts, AreThoseInWhichCandidatesDiffer) {
  const auto on = [](const PlanDevice& device, std::string_view kernel) {
    return tunable_parts(kernel_named(kernel), device.kind, device.limits);
  };
  const PlanDevice cpu = processor_of_8_lanes(), gpu = large_gpu();
  EXPECT_EQ(on(cpu, "streams"), (Parts{"workgroup", "gang", "groups per task"}));
  EXPECT_EQ(on(gpu, "streams"), (Parts{"workgroup", "items per lane", "layout"}));
  // It shares memory within its workgroup.
  EXPECT_EQ(on(cpu, "reverses_groups"), (Parts{"gang", "groups per task"}));
  EXPECT_EQ(on(gpu, "reverses_groups"), Parts{});
  // Subgroup operations need gangs of one width, and a workgroup whose subgroups are as declared.
  EXPECT_EQ(on(cpu, "elects"), Parts{"groups per task"});
  Limits small = gpu.limits;
  small.max_threads_per_block = 1;
  EXPECT_EQ(tunable_parts(kernel_named("streams"), gpu.kind, small), Parts{});
}

}  // namespace
}  // namespace vyre
