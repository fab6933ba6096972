#include "vyre/cli/graph/graph.h"

#include <fmt/format.h>

#include "vyre/cli/devices.h"
#include "vyre/cli/graph/graph_execute.h"
#include "vyre/cli/graph/graph_report.h"
#include "vyre/cli/graph/graph_task.h"
#include "vyre/cli/graph/included_program.h"
#include "vyre/cli/graph/topology_words.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/output_place.h"
#include "vyre/cli/progress.h"
#include "vyre/cli/run/timing.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

constexpr std::uint32_t kMostThreads = 1024;

Result<std::vector<std::uint32_t>> parse_vertices(const std::string& text) {
  std::vector<std::uint32_t> out;
  for (const std::string_view piece : split(text, ',')) {
    VYRE_TRY(const std::uint64_t vertex, parse_whole(piece, kMaxGraphVertices - 1));
    out.push_back(static_cast<std::uint32_t>(vertex));
  }
  return out;
}

template <std::uint32_t kMost>
Result<std::uint32_t> parse_count(const std::string& text) {
  VYRE_TRY(const std::uint64_t value, parse_whole(text, kMost));
  if (value == 0) return fail(Code::invalid_input, "it must be at least 1");
  return static_cast<std::uint32_t>(value);
}

Result<void> verify(const GraphTask& task, const GraphReport& told, const GraphOutcome& outcome) {
  if (task.included->whole_run && !outcome.result.ended) {
    return fail(Code::invalid_input, "--verify: --rounds has cut the run short");
  }
  // No file has been written yet, so a signal may end the serial algorithm at once.
  const EndAtOnce while_verifying;
  return task.included->verify(*told.program_run());
}

}  // namespace

CommandHelp declare(OptionSet& set, GraphOptions& options) {
  set.positional("PROGRAM GRAPH",
                 fmt::format("the program: {},\n"
                             "or a WGSL file, - for the standard input; and the graph",
                             included_names()),
                 options.words, 2, 2);
  set.value("--from", "V[,V...]", "the first vertices (the first that has an edge)", options.from,
            parse_vertices);
  set.flag("--all", "every vertex is first", options.all);
  set.flag("--undirected", "add the reverse of every edge", options.undirected);
  set.repeated("--set", "NAME=VALUE", "give an override a value, by its name or @id",
               options.settings, parse_settings);
  set.repeated("--in", "NAME=DATA", "the initial contents of a variable, as for vyre run",
               options.inputs, parse_input);
  set.repeated("--out", "NAME=FILE", "write a variable: NAME=file.npy or raw:file", options.outputs,
               parse_output);
  set.repeated("--print", "NAME[:N]", "print the first N elements of a variable (16)",
               options.prints, parse_print);
  set.flag("--verify", "compare the result with that of a serial algorithm", options.verify);
  set.flag("--explain", "show each round: its signals, its topology, and why", options.explain);
  set.value("--topology", "NAME", "force one: sparse, hybrid, dense, fused or memory",
            options.topology, parse_round_topology);
  set.value("--rounds", "N", "end after N rounds", options.rounds, parse_count<0xffffffff>);
  set.optional_value("--time", "N", "run N times, or long enough, and show the median",
                     options.time, parse_runs);
  set.flag("--tune", "search for thresholds of the policy from run to run, and keep them",
           options.tune);
  set.value("--report", "FILE", "write a page with a chart of the rounds", options.report);
  set.value("--memory-budget", "BYTES", "the most device memory to use", options.memory_budget,
            [](const std::string& text) { return parse_bytes(text); });
  set.value("--deadline", "SECONDS", "fail if a run takes longer", options.deadline_seconds,
            parse_deadline);
  set.value("--device", "NAME", "auto (the fastest available), cpu, cuda or cuda:N",
            options.device);
  set.value("--threads", "N", "threads of the CPU, instead of VYRE_THREADS", options.threads,
            parse_count<kMostThreads>);
  set.flag("--json", "print JSON; with --explain, a record of each round", options.json);
  return {
      .usage = "vyre graph PROGRAM GRAPH [options]",
      .summary =
          "Runs a graph program round after round, from the first vertices until no vertex is\n"
          "left. How each round runs is decided by the policy that vyre resident explains.",
      .details =
          "GRAPH is one of:\n"
          "  offsets.npy,columns.npy[,weights.npy]   compressed sparse rows, of whole numbers\n"
          "  file.sg, file.wsg      a serialised graph of the GAP benchmark suite\n"
          "  file.mtx               a square matrix in Matrix Market's coordinate form\n"
          "  path:N                 N vertices in a row\n"
          "  grid:WxH               W columns and H rows\n"
          "  kron:S[:DEGREE]        2^S vertices with few hubs of many edges (DEGREE 16)\n"
          "  uniform:S[:DEGREE]     2^S vertices with edges between any two of them\n"
          "Graphs that are made here are undirected, and their edges weigh from 1 to 255.\n"
          "\n"
          "examples:\n"
          "  vyre graph bfs grid:1000x1000 --from 0 --verify --explain\n"
          "  vyre graph sssp road.mtx --from 17 --out distance=distance.npy\n"
          "  vyre graph kcore kron:16 --set k=20 --report rounds.html\n",
  };
}

Result<void> check(const GraphOptions& options) {
  VYRE_CHECK(check_device_name(options.device, "null"));
  if (options.device == "null") {
    return fail(Code::invalid_input, "--device: null runs nothing, and no round would end");
  }
  if (options.all && !options.from.empty()) {
    return fail(Code::invalid_input, "--from and --all cannot both be given", "give one of them");
  }
  for (std::size_t i = 0; i < options.outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (options.outputs[i].sink.path != options.outputs[j].sink.path) continue;
      return fail(Code::invalid_input, fmt::format("--out: {} would be written twice",
                                                   quote(options.outputs[i].sink.path)));
    }
  }
  return {};
}

Exit run_command(const GraphOptions& options, Streams& streams) {
  for (const OutputArgument& output : options.outputs) {
    if (auto place = check_output_place("--out", output.sink.path); !place) {
      return report(streams, place.error());
    }
  }
  if (!options.report.empty()) {
    if (auto place = check_output_place("--report", options.report); !place) {
      return report(streams, place.error());
    }
  }
  const auto task = make_task(options, streams);
  if (!task) return report(streams, task.error(), exit_for(task.error()));
  for (const std::string& note : task->input.notes) {
    streams.err.print("vyre: note: {}\n", note);
  }
  streams.err.flush();

  const InterruptGuard guard;
  const std::vector<std::string> wanted = wanted_variables(options, *task);
  const auto outcome = [&] {
    const ProgressLine progress(
        streams.err,
        [&] { return fmt::format("running {} on {}", options.program(), task->input.name); },
        progress_on(streams.err));
    return run_graph(task->program, task->input.graph, task->run, options, wanted);
  }();
  if (!outcome) return report(streams, outcome.error(), exit_for(outcome.error()));
  const GraphReport told(options, *task, *outcome, wanted);
  if (options.verify) {
    if (auto same = verify(*task, told, *outcome); !same) {
      return report(streams, same.error(), exit_for(same.error()));
    }
  }
  const auto written = told.write_files();
  if (!written) return report(streams, written.error(), Exit::failed);
  if (options.json) {
    write_json(streams.out, told.json(*written));
  } else {
    told.print(streams.out, *written);
  }
  return Exit::done;
}

}  // namespace vyre
