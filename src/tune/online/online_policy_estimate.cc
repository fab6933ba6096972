// What the policy believes about each candidate, from times and from the prior.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "vyre/tune/online/online_policy.h"

namespace vyre {
namespace {

constexpr double kMostTimingDoubt = 0.25;
// A candidate's own times are known well when their error is at most this share, or when there are
// this many of them. From then on only pairs with the incumbent tell more.
constexpr double kKnownWell = 0.005;
constexpr std::size_t kLeastScreening = 3, kMostScreening = 12;
// About the largest number of candidates that are compared with one incumbent.
constexpr std::uint32_t kMostFinalists = 32;
// The prior errs by kPriorError, as if kPriorWeight candidates had shown it, until times tell; and
// by at least and at most this much.
constexpr double kPriorError = 0.2, kPriorWeight = 4;
constexpr double kLeastPriorError = 0.1, kMostPriorError = 0.5;
// A prior may err by this many of its standard deviations: more if it has proved to be bad, and
// until it is known how bad it is.
constexpr double kLeastDoubt = 2, kMostDoubt = 3.5, kDoubtOfBadPriors = 15;
// The factor of the prior is the incumbent's until this many candidates have been measured.
constexpr std::size_t kLeastMeasured = 6;
// The model is fitted again when there are new samples of a quarter of the candidates in it.
constexpr std::size_t kNewsShare = 4;
// The model is also fitted again when the logarithm of the incumbent's time has moved this far: the
// first calls of a program are often slow, and the expected times of the others follow from them.
constexpr double kLevelMoved = 0.02;
// The cost of a probe may exceed its estimate by this many standard deviations.
constexpr double kWorstCase = 2;
// The relative noise of one sample: until it is known, at least, and at most.
constexpr double kUnknownNoise = 0.03, kLeastNoise = 0.004, kMostNoise = 0.3;
// A small spread is believed from this many samples on.
constexpr std::size_t kTrustedSpread = 8;

}  // namespace

void OnlinePolicy::refresh(Candidate& candidate) {
  candidate.median_ns = median_of(candidate.recent_ns);
  candidate.spread_ns = std::max({spread_of(candidate.recent_ns, candidate.median_ns),
                                  kLeastNoise * candidate.median_ns, options_.clock_tick_ns});
  candidate.log_median = candidate.measured() ? std::log(candidate.median_ns) : 0;
  if (&candidate == &candidates_[incumbent_]) ledger_.set_call_ns(call_ns());
}

void OnlinePolicy::set_prior(Candidate& candidate, double ns) {
  candidate.prior_ns = ns;
  candidate.log_prior = std::log(ns);
  fitted_ = false;
}

// The relative noise of one sample, estimated from the incumbent, which has the most samples.
double OnlinePolicy::usual_noise() const {
  const Candidate& incumbent = candidates_[incumbent_];
  if (incumbent.recent_ns.size() < 5) return kUnknownNoise;
  return std::clamp(incumbent.spread_ns / incumbent.median_ns, kLeastNoise, kMostNoise);
}

// A gain of this share may come from the way in which times are taken, however many samples there
// are.
double OnlinePolicy::timing_doubt() const {
  const double usual_ns = call_ns();
  if (!(usual_ns > 0)) return 0;
  const double share = std::min(options_.timing_doubt_ns / usual_ns, kMostTimingDoubt);
  return std::ceil(200 * share) / 200;  // so that it does not change with every call
}

double OnlinePolicy::least_gain() const { return std::max(options_.least_gain, timing_doubt()); }

// A guess is compared with the declared variant at once, so the declared variant is not timed by
// itself first.
bool OnlinePolicy::is_screened(std::uint32_t index) const {
  if (index == declared_ && is_guess() && candidates_[index].first_ns > 0) return true;
  const std::size_t count = candidates_[index].recent_ns.size();
  const Estimate& it = estimates_[index];
  return candidates_[index].final != 0 || count >= kMostScreening ||
         (count >= kLeastScreening && it.sigma < kKnownWell * it.mu);
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
      // A rare slow sample must not rule out a good candidate. The first sample, which is not used
      // otherwise, counts here.
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
  // Errors are factors, and so is the lower bound: subtracting large errors would reverse the
  // order.
  out.mu = predicted_ns(candidate);
  const double doubt = fit_size_ < kLeastMeasured ? kMostDoubt
                                                  : std::clamp(kDoubtOfBadPriors * prior_error_ - 1,
                                                               kLeastDoubt, kMostDoubt);
  out.low = out.mu * std::exp(-doubt * prior_error_);
  out.high = std::max(out.mu * std::exp(kWorstCase * prior_error_), candidate.first_ns);
  // A first run tells more than the prior.
  out.low = std::max(out.low, candidate.first_ns / kFirstRun);
  out.mu = std::max(out.mu, out.low);
  out.sigma = (out.mu - out.low) / 3;
  return out;
}

bool OnlinePolicy::worth_trying(std::uint32_t index) const {
  const Candidate& candidate = candidates_[index];
  if (index == incumbent_ || !candidate.usable() || candidate.closed) return false;
  if (candidate.final != 0 || (index == declared_ && is_guess())) return true;
  const Estimate& it = estimates_[index];
  const double worth_ns = (1 - least_gain()) * estimates_[incumbent_].mu;
  if (!is_screened(index)) return it.low < worth_ns;
  const bool has_place = finals_ - finals_before_ < kMostFinalists || seems_clear(index);
  return has_place && it.mu - it.sigma < worth_ns;
}

// The prior is off by a common factor, and beside that by an error that times correct.
void OnlinePolicy::fit_prior() {
  std::vector<double> gaps;
  for (const Candidate& candidate : candidates_) {
    if (candidate.measured()) gaps.push_back(candidate.log_median - candidate.log_prior);
  }
  const Candidate& incumbent = candidates_[incumbent_];
  const auto count = static_cast<double>(gaps.size());
  log_factor_ = median_of(gaps);
  const double spread = gaps.size() < 2 ? kPriorError : spread_of(gaps, log_factor_);
  prior_error_ =
      std::clamp(std::sqrt((kPriorWeight * kPriorError * kPriorError + count * spread * spread) /
                           (kPriorWeight + count)),
                 kLeastPriorError, kMostPriorError);
  // Disturbed times of a few candidates say nothing about all the others.
  if (gaps.size() < kLeastMeasured) log_factor_ = incumbent.log_median - incumbent.log_prior;
  if (!incumbent.measured()) log_factor_ = median_of(gaps);
  fit_size_ = gaps.size();
  fit_level_ = incumbent.log_median;
  news_ = 0;
}

void OnlinePolicy::believe() {
  if (believed_) return;
  believed_ = true;
  affordable_at_ns_ = 0;
  const bool moved = std::abs(candidates_[incumbent_].log_median - fit_level_) > kLevelMoved;
  const bool fit = !std::exchange(fitted_, true) || news_ > fit_size_ / kNewsShare || moved;
  if (fit) fit_prior();
  const auto size = static_cast<std::uint32_t>(candidates_.size());
  estimates_.resize(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    if (fit || candidates_[i].measured() || candidates_[i].first_ns > 0) {
      estimates_[i] = estimate(i);
    }
  }
  active_.clear();
  const bool verified_only = calls_are_too_short();
  for (std::uint32_t i = 0; i < size; ++i) {
    if (verified_only && candidates_[i].stage != CandidateStage::verified) continue;
    if (worth_trying(i)) active_.push_back(i);
  }
  if (active_.size() < kMostActive) return;
  // Candidates that were begun come first: a search that gives one run to each of thousands finds
  // nothing. Among equals, candidates are taken from everywhere in the space.
  const auto rank = [&](std::uint32_t i) {
    const Candidate& it = candidates_[i];
    const bool is_new = !it.measured() && it.first_ns == 0 && it.outstanding == 0;
    const bool is_declared = i == declared_ && is_guess();
    return std::tuple(!is_declared, is_new, estimates_[i].low, i * 2654435761U, i);
  };
  const auto better = [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); };
  std::ranges::nth_element(active_, active_.begin() + (kMostActive - 1), better);
  active_.resize(kMostActive - 1);
}

double OnlinePolicy::predicted_ns(const Candidate& candidate) const {
  return std::exp(candidate.log_prior + log_factor_);
}

double OnlinePolicy::expected_ns(std::uint32_t candidate) const {
  const Candidate& it = candidates_[candidate];
  return it.measured() ? it.median_ns : predicted_ns(it);
}

KeyState OnlinePolicy::state() const {
  KeyState out{.incumbent = candidates_[incumbent_].text,
               .over = promotion_.over,
               .gain = promotion_.gain,
               .gain_low = promotion_.gain_low,
               .gain_high = promotion_.gain_high,
               .pairs = promotion_.pairs};
  for (const Candidate& candidate : candidates_) {
    out.candidates.push_back({.candidate = candidate.text,
                              .recent_ns = candidate.kept_ns,
                              .samples = candidate.samples,
                              .compared_with = out.incumbent,
                              .log_ratios = candidate.versus.log_ratios()});
  }
  return out;
}

CandidateTime OnlinePolicy::incumbent_time() const {
  const Candidate& incumbent = candidates_[incumbent_];
  return candidate_time({.incumbent = incumbent.text},
                        {.candidate = incumbent.text, .recent_ns = incumbent.kept_ns});
}

std::vector<CandidateView> OnlinePolicy::view() const {
  std::vector<CandidateView> out;
  const KeyState known = state();
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    out.push_back({.text = candidate.text,
                   .stage = candidate.stage,
                   .time = candidate_time(known, known.candidates[i]),
                   .samples = candidate.samples,
                   .dropped = candidate.dropped});
  }
  return out;
}

}  // namespace vyre
