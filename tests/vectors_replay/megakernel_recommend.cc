#include "resident_fields.h"
#include "vyre/resident/recommendation_cache.h"

namespace vyre {
namespace {

Json recommend_case(const Json& in) {
  reset_recommendation_cache();
  const ResidentPolicy policy = resident_policy_from(at(in, "policy"));
  const ResidentRequest request = resident_request_from(at(in, "request"));
  const auto previous = topology_field(at(in, "previous_topology"));
  const auto result = previous ? recommend(policy, request, *previous) : recommend(policy, request);
  if (!result) return to_json(result.error());
  return {{"geometry", to_json(result->geometry)},
          {"worker_groups", result->worker_groups},
          {"hit_capacity", result->hit_capacity},
          {"pressure", to_string(result->pressure)},
          {"execution_mode", to_string(result->execution_mode)},
          {"topology", to_string(result->topology)},
          {"promote_hot_opcodes", result->promote_hot_opcodes},
          {"promote_hot_windows", result->promote_hot_windows},
          {"age_priority_work", result->age_priority_work},
          {"estimated_peak_device_bytes", result->estimated_peak_device_bytes},
          {"device_memory_budget_bytes", result->device_memory_budget_bytes}};
}

Json standard_policy_case(const Json&) { return to_json(kStandardPolicy); }

Json direct_request_case(const Json& in) {
  return to_json(direct_request(to_u32(at(in, "queue_len")),
                                to_u32(at(in, "requested_worker_groups")),
                                to_u32(at(in, "max_workgroup_size_x"))));
}

const ReplayFamily family{"megakernel_recommend",
                          {{"recommend", recommend_case},
                           {"standard_policy", standard_policy_case},
                           {"direct_request", direct_request_case}}};

}  // namespace
}  // namespace vyre
