// The recommendation for one resident launch: a pure function of the policy, the request and, if
// there is one, the previous topology.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "vyre/resident/policy.h"

namespace vyre {

enum class Topology : std::uint8_t {
  empty,
  sparse_frontier,
  hybrid_frontier,
  dense_frontier,
  fused_dense,
  memory_constrained,
};
enum class QueuePressure : std::uint8_t { empty, light, balanced, saturated };
enum class ExecutionMode : std::uint8_t { interpreter, jit };

std::string_view to_string(Topology topology);
std::string_view to_string(QueuePressure pressure);
std::string_view to_string(ExecutionMode mode);
std::optional<Topology> topology_from(std::string_view name);

struct Recommendation {
  RingGeometry geometry;
  std::uint32_t worker_groups = 0;  // after shedding and clamping
  std::uint32_t hit_capacity = 0;
  QueuePressure pressure = QueuePressure::empty;
  ExecutionMode execution_mode = ExecutionMode::interpreter;
  Topology topology = Topology::empty;
  bool promote_hot_opcodes = false;
  bool promote_hot_windows = false;
  bool age_priority_work = false;
  std::uint64_t estimated_peak_device_bytes = 0;
  std::uint64_t device_memory_budget_bytes = 0;
  bool operator==(const Recommendation&) const = default;
};

// Computed without a cache. A previous topology is kept near a threshold (hysteresis); without one
// the raw topology is used.
ResidentResult<Recommendation> compute_recommendation(const ResidentPolicy& policy,
                                                      const ResidentRequest& request,
                                                      std::optional<Topology> previous);

// The intermediate values of a recommendation, which explain it.
struct Derivation {
  std::uint16_t frontier_density_bps = 0;  // as given, or inferred from queue and nodes
  std::uint16_t memory_pressure_bps = 0;   // as given, or inferred from resident bytes and budget
  bool density_inferred = false;
  bool pressure_inferred = false;
  bool hot = false;
  Topology raw_topology = Topology::empty;
  Topology topology = Topology::empty;        // raw, or held by hysteresis
  std::uint32_t requested_worker_groups = 0;  // after shedding
  std::uint64_t lanes = 0;                    // grid times workgroup width
  std::uint32_t hit_multiplier = 0;           // 0: the capacity was requested
};

struct Explained {
  Derivation derivation;
  ResidentResult<Recommendation> result;  // after an error, the derivation lacks later steps
};

// The same computation with its intermediate values kept.
Explained explain_recommendation(const ResidentPolicy& policy, const ResidentRequest& request,
                                 std::optional<Topology> previous);

}  // namespace vyre
