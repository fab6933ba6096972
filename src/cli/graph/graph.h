// vyre graph: runs a graph program on a graph, round after round.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"
#include "vyre/cli/run/run_arguments.h"
#include "vyre/resident/recommend.h"

namespace vyre {

struct GraphOptions {
  std::vector<std::string> words;   // the program and the graph
  std::vector<std::uint32_t> from;  // the first vertices; empty: the program's own
  bool all = false;                 // every vertex is first
  bool undirected = false;          // add the reverse of every edge
  std::vector<InputArgument> inputs;
  std::vector<OutputArgument> outputs;
  std::vector<PrintArgument> prints;
  std::vector<Setting> settings;
  std::optional<Topology> topology;
  std::string device = "auto";
  std::uint32_t threads = 0;  // 0: those of the session
  std::optional<double> deadline_seconds;
  std::optional<std::uint32_t> rounds;
  std::uint64_t memory_budget = 0;
  std::optional<std::uint64_t> time;  // the number of runs; 0: as many as it takes
  bool verify = false;
  bool explain = false;
  bool tune = false;
  bool json = false;
  std::string report;   // a page; empty: none
  std::string command;  // as it was typed

  const std::string& program() const { return words[0]; }
  const std::string& graph() const { return words[1]; }
};

CommandHelp declare(OptionSet& set, GraphOptions& options);
// Checks options that depend on each other.
Result<void> check(const GraphOptions& options);
Exit run_command(const GraphOptions& options, Streams& streams);

}  // namespace vyre
