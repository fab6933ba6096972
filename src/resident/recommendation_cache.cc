#include "vyre/resident/recommendation_cache.h"

#include <limits>

namespace vyre {
namespace {

constexpr bool full(std::uint64_t counter) {
  return counter == std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

RecommendationKey recommendation_key(const ResidentPolicy& p, const ResidentRequest& r) {
  const WorkerSizing& s = p.sizing;
  return {
      pack_word(s.default_worker_count, s.occupancy_divisor),
      pack_word(s.max_dispatch_workgroups, s.powerful_invocation_threshold),
      pack_word(s.powerful_min_worker_groups, s.fused_over_dispatch_multiplier),
      pack_word(p.min_hit_capacity, p.hit_capacity_multiplier),
      pack_word(p.saturated_waves, p.hot_opcode_threshold),
      pack_word(p.hot_window_threshold, p.jit_queue_len_threshold),
      pack_word(p.priority_age_threshold, p.fusion_edge_threshold),
      pack_word(p.scratch_bytes_per_hit,
                p.sparse_frontier_threshold_bps |
                    static_cast<std::uint32_t>(p.dense_frontier_threshold_bps) << 16),
      pack_word(p.memory_pressure_threshold_bps | static_cast<std::uint32_t>(r.frontier_density_bps)
                                                      << 16,
                r.memory_pressure_bps),
      pack_word(r.queue_len, r.requested_worker_groups),
      pack_word(r.max_workgroup_size_x, r.max_compute_workgroups_per_dimension),
      pack_word(r.max_compute_invocations_per_workgroup, r.requested_hit_capacity),
      pack_word(r.expected_hits_per_item, r.hot_opcode_count),
      pack_word(r.hot_window_count, r.max_priority_age),
      pack_word(r.graph_node_count, r.graph_edge_count),
      r.requeue_count,
      r.resident_device_bytes,
      r.device_memory_budget_bytes,
  };
}

ResidentResult<Recommendation> RecommendationCache::hit(LruIndex<kCapacity>::Slot slot) {
  if (full(hits_)) return std::unexpected(CounterOverflow{ResidentCounter::recommendation_hits});
  ++hits_;
  return entries_[slot].value;
}

ResidentResult<Recommendation> RecommendationCache::recommend(const ResidentPolicy& policy,
                                                              const ResidentRequest& request) {
  const RecommendationKey key = recommendation_key(policy, request);
  // A launch loop repeats the same request; this case needs no hash.
  if (const auto newest = index_.newest(); newest && entries_[*newest].key == key)
    return hit(*newest);

  const std::uint64_t hash = hash_words(key);
  if (const auto slot =
          index_.find(hash, [&](auto candidate) { return entries_[candidate].key == key; })) {
    index_.touch(*slot);
    return hit(*slot);
  }
  if (full(misses_))
    return std::unexpected(CounterOverflow{ResidentCounter::recommendation_misses});
  ++misses_;
  auto computed = compute_recommendation(policy, request, std::nullopt);
  if (computed) entries_[index_.insert(hash)] = {key, *computed};
  return computed;
}

void RecommendationCache::reset() {
  index_.clear();
  hits_ = misses_ = 0;
}

}  // namespace vyre
