#include "vyre/plan/launch_plan.h"

#include <gtest/gtest.h>

#include "vyre/base/golden_testing.h"
#include "vyre/plan/kernels_testing.h"
#include "vyre/plan/variants/declared_variant.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

std::string refusal(const Result<Extent>& result) { return result ? "" : result.error().what; }

TEST(GridFor, CoversTheExtent) {
  Variant variant;
  variant.workgroup = {64, 2, 1};
  variant.items_per_lane = 4;
  EXPECT_EQ(*grid_for({1000, 3, 5}, variant, large_gpu()), (Extent{4, 2, 5}));
  EXPECT_EQ(*grid_for({1024, 4, 5}, variant, large_gpu()), (Extent{4, 2, 5}));
  EXPECT_EQ(*grid_for({1025, 4, 5}, variant, large_gpu()), (Extent{5, 2, 5}));
  EXPECT_EQ(*grid_for({1000, 3, 5}, variant, processor_of_8_lanes()), (Extent{16, 2, 5}))
      << "on the CPU a lane takes one item";
}

TEST(GridFor, StaysWithinTheLimits) {
  PlanDevice gpu = large_gpu();
  gpu.limits.max_grid_dim = {100, 50, 10};
  const Extent one{1, 1, 1};
  EXPECT_EQ(*grid_for_covers({100, 50, 10}, one, gpu), (Extent{100, 50, 10}));
  EXPECT_EQ(refusal(grid_for_covers({101, 1, 1}, one, gpu)),
            "axis 0 has 101 workgroups; cuda:0 allows 100");
  EXPECT_EQ(refusal(grid_for_covers({1, 51, 1}, one, gpu)),
            "axis 1 has 51 workgroups; cuda:0 allows 50");
  EXPECT_EQ(refusal(grid_for_covers({1, 1, 11}, one, gpu)),
            "axis 2 has 11 workgroups; cuda:0 allows 10");

  // GPU code counts to the end of its last tile in 32 bits; CPU code does not.
  gpu.limits.max_grid_dim = {0x7FFFFFFF, 65535, 65535};
  const Extent wide{1024, 1024, 1};
  EXPECT_TRUE(grid_for_covers({0xFFFF0000, 1, 1}, wide, gpu));
  EXPECT_EQ(refusal(grid_for_covers({0xFFFF0001, 1, 1}, wide, gpu)),
            "axis 0 has 4294901761 invocations; the most is 4294901760");
  EXPECT_TRUE(grid_for_covers({UINT32_MAX, 1, 1}, wide, processor_of_8_lanes()));
}

TEST(FixedChoices, ReplaceTheirPartsAlone) {
  Variant from;
  from.workgroup = {64, 1, 1};
  from.gang_width = 16;
  FixedChoices fixed;
  EXPECT_FALSE(fixed.any());
  EXPECT_EQ(fixed.applied_to(from), from);
  const auto with = [&](auto FixedChoices::* part, auto value) {
    FixedChoices one;
    one.*part = value;
    EXPECT_TRUE(one.any());
    return one.applied_to(from);
  };
  Variant expected = from;
  expected.workgroup = {8, 8, 1};
  EXPECT_EQ(with(&FixedChoices::workgroup, Extent{8, 8, 1}), expected);
  expected = from, expected.items_per_lane = 4;
  EXPECT_EQ(with(&FixedChoices::items_per_lane, 4U), expected);
  expected = from, expected.layout = ItemLayout::blocked;
  EXPECT_EQ(with(&FixedChoices::layout, ItemLayout::blocked), expected);
  expected = from, expected.gang_width = 8;
  EXPECT_EQ(with(&FixedChoices::gang_width, 8U), expected);
  expected = from, expected.groups_per_task = 8;
  EXPECT_EQ(with(&FixedChoices::groups_per_task, 8U), expected);
  expected = from, expected.bounds = BoundsMode::checked;
  EXPECT_EQ(with(&FixedChoices::bounds, BoundsMode::checked), expected);
  fixed.overrides = {{"N", "1"}};
  EXPECT_FALSE(fixed.any()) << "overrides name the kernel and choose nothing";
  EXPECT_EQ(fixed.applied_to(from).overrides, fixed.overrides);

  expected.overrides = {{"A", "2"}};
  EXPECT_EQ(FixedChoices(expected).applied_to(from), expected);
  EXPECT_FALSE(FixedChoices(std::optional<Variant>()).any());
}

TEST(DispatchSize, CountsWorkgroupsInInvocations) {
  const Extent workgroup{64, 4, 2};
  EXPECT_EQ(*extent_in(DispatchSize::extent({7, 8, 9}), workgroup), (Extent{7, 8, 9}));
  EXPECT_EQ(*extent_in(DispatchSize::workgroups({7, 8, 9}), workgroup), (Extent{448, 32, 18}));
  EXPECT_EQ(*extent_in(DispatchSize::workgroups({1, 0x3FFFFFFF, 1}), workgroup),
            (Extent{64, 0xFFFFFFFC, 2}));
  EXPECT_EQ(refusal(extent_in(DispatchSize::workgroups({1, 0x40000000, 1}), workgroup)),
            "axis 1 has 1073741824 workgroups of 4 invocations, which are more than 4294967295");
}

TEST(DeclaredVariant, HasTheProgramsShapeAndOnACpuTheBestGang) {
  for (const Kernel& kernel : kernels_of_all_kinds()) {
    Variant plain;
    plain.workgroup = kernel.program->workgroup;
    EXPECT_EQ(declared_variant(kernel, 8, large_gpu()), plain) << kernel.program->name;
    Variant on_cpu = declared_variant(kernel, 8, processor_of_16_lanes());
    EXPECT_EQ(on_cpu.workgroup, plain.workgroup);
    EXPECT_EQ(on_cpu.groups_per_task, 1U);
    // Neither the size of the machine nor its cache decides.
    PlanDevice other = processor_of_16_lanes();
    other.profile.multiprocessors = other.processors = 128;
    other.profile.last_level_cache_bytes = 0;
    EXPECT_EQ(declared_variant(kernel, 8, other), on_cpu) << kernel.program->name;
  }
  // Subgroup operations need gangs of 32 lanes, whatever the code generator suggests.
  EXPECT_EQ(declared_variant(kernel_named("elects"), 8, processor_of_16_lanes()).gang_width, 32U);
}

TEST(PlanErrors, SayWhatHappenedWithItsValues) {
  const PlanError errors[] = {UnknownAccess{"b"},
                              BadElementLayout{"b"},
                              StaticLengthOverflow{"b"},
                              RuntimeSizedElement{"b", 1},
                              BadAlignment{"b", 3},
                              InputCountMismatch{1, 2},
                              InputMisaligned{"b", 3, 4},
                              InputLengthMismatch{"b", 4, 3, true},
                              InputLengthMismatch{"b", 4, 3, false},
                              ParamWordsOverflow{1, 2},
                              ZeroDimension{"cuda"},
                              WorkgroupProductOverflow{"cuda"},
                              TooManyThreads{"cuda", 2, 1},
                              WorkgroupAxisLimit{"cuda", 0, 2, 1},
                              WorkgroupAxisLimit{"cuda", 2, 2, 1},
                              GridAxisLimit{"cuda", 1, 2, 1},
                              ZeroOverrideDimension{"cuda", {0, 1, 1}},
                              ZeroGlobalSize{"cuda", {3, 0, 1}},
                              ElementCountOverflow{"cuda", 2, 3},
                              GridOverrideRequired{"cuda", {2, 3, 4}},
                              ZeroWorkgroup{{0, 1, 1}}};
  std::string text;
  for (const PlanError& error : errors) {
    text += std::string(wire_name(error)) + " (" + std::string(wire_class(error)) +
            "): " + describe(to_error(error)) + "\n";
  }
  expect_golden(text, "errors.txt");
}

}  // namespace
}  // namespace vyre
