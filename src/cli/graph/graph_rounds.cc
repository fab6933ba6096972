#include "vyre/cli/graph/graph_rounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

// A longer table shows consecutive rounds of one topology in one row.
constexpr std::size_t kMostRows = 40;

std::string percent(std::uint32_t bps) { return fmt::format("{:.2f}%", bps / 100.0); }

bool is_alike(const RoundRecord& a, const RoundRecord& b) {
  return a.topology == b.topology && a.forced == b.forced && a.solo == b.solo &&
         a.pulled == b.pulled && a.overflowed == b.overflowed;
}

RoundGroup group_of(const RoundRecord& round) {
  return {round, 1, round.request.queue_len, round.edges, round.nanoseconds};
}

std::string density_reason(const Derivation& derivation, const ResidentPolicy& policy) {
  const std::string density = fmt::format("density {}", percent(derivation.frontier_density_bps));
  const std::string sparse = percent(policy.sparse_frontier_threshold_bps);
  const std::string dense = percent(policy.dense_frontier_threshold_bps);
  switch (derivation.raw_topology) {
    case Topology::sparse_frontier: return fmt::format("{}, at most {}", density, sparse);
    case Topology::hybrid_frontier:
      return fmt::format("{}, between {} and {}", density, sparse, dense);
    case Topology::fused_dense:
      return fmt::format("{}, at least {}, in a hot window", density, dense);
    default: return fmt::format("{}, at least {}", density, dense);
  }
}

void add_option(std::string& out, std::string_view name, std::uint64_t value) {
  if (value != 0) out += fmt::format(" {} {}", name, value);
}

std::uint32_t bps(std::uint16_t value) { return value; }

Json request_json(const ResidentRequest& request) {
  return {{"queue_len", request.queue_len},
          {"requested_worker_groups", request.requested_worker_groups},
          {"max_workgroup_size_x", request.max_workgroup_size_x},
          {"max_compute_workgroups_per_dimension", request.max_compute_workgroups_per_dimension},
          {"max_compute_invocations_per_workgroup", request.max_compute_invocations_per_workgroup},
          {"requested_hit_capacity", request.requested_hit_capacity},
          {"expected_hits_per_item", request.expected_hits_per_item},
          {"hot_opcode_count", request.hot_opcode_count},
          {"hot_window_count", request.hot_window_count},
          {"max_priority_age", request.max_priority_age},
          {"graph_node_count", request.graph_node_count},
          {"graph_edge_count", request.graph_edge_count},
          {"frontier_density_bps", request.frontier_density_bps},
          {"memory_pressure_bps", request.memory_pressure_bps},
          {"requeue_count", request.requeue_count},
          {"resident_device_bytes", request.resident_device_bytes},
          {"device_memory_budget_bytes", request.device_memory_budget_bytes}};
}

}  // namespace

std::vector<RoundGroup> group_rounds(std::span<const RoundRecord> rounds, std::size_t most) {
  const bool each = rounds.size() <= most;
  std::vector<RoundGroup> groups;
  for (const RoundRecord& round : rounds) {
    if (each || groups.empty() || !is_alike(groups.back().first, round)) {
      groups.push_back(group_of(round));
      continue;
    }
    RoundGroup& group = groups.back();
    ++group.rounds;
    group.largest_frontier = std::max(group.largest_frontier, round.request.queue_len);
    group.edges += round.edges;
    group.nanoseconds += round.nanoseconds;
  }
  return groups;
}

std::string round_reason(const RoundRecord& round, const ResidentPolicy& policy) {
  if (round.forced) return "--topology";
  const Derivation derivation =
      explain_recommendation(policy, round.request, round.previous).derivation;
  if (derivation.raw_topology == Topology::empty) return "nothing waits";
  if (derivation.topology == Topology::memory_constrained) {
    return fmt::format("memory {}, at least {}", percent(derivation.memory_pressure_bps),
                       percent(policy.memory_pressure_threshold_bps));
  }
  const std::string reason = density_reason(derivation, policy);
  if (derivation.topology == derivation.raw_topology) return reason;
  return fmt::format("{}: kept, within {} of the threshold", reason,
                     percent(kFrontierHysteresisBps));
}

std::string round_topology(const RoundRecord& round) {
  std::string out(to_string(round.topology));
  if (round.solo) out += ", alone";
  if (round.pulled) out += ", pulled";
  if (round.overflowed) out += ", overflowed";
  return out;
}

std::string resident_command(const RoundRecord& round, const ResidentPolicy& policy) {
  const ResidentRequest& request = round.request;
  std::string out = fmt::format("vyre resident --queue {}", request.queue_len);
  add_option(out, "--workers", request.requested_worker_groups);
  add_option(out, "--nodes", request.graph_node_count);
  add_option(out, "--edges", request.graph_edge_count);
  add_option(out, "--density", bps(request.frontier_density_bps));
  add_option(out, "--pressure", bps(request.memory_pressure_bps));
  add_option(out, "--resident", request.resident_device_bytes);
  add_option(out, "--budget", request.device_memory_budget_bytes);
  add_option(out, "--hit-capacity", request.requested_hit_capacity);
  out += fmt::format(" --hits-per-item {}", request.expected_hits_per_item);
  add_option(out, "--hot-opcodes", request.hot_opcode_count);
  add_option(out, "--hot-windows", request.hot_window_count);
  add_option(out, "--requeues", request.requeue_count);
  add_option(out, "--max-age", request.max_priority_age);
  out += fmt::format(" --max-width {} --max-groups {} --max-invocations {}",
                     request.max_workgroup_size_x, request.max_compute_workgroups_per_dimension,
                     request.max_compute_invocations_per_workgroup);
  // Other constants of a policy cannot be given on the command line, and graph programs keep them.
  if (policy.sparse_frontier_threshold_bps != kStandardPolicy.sparse_frontier_threshold_bps) {
    add_option(out, "--sparse-threshold", policy.sparse_frontier_threshold_bps);
  }
  if (policy.dense_frontier_threshold_bps != kStandardPolicy.dense_frontier_threshold_bps) {
    add_option(out, "--dense-threshold", policy.dense_frontier_threshold_bps);
  }
  if (round.previous) out += fmt::format(" --previous-topology {}", to_string(*round.previous));
  return out;
}

void print_rounds(Output& out, const FrontierResult& result) {
  const std::vector<RoundRecord>& rounds = result.rounds;
  if (rounds.empty()) return;
  const auto groups = group_rounds(rounds, kMostRows);
  const bool grouped = groups.size() != rounds.size();
  Table table({grouped ? "rounds" : "round", grouped ? "frontier up to" : "frontier", "edges",
               "time", "workers", "topology", "why"},
              {1, 2, 3, 4});
  for (std::size_t i = 0; i < groups.size() && i < kMostRows; ++i) {
    const RoundGroup& group = groups[i];
    const RoundRecord& first = group.first;
    table.add({group.rounds == 1 ? fmt::format("{}", first.round)
                                 : fmt::format("{}-{}", first.round, group.last()),
               with_commas(group.largest_frontier), with_commas(group.edges),
               format_duration(group.nanoseconds), fmt::format("{}", first.launched),
               round_topology(first), round_reason(first, result.policy)});
  }
  table.print(out);
  if (rounds.size() < result.round_count) {
    out.print("{} more rounds left no record\n", with_commas(result.round_count - rounds.size()));
  }
  if (groups.size() > kMostRows) {
    out.print("{} more changes of topology; --json prints every round\n",
              with_commas(groups.size() - kMostRows));
  }
  const auto largest =
      std::ranges::max_element(rounds, {}, [](const RoundRecord& r) { return r.edges; });
  if (!largest->forced) {
    out.print("\nthe decision of round {} again:\n  {}\n", largest->round,
              resident_command(*largest, result.policy));
  }
  out.write("\n");
}

Json rounds_json(const FrontierResult& result) {
  Json out = Json::array();
  for (const RoundRecord& round : result.rounds) {
    Json each;
    each["round"] = round.round;
    each["topology"] = to_string(round.topology);
    each["previous"] = round.previous ? Json(to_string(*round.previous)) : Json(nullptr);
    each["forced"] = round.forced;
    each["solo"] = round.solo;
    each["pulled"] = round.pulled;
    each["overflowed"] = round.overflowed;
    each["reason"] = round_reason(round, result.policy);
    each["frontier"] = round.request.queue_len;
    each["edges"] = round.edges;
    each["reached"] = round.reached;
    each["workers"] = round.workers;
    each["launched"] = round.launched;
    each["time_ns"] = round.nanoseconds;
    each["request"] = request_json(round.request);
    out.push_back(std::move(each));
  }
  return out;
}

}  // namespace vyre
