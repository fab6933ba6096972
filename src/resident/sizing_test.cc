#include "vyre/resident/sizing.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "vyre/resident/geometry_cache.h"

namespace vyre {
namespace {

constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max();

TEST(Sizing, WidthIsTheWorkerCountWithinTheLimit) {
  EXPECT_EQ(worker_workgroup_size(0, 256), 1u);
  EXPECT_EQ(worker_workgroup_size(64, 256), 64u);
  EXPECT_EQ(worker_workgroup_size(512, 256), 256u);
  EXPECT_EQ(worker_workgroup_size(5, 0), 1u);
}

TEST(Sizing, PaddingNearTheEndOfTheTypeStopsBelowTheSlots) {
  EXPECT_EQ(padded_slot_count(700, 48), 720u);
  EXPECT_EQ(padded_slot_count(0, 48), 48u);
  EXPECT_EQ(padded_slot_count(kMax, 64), 4294967232u);
  EXPECT_EQ(padded_slot_count(kMax, 0), kMax);
}

TEST(Sizing, OccupancyWorkersAreRaisedOnPowerfulDevices) {
  EXPECT_EQ(default_worker_groups_from_limits(kStandardSizing, 65535, 1024), 255u);
  EXPECT_EQ(default_worker_groups_from_limits(kStandardSizing, 512, 4096), 64u);
  EXPECT_EQ(default_worker_groups_from_limits(kStandardSizing, 10, 4095), 1u);
  EXPECT_EQ(default_worker_groups_from_limits(kStandardSizing, kMax, 1), 1024u);
}

TEST(Sizing, GridPlanNamesTheFirstZeroLimit) {
  const auto zero = [](std::uint32_t x, std::uint32_t groups, std::uint32_t invocations) {
    return plan_grid(kStandardSizing, {100, 4, x, groups, invocations});
  };
  using enum ResidentLimit;
  EXPECT_EQ(zero(0, 0, 0).error(), ResidentError(ZeroLimit{max_workgroup_size_x}));
  EXPECT_EQ(zero(1, 0, 0).error(), ResidentError(ZeroLimit{max_compute_workgroups_per_dimension}));
  EXPECT_EQ(zero(1, 1, 0).error(), ResidentError(ZeroLimit{max_compute_invocations_per_workgroup}));
  EXPECT_TRUE(zero(1, 1, 1));
}

TEST(Sizing, OnlyItemCountsMustBeHeldInFull) {
  EXPECT_EQ(ring_geometry(kStandardSizing, kMax, 64, 256).slot_count, 4294967232u);
  EXPECT_EQ(ring_geometry_for_items(kStandardSizing, kMax, 64, 256).error(),
            ResidentError(RingPaddingOverflow{kMax, 4294967232u}));
  EXPECT_EQ(ring_geometry_for_items(kStandardSizing, std::uint64_t{kMax} + 1, 64, 256).error(),
            ResidentError(QueueLengthOverflow{std::uint64_t{kMax} + 1}));
  EXPECT_EQ(ring_geometry_for_items(kStandardSizing, 4294967232u, 64, 256)->slot_count,
            4294967232u);
}

TEST(Sizing, AGeometryFixesWorkgroupAndGridOfItsLaunch) {
  const DispatchConfig config = dispatch_config({48, 720, {15, 1, 1}});
  EXPECT_EQ(config.workgroup_override, (Extent{48, 1, 1}));
  EXPECT_EQ(config.grid_override, (Extent{15, 1, 1}));
}

TEST(Sizing, AGridNeverHasMoreGroupsThanWorkersOrTheDispatchLimit) {
  std::mt19937 random(1);
  const auto number = [&] { return static_cast<std::uint32_t>(random() >> random() % 32); };
  for (int i = 0; i < 20'000; ++i) {
    const GridPlanInput input{number(), number(), number(), number(), number()};
    const auto plan = plan_grid(kStandardSizing, input);
    if (!plan) continue;
    const RingGeometry& geometry = plan->geometry;
    EXPECT_LE(plan->worker_groups, input.max_compute_workgroups_per_dimension);
    EXPECT_LE(geometry.workgroup_size_x, input.max_workgroup_size_x);
    EXPECT_LE(geometry.dispatch_grid[0], std::min(plan->worker_groups, 1024u));
    EXPECT_GE(geometry.dispatch_grid[0], 1u);
    EXPECT_EQ(geometry.slot_count % geometry.workgroup_size_x, 0u);
  }
}

TEST(GeometryCache, GivesWhatIsComputedAndStaysBounded) {
  reset_geometry_cache();
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t queue = 1; queue <= 300; ++queue) {
      const GridPlanInput input{queue, queue % 7, 256, 65535, 1024};
      EXPECT_EQ(cached_grid_plan(input), plan_grid(kStandardSizing, input));
      EXPECT_EQ(cached_ring_geometry(queue, 48, 256),
                ring_geometry(kStandardSizing, queue, 48, 256));
    }
  }
  EXPECT_EQ(geometry_cache_stats().grid_plans, kGeometryCacheCapacity);
  EXPECT_EQ(geometry_cache_stats().geometries, kGeometryCacheCapacity);
}

TEST(GeometryCache, DoesNotKeepErrors) {
  reset_geometry_cache();
  EXPECT_FALSE(cached_grid_plan({1, 1, 0, 1, 1}));
  EXPECT_EQ(geometry_cache_stats().grid_plans, 0u);
}

}  // namespace
}  // namespace vyre
