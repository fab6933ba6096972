#include "vyre/frontier/signals.h"

#include <algorithm>

namespace vyre {
namespace {

std::uint64_t share_bps(std::uint32_t part, std::uint32_t whole) {
  if (whole == 0) return 0;
  return std::min<std::uint64_t>(std::uint64_t{part} * kWholeBps / whole, kWholeBps);
}

std::uint32_t workers_for(const FrontierFacts& facts, const FrontierCounts& counts) {
  const std::uint64_t work =
      std::max<std::uint64_t>(std::uint64_t{counts.vertices} + counts.edges, facts.vertices / 32);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      work / std::max(facts.worker_edges, 1U), 1, std::max(facts.workers, 1U)));
}

bool stays_sparse(const ResidentPolicy& policy, const FrontierFacts& facts,
                  const FrontierCounts& counts) {
  const auto answer =
      compute_recommendation(policy, frontier_request(facts, counts, 0), Topology::sparse_frontier);
  return answer && answer->topology == Topology::sparse_frontier;
}

// The largest number up to `most` for which `holds` is true, if it is true below and false above.
template <class Holds>
std::uint32_t last_that(std::uint32_t most, const Holds& holds) {
  std::uint32_t low = 0, high = most;
  while (low < high) {
    const std::uint32_t middle = high - (high - low) / 2;
    if (holds(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

std::uint16_t density_bps(const FrontierFacts& facts, const FrontierCounts& counts) {
  const std::uint64_t share =
      std::max(share_bps(counts.vertices, facts.vertices), share_bps(counts.edges, facts.edges));
  return static_cast<std::uint16_t>(std::max<std::uint64_t>(share, 1));
}

ResidentRequest frontier_request(const FrontierFacts& facts, const FrontierCounts& counts,
                                 std::uint32_t hot_windows) {
  ResidentRequest request;
  request.queue_len = counts.vertices;
  request.requested_worker_groups = workers_for(facts, counts);
  request.max_workgroup_size_x = facts.lanes;
  request.max_compute_workgroups_per_dimension = facts.workers;
  request.max_compute_invocations_per_workgroup = facts.lanes;
  request.requested_hit_capacity = facts.hit_capacity;
  request.expected_hits_per_item = std::max(facts.edges / std::max(facts.vertices, 1U), 1U);
  request.hot_window_count = hot_windows;
  request.graph_node_count = facts.vertices;
  request.graph_edge_count = facts.edges;
  request.frontier_density_bps = density_bps(facts, counts);
  request.memory_pressure_bps = facts.pressure_bps;
  request.resident_device_bytes = facts.resident_bytes;
  request.device_memory_budget_bytes = facts.budget_bytes;
  return request;
}

namespace {

// A round reaches at most a vertex for each of its edges, and keeps vertices that wait.
FrontierCounts that_fit(const FrontierFacts& facts, const FrontierCounts& most) {
  if (facts.hit_capacity >= facts.vertices) return most;
  const std::uint32_t half = facts.hit_capacity / 2;
  return {std::min(most.vertices, half), std::min(most.edges, half)};
}

FrontierCounts that_stay_sparse(const ResidentPolicy& policy, const FrontierFacts& facts,
                                const FrontierCounts& most) {
  const auto vertices = last_that(std::min(facts.vertices, most.vertices), [&](std::uint32_t n) {
    return stays_sparse(policy, facts, {n, 0});
  });
  const auto edges = last_that(std::min(facts.edges, most.edges), [&](std::uint32_t n) {
    return stays_sparse(policy, facts, {1, n});
  });
  if (vertices == 0) return {};
  return {vertices, edges};
}

}  // namespace

FrontierCounts largest_solo(const FrontierFacts& facts) {
  if (facts.lanes == 1) return that_fit(facts, {kSoloVerticesHost, kSoloEdges});
  if (facts.crowds) return that_fit(facts, {kShortSoloVertices, kShortSoloEdges});
  return that_fit(facts, {kSoloVertices, kSoloEdges});
}

FrontierCounts largest_crowd(const FrontierFacts& facts) {
  if (!facts.crowds) return {};
  return that_fit(facts, {kCrowdVertices, kCrowdEdges});
}

FrontierCounts solo_limits(const ResidentPolicy& policy, const FrontierFacts& facts) {
  return that_stay_sparse(policy, facts, largest_solo(facts));
}

FrontierCounts crowd_limits(const ResidentPolicy& policy, const FrontierFacts& facts) {
  return that_stay_sparse(policy, facts, largest_crowd(facts));
}

}  // namespace vyre
