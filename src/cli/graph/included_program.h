// The graph programs that are part of the command, each with a serial verifier.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/cli/run/run_arguments.h"
#include "vyre/data/graph/graph.h"

namespace vyre {

// The text of examples/graph/<name>.wgsl, made part of the command when it is built.
struct IncludedText {
  std::string_view name, text;
};
std::span<const IncludedText> included_texts();

// The data by which a run of an included program is verified.
struct ProgramRun {
  const GraphData& graph;
  std::span<const std::uint32_t> first;  // empty where every vertex is first
  std::span<const Setting> settings;
  std::uint32_t rounds = 0;           // that the run took
  std::span<const std::byte> result;  // the content of the program's result
};

struct IncludedProgram {
  std::string_view name, text;
  std::string_view result;  // the variable that holds it
  bool all = false;         // every vertex is first, and --from means nothing
  bool undirected = false;  // the graph must have the reverse of every edge
  bool whole_run = false;   // a run that --rounds cuts short cannot be verified
  // The override that says that each edge has its reverse; empty: it makes no difference.
  std::string_view symmetric_override{};
  // Compares the result with a serial algorithm's; the error names the first wrong vertex.
  Result<void> (*verify)(const ProgramRun& run) = nullptr;
  // A sentence about the result: "reached 9 vertices, the farthest after 4 edges".
  std::string (*summary)(const ProgramRun& run) = nullptr;
  // The edges that count for the rate: each once, however often they were visited.
  std::uint64_t (*edges)(const ProgramRun& run) = nullptr;
};

// Absent if there is no program of that name.
std::optional<IncludedProgram> included_program(std::string_view name);
// "bfs, sssp, components, pagerank and kcore"
std::string included_names();
// The name that is nearest to a misspelt one; empty if none is.
std::string nearest_included(std::string_view name);

}  // namespace vyre
