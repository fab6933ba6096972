#include "vyre/plan/variants/variant_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "vyre/plan/model/cost_model.h"

namespace vyre {
namespace {

SpaceRequest gpu_request() {
  SpaceRequest r;
  r.kind = TargetKind::nvptx;
  r.usual.workgroup = r.declared = {64, 1, 1};
  r.extent = {1 << 20, 1, 1};
  r.limits = {.backend = "cuda",
              .max_threads_per_block = 1024,
              .max_block_dim = {1024, 1024, 64},
              .max_grid_dim = {0x7FFFFFFF, 65535, 65535}};
  r.why_not = [](const Variant&) { return std::string(); };
  return r;
}

Profile h200() {
  Profile p;
  p.multiprocessors = 132;
  p.max_threads_per_multiprocessor = 2048;
  p.max_blocks_per_multiprocessor = 32;
  p.registers_per_multiprocessor = 65536;
  p.warp_size = 32;
  p.shared_bytes_per_multiprocessor = 228 << 10;
  p.memory_bytes_per_second = 4'800'000'000'000;
  p.last_level_cache_bytes = 60 << 20;
  p.clock_khz = 1'980'000;
  return p;
}

TEST(SpaceTest, AGpuHasWidthsItemsAndLayouts) {
  const auto space = variant_space(gpu_request());
  EXPECT_EQ(space.size(), 54U);  // 6 widths, 1 item, and 4 more in two layouts
  EXPECT_EQ(space.front(), gpu_request().usual);
  EXPECT_EQ(std::set<Variant>(space.begin(), space.end()).size(), space.size());
}

TEST(SpaceTest, WhatCannotRunIsLeftOut) {
  SpaceRequest r = gpu_request();
  r.why_not = [](const Variant& v) { return v.items_per_lane > 1 ? "no" : std::string(); };
  EXPECT_EQ(variant_space(r).size(), 6U);
  r.shape_is_fixed = true;
  EXPECT_EQ(variant_space(r).size(), 1U);
  r = gpu_request();
  r.limits.max_grid_dim[0] = 1024;
  for (const Variant& v : variant_space(r)) {
    if (v == r.usual) continue;
    EXPECT_GE(v.workgroup[0] * v.items_per_lane, 1024U);
  }
}

TEST(SpaceTest, ConfigurationsNameVariants) {
  for (const TargetKind kind : {TargetKind::nvptx, TargetKind::host}) {
    SpaceRequest r = gpu_request();
    r.kind = kind;
    r.usual.gang_width = kind == TargetKind::host ? 16 : 1;
    r.usual.overrides = {{"TILE", "16"}};
    std::set<std::string> texts;
    for (const Variant& v : variant_space(r)) {
      const Configuration c = configuration_of(v, kind);
      EXPECT_TRUE(texts.insert(to_string(c)).second) << to_string(c);
      EXPECT_EQ(*parse_configuration(to_string(c)), c);
    }
  }
}

TEST(SpaceTest, OverridesCombineUnderConstraints) {
  const auto tile = parse_override_axis("TILE=8,16,32");
  const auto unroll = parse_override_axis("UNROLL=1,2,4");
  ASSERT_TRUE(tile && unroll);
  EXPECT_EQ(override_combinations({*tile, *unroll}, {})->size(), 9U);
  const auto some = override_combinations({*tile, *unroll}, {"TILE * UNROLL <= 32"});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->size(), 6U);
  EXPECT_EQ(some->front().front().value, "8");
  EXPECT_EQ(override_combinations({*tile, *unroll}, {"TILE > 8 && !(UNROLL == 1 || UNROLL == 2)"})
                ->size(),
            2U);
  EXPECT_EQ(override_combinations({*tile}, {"TILE % 16 == 0"})->size(), 2U);
  EXPECT_FALSE(override_combinations({*tile}, {"TILE > 64"}));
  EXPECT_FALSE(override_combinations({*tile}, {"OTHER > 64"}));
  EXPECT_FALSE(override_combinations({*tile}, {"TILE >"}));
  EXPECT_FALSE(override_combinations({*tile}, {"TILE 8"}));
  EXPECT_FALSE(override_combinations({*tile}, {std::string(1000, '(')}));
  EXPECT_FALSE(override_combinations({*tile}, {"TILE / 0 > 1"}));
  EXPECT_FALSE(override_combinations({*tile, *tile}, {}));
  for (const char* text : {"TILE", "TILE=", "=8", "TILE=8,,16", "TILE=8,8", "TILE=eight"}) {
    EXPECT_FALSE(parse_override_axis(text)) << text;
  }
}

CostFacts gpu_facts(std::uint32_t invocations) {
  CostFacts facts;
  facts.kind = TargetKind::nvptx;
  facts.extent = {invocations, 1, 1};
  facts.loaded_bytes = 8;
  facts.stored_bytes = 4;
  facts.operations = 2;
  facts.usual = gpu_request().usual;
  return facts;
}

Variant first_guess_of_gpu(const CostFacts& facts) {
  SpaceRequest request = gpu_request();
  request.extent = facts.extent;
  const auto space = variant_space(request);
  const auto costs = expected_ns_of(facts, h200(), space);
  for (const double c : costs) EXPECT_GT(c, 0);
  return space[static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin())];
}

TEST(PriorTest, AStreamingKernelTakesSeveralItemsALaneAndNoMore) {
  CostFacts facts = gpu_facts(64 << 20);
  facts.pointwise = true;
  facts.traffic_bytes = 12.0 * (64 << 20);
  EXPECT_EQ(first_guess_of_gpu(facts).items_per_lane, 4U);
}

TEST(PriorTest, InASmallLaunchItemsSpareWarpsUnlessTheyWaitForEachOther) {
  CostFacts facts = gpu_facts(1 << 18);
  facts.pointwise = true;
  facts.traffic_bytes = 12.0 * (1 << 18);
  EXPECT_EQ(first_guess_of_gpu(facts).items_per_lane, 2U);
  facts.pointwise = false;
  facts.in_place = true;
  EXPECT_EQ(first_guess_of_gpu(facts).items_per_lane, 1U);
}

TEST(PriorTest, LoadsThatTellThePlacesOfLoadsWantManyLanes) {
  CostFacts facts = gpu_facts(16 << 20);
  facts.loaded_bytes = 36;
  facts.scattered = true;
  EXPECT_LE(first_guess_of_gpu(facts).items_per_lane, 2U);
}

TEST(PriorTest, ColumnsWantNarrowWorkgroups) {
  SpaceRequest request = gpu_request();
  request.declared = request.usual.workgroup = {16, 16, 1};
  request.extent = {4096, 4096, 1};
  CostFacts facts = gpu_facts(1);
  facts.extent = request.extent;
  facts.loaded_bytes = facts.stored_bytes = 4;
  facts.traffic_bytes = 8.0 * 4096 * 4096;
  facts.usual = request.usual;
  const auto space = variant_space(request);
  const auto width_of_best = [&] {
    const auto costs = expected_ns_of(facts, h200(), space);
    return space[static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin())]
        .workgroup[0];
  };
  EXPECT_GE(width_of_best(), 32U);
  facts.column_bytes = 4;
  EXPECT_LE(width_of_best(), 16U);
}

TEST(PriorTest, ASmallLaunchIsSpreadOverTheDevice) {
  CostFacts facts = gpu_facts(1 << 18);
  facts.loaded_bytes = 36;
  const Variant guess = first_guess_of_gpu(facts);
  EXPECT_GE((1 << 18) / (guess.workgroup[0] * guess.items_per_lane), h200().multiprocessors / 2)
      << to_string(guess);
}

// ---- The host: vectors of 16 lanes, few processors

SpaceRequest host_request(const Extent& declared, const Extent& extent) {
  SpaceRequest r;
  r.kind = TargetKind::host;
  r.usual.workgroup = r.declared = declared;
  r.usual.gang_width = 16;
  r.extent = extent;
  r.limits = {.backend = "cpu",
              .max_threads_per_block = 1024,
              .max_block_dim = {1024, 1024, 1024},
              .max_grid_dim = {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF}};
  r.why_not = [](const Variant&) { return std::string(); };
  return r;
}

Profile processor(std::uint32_t cores) {
  Profile p;
  p.multiprocessors = cores;
  p.warp_size = 16;
  p.last_level_cache_bytes = 64 << 20;
  return p;
}

Variant first_guess(const SpaceRequest& request, CostFacts facts, std::uint32_t cores) {
  facts.extent = request.extent;
  facts.usual = request.usual;
  const auto space = variant_space(request);
  const auto costs = expected_ns_of(facts, processor(cores), space);
  for (const double c : costs) EXPECT_GT(c, 0);
  return space[static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin())];
}

TEST(HostPriorTest, TwoVectorsAreBetterThanOne) {
  CostFacts computes{.loaded_bytes = 12, .stored_bytes = 8, .operations = 100, .pointwise = true};
  for (const std::uint32_t cores : {1U, 2U, 16U}) {
    for (const std::uint32_t n : {1U << 14, 1U << 18, 1U << 24}) {
      const Variant guess = first_guess(host_request({128, 1, 1}, {n, 1, 1}), computes, cores);
      EXPECT_EQ(guess.gang_width, 32U) << cores << " cores, " << n;
      EXPECT_EQ(guess.groups_per_task, 1U) << cores << " cores, " << n;
      EXPECT_EQ(guess.workgroup, (Extent{128, 1, 1})) << cores << " cores, " << n;
    }
  }
}

TEST(HostPriorTest, WorkgroupsThatShareMemoryAreAsWideAsTheirRows) {
  CostFacts tiles{.loaded_bytes = 8, .stored_bytes = 4, .operations = 20, .loops = true};
  tiles.shared_bytes = 2048;
  SpaceRequest request = host_request({16, 16, 1}, {512, 512, 1});
  request.shape_is_fixed = true;
  EXPECT_EQ(first_guess(request, tiles, 2).gang_width, 16U);
  request = host_request({256, 1, 1}, {1 << 20, 1, 1});
  request.shape_is_fixed = true;
  EXPECT_EQ(first_guess(request, tiles, 2).gang_width, 32U);
}

TEST(HostPriorTest, LanesThatGoTheirOwnWaysGoAlone) {
  CostFacts counts{.loaded_bytes = 4, .operations = 10, .loops = true, .atomics = true};
  counts.shared_bytes = 1024;
  EXPECT_EQ(first_guess(host_request({256, 1, 1}, {1 << 18, 1, 1}), counts, 4).gang_width, 1U);
  // The usual variant says so of rows that each gather their own elements.
  SpaceRequest request = host_request({64, 1, 1}, {1 << 17, 1, 1});
  request.usual.gang_width = 1;
  const CostFacts gathers{.loaded_bytes = 20, .stored_bytes = 4, .operations = 8, .loops = true};
  EXPECT_EQ(first_guess(request, gathers, 4).gang_width, 1U);
}

TEST(HostPriorTest, TasksLeaveNoThreadIdle) {
  // Long loops in few invocations: tasks of 64 workgroups would be one.
  const CostFacts long_loops{
      .loaded_bytes = 16, .stored_bytes = 16, .operations = 30, .loops = true};
  const SpaceRequest request = host_request({64, 1, 1}, {2048, 1, 1});
  const auto space = variant_space(request);
  CostFacts facts = long_loops;
  facts.extent = request.extent;
  facts.usual = request.usual;
  const auto costs = expected_ns_of(facts, processor(16), space);
  const auto cost_of = [&](const Extent& workgroup, std::uint32_t groups) {
    for (std::size_t i = 0; i < space.size(); ++i) {
      const Variant& v = space[i];
      if (v.workgroup == workgroup && v.gang_width == 32 && v.groups_per_task == groups) {
        return costs[i];
      }
    }
    ADD_FAILURE() << "no such variant";
    return 0.0;
  };
  EXPECT_GT(cost_of({64, 1, 1}, 64), 8 * cost_of({64, 1, 1}, 1));
  EXPECT_GT(cost_of({64, 1, 1}, 8), 2 * cost_of({64, 1, 1}, 1));
  EXPECT_GT(cost_of({1024, 1, 1}, 1), 5 * cost_of({64, 1, 1}, 1));
  EXPECT_EQ(first_guess(request, long_loops, 16).workgroup, (Extent{64, 1, 1}));
}

TEST(HostPriorTest, WhatTheMemoryLimitsIsAlikeInAllGangs) {
  const CostFacts streams{.loaded_bytes = 8, .stored_bytes = 4, .operations = 2, .pointwise = true};
  SpaceRequest request = host_request({256, 1, 1}, {1 << 26, 1, 1});
  const auto space = variant_space(request);
  CostFacts facts = streams;
  facts.extent = request.extent;
  facts.usual = request.usual;
  const auto costs = expected_ns_of(facts, processor(8), space);
  EXPECT_LT(std::ranges::max(costs), 1.25 * std::ranges::min(costs));
}

TEST(PriorTest, OccupancyComesFromRegistersAndSharedMemory) {
  EXPECT_EQ(resident_groups(h200(), 256, 32, 0), 8U);
  EXPECT_EQ(resident_groups(h200(), 256, 64, 0), 4U);
  EXPECT_EQ(resident_groups(h200(), 1024, 128, 0), 0U);
  EXPECT_EQ(resident_groups(h200(), 32, 16, 0), 32U);
  EXPECT_EQ(resident_groups(h200(), 64, 16, 100 << 10), 2U);
}

}  // namespace
}  // namespace vyre
