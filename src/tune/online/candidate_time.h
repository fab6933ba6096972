// The time of a candidate: the one figure that tables, pages, traces, files and views show for it.
//
// For a candidate that was compared with the incumbent in pairs, it is the incumbent's time less
// the gain, so that the figure agrees with the verdict. If there are too few pairs to bound one end
// of the interval, that end is taken from the candidate's own last times. For the incumbent, and
// for candidates that were never compared with it, the figure is the median of their own last
// times.
#pragma once

#include <span>

#include "vyre/tune/evidence/evidence.h"

namespace vyre {

struct CandidateTime {
  double ns = 0;                   // 0: not measured
  double low_ns = 0, high_ns = 0;  // its 99% interval; from few samples, the least and the most

  bool operator==(const CandidateTime&) const = default;
};

CandidateTime candidate_time(const KeyState& state, const CandidateState& candidate);

}  // namespace vyre
