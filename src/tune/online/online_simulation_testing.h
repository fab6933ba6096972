// A simulated device for tests and measurements of the online search: true times, noise, a prior
// with errors, code that takes some calls to compile, verification with a cost, and reports that
// come late. The same seed gives the same run.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "vyre/tune/online/online_policy.h"

namespace vyre {

struct SimulatedSpace {
  std::vector<double> true_ns;
  std::vector<double> prior_ns;
  std::uint32_t start = 0;  // the least prior

  double best_ns() const;
  std::vector<OnlineCandidate> candidates() const;  // "c=0", "c=1", ...
};

// True times from about `best_ns` to three times that, even in their logarithm; priors off by a
// normal error of their logarithm.
SimulatedSpace simulated_space(std::uint32_t count, double best_ns, double prior_error,
                               std::uint64_t seed);

struct SimulatedDevice {
  double noise = 0.02;    // normal, of the logarithm
  double slow_share = 0;  // of the runs, that take slow_factor as long
  double slow_factor = 3;
  double first_factor = 1.3;           // of the first run of each candidate
  std::uint32_t making_calls = 20;     // until code is there
  double verification_share = 1. / 8;  // of a run
  std::uint32_t late_calls = 0;        // until a time is known
};

class OnlineSimulation {
 public:
  OnlineSimulation(SimulatedSpace space, SimulatedDevice device, OnlineOptions options,
                   std::uint64_t seed);

  void call();  // one call, and everything around it
  void calls(std::uint64_t count);

  OnlinePolicy& policy() { return policy_; }
  SimulatedSpace& space() { return space_; }  // may be changed between calls
  void break_candidate(std::uint32_t candidate) { broken_.push_back(candidate); }

  double incumbent_fraction() const;  // of the best's speed, of the incumbent's
  double worst_excess_ns() const { return worst_excess_ns_; }  // lost above the bound, ever
  double largest_step_ns() const { return largest_step_ns_; }  // the most that one call lost

  struct Call {
    OnlineStep step;
    double ns = 0;            // with the verification
    double incumbent_ns = 0;  // what the incumbent would have taken, with the same noise
    double start_ns = 0;      // and the start
  };
  const std::vector<Call>& history() const { return history_; }
  double total_ns(std::size_t begin, std::size_t end) const;
  double incumbent_total_ns(std::size_t begin, std::size_t end) const;
  double start_total_ns(std::size_t begin, std::size_t end) const;

 private:
  double draw_noise();
  void look_at_ledger(double lost_before_ns);

  SimulatedSpace space_;
  SimulatedDevice device_;
  std::mt19937_64 random_;
  OnlinePolicy policy_;
  std::vector<bool> ran_;
  std::vector<std::uint32_t> broken_;
  struct Making {
    std::uint32_t candidate = 0;
    std::size_t ready = 0;
  };
  struct Late {
    OnlineStep step;
    double ns = 0;
    std::size_t known = 0;
  };
  std::deque<Making> making_;
  std::deque<Late> late_;
  std::vector<Call> history_;
  double worst_excess_ns_ = 0, largest_step_ns_ = 0;
};

}  // namespace vyre
