// Caches recommendations per thread: at most 128, with the least recently used one evicted first.
// Errors are never cached. The key consists of every field of the policy and of the request.
#pragma once

#include <array>
#include <cstdint>

#include "vyre/base/memory/lru_index.h"
#include "vyre/resident/recommend.h"

namespace vyre {

struct RecommendationCacheStats {
  std::uint64_t entries = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  bool operator==(const RecommendationCacheStats&) const = default;
};

// A policy and a request as plain words, which are equal if and only if all fields are equal.
using RecommendationKey = std::array<std::uint64_t, 18>;
RecommendationKey recommendation_key(const ResidentPolicy& policy, const ResidentRequest& request);

class RecommendationCache {
 public:
  static constexpr std::size_t kCapacity = 128;

  constexpr RecommendationCache() = default;
  // Continues counting from these values.
  constexpr RecommendationCache(std::uint64_t hits, std::uint64_t misses)
      : hits_(hits), misses_(misses) {}

  // The cached recommendation, or a computed one, which is then cached. A lookup that finds nothing
  // counts as a miss even if the computation fails. A full counter is an error that changes
  // nothing.
  ResidentResult<Recommendation> recommend(const ResidentPolicy& policy,
                                           const ResidentRequest& request);

  RecommendationCacheStats stats() const { return {index_.size(), hits_, misses_}; }
  void reset();

 private:
  struct Entry {
    RecommendationKey key{};
    Recommendation value;
  };

  ResidentResult<Recommendation> hit(LruIndex<kCapacity>::Slot slot);

  LruIndex<kCapacity> index_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::array<Entry, kCapacity> entries_{};
};

// Through the calling thread's cache.
ResidentResult<Recommendation> recommend(const ResidentPolicy& policy,
                                         const ResidentRequest& request);

// With a previous topology; does not use the cache and does not count.
inline ResidentResult<Recommendation> recommend(const ResidentPolicy& policy,
                                                const ResidentRequest& request, Topology previous) {
  return compute_recommendation(policy, request, previous);
}

// The counters of the calling thread.
RecommendationCacheStats recommendation_cache_stats();
void reset_recommendation_cache();

}  // namespace vyre
