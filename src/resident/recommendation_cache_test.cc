#include "vyre/resident/recommendation_cache.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "vyre/base/memory/allocation_count_testing.h"

namespace vyre {
namespace {

constexpr std::uint64_t kFull = std::numeric_limits<std::uint64_t>::max();

TEST(RecommendationCache, CountsHitsAndMisses) {
  RecommendationCache cache;
  const ResidentRequest request = direct_request(700, 48, 256);
  EXPECT_TRUE(cache.recommend(kStandardPolicy, request));
  EXPECT_EQ(cache.stats(), (RecommendationCacheStats{1, 0, 1}));
  EXPECT_TRUE(cache.recommend(kStandardPolicy, request));
  EXPECT_EQ(cache.stats(), (RecommendationCacheStats{1, 1, 1}));
  cache.reset();
  EXPECT_EQ(cache.stats(), (RecommendationCacheStats{0, 0, 0}));
}

TEST(RecommendationCache, CountsAnErrorAsAMissAndForgetsIt) {
  RecommendationCache cache;
  ResidentRequest request = direct_request(2000, 64, 256);
  request.expected_hits_per_item = 3;
  request.resident_device_bytes = 100000;
  request.device_memory_budget_bytes = 200000;
  for (std::uint64_t call = 1; call <= 3; ++call) {
    EXPECT_EQ(cache.recommend(kStandardPolicy, request).error(),
              ResidentError(DeviceOutOfMemory{292000, 200000}));
    EXPECT_EQ(cache.stats(), (RecommendationCacheStats{0, 0, call}));
  }
}

TEST(RecommendationCache, GivesUpTheLeastRecentlyUsed) {
  RecommendationCache cache;
  const auto ask = [&](std::uint32_t queue) {
    EXPECT_TRUE(cache.recommend(kStandardPolicy, direct_request(queue, 48, 256)));
  };
  for (std::uint32_t queue = 1; queue <= 128; ++queue) ask(queue);
  ask(1);    // refreshed
  ask(129);  // takes the place of 2
  EXPECT_EQ(cache.stats(), (RecommendationCacheStats{128, 1, 129}));
  ask(1);
  EXPECT_EQ(cache.stats().hits, 2u);
  ask(2);
  EXPECT_EQ(cache.stats(), (RecommendationCacheStats{128, 2, 130}));
}

TEST(RecommendationCache, AFullCounterIsAnErrorThatChangesNothing) {
  RecommendationCache hits(kFull - 1, 0);
  const ResidentRequest request = direct_request(700, 48, 256);
  EXPECT_TRUE(hits.recommend(kStandardPolicy, request));
  EXPECT_TRUE(hits.recommend(kStandardPolicy, request));
  EXPECT_EQ(hits.recommend(kStandardPolicy, request).error(),
            ResidentError(CounterOverflow{ResidentCounter::recommendation_hits}));
  EXPECT_EQ(hits.stats(), (RecommendationCacheStats{1, kFull, 1}));

  RecommendationCache misses(0, kFull);
  EXPECT_EQ(misses.recommend(kStandardPolicy, request).error(),
            ResidentError(CounterOverflow{ResidentCounter::recommendation_misses}));
  EXPECT_EQ(misses.stats(), (RecommendationCacheStats{0, 0, kFull}));
}

TEST(RecommendationCache, CallsWithAPreviousTopologyPassItBy) {
  reset_recommendation_cache();
  EXPECT_TRUE(recommend(kStandardPolicy, direct_request(700, 48, 256), Topology::dense_frontier));
  EXPECT_EQ(recommendation_cache_stats(), (RecommendationCacheStats{0, 0, 0}));
}

TEST(RecommendationCache, BelongsToItsThread) {
  reset_recommendation_cache();
  EXPECT_TRUE(recommend(kStandardPolicy, direct_request(700, 48, 256)));
  RecommendationCacheStats elsewhere;
  std::thread([&] {
    EXPECT_TRUE(recommend(kStandardPolicy, direct_request(700, 48, 256)));
    elsewhere = recommendation_cache_stats();
  }).join();
  EXPECT_EQ(elsewhere, (RecommendationCacheStats{1, 0, 1}));
  EXPECT_EQ(recommendation_cache_stats(), (RecommendationCacheStats{1, 0, 1}));
}

TEST(RecommendationCache, AllocatesNothing) {
  reset_recommendation_cache();
  const std::uint64_t before = allocation_count();
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t queue = 1; queue <= 200; ++queue)
      (void)recommend(kStandardPolicy, direct_request(queue, 48, 256));
    (void)recommend(kStandardPolicy, direct_request(200, 48, 256));
    (void)recommend(kStandardPolicy, direct_request(200, 48, 0));
  }
  EXPECT_EQ(allocation_count(), before);
}

// Every field by itself, with values that would collide if two shared bits.
TEST(RecommendationKey, DependsOnEveryField) {
  std::set<RecommendationKey> keys;
  std::size_t count = 0;
  const auto add = [&](const ResidentPolicy& policy, const ResidentRequest& request) {
    keys.insert(recommendation_key(policy, request));
    ++count;
  };
  const auto vary = [&](auto member, auto value) {
    if constexpr (std::is_invocable_v<decltype(member), ResidentPolicy&>) {
      ResidentPolicy policy;
      member(policy) = value;
      add(policy, {});
    } else {
      ResidentRequest request;
      member(request) = value;
      add({}, request);
    }
  };
  add({}, {});
#define VARY(type, field)                                                                 \
  vary([](type& x) -> auto& { return x.field; }, static_cast<decltype(type::field)>(-1)); \
  vary([](type& x) -> auto& { return x.field; }, static_cast<decltype(type::field)>(1))
  VARY(ResidentPolicy, min_hit_capacity);
  VARY(ResidentPolicy, hit_capacity_multiplier);
  VARY(ResidentPolicy, saturated_waves);
  VARY(ResidentPolicy, hot_opcode_threshold);
  VARY(ResidentPolicy, hot_window_threshold);
  VARY(ResidentPolicy, jit_queue_len_threshold);
  VARY(ResidentPolicy, priority_age_threshold);
  VARY(ResidentPolicy, fusion_edge_threshold);
  VARY(ResidentPolicy, scratch_bytes_per_hit);
  VARY(ResidentPolicy, sparse_frontier_threshold_bps);
  VARY(ResidentPolicy, dense_frontier_threshold_bps);
  VARY(ResidentPolicy, memory_pressure_threshold_bps);
  VARY(ResidentRequest, queue_len);
  VARY(ResidentRequest, requested_worker_groups);
  VARY(ResidentRequest, max_workgroup_size_x);
  VARY(ResidentRequest, max_compute_workgroups_per_dimension);
  VARY(ResidentRequest, max_compute_invocations_per_workgroup);
  VARY(ResidentRequest, requested_hit_capacity);
  VARY(ResidentRequest, expected_hits_per_item);
  VARY(ResidentRequest, hot_opcode_count);
  VARY(ResidentRequest, hot_window_count);
  VARY(ResidentRequest, max_priority_age);
  VARY(ResidentRequest, graph_node_count);
  VARY(ResidentRequest, graph_edge_count);
  VARY(ResidentRequest, frontier_density_bps);
  VARY(ResidentRequest, memory_pressure_bps);
  VARY(ResidentRequest, requeue_count);
  VARY(ResidentRequest, resident_device_bytes);
  VARY(ResidentRequest, device_memory_budget_bytes);
#undef VARY
  for (std::uint32_t WorkerSizing::* field :
       {&WorkerSizing::default_worker_count, &WorkerSizing::occupancy_divisor,
        &WorkerSizing::max_dispatch_workgroups, &WorkerSizing::powerful_invocation_threshold,
        &WorkerSizing::powerful_min_worker_groups, &WorkerSizing::fused_over_dispatch_multiplier}) {
    ResidentPolicy policy;
    policy.sizing.*field = 0xffffffff;
    add(policy, {});
  }
  EXPECT_EQ(keys.size(), count);
}

}  // namespace
}  // namespace vyre
