// vyre resident --run: makes the decisions of a run again, which `vyre graph --explain --json` has
// written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/cli/json_text.h"
#include "vyre/cli/streams.h"
#include "vyre/frontier/frontier.h"

namespace vyre {

struct RecordedRun {
  std::string title;  // "bfs on kron:16:16"
  ResidentPolicy policy;
  std::vector<RoundRecord> rounds;
};

// The policy's constants that decide on topologies, as `vyre graph` writes them.
Json policy_json(const ResidentPolicy& policy);

// `name` is the file's, for errors, which name the first entry that is wrong.
Result<RecordedRun> parse_recorded_run(std::string_view text, const std::string& name);

// Whether the round ran as the policy decides. A round whose topology was forced always did.
bool ran_as_decided(const RoundRecord& round, const ResidentPolicy& policy);

// One row for each round, or for consecutive rounds that are alike, and how many of them ran as the
// policy decides.
void print_recorded_run(Output& out, const RecordedRun& run);
Json recorded_run_json(const RecordedRun& run);

}  // namespace vyre
