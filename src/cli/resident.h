// vyre resident: recommends the size of a resident launch with its reasons, or makes the decisions
// of a run again.
#pragma once

#include <optional>
#include <string>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"
#include "vyre/resident/recommend.h"

namespace vyre {

struct ResidentOptions {
  ResidentPolicy policy = kStandardPolicy;
  ResidentRequest request{.max_workgroup_size_x = 256,
                          .max_compute_workgroups_per_dimension = 65535,
                          .max_compute_invocations_per_workgroup = 256,
                          .expected_hits_per_item = 1};
  bool has_queue = false;
  std::string run;  // a file with the rounds of a graph program
  std::optional<std::uint32_t> round;
  std::optional<Topology> previous;
  bool json = false;
};

CommandHelp declare(OptionSet& set, ResidentOptions& options);
Result<void> check(const ResidentOptions& options);
Exit run_command(const ResidentOptions& options, Streams& streams);

}  // namespace vyre
