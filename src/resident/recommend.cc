#include "vyre/resident/recommend.h"

#include <algorithm>
#include <array>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::array<std::string_view, 6> kTopologyNames = {
    "empty",          "sparse_frontier", "hybrid_frontier",
    "dense_frontier", "fused_dense",     "memory_constrained"};

constexpr std::uint32_t kSparseWorkerFloor = 32;
constexpr std::uint32_t kLeastShedBps = 2500;
constexpr std::uint32_t kShedRangeBps = 2500;

std::uint16_t band_above(std::uint16_t threshold, std::uint16_t width) {
  return saturating_add(threshold, width);
}
std::uint16_t band_below(std::uint16_t threshold, std::uint16_t width) {
  return saturating_sub(threshold, width);
}

std::uint16_t infer_density(const ResidentRequest& request) {
  if (request.queue_len == 0 || request.graph_node_count == 0) return 0;
  const std::uint64_t nodes = request.graph_node_count;
  const std::uint64_t active = std::min<std::uint64_t>(request.queue_len, nodes);
  return static_cast<std::uint16_t>(std::max<std::uint64_t>(active * kWholeBps / nodes, 1));
}

std::uint16_t infer_memory_pressure(const ResidentRequest& request) {
  const std::uint64_t resident = request.resident_device_bytes;
  const std::uint64_t budget = request.device_memory_budget_bytes;
  if (budget == 0 || resident == 0) return 0;
  if (resident >= budget) return kWholeBps;
  return static_cast<std::uint16_t>(static_cast<Wide>(resident) * kWholeBps / budget);
}

void fill_missing_signals(const ResidentRequest& request, Derivation& d) {
  d.frontier_density_bps = request.frontier_density_bps;
  if (d.frontier_density_bps == 0) {
    d.frontier_density_bps = infer_density(request);
    d.density_inferred = d.frontier_density_bps != 0;
  }
  d.memory_pressure_bps = request.memory_pressure_bps;
  if (d.memory_pressure_bps == 0) {
    d.memory_pressure_bps = infer_memory_pressure(request);
    d.pressure_inferred =
        request.device_memory_budget_bytes != 0 && request.resident_device_bytes != 0;
  }
}

Topology raw_topology(const ResidentPolicy& policy, const ResidentRequest& request,
                      const Derivation& d) {
  if (request.queue_len == 0) return Topology::empty;
  if (d.memory_pressure_bps >= policy.memory_pressure_threshold_bps)
    return Topology::memory_constrained;
  if (d.frontier_density_bps <= policy.sparse_frontier_threshold_bps)
    return Topology::sparse_frontier;
  if (d.frontier_density_bps < policy.dense_frontier_threshold_bps)
    return Topology::hybrid_frontier;
  const bool fuses = request.graph_node_count > 0 &&
                     request.graph_edge_count >= policy.fusion_edge_threshold && d.hot;
  return fuses ? Topology::fused_dense : Topology::dense_frontier;
}

// Whether the previous topology is kept although the raw one differs. Both ends of a band count as
// inside.
bool holds(const ResidentPolicy& policy, const ResidentRequest& request, const Derivation& d,
           Topology previous) {
  using enum Topology;
  const Topology raw = d.raw_topology;
  const std::uint16_t density = d.frontier_density_bps;
  switch (previous) {
    case memory_constrained:
      return d.memory_pressure_bps >=
             band_below(policy.memory_pressure_threshold_bps, kMemoryHysteresisBps);
    case sparse_frontier:
      return density <= band_above(policy.sparse_frontier_threshold_bps, kFrontierHysteresisBps);
    case hybrid_frontier:
      if (raw == sparse_frontier)
        return density >= band_below(policy.sparse_frontier_threshold_bps, kFrontierHysteresisBps);
      return density <= band_above(policy.dense_frontier_threshold_bps, kFrontierHysteresisBps);
    case dense_frontier:
      return raw == hybrid_frontier &&
             density >= band_below(policy.dense_frontier_threshold_bps, kFrontierHysteresisBps);
    case fused_dense:
      return raw == hybrid_frontier &&
             density >= band_below(policy.dense_frontier_threshold_bps, kFrontierHysteresisBps) &&
             request.graph_edge_count >= policy.fusion_edge_threshold && d.hot;
    case empty: return false;
  }
  return false;
}

Topology stabilised_topology(const ResidentPolicy& policy, const ResidentRequest& request,
                             const Derivation& d, std::optional<Topology> previous) {
  const Topology raw = d.raw_topology;
  if (!previous || *previous == raw || raw == Topology::empty ||
      raw == Topology::memory_constrained)
    return raw;
  return holds(policy, request, d, *previous) ? *previous : raw;
}

ResidentResult<std::uint32_t> shed_workers(const ResidentPolicy& policy,
                                           const ResidentRequest& request, const Derivation& d) {
  const std::uint32_t requested = request.requested_worker_groups;
  if (requested <= 1) return requested;
  if (d.topology == Topology::memory_constrained && d.memory_pressure_bps != 0) {
    const std::uint32_t threshold = policy.memory_pressure_threshold_bps;
    if (threshold > kWholeBps)
      return std::unexpected(MemoryThresholdOutOfRange{policy.memory_pressure_threshold_bps});
    const std::uint32_t span = std::max(kWholeBps - threshold, 1u);
    const std::uint32_t over =
        std::min(saturating_sub<std::uint32_t>(d.memory_pressure_bps, threshold), span);
    const std::uint32_t shed = kLeastShedBps + over * kShedRangeBps / span;
    const std::uint64_t kept =
        static_cast<std::uint64_t>(requested) * (kWholeBps - shed) / kWholeBps;
    return std::max(static_cast<std::uint32_t>(kept), 1u);
  }
  if (d.topology == Topology::sparse_frontier && request.graph_node_count > 0 &&
      d.frontier_density_bps != 0) {
    const std::uint32_t span = std::max<std::uint32_t>(policy.sparse_frontier_threshold_bps, 1);
    const std::uint32_t density = std::min<std::uint32_t>(d.frontier_density_bps, span);
    const std::uint64_t share = static_cast<std::uint64_t>(requested) * density / span;
    return std::max(static_cast<std::uint32_t>(share), std::min(requested, kSparseWorkerFloor));
  }
  return requested;
}

ResidentResult<QueuePressure> queue_pressure(const ResidentPolicy& policy,
                                             const ResidentRequest& request, std::uint64_t lanes) {
  if (request.queue_len == 0) return QueuePressure::empty;
  const auto limit =
      checked_mul<std::uint64_t>(std::max<std::uint64_t>(lanes, 1), policy.saturated_waves);
  if (!limit) return std::unexpected(QueuePressureOverflow{lanes, policy.saturated_waves});
  if (request.requeue_count > 0 || request.queue_len >= *limit) return QueuePressure::saturated;
  return request.queue_len >= lanes ? QueuePressure::balanced : QueuePressure::light;
}

ResidentResult<std::uint32_t> hit_capacity(const ResidentPolicy& policy,
                                           const ResidentRequest& request, Derivation& d) {
  if (request.requested_hit_capacity != 0) return request.requested_hit_capacity;
  d.hit_multiplier = d.memory_pressure_bps >= policy.memory_pressure_threshold_bps
                         ? 1
                         : policy.hit_capacity_multiplier;
  const std::uint32_t hits = std::max(request.expected_hits_per_item, 1u);
  const auto expected = checked_mul(request.queue_len, hits);
  const auto capacity = expected ? checked_mul(*expected, d.hit_multiplier) : std::nullopt;
  if (!capacity)
    return std::unexpected(HitCapacityOverflow{request.queue_len, hits, d.hit_multiplier});
  return std::max(policy.min_hit_capacity, *capacity);
}

ResidentResult<std::uint64_t> peak_device_bytes(const ResidentPolicy& policy,
                                                const ResidentRequest& request,
                                                std::uint32_t hits) {
  const std::uint64_t scratch = static_cast<std::uint64_t>(hits) * policy.scratch_bytes_per_hit;
  const auto peak = checked_add(request.resident_device_bytes, scratch);
  if (!peak)
    return std::unexpected(
        PeakBytesOverflow{request.resident_device_bytes, hits, policy.scratch_bytes_per_hit});
  if (request.device_memory_budget_bytes != 0 && *peak > request.device_memory_budget_bytes)
    return std::unexpected(DeviceOutOfMemory{*peak, request.device_memory_budget_bytes});
  return *peak;
}

[[gnu::always_inline]] inline ResidentResult<Recommendation> derive(
    const ResidentPolicy& policy, const ResidentRequest& request, std::optional<Topology> previous,
    Derivation& d) {
  fill_missing_signals(request, d);

  Recommendation out;
  out.promote_hot_opcodes = request.hot_opcode_count >= policy.hot_opcode_threshold;
  out.promote_hot_windows = request.hot_window_count >= policy.hot_window_threshold;
  d.hot = out.promote_hot_opcodes || out.promote_hot_windows;

  d.raw_topology = raw_topology(policy, request, d);
  d.topology = stabilised_topology(policy, request, d, previous);
  out.topology = d.topology;

  VYRE_TRY(d.requested_worker_groups, shed_workers(policy, request, d));
  VYRE_TRY(const GridPlan grid,
           plan_grid(policy.sizing,
                     {request.queue_len, d.requested_worker_groups, request.max_workgroup_size_x,
                      request.max_compute_workgroups_per_dimension,
                      request.max_compute_invocations_per_workgroup}));
  out.geometry = grid.geometry;
  out.worker_groups = grid.worker_groups;
  d.lanes =
      static_cast<std::uint64_t>(grid.geometry.dispatch_grid[0]) * grid.geometry.workgroup_size_x;

  VYRE_TRY(out.pressure, queue_pressure(policy, request, d.lanes));
  VYRE_TRY(out.hit_capacity, hit_capacity(policy, request, d));
  VYRE_TRY(out.estimated_peak_device_bytes, peak_device_bytes(policy, request, out.hit_capacity));
  out.device_memory_budget_bytes = request.device_memory_budget_bytes;

  const bool jit = request.queue_len >= policy.jit_queue_len_threshold || d.hot ||
                   d.topology == Topology::fused_dense;
  out.execution_mode = jit ? ExecutionMode::jit : ExecutionMode::interpreter;
  out.age_priority_work =
      request.requeue_count > 0 || request.max_priority_age >= policy.priority_age_threshold;
  return out;
}

}  // namespace

std::string_view to_string(Topology topology) {
  return kTopologyNames[static_cast<std::size_t>(topology)];
}

std::optional<Topology> topology_from(std::string_view name) {
  const auto at = std::ranges::find(kTopologyNames, name);
  if (at == kTopologyNames.end()) return std::nullopt;
  return static_cast<Topology>(at - kTopologyNames.begin());
}

std::string_view to_string(QueuePressure pressure) {
  switch (pressure) {
    case QueuePressure::empty: return "empty";
    case QueuePressure::light: return "light";
    case QueuePressure::balanced: return "balanced";
    case QueuePressure::saturated: return "saturated";
  }
  return "unknown";
}

std::string_view to_string(ExecutionMode mode) {
  return mode == ExecutionMode::jit ? "jit" : "interpreter";
}

[[gnu::flatten]] ResidentResult<Recommendation> compute_recommendation(
    const ResidentPolicy& policy, const ResidentRequest& request,
    std::optional<Topology> previous) {
  Derivation derivation;
  return derive(policy, request, previous, derivation);
}

Explained explain_recommendation(const ResidentPolicy& policy, const ResidentRequest& request,
                                 std::optional<Topology> previous) {
  Derivation derivation;
  auto result = derive(policy, request, previous, derivation);
  return {derivation, std::move(result)};
}

}  // namespace vyre
