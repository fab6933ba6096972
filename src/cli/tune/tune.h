// vyre tune: finds the fastest way to run kernels, and remembers it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"
#include "vyre/cli/run/run.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {

// One kernel with its data.
struct TuneJob {
  RunOptions run;  // the kernel, its data and its size
  std::vector<OverrideAxis> axes;
  std::vector<std::string> constraints;
};

struct TuneOptions {
  TuneJob job;
  std::string set;  // a file of jobs, instead of one
  std::string device = "auto";
  std::string mode;      // empty: natural, or a search where there are too many overrides
  std::string strategy;  // the search strategy; empty: chosen by the size of the space
  std::uint64_t seed = 1;
  double budget_seconds = 30;              // for each kernel
  std::optional<double> deadline_seconds;  // for each launch
  double regret = 0.02;
  double least_gain = 0.01;
  double tolerance = 0;
  bool verify = false;
  bool fresh = false;
  std::string store;  // empty: the user's
  std::string report, trace;
  bool json = false;
  std::string command;  // as it was typed
  bool keeps = true;    // false: the disk takes nothing
};

// The file that keeps what is learned; absent if nothing is kept.
std::optional<std::filesystem::path> store_of(const TuneOptions& options);

CommandHelp declare(OptionSet& set, TuneOptions& options);
Result<void> check(const TuneOptions& options);
Exit run_command(const TuneOptions& options, Streams& streams);

// The kernels of a --kernels file:
//
//   [[kernel]]
//   file = "saxpy.wgsl"                     beside the set's file
//   arguments = ["--size", "1000000", ...]  as on the command line
Result<std::vector<TuneJob>> read_tune_set(const std::string& path);

}  // namespace vyre
