// Rounds that interleave implementations, and what they tell.
#pragma once

#include <optional>

#include "median.h"
#include "problem.h"

namespace vyre::bench {

enum Peer : std::size_t { kVyre, kPocl, kPlain, kCeiling, kPeers };

struct Timing {
  double median_ms = 0;
  double quartile_low_ms = 0, quartile_high_ms = 0;
};

struct Measured {
  std::string name;
  bool has_barriers = false;
  std::size_t rounds = 0;
  std::optional<Timing> times[kPeers];
  // Median over rounds of peer's time / vyre's time in that round: above 1, vyre is faster.
  std::optional<double> ratio[kPeers];
  std::string problem;          // something gave a wrong result, or could not run
  std::string missing[kPeers];  // why a peer is not there
};

// What a run costs: the time until it has ended, or the time its threads ran, which a busy machine
// disturbs less.
enum class TimedBy : std::uint8_t { wall, processor };

using Sides = std::array<Made, kPeers>;
// Checks every implementation's first result, then times them in turn.
Measured measure(const Problem& problem, const Sides& sides, double seconds, TimedBy clock);

// What a launch of an empty kernel costs, beside a call and a loop of OpenMP. Nanoseconds.
struct LaunchCosts {
  double launch = 0, call = 0, openmp = 0;
};
LaunchCosts measure_launch(unsigned threads);

}  // namespace vyre::bench
