#include "vyre/tune/online/online_simulation_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vyre {
namespace {

// The standard library's distributions differ between implementations; these do not.
double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
}

double normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

OnlineOptions with_seed(OnlineOptions options, std::uint64_t seed) {
  if (options.seed == 0) options.seed = seed;
  return options;
}

}  // namespace

double SimulatedSpace::best_ns() const { return *std::ranges::min_element(true_ns); }

std::vector<OnlineCandidate> SimulatedSpace::candidates() const {
  std::vector<OnlineCandidate> out;
  for (std::size_t i = 0; i < prior_ns.size(); ++i) {
    out.push_back({fmt::format("c={}", i), prior_ns[i]});
  }
  return out;
}

SimulatedSpace simulated_space(std::uint32_t count, double best_ns, double prior_error,
                               std::uint64_t seed) {
  std::mt19937_64 random(seed);
  SimulatedSpace space;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double ns = best_ns * std::exp(std::log(3) * uniform(random));
    space.true_ns.push_back(ns);
    space.prior_ns.push_back(ns * std::exp(prior_error * normal(random)));
  }
  space.start =
      static_cast<std::uint32_t>(std::ranges::min_element(space.prior_ns) - space.prior_ns.begin());
  return space;
}

OnlineSimulation::OnlineSimulation(SimulatedSpace space, SimulatedDevice device,
                                   OnlineOptions options, std::uint64_t seed)
    : space_(std::move(space)),
      device_(device),
      random_(seed),
      policy_(space_.candidates(), space_.start, with_seed(options, seed)),
      ran_(space_.true_ns.size(), false) {}

double OnlineSimulation::draw_noise() {
  const double factor = std::exp(device_.noise * normal(random_));
  return uniform(random_) < device_.slow_share ? factor * device_.slow_factor : factor;
}

void OnlineSimulation::look_at_ledger(double lost_before_ns) {
  const Ledger ledger = policy_.ledger();
  largest_step_ns_ = std::max(largest_step_ns_, ledger.lost_ns - lost_before_ns);
  if (ledger.bound_ns > 0) {
    worst_excess_ns_ = std::max(worst_excess_ns_, ledger.lost_ns - ledger.bound_ns);
  }
}

void OnlineSimulation::call() {
  const std::size_t now = history_.size();
  for (; !making_.empty() && making_.front().ready <= now; making_.pop_front()) {
    policy_.made(making_.front().candidate);
  }
  for (; !late_.empty() && late_.front().known <= now; late_.pop_front()) {
    const double lost_ns = policy_.ledger().lost_ns;
    policy_.report(late_.front().step, late_.front().ns);
    look_at_ledger(lost_ns);
  }
  const double lost_ns = policy_.ledger().lost_ns;
  const double noise = draw_noise();
  const double incumbent_ns = noise * space_.true_ns[policy_.incumbent()];
  const OnlineStep step = policy_.next();
  double ns = noise * space_.true_ns[step.candidate];
  if (!ran_[step.candidate]) ns *= device_.first_factor;
  ran_[step.candidate] = true;
  if (step.timed && device_.late_calls == 0) policy_.report(step, ns);
  if (step.timed && device_.late_calls > 0) late_.push_back({step, ns, now + device_.late_calls});
  if (step.make) making_.push_back({*step.make, now + device_.making_calls});
  if (step.verify) {
    const double cost_ns = device_.verification_share * space_.true_ns[*step.verify];
    ns += cost_ns;
    if (std::ranges::find(broken_, *step.verify) == broken_.end()) {
      policy_.verified(*step.verify, cost_ns);
    } else {
      policy_.drop(*step.verify, "its results differ", cost_ns);
    }
  }
  history_.push_back({step, ns, incumbent_ns, noise * space_.true_ns[space_.start]});
  look_at_ledger(lost_ns);
}

void OnlineSimulation::calls(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) call();
}

double OnlineSimulation::incumbent_fraction() const {
  return space_.best_ns() / space_.true_ns[policy_.incumbent()];
}

double OnlineSimulation::total_ns(std::size_t begin, std::size_t end) const {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += history_[i].ns;
  return sum;
}

double OnlineSimulation::start_total_ns(std::size_t begin, std::size_t end) const {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += history_[i].start_ns;
  return sum;
}

double OnlineSimulation::incumbent_total_ns(std::size_t begin, std::size_t end) const {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += history_[i].incumbent_ns;
  return sum;
}

}  // namespace vyre
