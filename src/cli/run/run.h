// vyre run: runs a kernel on data.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"
#include "vyre/cli/run/compare.h"
#include "vyre/cli/run/variant_options.h"
#include "vyre/tune/tuning_mode.h"

namespace vyre {

struct RunOptions {
  std::vector<std::string> files;  // exactly one
  std::string device = "auto";
  std::string entry;
  bool lenient = false;  // of the WGSL text
  std::vector<InputArgument> inputs;
  std::vector<OutputArgument> outputs;
  std::vector<Setting> settings;
  std::vector<Assignment> uniforms;
  std::optional<Extent> size;
  std::optional<Extent> grid;
  std::vector<PrintArgument> prints;
  FixedChoices fixed;
  std::optional<TunerMode> mode;
  bool strict = false;                // an extent that may leave something out is an error
  std::optional<std::uint64_t> time;  // so many runs; 0: as many as it takes
  bool verify = false;
  std::optional<Tolerance> tolerance;
  std::string emit;               // a kind of text, instead of a run
  std::string emit_to;            // its file; empty: the standard output
  std::uint64_t step_budget = 0;  // 0: none
  std::optional<double> deadline_seconds;
  bool json = false;
  // Of pipelines.
  std::vector<DimArgument> dims;
  std::optional<std::uint64_t> memory_budget;
  std::uint64_t repeat = 1;  // runs before the outputs are written
  bool no_fuse = false;
  bool no_bands = false;
  bool explain = false;
  std::string report;   // a page; empty: none
  std::string trace;    // for Perfetto; empty: none
  std::string command;  // as it was typed
};

// All options but the file.
void declare_run_options(OptionSet& set, RunOptions& options);
CommandHelp declare(OptionSet& set, RunOptions& options);
// What cannot be said one option at a time: --size with --grid, one buffer given twice, ...
Result<void> check(const RunOptions& options);
Exit run_command(const RunOptions& options, Streams& streams);

}  // namespace vyre
