// vyre plan: how a kernel would be launched, or how stages would be fused, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"
#include "vyre/target/limits.h"
#include "vyre/tune/mode.h"

namespace vyre {

struct PlanOptions {
  std::vector<std::string> files;  // one WGSL file, or none with --stages
  std::string entry;
  std::vector<Setting> settings;
  std::optional<Extent> size;
  std::optional<Extent> grid;
  std::optional<Extent> workgroup;
  std::optional<Limits> limits;
  std::string device;  // whose limits are taken; empty: those of `limits`
  std::optional<TunerMode> mode;
  std::string stages;
  std::optional<std::uint64_t> budget;
  bool json = false;
};

// What is planned for when neither a device nor limits are given: what NVIDIA GPUs allow.
Limits default_limits();
// threads=N,block=XxYxZ,grid=XxYxZ,name=WORD; what is left out keeps its default.
Result<Limits> parse_limits(std::string_view text);

CommandHelp declare(OptionSet& set, PlanOptions& options);
Result<void> check(const PlanOptions& options);
Exit run_command(const PlanOptions& options, Streams& streams);

}  // namespace vyre
