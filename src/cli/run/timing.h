// Times something that is run again and again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vyre/base/error.h"

namespace vyre {

struct Timing {
  std::uint64_t runs = 0;
  std::uint64_t warm_up_runs = 0;
  // The median of the runs, and the times that a tenth of them were below and above.
  std::uint64_t median_ns = 0, p10_ns = 0, p90_ns = 0;
  std::uint64_t fastest_ns = 0, slowest_ns = 0;
};

// Requires at least one sample.
Timing summarise(std::vector<std::chrono::nanoseconds> samples);

struct TimingPlan {
  std::uint64_t runs = 0;  // exactly this many; 0: until the figures are precise enough
};

// The value of --time: the number of runs, or 0 for an empty text.
Result<std::uint64_t> parse_runs(const std::string& text);

// Makes one run, from the same initial state as every other run. Returns its time, or an error.
using TimedRun = std::function<Result<std::chrono::nanoseconds>()>;

// Warms up, then takes samples.
Result<Timing> measure(const TimingPlan& plan, const TimedRun& run);

}  // namespace vyre
