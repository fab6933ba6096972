// Prints and writes the results of a run of a graph program.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/cli/graph/graph_execute.h"
#include "vyre/cli/graph/graph_task.h"
#include "vyre/cli/json_text.h"

namespace vyre {

// Refers to its arguments; `wanted` names the contents in the outcome.
class GraphReport {
 public:
  GraphReport(const GraphOptions& options, const GraphTask& task, const GraphOutcome& outcome,
              const std::vector<std::string>& wanted)
      : options_(options), task_(task), outcome_(outcome), wanted_(wanted) {}

  // The input of the verifier, for an included program; absent for other programs.
  std::optional<ProgramRun> program_run() const;

  // Writes what --out and --report ask for, and returns the names of the files.
  Result<std::vector<std::string>> write_files() const;

  void print(Output& out, const std::vector<std::string>& written) const;
  Json json(const std::vector<std::string>& written) const;

 private:
  std::string title() const;
  // Counts the edges that the included program names, or else the visited edges.
  double edges_per_second() const;
  std::span<const std::byte> contents(const std::string& name) const;
  BufferLayout layout_of(const std::string& name) const;

  const GraphOptions& options_;
  const GraphTask& task_;
  const GraphOutcome& outcome_;
  const std::vector<std::string>& wanted_;
};

}  // namespace vyre
