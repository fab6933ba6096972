#include "vyre/plan/variants/variant_legality.h"

#include <gtest/gtest.h>

#include "vyre/plan/kernels_testing.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

std::string refusal(std::string_view kernel, const Variant& variant, const PlanDevice& device) {
  return why_not(kernel_named(kernel), variant, device.kind, device.limits);
}

Variant of(Extent workgroup, std::uint32_t gang = 1, std::uint32_t items = 1) {
  Variant out;
  out.workgroup = workgroup;
  out.gang_width = gang;
  out.items_per_lane = items;
  return out;
}

TEST(Legality, WorkgroupsStayWithinTheLimits) {
  PlanDevice gpu = large_gpu();
  gpu.limits.max_threads_per_block = 512;
  gpu.limits.max_block_dim = {256, 128, 64};
  const auto why = [&](Extent workgroup) { return refusal("streams", of(workgroup), gpu); };
  EXPECT_EQ(why({256, 1, 1}), "");
  EXPECT_EQ(why({257, 1, 1}), "the workgroup has 257 invocations along axis 0; cuda allows 256");
  EXPECT_EQ(why({1, 128, 1}), "");
  EXPECT_EQ(why({1, 129, 1}), "the workgroup has 129 invocations along axis 1; cuda allows 128");
  EXPECT_EQ(why({1, 1, 64}), "");
  EXPECT_EQ(why({1, 1, 65}), "the workgroup has 65 invocations along axis 2; cuda allows 64");
  EXPECT_EQ(why({256, 2, 1}), "");
  EXPECT_EQ(why({171, 3, 1}), "the workgroup has 513 invocations; cuda allows 512");
  EXPECT_EQ(why({8, 8, 9}), "the workgroup has 576 invocations; cuda allows 512");
  for (const Extent& empty : {Extent{0, 1, 1}, Extent{1, 0, 1}, Extent{1, 1, 0}}) {
    EXPECT_EQ(why(empty), "the workgroup has an axis of 0");
  }
}

TEST(Legality, MemoryAndBindingsStayWithinTheLimits) {
  PlanDevice gpu = large_gpu();
  gpu.limits.max_workgroup_bytes = 1024;
  EXPECT_EQ(refusal("reverses_groups", of({256, 1, 1}), gpu), "");
  gpu.limits.max_workgroup_bytes = 1023;
  EXPECT_EQ(refusal("reverses_groups", of({256, 1, 1}), gpu),
            "the program has 1024 bytes of workgroup memory; cuda allows 1023");
  gpu.limits.max_bindings = 3;
  EXPECT_EQ(refusal("looks_up", of({64, 1, 1}), gpu), "");
  gpu.limits.max_bindings = 2;
  EXPECT_EQ(refusal("looks_up", of({64, 1, 1}), gpu), "the program has 3 bindings; cuda allows 2");
}

TEST(Legality, GangsAreForTheProcessorAndOfItsWidths) {
  const PlanDevice cpu = processor_of_16_lanes();
  for (const std::uint32_t gang : {1U, 8U, 16U, 32U}) {
    EXPECT_EQ(refusal("streams", of({64, 1, 1}, gang), cpu), "") << gang;
  }
  for (const std::uint32_t gang : {0U, 2U, 4U, 7U, 9U, 15U, 17U, 31U, 33U, 64U}) {
    EXPECT_NE(refusal("streams", of({64, 1, 1}, gang), cpu), "") << gang;
  }
  EXPECT_EQ(refusal("streams", of({64, 1, 1}, 4), cpu), "a gang has 1, 8, 16 or 32 lanes, not 4");
  EXPECT_EQ(refusal("streams", of({64, 1, 1}, 8), large_gpu()), "gangs are for the CPU");
  EXPECT_EQ(refusal("streams", of({64, 1, 1}, 1), large_gpu()), "");
}

TEST(Legality, SubgroupsNeedTheirOwnGangOnTheProcessorAlone) {
  EXPECT_EQ(refusal("elects", of({64, 1, 1}, 32), processor_of_16_lanes()), "");
  EXPECT_EQ(refusal("elects", of({64, 1, 1}, 16), processor_of_16_lanes()),
            "the program has subgroup operations, which need gangs of 32 lanes");
  EXPECT_EQ(refusal("elects", of({64, 1, 1}), large_gpu()), "");
  EXPECT_EQ(refusal("elects", of({128, 1, 1}), large_gpu()),
            "the program has subgroup operations, so its shape is fixed");
}

TEST(Legality, AProgramThatKnowsItsWorkgroupKeepsIt) {
  for (const PlanDevice& device : {large_gpu(), processor_of_16_lanes()}) {
    EXPECT_EQ(refusal("reverses_groups", of({256, 1, 1}), device), "");
    EXPECT_EQ(refusal("reverses_groups", of({128, 1, 1}), device),
              "the program shares memory or waits within its workgroup, so its shape is fixed");
    EXPECT_EQ(refusal("tells_groups", of({64, 1, 1}), device), "");
    EXPECT_EQ(refusal("tells_groups", of({32, 1, 1}), device),
              "the program reads the local or workgroup ids, so its shape is fixed");
    EXPECT_EQ(refusal("streams", of({32, 1, 1}), device), "");
    EXPECT_EQ(refusal("reverses_groups", of({256, 1, 1}, 1, 2), device),
              "the program shares memory or waits within its workgroup");
    EXPECT_EQ(refusal("tells_groups", of({64, 1, 1}, 1, 2), device),
              "the program reads the local or workgroup ids");
  }
}

TEST(Legality, ALaneTakesAPowerOfTwoOfItems) {
  for (std::uint32_t items = 0; items <= 33; ++items) {
    const bool allowed = items == 1 || items == 2 || items == 4 || items == 8 || items == 16;
    EXPECT_EQ(refusal("streams", of({64, 1, 1}, 1, items), large_gpu()).empty(), allowed) << items;
  }
  EXPECT_EQ(refusal("streams", of({64, 1, 1}, 1, 3), large_gpu()),
            "a lane takes 1, 2, 4, 8 or 16 items, not 3");
}

}  // namespace
}  // namespace vyre
