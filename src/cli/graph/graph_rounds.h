// The rounds of a graph program for people and as JSON: the policy's requests, its answers and
// their reasons.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vyre/cli/json_text.h"
#include "vyre/cli/streams.h"
#include "vyre/frontier/frontier.h"

namespace vyre {

// Consecutive rounds that are shown in one row.
struct RoundGroup {
  RoundRecord first;  // what they have in common, and the signals of the first
  std::uint32_t rounds = 1;
  std::uint32_t largest_frontier = 0;
  std::uint64_t edges = 0, nanoseconds = 0;  // of all of them

  std::uint32_t last() const { return first.round + rounds - 1; }
};

// One group for each round; if there are more than `most`, rounds that follow each other with the
// same topology are one group.
std::vector<RoundGroup> group_rounds(std::span<const RoundRecord> rounds, std::size_t most);

// "density 0.01%, at most 5.00%"
std::string round_reason(const RoundRecord& round, const ResidentPolicy& policy);
// "sparse_frontier, alone", "dense_frontier, pulled"
std::string round_topology(const RoundRecord& round);

// The `vyre resident` command that makes the round's decision again.
std::string resident_command(const RoundRecord& round, const ResidentPolicy& policy);

// A table, and the command for the decision of the largest round.
void print_rounds(Output& out, const FrontierResult& result);
Json rounds_json(const FrontierResult& result);

}  // namespace vyre
