// What calls cost with the tuner and without it while other threads use the machine.
#pragma once

#include <string>
#include <vector>

#include "setup.h"

namespace vyre::bench {

// Each of kCalls calls: with the tuner, without it, and without it once more. The three take turns,
// 100 calls each, so that what happens to the machine happens to all of them.
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

// A line of text: the ratio of a window with the tuner to one without, and that of two without, in
// the median and at the 95th percentile.
std::string to_text(const UnderLoad& result);

}  // namespace vyre::bench
