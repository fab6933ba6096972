#include "cases.h"
#include "vyre/resident/geometry_cache.h"
#include "vyre/resident/recommendation_cache.h"

namespace vyre {
namespace {

constexpr std::uint32_t kQueueLengths = 100'000;

ResidentRequest frontier_request() {
  ResidentRequest request = direct_request(90'000, 256, 256);
  request.graph_node_count = 100'000;
  request.graph_edge_count = 750'000;
  return request;
}

ResidentRequest request = frontier_request();

bool is_right(const ResidentResult<Recommendation>& got) {
  return got && got->topology == Topology::dense_frontier && got->worker_groups == 256 &&
         got->geometry == RingGeometry{256, 90'112, {256, 1, 1}} && got->hit_capacity == 180'000;
}

bool prepare_cached() {
  reset_recommendation_cache();
  request = frontier_request();
  return is_right(recommend(kStandardPolicy, request)) &&
         is_right(recommend(kStandardPolicy, request)) && recommendation_cache_stats().hits == 1;
}
void run_cached(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i) keep(recommend(kStandardPolicy, request));
}

// Two requests in turn, so that the answer is never the one given last.
void run_cached_alternating(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i) {
    request.queue_len = 90'000 + static_cast<std::uint32_t>(i & 1);
    keep(recommend(kStandardPolicy, request));
  }
}

bool prepare_computed() {
  request = frontier_request();
  return is_right(recommend(kStandardPolicy, request, Topology::dense_frontier));
}
void run_computed(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i)
    keep(recommend(kStandardPolicy, request, Topology::dense_frontier));
}

std::uint32_t next_queue_length = 0;

bool prepare_miss() {
  reset_recommendation_cache();
  request = frontier_request();
  for (std::uint32_t i = 0; i < RecommendationCache::kCapacity; ++i) {
    request.queue_len = kQueueLengths - i;
    if (!recommend(kStandardPolicy, request)) return false;
  }
  next_queue_length = 0;
  return recommendation_cache_stats() == RecommendationCacheStats{128, 0, 128};
}
void run_miss(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i) {
    request.queue_len = 1 + next_queue_length;
    next_queue_length = next_queue_length + 1 == kQueueLengths ? 0 : next_queue_length + 1;
    keep(recommend(kStandardPolicy, request));
  }
}

bool prepare_explained() {
  request = frontier_request();
  return is_right(explain_recommendation(kStandardPolicy, request, std::nullopt).result);
}
void run_explained(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i)
    keep(explain_recommendation(kStandardPolicy, request, std::nullopt));
}

constexpr GridPlanInput kGridInput{90'000, 256, 256, 256, 256};

bool prepare_grid_plan() {
  reset_geometry_cache();
  return cached_grid_plan(kGridInput) == plan_grid(kStandardSizing, kGridInput);
}
void run_grid_plan(std::uint64_t calls) {
  for (std::uint64_t i = 0; i < calls; ++i) keep(cached_grid_plan(kGridInput));
}

constexpr DecisionCase kCases[] = {
    {"recommendation, cached", 485, prepare_cached, run_cached},
    {"recommendation, cached, two in turn", 485, prepare_cached, run_cached_alternating},
    {"recommendation, computed", 440, prepare_computed, run_computed},
    {"recommendation, miss with eviction", 17'461, prepare_miss, run_miss},
    {"recommendation, explained", std::nullopt, prepare_explained, run_explained},
    {"grid plan, cached", std::nullopt, prepare_grid_plan, run_grid_plan},
};

}  // namespace

std::span<const DecisionCase> resident_cases() { return kCases; }

}  // namespace vyre
