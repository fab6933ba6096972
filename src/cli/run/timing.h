// Running something again and again, and what can be said of its time.
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
  // Of the runs: as many were faster as slower; a tenth was faster; a tenth was slower.
  std::uint64_t median_ns = 0, p10_ns = 0, p90_ns = 0;
  std::uint64_t fastest_ns = 0, slowest_ns = 0;
};

// At least one sample.
Timing summarise(std::vector<std::chrono::nanoseconds> samples);

struct TimingPlan {
  std::uint64_t runs = 0;  // exactly so many; 0: until the figures are worth something
};

// The value of --time: the number of runs, or 0 for an empty text.
Result<std::uint64_t> parse_runs(const std::string& text);

// One run from the same start as every other: its time, or why there is none.
using TimedRun = std::function<Result<std::chrono::nanoseconds>()>;

// Warms up, then takes samples.
Result<Timing> measure(const TimingPlan& plan, const TimedRun& run);

}  // namespace vyre
