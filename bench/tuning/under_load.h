// What calls cost with the tuner and without it while other threads use the machine.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "setup.h"

namespace vyre::bench {

// Each of kCalls calls: with the tuner, without it, and without it once more. The three take turns,
// 20 calls each, so that what happens to the machine happens to all of them.
struct LoadWindow {
  double tuned_ns = 0, alone_ns = 0, control_ns = 0;
};

struct UnderLoad {
  unsigned threads = 0;  // others, that compute, allocate and read memory
  std::vector<LoadWindow> windows;
  double allowance_ns = 0, lost_ns = 0, bound_ns = 0, doubted_ns = 0, disturbed_ns = 0;
  bool settled = false;
  Variant choice;
  std::string reason;
};

Result<UnderLoad> run_under_load(const Setup& setup, const std::string& device, unsigned threads,
                                 unsigned windows);

// By how much windows with the tuner may be above windows without, in the median and at the 95th
// percentile of windows, beyond the first allowance.
inline constexpr double kMostAboveMedian = 0.02, kMostAboveTail = 0.03;

// The ratio of a window with the tuner to one without, and that of two without, in the median and
// at the 95th percentile.
struct LoadFigures {
  double tuned_median = 0, tuned_tail = 0, control_median = 0, control_tail = 0;
  double inverse_tail = 0;  // of the other one of the two without to the control

  double above_median() const { return tuned_median - control_median; }
  double above_tail() const { return tuned_tail - control_tail; }
  // Whether the machine is even enough to tell: two runs without the tuner differ by less than what
  // is to be told, in the median and in their tails.
  bool tells() const {
    return std::abs(control_median - 1) <= kMostAboveMedian &&
           std::abs(control_tail - inverse_tail) <= kMostAboveTail;
  }
  bool holds() const {
    return above_median() <= kMostAboveMedian && above_tail() <= kMostAboveTail;
  }
};
LoadFigures figures_of(const UnderLoad& result);

// A line of text, which ends with whether the figures hold.
std::string to_text(const UnderLoad& result);

}  // namespace vyre::bench
