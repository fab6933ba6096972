// The included graph programs, verified and then timed, in turns with another program.
//
//   graph_bench PROGRAM GRAPH [--from V] [--set NAME=VALUE] [--threads N] [--device NAME]
//               [--turns N] [--topology NAME] [--no-solo] [--peer COMMAND] [--write FILE.sg]
//
// PROGRAM and GRAPH are those of `vyre graph`. COMMAND is run by the shell once a turn and prints
// its times in seconds in lines that begin with "Trial Time:", as the programs of the GAP benchmark
// suite do; the least of them counts for the turn, as does the least of as many runs of ours. FILE
// gets the graph, for peers that read files. With --no-solo every round has launches of its own.
#include <fmt/format.h>
#include <stdio.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/files/files.h"
#include "vyre/cli/graph/graph_input.h"
#include "vyre/cli/graph/included_program.h"
#include "vyre/cli/graph/topology_words.h"
#include "vyre/cli/run/run_arguments.h"
#include "vyre/data/graph/graph_file.h"
#include "vyre/data/number_text.h"
#include "vyre/frontier/frontier.h"

namespace vyre {
namespace {

struct Options {
  std::string program, graph, peer, write, device = "cpu";
  std::uint32_t from = 0;
  unsigned threads = 0, turns = 7;
  std::vector<Setting> settings;
  std::optional<Topology> topology;
  bool solo = true;
};

Result<Options> parse(int count, char** words) {
  Options options;
  std::vector<std::string> plain;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (!word.starts_with("--")) {
      plain.push_back(word);
      continue;
    }
    if (word == "--no-solo") {
      options.solo = false;
      continue;
    }
    if (i + 1 == count) return fail(Code::invalid_input, fmt::format("{} needs a value", word));
    const std::string value = words[++i];
    if (word == "--peer") {
      options.peer = value;
    } else if (word == "--write") {
      options.write = value;
    } else if (word == "--device") {
      options.device = value;
    } else if (word == "--topology") {
      VYRE_TRY(options.topology, parse_round_topology(value));
    } else if (word == "--set") {
      VYRE_TRY(options.settings, parse_settings(value));
    } else if (word == "--from") {
      VYRE_TRY(const std::uint64_t from, parse_whole(value, UINT32_MAX));
      options.from = static_cast<std::uint32_t>(from);
    } else if (word == "--threads" || word == "--turns") {
      VYRE_TRY(const std::uint64_t number, parse_whole(value, 10'000));
      (word == "--threads" ? options.threads : options.turns) = static_cast<unsigned>(number);
    } else {
      return fail(Code::invalid_input, fmt::format("there is no option {}", word));
    }
  }
  if (plain.size() != 2) return fail(Code::invalid_input, "give a program and a graph");
  options.program = plain[0];
  options.graph = plain[1];
  return options;
}

// The seconds of the peer's runs.
Result<std::vector<double>> run_peer(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return fail(Code::io, fmt::format("cannot run {}", command));
  std::vector<double> seconds;
  char line[4096];
  while (::fgets(line, sizeof line, pipe) != nullptr) {
    constexpr std::string_view kBegin = "Trial Time:";
    if (std::string_view(line).starts_with(kBegin)) {
      seconds.push_back(std::strtod(line + kBegin.size(), nullptr));
    }
  }
  const int status = ::pclose(pipe);
  if (status != 0) return fail(Code::io, fmt::format("{} ended with {}", command, status));
  if (seconds.empty()) return fail(Code::io, fmt::format("{} printed no times", command));
  return seconds;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Seconds of one run.
Result<double> run_once(const PreparedFrontier& prepared, const FrontierRun& run,
                        FrontierResult& result) {
  VYRE_TRY(result, prepared.run(run));
  return static_cast<double>(result.nanoseconds) * 1e-9;
}

Result<void> bench(const Options& options) {
  const auto included = included_program(options.program);
  if (!included) {
    return fail(Code::invalid_input, fmt::format("there is no {}", options.program),
                fmt::format("there are {}", included_names()));
  }
  std::vector<OverrideValue> overrides;
  for (const Setting& each : options.settings) overrides.push_back({each.name, each.value});
  VYRE_TRY(FrontierProgram program,
           FrontierProgram::from_wgsl(std::string(included->text), options.program, {}, overrides));
  const bool known = !included->symmetric_override.empty();
  VYRE_TRY(const GraphInput input,
           load_graph(options.graph, {.weights = program.uses_weights(), .known = known}));
  if (known && input.symmetric) {
    overrides.push_back({std::string(included->symmetric_override), 1});
    VYRE_TRY(program, FrontierProgram::from_wgsl(std::string(included->text), options.program, {},
                                                 overrides));
  }
  if (!options.write.empty()) {
    VYRE_CHECK(replace_file(options.write, sg_file(input.graph)));
  }
  FrontierRun run;
  run.all = included->all;
  if (!run.all) run.first = {options.from};
  run.topology = options.topology;
  run.most_records = 0;

  VYRE_TRY(auto session_options, SessionOptions::from_environment());
  if (options.threads != 0) session_options.cpu.threads = options.threads;
  session_options.tuning.reset();
  VYRE_TRY(const Session session, Session::open(options.device, std::move(session_options)));
  VYRE_TRY(const Graph graph,
           Graph::from_csr(session, input.graph.offsets, input.graph.columns, input.graph.weights));
  VYRE_TRY(const PreparedFrontier prepared,
           prepare(session, program, graph, {}, {.solo = options.solo}));

  FrontierResult result;
  VYRE_TRY(result, prepared.run(run));
  const Buffer buffer = *prepared.buffer(included->result);
  std::vector<std::byte> content(buffer.size());
  VYRE_CHECK(session.read(buffer, 0, content));
  const ProgramRun verified{input.graph, run.first, options.settings, result.round_count, content};
  VYRE_CHECK(included->verify(verified));
  fmt::print("{} on {}: {}; verified\n", options.program, input.name, included->summary(verified));

  const auto edges = static_cast<double>(included->edges(verified));
  std::vector<double> ours, theirs, ratios;
  for (unsigned turn = 0; turn < options.turns; ++turn) {
    std::vector<double> peer;
    if (!options.peer.empty()) {
      VYRE_TRY(peer, run_peer(options.peer));
      theirs.push_back(*std::ranges::min_element(peer));
    }
    double least = 0;
    for (std::size_t i = 0; i < std::max<std::size_t>(peer.size(), 1); ++i) {
      VYRE_TRY(const double seconds, run_once(prepared, run, result));
      least = i == 0 ? seconds : std::min(least, seconds);
    }
    ours.push_back(least);
    if (!theirs.empty()) ratios.push_back(theirs.back() / least);
  }
  fmt::print("vyre  {:9.3f} ms  {:8.1f} million edges a second  ({} rounds, {:.2f} us a round)\n",
             median(ours) * 1e3, edges / median(ours) / 1e6, result.round_count,
             median(ours) * 1e6 / std::max(result.round_count, 1U));
  if (!ratios.empty()) {
    fmt::print("peer  {:9.3f} ms  {:8.1f} million edges a second\n", median(theirs) * 1e3,
               edges / median(theirs) / 1e6);
    fmt::print("vyre/peer  {:.2f}, from {:.2f} to {:.2f} in {} turns\n", median(ratios),
               *std::ranges::min_element(ratios), *std::ranges::max_element(ratios), ratios.size());
  }
  return {};
}

}  // namespace
}  // namespace vyre

int main(int count, char** words) {
  const auto options = vyre::parse(count, words);
  const auto done =
      options ? vyre::bench(*options) : vyre::Result<void>(std::unexpected(options.error()));
  if (done) return 0;
  fmt::print(stderr, "graph_bench: {}\n", vyre::describe(done.error()));
  return 1;
}
