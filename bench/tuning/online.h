// The tuner in use, beside the same calls without it.
#pragma once

#include <cstdint>

#include "setup.h"

namespace vyre::bench {

struct Online {
  Variant start, choice;                                  // the first guess and what it came to
  std::vector<std::pair<std::uint64_t, Variant>> served;  // each from that call on
  std::uint64_t settled = 0;              // the call by which nothing was left to try; 0: not yet
  double frozen_ns = 0;                   // of kCalls calls with the first guess alone
  double first_ns = 0;                    // of the first kCalls calls with the tuner
  std::vector<double> windows_ns;         // each of kCalls later ones, while it went on searching
  std::vector<double> windows_lost_ns;    // of the ledger, after each
  std::vector<double> frozen_windows_ns;  // as many with the first guess alone
  double later_ns = 0;                    // of later calls with it
  double later_frozen_ns = 0;             // the same calls with the choice alone
  std::vector<double> batches_ns;         // of the first calls, sixteen in a batch
  double lost_ns = 0, bound_ns = 0;       // of the ledger, after the first kCalls
  double lost_in_all_ns = 0, bound_in_all_ns = 0;  // the same in the end
  double allowance_ns = 0;
  std::size_t made = 0, verified = 0, measured = 0;  // candidates, in the end
  double load_ns = 0;                                // of one, about
  double stolen_ms = 0;  // that the machine's own host took from its processors meanwhile
  std::string untunable;
};

inline constexpr unsigned kCalls = 1000;
inline constexpr std::size_t kMostWindows = 20;

Result<Online> run_online(const Setup& setup, const std::string& device);

// What the mode `on` chooses, and how long it took.
struct Swept {
  Variant choice;
  double seconds = 0;
};
Result<Swept> run_sweep(const Setup& setup, const std::string& device);

}  // namespace vyre::bench
