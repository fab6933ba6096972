// What the policy believes about each candidate, from times and from the prior.
#include <algorithm>
#include <cmath>

#include "vyre/tune/online_policy.h"

namespace vyre {
namespace {

constexpr std::size_t kMostActive = 64;
constexpr double kLeastGain = 0.005;      // what a change must be worth
constexpr double kFirstPriorError = 0.2;  // of a prior's logarithm, worth so many candidates:
constexpr double kFirstPriorWeight = 4;
constexpr double kLeastPriorError = 0.1, kMostPriorError = 0.5;
constexpr double kUnknownNoise = 0.03;  // of one sample, until it is known
constexpr double kLeastNoise = 0.004;
constexpr std::size_t kTrustedSpread = 8;  // samples, before a small spread is believed

}  // namespace

void OnlinePolicy::refresh(Candidate& candidate) const {
  candidate.median_ns = median_of(candidate.recent_ns);
  candidate.spread_ns = std::max({spread_of(candidate.recent_ns, candidate.median_ns),
                                  kLeastNoise * candidate.median_ns, options_.clock_tick_ns});
}

// Of one sample, as a share: the incumbent has the most.
double OnlinePolicy::usual_noise() const {
  const Candidate& incumbent = candidates_[incumbent_];
  if (incumbent.recent_ns.size() < 5) return kUnknownNoise;
  return std::clamp(incumbent.spread_ns / incumbent.median_ns, kLeastNoise, 0.1);
}

OnlinePolicy::Estimate OnlinePolicy::estimate(std::uint32_t index) const {
  const Candidate& candidate = candidates_[index];
  Estimate out;
  if (candidate.measured()) {
    const std::size_t count = candidate.recent_ns.size();
    const double noise = usual_noise();
    double spread = candidate.spread_ns;
    out.mu = candidate.median_ns;
    if (count < 3) {
      // One slow sample in a hundred must not cost a good candidate its chance; the first, though
      // thrown away, is a witness.
      out.mu = *std::ranges::min_element(candidate.recent_ns);
      if (candidate.first_ns > 0) out.mu = std::min(out.mu, candidate.first_ns);
      spread = std::max(1.5 * noise * out.mu, options_.clock_tick_ns);
    } else if (count < kTrustedSpread) {
      spread = std::max(spread, noise * out.mu);
    }
    out.sigma = spread / std::sqrt(static_cast<double>(count));
    out.low = out.mu - 3 * out.sigma;
    out.high = std::max(out.mu, candidate.median_ns) + 3 * out.sigma;
    return out;
  }
  // The error of a prior is a factor, so that the lower bound is one too; a difference would turn
  // the order around where errors are large.
  const double error = candidate.stale ? stale_error_ : prior_error_;
  const double factor = std::exp(3 * error);
  out.mu = prior_scale_ * candidate.prior_ns;
  out.high = out.mu * factor;
  if (candidate.first_ns > out.mu) {
    out.high = std::max(out.high, candidate.first_ns);
    out.mu = std::sqrt(out.mu * candidate.first_ns);
  }
  out.low = out.mu / factor;
  out.sigma = (out.mu - out.low) / 3;
  return out;
}

bool OnlinePolicy::worth_trying(std::uint32_t index) const {
  const Candidate& candidate = candidates_[index];
  return index != incumbent_ && candidate.usable() && !candidate.closed &&
         estimates_[index].low < (1 - kLeastGain) * estimates_[incumbent_].mu;
}

void OnlinePolicy::believe() {
  if (believed_) return;
  believed_ = true;
  affordable_at_ns_ = 0;

  std::vector<double> logs;
  for (const Candidate& candidate : candidates_) {
    if (candidate.measured()) logs.push_back(std::log(candidate.median_ns / candidate.prior_ns));
  }
  const double middle = median_of(logs);
  const double spread = spread_of(logs, middle);
  const double count = logs.size() < 2 ? 0 : static_cast<double>(logs.size());
  prior_scale_ = std::exp(middle);
  prior_error_ = std::clamp(std::sqrt((kFirstPriorWeight * kFirstPriorError * kFirstPriorError +
                                       count * spread * spread) /
                                      (kFirstPriorWeight + count)),
                            kLeastPriorError, kMostPriorError);

  const auto size = static_cast<std::uint32_t>(candidates_.size());
  estimates_.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) estimates_[i] = estimate(i);
  active_.clear();
  for (std::uint32_t i = 0; i < size; ++i) {
    if (worth_trying(i)) active_.push_back(i);
  }
  if (active_.size() < kMostActive) return;
  const auto more = [&](std::uint32_t a, std::uint32_t b) {
    return estimates_[a].low < estimates_[b].low;
  };
  std::ranges::stable_sort(active_, more);
  active_.resize(kMostActive - 1);
}

double OnlinePolicy::expected_ns(std::uint32_t candidate) const {
  const Candidate& it = candidates_[candidate];
  return it.measured() ? it.median_ns : prior_scale_ * it.prior_ns;
}

std::vector<CandidateView> OnlinePolicy::view() const {
  std::vector<CandidateView> out;
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    const Estimate believed = estimate(i);
    out.push_back({.text = candidate.text,
                   .stage = candidate.stage,
                   .expected_ns = expected_ns(i),
                   .uncertainty_ns = believed.sigma,
                   .median_ns = candidate.median_ns,
                   .spread_ns = candidate.measured() ? candidate.spread_ns : 0,
                   .samples = candidate.samples,
                   .dropped = candidate.dropped});
  }
  return out;
}

}  // namespace vyre
