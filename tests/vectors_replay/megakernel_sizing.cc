#include "resident_fields.h"
#include "sizing_operations.h"
#include "vyre/resident/geometry_cache.h"

namespace vyre {

Json worker_workgroup_size_case(const Json& in) {
  return {{"value", worker_workgroup_size(to_u32(at(in, "worker_count")),
                                          to_u32(at(in, "max_workgroup_size_x")))}};
}

Json padded_slot_count_case(const Json& in) {
  return {{"value",
           padded_slot_count(to_u32(at(in, "slot_count")), to_u32(at(in, "workgroup_size_x")))}};
}

Json dispatch_grid_for_case(const Json& in) {
  return {{"grid",
           dispatch_grid_for(kStandardSizing, to_u32(at(in, "worker_count")),
                             to_u32(at(in, "queue_len")), to_u32(at(in, "max_workgroup_size_x")))}};
}

Json default_worker_groups_from_limits_case(const Json& in) {
  return {{"value", default_worker_groups_from_limits(
                        kStandardSizing, to_u32(at(in, "max_compute_workgroups_per_dimension")),
                        to_u32(at(in, "max_compute_invocations_per_workgroup")))}};
}

namespace {

// Twice, so that the remembered answer is compared too.
Json calculate_optimal_grid_case(const Json& in) {
  const GridPlanInput input{to_u32(at(in, "queue_len")), to_u32(at(in, "requested_worker_groups")),
                            to_u32(at(in, "max_workgroup_size_x")),
                            to_u32(at(in, "max_compute_workgroups_per_dimension")),
                            to_u32(at(in, "max_compute_invocations_per_workgroup"))};
  const auto computed = cached_grid_plan(input);
  const auto plan = cached_grid_plan(input);
  if (computed != plan) return {{"error", "the remembered plan differs from the computed one"}};
  if (!plan) return to_json(plan.error());
  return {{"geometry", to_json(plan->geometry)}, {"worker_groups", plan->worker_groups}};
}

Json geometry_from_slots_case(const Json& in) {
  const std::uint32_t slots = to_u32(at(in, "slot_count"));
  const std::uint32_t workers = to_u32(at(in, "worker_count"));
  const std::uint32_t max_x = to_u32(at(in, "max_workgroup_size_x"));
  const RingGeometry computed = cached_ring_geometry(slots, workers, max_x);
  const RingGeometry geometry = cached_ring_geometry(slots, workers, max_x);
  if (computed != geometry) {
    return {{"error", "the remembered geometry differs from the computed one"}};
  }
  return {{"geometry", to_json(geometry)},
          {"covering_worker_groups", covering_worker_groups(geometry)}};
}

Json geometry_from_item_count_case(const Json& in) {
  const auto geometry = ring_geometry_for_items(kStandardSizing, to_u64(at(in, "item_count")),
                                                to_u32(at(in, "worker_count")),
                                                to_u32(at(in, "max_workgroup_size_x")));
  if (!geometry) return to_json(geometry.error());
  return {{"geometry", to_json(*geometry)}};
}

const ReplayFamily family{
    "megakernel_sizing",
    {{"worker_workgroup_size", worker_workgroup_size_case},
     {"padded_slot_count", padded_slot_count_case},
     {"dispatch_grid_for", dispatch_grid_for_case},
     {"default_worker_groups_from_limits", default_worker_groups_from_limits_case},
     {"calculate_optimal_grid", calculate_optimal_grid_case},
     {"geometry_from_slots", geometry_from_slots_case},
     {"geometry_from_item_count", geometry_from_item_count_case}}};

}  // namespace
}  // namespace vyre
