#include "vyre/tune/online/candidate_time.h"

#include <algorithm>
#include <cmath>

#include "vyre/tune/online/paired_comparison.h"

namespace vyre {
namespace {

constexpr std::size_t kFewestPairs = 5;
constexpr double kConfidence = 0.99;
// So few pairs may leave one end of the interval open. They then give an end that differs from the
// time by this factor or more.
constexpr double kUnknown = 1000;

// Leaves out samples at both ends as long as the true median lies between the others with 99%.
CandidateTime of_samples(std::span<const double> samples_ns) {
  std::vector<double> sorted;
  std::ranges::copy_if(samples_ns, std::back_inserter(sorted),
                       [](double ns) { return ns > 0 && std::isfinite(ns); });
  if (sorted.empty()) return {};
  std::ranges::sort(sorted);
  const std::size_t count = sorted.size();
  // The probability that at most this many fair tosses are heads.
  std::size_t left_out = 0;
  double ways = 1, chance = std::exp2(-double(count));
  while (2 * (left_out + 1) < count && 2 * chance < 1 - kConfidence) {
    ways *= double(count - left_out) / double(left_out + 1);
    chance += ways * std::exp2(-double(count));
    if (2 * chance < 1 - kConfidence) ++left_out;
  }
  const double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  return {median, sorted[left_out], sorted[count - 1 - left_out]};
}

CandidateTime beside(const CandidateTime& incumbent, const GainInterval& gain) {
  return {incumbent.ns * (1 - gain.gain), incumbent.ns * (1 - gain.high),
          incumbent.ns * (1 - gain.low)};
}

}  // namespace

CandidateTime candidate_time(const KeyState& state, const CandidateState& candidate) {
  // Before a decision, the candidate that serves is the one with which the others were compared.
  const std::string& reference =
      state.incumbent.empty() ? candidate.compared_with : state.incumbent;
  if (candidate.candidate == reference) return of_samples(candidate.recent_ns);
  const auto incumbent = std::ranges::find(state.candidates, reference, &CandidateState::candidate);
  if (incumbent == state.candidates.end() || incumbent->recent_ns.empty()) {
    return of_samples(candidate.recent_ns);
  }
  const CandidateTime its = of_samples(incumbent->recent_ns);
  if (candidate.compared_with == reference && candidate.log_ratios.size() >= kFewestPairs) {
    PairedComparison versus;
    for (const int log_ratio : candidate.log_ratios) versus.add(log_ratio);
    CandidateTime out = beside(its, versus.interval(kConfidence));
    const CandidateTime own = of_samples(candidate.recent_ns);
    if (own.ns > 0 && out.low_ns * kUnknown < its.ns) out.low_ns = std::min(out.ns, own.low_ns);
    if (own.ns > 0 && out.high_ns > its.ns * kUnknown) out.high_ns = std::max(out.ns, own.high_ns);
    return out;
  }
  // The candidate whose place the incumbent has taken.
  if (candidate.candidate == state.over && state.pairs >= kFewestPairs && state.gain < 1) {
    const auto inverse = [](double gain) { return gain < 1 ? 1 - 1 / (1 - gain) : gain; };
    return beside(its, {inverse(state.gain), inverse(state.gain_high), inverse(state.gain_low)});
  }
  return of_samples(candidate.recent_ns);
}

}  // namespace vyre
