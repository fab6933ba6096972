// The task of a command, prepared and checked before anything runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vyre/cli/graph/graph.h"
#include "vyre/cli/graph/graph_input.h"
#include "vyre/cli/graph/included_program.h"
#include "vyre/frontier/frontier.h"

namespace vyre {

struct GraphTask {
  std::optional<IncludedProgram> included;
  FrontierProgram program;
  GraphInput input;
  FrontierRun run;
};

// Reads the program before the graph, which may take long.
Result<GraphTask> make_task(const GraphOptions& options, Streams& streams);

// The variables whose contents are needed after the run, each once.
std::vector<std::string> wanted_variables(const GraphOptions& options, const GraphTask& task);

}  // namespace vyre
