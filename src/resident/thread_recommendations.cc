// Apart from the cache itself, so that programs which use only that have no thread-local one. Its
// 27 KiB would not fit into what the C library keeps for the libraries that dlopen loads.
#include "vyre/resident/recommendation_cache.h"

namespace vyre {
namespace {

constinit thread_local RecommendationCache thread_cache;

}  // namespace

ResidentResult<Recommendation> recommend(const ResidentPolicy& policy,
                                         const ResidentRequest& request) {
  return thread_cache.recommend(policy, request);
}

RecommendationCacheStats recommendation_cache_stats() { return thread_cache.stats(); }

void reset_recommendation_cache() { thread_cache.reset(); }

}  // namespace vyre
