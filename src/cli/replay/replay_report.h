// The results of a replay, as text and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vyre/cli/json_text.h"
#include "vyre/cli/replay/replay.h"
#include "vyre/cli/replay/replay_summary.h"
#include "vyre/cli/streams.h"

namespace vyre {

// One space with the curves of all strategies.
struct ReplayedSpace {
  std::string file, kernel, device;
  std::uint32_t configurations = 0, failures = 0;
  std::size_t parameters = 0;
  double best_ns = 0;
  Configuration best;
  std::string best_text;  // without parameters that have one value only
  std::optional<ScoreBudget> scored;
  std::vector<ReplayCurve> curves;
};

struct ReplayReport {
  std::vector<ReplayedSpace> spaces;
  std::vector<ReplayCurve> mean;  // over the spaces; empty for one
};

// "convolution on NVIDIA A100", or the file where it tells neither.
std::string space_title(const ReplayedSpace& space);
// "4,362 configurations, 161 failed"
std::string space_facts(const ReplayedSpace& space);

void print_replay(Output& out, const ReplayReport& report, std::size_t width);
Json replay_json(const ReplayReport& report, const ReplayOptions& options);

}  // namespace vyre
