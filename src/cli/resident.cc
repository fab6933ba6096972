#include "vyre/cli/resident.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vyre/cli/command.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/resident_run.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

Result<std::uint32_t> parse_u32(const std::string& text) {
  VYRE_TRY(const std::uint64_t value, parse_whole(text, UINT32_MAX));
  return static_cast<std::uint32_t>(value);
}
Result<std::uint16_t> parse_u16(const std::string& text) {
  VYRE_TRY(const std::uint64_t value, parse_whole(text, UINT16_MAX));
  return static_cast<std::uint16_t>(value);
}
Result<std::uint64_t> parse_u64(const std::string& text) { return parse_whole(text); }

// A record of a round takes some 1,500 bytes.
constexpr std::uint64_t kMostRunBytes = std::uint64_t{1} << 30;

constexpr std::array kTopologies{Topology::empty,           Topology::sparse_frontier,
                                 Topology::hybrid_frontier, Topology::dense_frontier,
                                 Topology::fused_dense,     Topology::memory_constrained};

Result<Topology> parse_topology(const std::string& text) {
  if (const auto topology = topology_from(text)) return *topology;
  std::vector<std::string> known;
  for (const Topology each : kTopologies) known.emplace_back(to_string(each));
  return fail(Code::invalid_input, fmt::format("there is no topology {}", quote(text)),
              fmt::format("there are {}", join_words(known)));
}

std::string bps_text(std::uint16_t bps) {
  return bps == 0 ? "unknown" : fmt::format("{} bps ({:.2f}%)", bps, bps / 100.0);
}

std::string yes(bool value) { return value ? "yes" : "no"; }

void print_signals(Output& out, const ResidentOptions& options, const Derivation& derivation) {
  const ResidentRequest& request = options.request;
  Table table({"signal", "value", "from"});
  table.add({"frontier density", bps_text(derivation.frontier_density_bps),
             derivation.density_inferred         ? fmt::format("inferred: queue {} of {} nodes",
                                                               request.queue_len, request.graph_node_count)
             : request.frontier_density_bps != 0 ? "--density"
                                                 : "needs --density, or --queue and --nodes"});
  table.add({"memory pressure", bps_text(derivation.memory_pressure_bps),
             derivation.pressure_inferred
                 ? fmt::format("inferred: {} of {}", format_bytes(request.resident_device_bytes),
                               format_bytes(request.device_memory_budget_bytes))
             : request.memory_pressure_bps != 0 ? "--pressure"
                                                : "needs --pressure, or --resident and --budget"});
  table.add({"hot", yes(derivation.hot),
             fmt::format("{} hot opcodes ({} are hot), {} hot windows ({} are hot)",
                         request.hot_opcode_count, options.policy.hot_opcode_threshold,
                         request.hot_window_count, options.policy.hot_window_threshold)});
  table.add({"topology by signals", std::string(to_string(derivation.raw_topology)), ""});
  const bool held = derivation.topology != derivation.raw_topology;
  table.add({"topology", std::string(to_string(derivation.topology)),
             held ? fmt::format("held: the signals are near a threshold, and it was {} before",
                                to_string(*options.previous))
             : options.previous ? "not held by the previous one"
                                : "no previous one"});
  const bool shed = derivation.requested_worker_groups != request.requested_worker_groups;
  table.add({"requested workers",
             derivation.requested_worker_groups == 0
                 ? "from occupancy"
                 : fmt::format("{}", derivation.requested_worker_groups),
             shed ? fmt::format("shed from {} for {}", request.requested_worker_groups,
                                to_string(derivation.topology))
             : request.requested_worker_groups == 0 ? "no --workers"
                                                    : "--workers"});
  table.add({"lanes", with_commas(derivation.lanes), "grid x workgroup width"});
  table.add({"hit multiplier",
             derivation.hit_multiplier == 0 ? "none" : fmt::format("{}", derivation.hit_multiplier),
             derivation.hit_multiplier == 0   ? "the capacity was requested"
             : derivation.hit_multiplier == 1 ? "memory is under pressure"
                                              : "the policy's"});
  table.print(out, "  ");
}

void print_recommendation(Output& out, const Recommendation& result) {
  const auto line = [&](std::string_view what, std::string_view value) {
    out.print("  {:<17} {}\n", what, value);
  };
  const RingGeometry& geometry = result.geometry;
  line("topology", to_string(result.topology));
  line("queue pressure", to_string(result.pressure));
  line("execution", to_string(result.execution_mode));
  line("worker groups", with_commas(result.worker_groups));
  line("workgroup", format_extent({geometry.workgroup_size_x, 1, 1}));
  line("grid", format_extent(geometry.dispatch_grid));
  line("ring slots", with_commas(geometry.slot_count));
  line("hit capacity", with_commas(result.hit_capacity));
  line("peak memory", fmt::format("{} of {}", format_bytes(result.estimated_peak_device_bytes),
                                  result.device_memory_budget_bytes == 0
                                      ? "an unbounded budget"
                                      : format_bytes(result.device_memory_budget_bytes)));
  line("promote", fmt::format("hot opcodes {}, hot windows {}", yes(result.promote_hot_opcodes),
                              yes(result.promote_hot_windows)));
  line("age priorities", yes(result.age_priority_work));
}

Json to_json(const Derivation& derivation, const Recommendation& result) {
  Json json;
  json["signals"] = {{"frontier_density_bps", derivation.frontier_density_bps},
                     {"frontier_density_inferred", derivation.density_inferred},
                     {"memory_pressure_bps", derivation.memory_pressure_bps},
                     {"memory_pressure_inferred", derivation.pressure_inferred},
                     {"hot", derivation.hot},
                     {"raw_topology", to_string(derivation.raw_topology)},
                     {"topology", to_string(derivation.topology)},
                     {"requested_worker_groups", derivation.requested_worker_groups},
                     {"lanes", derivation.lanes},
                     {"hit_multiplier", derivation.hit_multiplier}};
  json["recommendation"] = {{"topology", to_string(result.topology)},
                            {"pressure", to_string(result.pressure)},
                            {"execution_mode", to_string(result.execution_mode)},
                            {"worker_groups", result.worker_groups},
                            {"workgroup_size_x", result.geometry.workgroup_size_x},
                            {"dispatch_grid", vyre::to_json(result.geometry.dispatch_grid)},
                            {"slot_count", result.geometry.slot_count},
                            {"hit_capacity", result.hit_capacity},
                            {"estimated_peak_device_bytes", result.estimated_peak_device_bytes},
                            {"device_memory_budget_bytes", result.device_memory_budget_bytes},
                            {"promote_hot_opcodes", result.promote_hot_opcodes},
                            {"promote_hot_windows", result.promote_hot_windows},
                            {"age_priority_work", result.age_priority_work}};
  return json;
}

}  // namespace

CommandHelp declare(OptionSet& set, ResidentOptions& options) {
  ResidentRequest& request = options.request;
  const auto bytes = [](const std::string& text) { return parse_bytes(text); };
  set.value("--queue", "N", "items in the queue (required)", request.queue_len,
            [&options](const std::string& text) {
              options.has_queue = true;
              return parse_u32(text);
            });
  set.value("--workers", "N", "requested worker groups; 0: by occupancy (0)",
            request.requested_worker_groups, parse_u32);
  set.value("--max-width", "N", "limit of lanes of a workgroup along x (256)",
            request.max_workgroup_size_x, parse_u32);
  set.value("--max-groups", "N", "limit of workgroups along an axis (65535)",
            request.max_compute_workgroups_per_dimension, parse_u32);
  set.value("--max-invocations", "N", "limit of lanes of a workgroup (256)",
            request.max_compute_invocations_per_workgroup, parse_u32);
  set.value("--nodes", "N", "nodes of the graph; 0: unknown (0)", request.graph_node_count,
            parse_u32);
  set.value("--edges", "N", "edges of the graph; 0: unknown (0)", request.graph_edge_count,
            parse_u32);
  set.value("--density", "BPS", "frontier density in basis points; 0: infer (0)",
            request.frontier_density_bps, parse_u16);
  set.value("--pressure", "BPS", "memory pressure in basis points; 0: infer (0)",
            request.memory_pressure_bps, parse_u16);
  set.value("--resident", "BYTES", "device memory already in use (0)",
            request.resident_device_bytes, bytes);
  set.value("--budget", "BYTES", "device memory allowed; 0: unbounded (0)",
            request.device_memory_budget_bytes, bytes);
  set.value("--hit-capacity", "N", "the number of hits to make room for; 0: derive (0)",
            request.requested_hit_capacity, parse_u32);
  set.value("--hits-per-item", "N", "expected hits per item (1)", request.expected_hits_per_item,
            parse_u32);
  set.value("--hot-opcodes", "N", "opcodes seen often (0)", request.hot_opcode_count, parse_u32);
  set.value("--hot-windows", "N", "windows seen often (0)", request.hot_window_count, parse_u32);
  set.value("--requeues", "N", "items that were queued again (0)", request.requeue_count,
            parse_u64);
  set.value("--max-age", "N", "age of the oldest waiting item (0)", request.max_priority_age,
            parse_u32);
  set.value("--previous-topology", "NAME", "the topology of the previous launch", options.previous,
            parse_topology);
  set.value("--sparse-threshold", "BPS", "the largest density of a sparse frontier (500)",
            options.policy.sparse_frontier_threshold_bps, parse_u16);
  set.value("--dense-threshold", "BPS", "the least density of a dense frontier (4000)",
            options.policy.dense_frontier_threshold_bps, parse_u16);
  set.value("--run", "FILE",
            "decide the rounds of a run again: what vyre graph --explain --json\n"
            "wrote, - for the standard input",
            options.run);
  set.value("--round", "N", "show one round of the run in detail", options.round, parse_u32);
  set.flag("--json", "print JSON", options.json);
  return {
      .usage =
          "vyre resident --queue N [options]\n"
          "       vyre resident --run FILE [--round N] [--json]",
      .summary =
          "Recommends the size, the topology and the memory of a resident launch, and shows the\n"
          "signals behind them. The default limits are those that WebGPU guarantees.",
      .details =
          "examples:\n"
          "  vyre resident --queue 50000 --nodes 2000000 --edges 9000000 --workers 100\n"
          "  vyre resident --queue 20000 --workers 200 --nodes 40000 --edges 90000 \\\n"
          "      --resident 7.3GB --budget 8GB\n"
          "  vyre graph bfs kron:16 --explain --json | vyre resident --run -\n",
  };
}

Result<void> check(const ResidentOptions& options) {
  if (!options.run.empty()) {
    if (!options.has_queue) return {};
    return fail(Code::invalid_input, "--queue and --run cannot both be given", "give one of them");
  }
  if (options.round) return fail(Code::invalid_input, "--round needs --run");
  if (!options.has_queue) return fail(Code::invalid_input, "--queue is missing");
  return {};
}

namespace {

Exit explain(const ResidentOptions& options, Streams& streams) {
  const Explained explained =
      explain_recommendation(options.policy, options.request, options.previous);
  if (!explained.result) return report(streams, to_error(explained.result.error()));
  if (options.json) {
    write_json(streams.out, to_json(explained.derivation, *explained.result));
    return Exit::done;
  }
  streams.out.print("{}\n", bold(streams.out, "recommendation"));
  print_recommendation(streams.out, *explained.result);
  streams.out.print("\n{}\n", bold(streams.out, "why"));
  print_signals(streams.out, options, explained.derivation);
  return Exit::done;
}

// Exit::failed where a round ran otherwise than the policy decides.
Exit explain_run(const ResidentOptions& options, Streams& streams) {
  auto text = options.run == "-" ? streams.read_input(kMostRunBytes)
                                 : read_input_file(options.run, kMostRunBytes);
  if (!text) return report(streams, text.error());
  const auto run = parse_recorded_run(*text, source_name(options.run));
  if (!run) return report(streams, run.error());
  if (options.round) {
    const auto at = std::ranges::find(run->rounds, *options.round, &RoundRecord::round);
    if (at == run->rounds.end()) {
      return report(streams, {Code::invalid_input,
                              fmt::format("--round: {} has no round {}", source_name(options.run),
                                          *options.round),
                              {}});
    }
    ResidentOptions one = options;
    one.policy = run->policy;
    one.request = at->request;
    one.previous = at->previous;
    return explain(one, streams);
  }
  if (options.json) {
    write_json(streams.out, recorded_run_json(*run));
  } else {
    print_recorded_run(streams.out, *run);
  }
  const bool same = std::ranges::all_of(
      run->rounds, [&](const RoundRecord& round) { return ran_as_decided(round, run->policy); });
  return same ? Exit::done : Exit::failed;
}

}  // namespace

Exit run_command(const ResidentOptions& options, Streams& streams) {
  return options.run.empty() ? explain(options, streams) : explain_run(options, streams);
}

}  // namespace vyre
