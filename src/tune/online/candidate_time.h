// The time of a candidate: the one figure that tables, pages, traces, files and views show for it.
//
// A candidate that was compared with the incumbent in pairs is known by that comparison, so that
// its figure agrees with the verdict whatever else the machine did: the incumbent's time less the
// gain. The incumbent itself, and what was never compared with it, is known by the median of its
// own last times.
#pragma once

#include <span>

#include "vyre/tune/evidence/evidence.h"

namespace vyre {

struct CandidateTime {
  double ns = 0;                   // 0: not measured
  double low_ns = 0, high_ns = 0;  // its 99% interval; of few samples, the least and the most

  bool operator==(const CandidateTime&) const = default;
};

CandidateTime candidate_time(const KeyState& state, const CandidateState& candidate);

}  // namespace vyre
