// Runs a graph program on a device, once or many times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/cli/graph/graph.h"
#include "vyre/cli/run/timing.h"
#include "vyre/data/graph/graph.h"
#include "vyre/frontier/frontier.h"

namespace vyre {

struct GraphOutcome {
  std::string device;
  std::uint64_t prepare_ns = 0;  // copying the graph to the device, and compiling
  std::uint64_t memory_bytes = 0;
  FrontierResult result;  // of the last run
  std::optional<Timing> timing;
  std::optional<std::string> tuning;  // the thresholds that serve, and why
  // The contents of the variables in `wanted`, in its order.
  std::vector<std::vector<std::byte>> contents;
};

// Fails for options that name variables which the program does not have, or of another type.
Result<void> check_variables(const FrontierProgram& program, const GraphOptions& options);
// The variable of the program with this name, which must exist.
const FrontierVariable& variable_named(const FrontierProgram& program, std::string_view name);

// A run that a signal interrupts fails.
Result<GraphOutcome> run_graph(const FrontierProgram& program, const GraphData& graph,
                               const FrontierRun& run, const GraphOptions& options,
                               const std::vector<std::string>& wanted);

}  // namespace vyre
