// vyre bench: times a pipeline fused and stage by stage, in turns.
#pragma once

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"
#include "vyre/cli/run/run.h"

namespace vyre {

struct BenchOptions {
  RunOptions run;           // of the pipeline
  std::uint64_t pairs = 0;  // of runs; 0: as many as it takes
};

CommandHelp declare(OptionSet& set, BenchOptions& options);
Result<void> check(const BenchOptions& options);
Exit run_command(const BenchOptions& options, Streams& streams);

}  // namespace vyre
