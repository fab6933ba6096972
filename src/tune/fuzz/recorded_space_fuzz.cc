// Any bytes as a recorded space: reading them is safe, and what was read can be searched.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vyre/tune/search/search_replay.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto space = vyre::parse_recorded_space(text);
  if (!space) return space.error().what.empty() ? std::abort(), 0 : 0;
  if (space->recordings.size() != space->space.size()) std::abort();
  for (std::uint32_t i = 0; i < space->space.size(); ++i) {
    if (space->space.find(space->space.row(i)) != i) std::abort();
  }
  for (const std::string_view strategy : {"natural", "hillclimb", "halving"}) {
    const auto run = vyre::replay_run(*space, strategy, 1, {24});
    if (!run || run->steps.empty()) std::abort();
    for (const vyre::ReplayStep& step : run->steps) {
      if (!(step.fraction >= 0 && step.fraction <= 1)) std::abort();
    }
  }
  return 0;
}
