// The inputs of a resident recommendation: the policy's constants and one request.
#pragma once

#include <cstdint>

#include "vyre/resident/sizing.h"

namespace vyre {

// In basis points; 10000 is the whole.
inline constexpr std::uint16_t kWholeBps = 10000;

struct ResidentPolicy {
  WorkerSizing sizing;
  std::uint32_t min_hit_capacity = 1024;
  std::uint32_t hit_capacity_multiplier = 2;
  std::uint32_t saturated_waves = 4;
  std::uint32_t hot_opcode_threshold = 8;
  std::uint32_t hot_window_threshold = 4;
  std::uint32_t jit_queue_len_threshold = 4096;
  std::uint32_t priority_age_threshold = 32;
  std::uint32_t fusion_edge_threshold = 65536;
  std::uint32_t scratch_bytes_per_hit = 16;
  std::uint16_t sparse_frontier_threshold_bps = 500;
  std::uint16_t dense_frontier_threshold_bps = 4000;
  std::uint16_t memory_pressure_threshold_bps = 8500;
  bool operator==(const ResidentPolicy&) const = default;
};
inline constexpr ResidentPolicy kStandardPolicy{};

// How far a signal must pass a threshold before the topology changes back.
inline constexpr std::uint16_t kFrontierHysteresisBps = 250;
inline constexpr std::uint16_t kMemoryHysteresisBps = 250;

struct ResidentRequest {
  std::uint32_t queue_len = 0;
  std::uint32_t requested_worker_groups = 0;  // 0: from occupancy
  std::uint32_t max_workgroup_size_x = 0;
  std::uint32_t max_compute_workgroups_per_dimension = 0;
  std::uint32_t max_compute_invocations_per_workgroup = 0;
  std::uint32_t requested_hit_capacity = 0;  // 0: derive
  std::uint32_t expected_hits_per_item = 0;
  std::uint32_t hot_opcode_count = 0;
  std::uint32_t hot_window_count = 0;
  std::uint32_t max_priority_age = 0;
  std::uint32_t graph_node_count = 0;      // 0: unknown
  std::uint32_t graph_edge_count = 0;      // 0: unknown
  std::uint16_t frontier_density_bps = 0;  // 0: missing
  std::uint16_t memory_pressure_bps = 0;   // 0: missing
  std::uint64_t requeue_count = 0;
  std::uint64_t resident_device_bytes = 0;
  std::uint64_t device_memory_budget_bytes = 0;  // 0: unbounded
  bool operator==(const ResidentRequest&) const = default;
};

// A plain launch: the limits equal the request, and everything else is unknown.
constexpr ResidentRequest direct_request(std::uint32_t queue_len,
                                         std::uint32_t requested_worker_groups,
                                         std::uint32_t max_workgroup_size_x) {
  return {.queue_len = queue_len,
          .requested_worker_groups = requested_worker_groups,
          .max_workgroup_size_x = max_workgroup_size_x,
          .max_compute_workgroups_per_dimension = requested_worker_groups,
          .max_compute_invocations_per_workgroup = max_workgroup_size_x,
          .expected_hits_per_item = 1};
}

}  // namespace vyre
