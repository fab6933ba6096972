#include "vyre/plan/specification/logical_launch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/base/memory/allocation_count_testing.h"
#include "vyre/plan/geometry.h"

namespace vyre {
namespace {

const Limits kLimits{"cuda", 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}};

PlannedBinding binding(std::uint32_t slot, BindingRole role, std::uint32_t count) {
  PlannedBinding out;
  out.slot = slot;
  out.role = role;
  out.element_count = count;
  out.preferred_alignment = 4;
  return out;
}

class LaunchPlanTest : public testing::Test {
 protected:
  LaunchPlanTest() {
    adapter.decisions = folder.path() / "decisions.toml";
    program.workgroup = {256, 1, 1};
    program.entry_nonempty = true;
  }

  PlanResult<void> prepare_in(TunerMode mode) {
    return prepare(plan, {program, bindings, config, adapter}, mode, feedback);
  }
  PlanError refused(TunerMode mode = TunerMode::cached_or_default) {
    const LogicalLaunch before = plan;
    const auto prepared = prepare_in(mode);
    EXPECT_FALSE(prepared);
    EXPECT_EQ(plan, before);
    return prepared ? PlanError{} : prepared.error();
  }

  TemporaryFolder folder;
  Adapter adapter = make_adapter(kLimits);
  ProgramFacts program;
  std::vector<PlannedBinding> bindings{binding(0, BindingRole::input, 1000),
                                       binding(3, BindingRole::output, 600),
                                       binding(5, BindingRole::uniform, 0)};
  DispatchConfig config;
  LaunchFeedback feedback;
  LogicalLaunch plan;
};

TEST_F(LaunchPlanTest, CountsGridAndWords) {
  ASSERT_TRUE(prepare_in(TunerMode::cached_or_default));
  EXPECT_EQ(plan.element_count, 600u);
  EXPECT_EQ(plan.grid, (Extent{3, 1, 1}));
  EXPECT_EQ(plan.workgroup_source, WorkgroupSource::declared_by_mode);
  EXPECT_EQ(plan.max_binding_alignment, 4u);

  config.grid_override = Extent{5, 2, 1};
  ASSERT_TRUE(prepare_in(TunerMode::natural_gradient));
  EXPECT_EQ(plan.element_count, 1280u);
  EXPECT_EQ(plan.grid, (Extent{5, 2, 1}));
  EXPECT_EQ(plan.param_words, (std::vector<std::uint32_t>{1280, 1000, 0, 0, 600, 0, 1280}));
  EXPECT_EQ(plan.workgroup_source, WorkgroupSource::declared_with_grid);
}

TEST_F(LaunchPlanTest, ReportsWhatIsWrongAndKeepsItsValues) {
  ASSERT_TRUE(prepare_in(TunerMode::cached_or_default));
  program.workgroup = {16, 16, 1};
  EXPECT_EQ(refused(), PlanError(GridOverrideRequired{"cuda", {16, 16, 1}}));
  program.workgroup = {256, 1, 1};
  config.grid_override = Extent{20000000, 1, 1};
  EXPECT_EQ(refused(), PlanError(ElementCountOverflow{"cuda", 20000000, 256}));
  config.grid_override = Extent{1, 0, 1};
  EXPECT_EQ(refused(), PlanError(ZeroOverrideDimension{"cuda", {1, 0, 1}}));
  config.grid_override = Extent{1, 65536, 1};
  EXPECT_EQ(refused(), PlanError(GridAxisLimit{"cuda", 1, 65536, 65535}));
  config.workgroup_override = Extent{2048, 1, 1};
  EXPECT_EQ(refused(), PlanError(TooManyThreads{"cuda", 2048, 1024}));
  config = {};
  bindings[2].slot = 0xfffffffe;
  EXPECT_EQ(refused(), PlanError(ParamWordsOverflow{0xfffffffe, 0x100000000}));
}

TEST_F(LaunchPlanTest, ALogicalSizeLaysOutSeveralAxes) {
  program.workgroup = {16, 16, 1};
  config.global_size = Extent{100, 50, 1};
  ASSERT_TRUE(prepare_in(TunerMode::natural_gradient));
  EXPECT_EQ(plan.grid, (Extent{7, 4, 1}));
  EXPECT_EQ(plan.element_count, 600u);
  EXPECT_EQ(plan.ineligible, Ineligible::several_axes);

  config.grid_override = Extent{2, 2, 1};
  ASSERT_TRUE(prepare_in(TunerMode::natural_gradient));
  EXPECT_EQ(plan.grid, (Extent{2, 2, 1}));

  config.grid_override.reset();
  config.global_size = Extent{100, 0, 1};
  EXPECT_EQ(refused(), PlanError(ZeroGlobalSize{"cuda", {100, 0, 1}}));

  program.workgroup = {256, 1, 1};
  ASSERT_TRUE(prepare_in(TunerMode::cached_or_default));
  EXPECT_EQ(plan.grid, (Extent{3, 1, 1}));
}

TEST_F(LaunchPlanTest, ACallerMayStateTheElementCount) {
  config.element_count = 10000;
  ASSERT_TRUE(prepare_in(TunerMode::cached_or_default));
  EXPECT_EQ(plan.element_count, 10000u);
  EXPECT_EQ(plan.grid, (Extent{40, 1, 1}));
  config.element_count = 0;
  EXPECT_EQ(refused(), PlanError(ZeroGlobalSize{"cuda", {0, 1, 1}}));
}

TEST_F(LaunchPlanTest, NaturalModeStartsFromTheCostModel) {
  ASSERT_TRUE(prepare_in(TunerMode::natural_gradient));
  EXPECT_EQ(plan.workgroup, (Extent{1024, 1, 1}));
  EXPECT_EQ(plan.workgroup_source, WorkgroupSource::cold_start);
  for (const TunerMode mode : {TunerMode::sweep, TunerMode::cached_or_default, TunerMode::frozen}) {
    ASSERT_TRUE(prepare_in(mode));
    EXPECT_EQ(plan.workgroup, program.workgroup);
  }
  config.workgroup_override = Extent{64, 1, 1};
  ASSERT_TRUE(prepare_in(TunerMode::natural_gradient));
  EXPECT_EQ(plan.workgroup, (Extent{64, 1, 1}));
  EXPECT_EQ(plan.workgroup_source, WorkgroupSource::overridden);
}

TEST_F(LaunchPlanTest, SaysWhyAProgramKeepsItsShape) {
  using enum Ineligible;
  const auto reason_with = [&](bool ProgramFacts::* flag) {
    ProgramFacts facts = program;
    facts.*flag = !(facts.*flag);
    return eligibility(facts, facts.workgroup, 600);
  };
  EXPECT_EQ(eligibility(program, program.workgroup, 600), none);
  EXPECT_EQ(reason_with(&ProgramFacts::entry_nonempty), empty_entry);
  EXPECT_EQ(reason_with(&ProgramFacts::lacks_effects), no_effects);
  EXPECT_EQ(reason_with(&ProgramFacts::non_composable_with_self), not_composable_with_self);
  EXPECT_EQ(reason_with(&ProgramFacts::has_shared_buffer), shared_memory);
  EXPECT_EQ(reason_with(&ProgramFacts::has_barrier), barrier);
  EXPECT_EQ(reason_with(&ProgramFacts::uses_subgroup_ops), subgroup_operations);
  EXPECT_EQ(reason_with(&ProgramFacts::uses_launch_geometry_ids), launch_geometry_ids);
  EXPECT_EQ(reason_with(&ProgramFacts::has_opaque_call), opaque_call);
  EXPECT_EQ(reason_with(&ProgramFacts::contains_atomic), none);
  EXPECT_EQ(eligibility(program, {0, 1, 1}, 600), zero_width);
  EXPECT_EQ(eligibility(program, {8, 8, 1}, 600), several_axes);
  EXPECT_EQ(eligibility(program, program.workgroup, 0), no_elements);

  program.has_barrier = true;
  ASSERT_TRUE(prepare_in(TunerMode::natural_gradient));
  EXPECT_EQ(plan.workgroup_source, WorkgroupSource::declared_ineligible);
  EXPECT_EQ(plan.ineligible, barrier);
}

TEST_F(LaunchPlanTest, ReadsTheModeFromTheEnvironmentEachTime) {
  const LogicalRequest request{program, bindings, config, adapter};
  ::setenv(kModeVariable, "off", 1);
  ASSERT_TRUE(prepare(plan, request, mode_from_environment(), feedback));
  EXPECT_EQ(plan.workgroup_source, WorkgroupSource::declared_by_mode);
  ::setenv(kModeVariable, "natural", 1);
  ASSERT_TRUE(prepare(plan, request, mode_from_environment(), feedback));
  EXPECT_EQ(plan.workgroup_source, WorkgroupSource::cold_start);
  ::unsetenv(kModeVariable);
}

TEST_F(LaunchPlanTest, PreparingAgainAllocatesNothing) {
  const LogicalRequest request{program, bindings, config, adapter};
  for (const TunerMode mode : {TunerMode::natural_gradient, TunerMode::cached_or_default}) {
    ASSERT_TRUE(prepare(plan, request, mode, feedback));
    const std::uint64_t before = allocation_count();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(prepare(plan, request, mode, feedback));
    EXPECT_EQ(allocation_count(), before);
  }
  config.workgroup_override = Extent{64, 1, 1};
  const std::uint64_t before = allocation_count();
  ASSERT_TRUE(
      prepare(plan, {program, bindings, config, adapter}, mode_from_environment(), feedback));
  EXPECT_EQ(allocation_count(), before);
}

TEST_F(LaunchPlanTest, NeverExceedsTheLimits) {
  std::mt19937 random(6);
  const auto number = [&] { return static_cast<std::uint32_t>(random() >> random() % 32); };
  const auto extent = [&]() -> Extent {
    return random() % 2 ? Extent{number() % 2048, 1, 1}
                        : Extent{number() % 64, number() % 8, number() % 4};
  };
  int prepared = 0;
  for (int i = 0; i < 4000; ++i) {
    const Extent block{number(), number(), number()};
    adapter = make_adapter({"any", number(), block, {number(), number(), number()}});
    adapter.decisions = folder.path() / "decisions.toml";
    program.workgroup = extent();
    bindings[0].element_count = number();
    bindings[1].element_count = number();
    config = {};
    if (random() % 3 == 0) config.workgroup_override = extent();
    if (random() % 3 == 0) config.grid_override = extent();
    if (random() % 3 == 0) config.global_size = extent();
    feedback.forget_memory();
    const LogicalLaunch before = plan;
    if (!prepare_in(TunerMode::natural_gradient)) {
      EXPECT_EQ(plan, before);
      continue;
    }
    ++prepared;
    EXPECT_TRUE(check_geometry(plan.workgroup, plan.grid, adapter.limits));
    if (!config.grid_override && plan.workgroup[1] == 1 && plan.workgroup[2] == 1) {
      EXPECT_GE(static_cast<std::uint64_t>(plan.grid[0]) * plan.workgroup[0], plan.element_count);
    }
  }
  EXPECT_GT(prepared, 200);
}

}  // namespace
}  // namespace vyre
