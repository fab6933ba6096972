// vyre plan: how a kernel would be launched, or how stages would be fused, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"
#include "vyre/cli/run/run.h"
#include "vyre/target/limits.h"

namespace vyre {

struct PlanOptions {
  RunOptions run;                // of the run that is planned; no file with --stages
  std::optional<Limits> limits;  // instead of a device
  std::string stages;
  std::optional<std::uint64_t> budget;
};

// The limits of NVIDIA GPUs, which hold where `--limits` gives none.
Limits default_limits();
// threads=N,block=XxYxZ,grid=XxYxZ,name=WORD; what is left out keeps its default.
Result<Limits> parse_limits(std::string_view text);

CommandHelp declare(OptionSet& set, PlanOptions& options);
Result<void> check(const PlanOptions& options);
Exit run_command(const PlanOptions& options, Streams& streams);

}  // namespace vyre
