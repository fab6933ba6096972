#include "resident_fields.h"

namespace vyre {
namespace {

// Calls visit(name, member) for every field, in both directions, so that each name stands once.
template <class Policy, class Visit>
void policy_fields(Policy& policy, Visit&& visit) {
  visit("min_hit_capacity", policy.min_hit_capacity);
  visit("hit_capacity_multiplier", policy.hit_capacity_multiplier);
  visit("saturated_waves", policy.saturated_waves);
  visit("hot_opcode_threshold", policy.hot_opcode_threshold);
  visit("hot_window_threshold", policy.hot_window_threshold);
  visit("jit_queue_len_threshold", policy.jit_queue_len_threshold);
  visit("priority_age_threshold", policy.priority_age_threshold);
  visit("sparse_frontier_threshold_bps", policy.sparse_frontier_threshold_bps);
  visit("dense_frontier_threshold_bps", policy.dense_frontier_threshold_bps);
  visit("memory_pressure_threshold_bps", policy.memory_pressure_threshold_bps);
  visit("fusion_edge_threshold", policy.fusion_edge_threshold);
  visit("scratch_bytes_per_hit", policy.scratch_bytes_per_hit);
}

template <class Request, class Visit>
void request_fields(Request& request, Visit&& visit) {
  visit("queue_len", request.queue_len);
  visit("requested_worker_groups", request.requested_worker_groups);
  visit("max_workgroup_size_x", request.max_workgroup_size_x);
  visit("max_compute_workgroups_per_dimension", request.max_compute_workgroups_per_dimension);
  visit("max_compute_invocations_per_workgroup", request.max_compute_invocations_per_workgroup);
  visit("requested_hit_capacity", request.requested_hit_capacity);
  visit("expected_hits_per_item", request.expected_hits_per_item);
  visit("hot_opcode_count", request.hot_opcode_count);
  visit("hot_window_count", request.hot_window_count);
  visit("requeue_count", request.requeue_count);
  visit("max_priority_age", request.max_priority_age);
  visit("graph_node_count", request.graph_node_count);
  visit("graph_edge_count", request.graph_edge_count);
  visit("frontier_density_bps", request.frontier_density_bps);
  visit("memory_pressure_bps", request.memory_pressure_bps);
  visit("resident_device_bytes", request.resident_device_bytes);
  visit("device_memory_budget_bytes", request.device_memory_budget_bytes);
}

struct FieldReader {
  const Json& object;
  void operator()(std::string_view name, std::uint16_t& field) const {
    field = to_u16(at(object, name));
  }
  void operator()(std::string_view name, std::uint32_t& field) const {
    field = to_u32(at(object, name));
  }
  void operator()(std::string_view name, std::uint64_t& field) const {
    field = to_u64(at(object, name));
  }
};

}  // namespace

ResidentPolicy resident_policy_from(const Json& value) {
  ResidentPolicy policy;
  if (value.is_string()) {
    if (value != "standard") throw MalformedVector("unknown policy " + value.dump());
    return policy;
  }
  policy_fields(policy, FieldReader{value});
  return policy;
}

ResidentRequest resident_request_from(const Json& value) {
  ResidentRequest request;
  request_fields(request, FieldReader{value});
  return request;
}

std::optional<Topology> topology_field(const Json& value) {
  if (value.is_null()) return std::nullopt;
  const auto topology = topology_from(to_text(value));
  if (!topology) throw MalformedVector("unknown topology " + value.dump());
  return topology;
}

Json to_json(const ResidentPolicy& policy) {
  Json out = Json::object();
  policy_fields(policy, [&](const char* name, auto field) { out[name] = field; });
  return out;
}

Json to_json(const ResidentRequest& request) {
  Json out = Json::object();
  request_fields(request, [&](const char* name, auto field) { out[name] = field; });
  return out;
}

Json to_json(const RingGeometry& geometry) {
  return {{"workgroup_size_x", geometry.workgroup_size_x},
          {"slot_count", geometry.slot_count},
          {"dispatch_grid", geometry.dispatch_grid}};
}

Json to_json(const ResidentError& error) {
  Json out = {{"error", wire_name(error)}};
  if (const auto* zero = std::get_if<ZeroLimit>(&error)) out["field"] = to_string(zero->field);
  if (const auto* memory = std::get_if<DeviceOutOfMemory>(&error)) {
    out["requested"] = memory->requested;
    out["available"] = memory->available;
  }
  return out;
}

}  // namespace vyre
