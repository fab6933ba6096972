#include "resident_fields.h"
#include "vyre/resident/recommendation_cache.h"

namespace vyre {
namespace {

Json sequence_case(const Json& in) {
  reset_recommendation_cache();
  std::vector<ResidentPolicy> policies;
  for (const Json& policy : to_list(at(in, "policies")))
    policies.push_back(resident_policy_from(policy));
  std::vector<ResidentRequest> requests;
  for (const Json& request : to_list(at(in, "requests"))) {
    const auto& fields = to_list(request);
    if (fields.size() != 3) throw MalformedVector("a request has three fields: " + request.dump());
    requests.push_back(direct_request(to_u32(fields[0]), to_u32(fields[1]), to_u32(fields[2])));
  }

  Json steps = Json::array();
  for (const Json& op : to_list(at(in, "ops"))) {
    const auto& fields = to_list(op);
    if (fields.size() != 2 && fields.size() != 3)
      throw MalformedVector("an op has two or three fields: " + op.dump());
    const std::size_t policy = to_u32(fields[0]), request = to_u32(fields[1]);
    if (policy >= policies.size() || request >= requests.size())
      throw MalformedVector("an op names nothing in the tables: " + op.dump());
    const auto previous = fields.size() == 3 ? topology_field(fields[2]) : std::nullopt;
    const auto result = previous ? recommend(policies[policy], requests[request], *previous)
                                 : recommend(policies[policy], requests[request]);
    const RecommendationCacheStats stats = recommendation_cache_stats();
    steps.push_back(Json::array({result.has_value(), stats.entries, stats.hits, stats.misses}));
  }
  return {{"steps", steps}};
}

const ReplayFamily family{"megakernel_cache", {{"sequence", sequence_case, "policies"}}};

}  // namespace
}  // namespace vyre
