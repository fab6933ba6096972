#include "vyre/fuse/launch_fusion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <set>

#include "vyre/base/memory/allocation_count_testing.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

FusionError error_of(const std::vector<FusionStage>& stages, std::uint64_t budget) {
  const auto plan = plan_launch_fusion(stages, budget);
  EXPECT_FALSE(plan);
  return plan ? FusionError{} : plan.error();
}

TEST(LaunchFusion, GroupsNeighboursAndSaysWhyEachBoundaryIsOne) {
  const std::vector<FusionStage> stages{{10, 5, 400, 200, 50, true},   {11, 5, 200, 300, 20, false},
                                        {12, 5, 300, 100, 400, false}, {13, 5, 100, 100, 0, true},
                                        {14, 6, 100, 50, 10, false},   {15, 6, 50, 25, 5, false}};
  const auto plan = plan_launch_fusion(stages, 1000);
  ASSERT_TRUE(plan);
  const std::vector<FusionGroup> groups{
      {0, 2, 5, 970, 200, FusionBoundary::first_stage, 0},
      {2, 1, 5, 800, 0, FusionBoundary::over_budget, 1470},
      {3, 1, 5, 200, 0, FusionBoundary::host_materialization, 0},
      {4, 2, 6, 190, 50, FusionBoundary::layout_differs, 0},
  };
  EXPECT_EQ(plan->groups, groups);
  EXPECT_EQ(plan->budget_bytes, 1000u);
  EXPECT_EQ(plan->launch_count, 4u);
  EXPECT_EQ(plan->avoided_launches, 2u);
  EXPECT_EQ(plan->avoided_intermediate_bytes, 250u);
}

TEST(LaunchFusion, NoStagesIsAnEmptyPlanAndNoBudgetAnErrorEvenThen) {
  EXPECT_EQ(plan_launch_fusion({}, 7), (FusionPlan{{}, 7, 0, 0, 0}));
  EXPECT_EQ(error_of({}, 0), FusionError(ZeroBudget{}));
}

TEST(LaunchFusion, TheTotalMayReachTheBudget) {
  const auto plan =
      plan_launch_fusion(std::vector<FusionStage>{{1, 0, 5, 5, 0}, {2, 0, 9, 3, 2}}, 15);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->launch_count, 1u);
}

TEST(LaunchFusion, AStageAloneMayReachTheBudget) {
  const std::vector<FusionStage> stages{{7, 5, 100, 60, 40, false}};
  EXPECT_TRUE(plan_launch_fusion(stages, 200));
  EXPECT_EQ(error_of(stages, 199), FusionError(StageOverBudget{7, 200, 199}));
}

TEST(LaunchFusion, ADuplicateBeatsAnOversizedStageAndTheEarliestRepeatIsNamed) {
  EXPECT_EQ(error_of({{1, 1, 600, 500, 0}, {1, 1, 1, 1, 0}}, 1000), FusionError(DuplicateStage{1}));
  std::vector<FusionStage> stages;
  for (const std::uint32_t id : {9u, 4u, 70000u, 5u, 70000u, 4u, 9u, 5u, 1u, 2u}) {
    stages.push_back({id, 0, 1, 1, 1});
  }
  EXPECT_EQ(error_of(stages, 1000), FusionError(DuplicateStage{70000}));
}

TEST(LaunchFusion, OverflowIsAnErrorAndNotARefusal) {
  const FusionStage small{1, 1, 1, 1, 0};
  EXPECT_EQ(error_of({small, {2, 1, 0, kMost, 0}}, 1000),
            FusionError(ByteOverflow{FusionQuantity::fused_output}));
  EXPECT_EQ(error_of({small, {2, 2, 0, kMost, 0}}, 1000),
            FusionError(StageOverBudget{2, kMost, 1000}));
  EXPECT_EQ(error_of({small, {2, 1, 0, 0, kMost}}, 1000),
            FusionError(ByteOverflow{FusionQuantity::fused_scratch}));
  EXPECT_EQ(error_of({{1, 1, kMost, 1, 0}}, 1000),
            FusionError(ByteOverflow{FusionQuantity::stage_input_plus_output}));
  EXPECT_EQ(error_of({{1, 1, kMost, 0, 1}}, 1000),
            FusionError(ByteOverflow{FusionQuantity::stage_total}));
  // Each group avoids 2^63, which only together is too much.
  const std::uint64_t half = std::uint64_t{1} << 63;
  EXPECT_EQ(
      error_of({{1, 1, 0, half, 0}, {2, 1, 0, 0, 0}, {3, 2, 0, half, 0}, {4, 2, 0, 0, 0}}, kMost),
      FusionError(ByteOverflow{FusionQuantity::total_avoided}));
}

TEST(LaunchFusion, APlanIsEmptyAfterAnError) {
  FusionScratch scratch;
  FusionPlan plan;
  ASSERT_TRUE(plan_launch_fusion(std::vector<FusionStage>{{1, 0, 1, 1, 1}}, 10, scratch, plan));
  ASSERT_FALSE(plan_launch_fusion(std::vector<FusionStage>{{1, 0, 1, 1, 1}, {2, 1, 9, 9, 9}}, 10,
                                  scratch, plan));
  EXPECT_EQ(plan, (FusionPlan{{}, 10, 0, 0, 0}));
}

TEST(LaunchFusion, RandomListsKeepOrderAndBudgetAndBoundariesHaveTheirReason) {
  std::mt19937_64 random(11);
  FusionScratch scratch;
  FusionPlan plan;
  for (int round = 0; round < 2000; ++round) {
    std::vector<FusionStage> stages(random() % 60);
    std::vector<std::uint32_t> ids(stages.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::uint32_t>(i * 977);
    std::shuffle(ids.begin(), ids.end(), random);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      stages[i] = {ids[i],        random() % 2,  random() % 30,
                   random() % 30, random() % 30, random() % 8 == 0};
    }
    const std::uint64_t budget = 90 + random() % 200;
    ASSERT_TRUE(plan_launch_fusion(stages, budget, scratch, plan));
    std::size_t next = 0;
    std::uint64_t avoided = 0;
    for (const FusionGroup& group : plan.groups) {
      ASSERT_EQ(group.first_stage, next);
      ASSERT_GE(group.stage_count, 1u);
      std::uint64_t required = stages[next].input_bytes;
      for (std::size_t i = 0; i < group.stage_count; ++i, ++next) {
        ASSERT_EQ(stages[next].layout_hash, group.layout_hash);
        ASSERT_TRUE(i == 0 || !stages[next].needs_host_materialization);
        required += stages[next].output_bytes + stages[next].scratch_bytes;
        if (i > 0) avoided += stages[next - 1].output_bytes;
      }
      ASSERT_EQ(group.required_bytes, required);
      ASSERT_LE(required, budget);
      ASSERT_EQ(group.refused_bytes > budget, group.boundary == FusionBoundary::over_budget);
      ASSERT_EQ(group.first_stage == 0, group.boundary == FusionBoundary::first_stage);
    }
    ASSERT_EQ(next, stages.size());
    ASSERT_EQ(plan.launch_count + plan.avoided_launches, stages.size());
    ASSERT_EQ(plan.avoided_intermediate_bytes, avoided);
  }
}

TEST(LaunchFusion, FindsTheEarliestRepeatInRandomIds) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    std::vector<FusionStage> stages(2 + random() % 40);
    const std::uint32_t stride = 1 + random() % 90'000'000;
    for (FusionStage& stage : stages) stage.id = stride * (random() % 60);
    std::set<std::uint32_t> seen;
    const auto repeat = std::ranges::find_if(
        stages, [&seen](const FusionStage& stage) { return !seen.insert(stage.id).second; });
    const auto plan = plan_launch_fusion(stages, 1);
    if (repeat == stages.end()) {
      EXPECT_TRUE(plan);
    } else {
      ASSERT_FALSE(plan);
      EXPECT_EQ(plan.error(), FusionError(DuplicateStage{repeat->id}));
    }
  }
}

TEST(LaunchFusion, DoesNotAllocateWhenWarm) {
  std::vector<FusionStage> stages;
  stages.reserve(64);
  for (std::uint32_t i = 0; i < 64; ++i)
    stages.push_back({(i * 37) % 64, i / 7, 64, 64, 16, false});
  FusionScratch scratch;
  FusionPlan plan;
  ASSERT_TRUE(plan_launch_fusion(stages, 4096, scratch, plan));
  const auto before = allocation_count();
  ASSERT_TRUE(plan_launch_fusion(stages, 4096, scratch, plan));
  EXPECT_EQ(allocation_count(), before);
}

TEST(LaunchFusion, AMillionStagesTakeNoQuadraticTimeWhateverTheirIdsAndGroups) {
  using std::chrono::steady_clock;
  for (const bool alone : {false, true}) {
    std::vector<FusionStage> stages(1'000'000);
    for (std::uint32_t i = 0; i < stages.size(); ++i) {
      // Odd multiples never repeat, and share their low bytes in long runs.
      stages[i] = {i * 0x9e370001u, alone ? i : 0, 1, 1, 1, false};
    }
    const auto begin = steady_clock::now();
    const auto plan = plan_launch_fusion(stages, 1'000'000'000);
    const std::chrono::duration<double> took = steady_clock::now() - begin;
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->launch_count, alone ? 1'000'000u : 1u);
    RecordProperty("seconds", std::to_string(took.count()));
    EXPECT_LT(took.count(), 60.0);  // loose: sanitizers and busy machines
  }
}

TEST(LaunchFusion, ErrorsTellTheirFacts) {
  const Error error = to_error(StageOverBudget{7, 1100, 1000});
  EXPECT_EQ(error.code, Code::limit);
  EXPECT_NE(error.what.find("1100"), std::string::npos);
  EXPECT_NE(error.fix.find("1100"), std::string::npos);
  EXPECT_EQ(to_error(DuplicateStage{3}).code, Code::invalid_input);
  EXPECT_EQ(wire_name(FusionError(ByteOverflow{FusionQuantity::group_avoided})),
            "byte_count_overflow");
}

}  // namespace
}  // namespace vyre
