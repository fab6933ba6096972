#include "vyre/tune/online/paired_comparison.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

namespace vyre {
namespace {

constexpr std::size_t kKnownScale = 5;  // the spread is known from this many pairs on
constexpr double kMostScales = 1.5;  // one pair counts for at most 1.5 spreads: it may be disturbed
constexpr int kMostLogRatio = 100'000;  // a factor of e^10

// A robust standard deviation of sorted values: half the range of their middle half, scaled.
double scale_of(std::span<const int> sorted) {
  const std::size_t quarter = sorted.size() / 4;
  const int range = sorted[sorted.size() - 1 - quarter] - sorted[quarter];
  return 0.7413 * range;
}

double median_of_sorted(std::span<const int> sorted) {
  const std::size_t half = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[half];
  return 0.5 * (sorted[half - 1] + sorted[half]);
}

double log_of_gain(double gain) { return -std::log1p(-gain) / PairedComparison::kResolution; }
double gain_of_log(double log_gain) {
  return -std::expm1(-log_gain * PairedComparison::kResolution);
}

std::uint64_t bits_of_system() {
  std::uint64_t bits = 0;
  if (getentropy(&bits, sizeof bits) == 0) return bits;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(now) ^ (static_cast<std::uint64_t>(getpid()) << 40);
}

}  // namespace

std::string gain_words(const GainInterval& gain, std::string_view than) {
  const bool slower = gain.gain < 0;
  const double sign = slower ? -100 : 100;
  return fmt::format("{:.1f}% {}{}{} (99% interval {:.1f} to {:.1f})", sign * gain.gain,
                     slower ? "slower" : "faster", than.empty() ? "" : " than ", than,
                     sign * (slower ? gain.high : gain.low),
                     sign * (slower ? gain.low : gain.high));
}

std::string paired_words(const GainInterval& gain, std::size_t pairs, std::string_view than) {
  return fmt::format("{} in {} {}", gain_words(gain, than), pairs, pairs == 1 ? "pair" : "pairs");
}

// SplitMix64: any seed gives fair tosses.
bool FairCoin::toss() {
  if (is_of_system_) state_ = bits_of_system();
  std::uint64_t bits = state_ += 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return ((bits ^ (bits >> 31)) & 1) != 0;
}

void PairedComparison::add(double incumbent_ns, double challenger_ns) {
  assert(incumbent_ns > 0 && challenger_ns > 0);
  const double log_ratio = std::log(incumbent_ns / challenger_ns) / kResolution;
  const double most = kMostLogRatio;
  add(static_cast<int>(std::lround(std::clamp(log_ratio, -most, most))));
}

void PairedComparison::add(int log_ratio) {
  log_ratios_.push_back(log_ratio);
  scales_.push_back(sorted_.size() < kKnownScale ? 0 : scale_of(sorted_));
  sorted_.insert(std::ranges::upper_bound(sorted_, log_ratio), log_ratio);
}

double PairedComparison::gain() const {
  return sorted_.empty() ? 0 : gain_of_log(median_of_sorted(sorted_));
}

double PairedComparison::error() const {
  constexpr double kOfMedian = 1.2533;  // sqrt(pi / 2): the error of a median over that of a mean
  if (sorted_.size() < kKnownScale) return 1;
  return kOfMedian * kResolution * scale_of(sorted_) / std::sqrt(double(sorted_.size()));
}

// A bet of stake s on x pays 2 / (1 + e^-2sx): for x and -x these add up to 2, so that it is fair.
double PairedComparison::evidence(Bets& bets) const {
  for (; bets.taken < log_ratios_.size(); ++bets.taken) {
    const double beyond = bets.direction * (log_ratios_[bets.taken] - bets.log_gain);
    const double scale = scales_[bets.taken];
    double x = beyond > 0 ? kMostScales : beyond < 0 ? -kMostScales : 0;
    if (scale > 0) x = std::clamp(beyond / scale, -kMostScales, kMostScales);
    for (std::size_t s = 0; s < kStakes.size(); ++s) {
      bets.wealth[s] += std::log(2 / (1 + std::exp(-2 * kStakes[s] * x)));
    }
  }
  const double most = std::ranges::max(bets.wealth);
  double sum = 0;
  for (const double each : bets.wealth) sum += std::exp(each - most);
  return most + std::log(sum / kStakes.size());
}

double PairedComparison::evidence(double log_gain, double direction) const {
  Bets bets{.log_gain = log_gain, .direction = direction};
  return evidence(bets);
}

double PairedComparison::evidence_above(double gain) const {
  if (above_.log_gain != log_of_gain(gain)) above_ = {log_of_gain(gain), 1};
  return evidence(above_);
}

double PairedComparison::evidence_below(double gain) const {
  if (below_.log_gain != log_of_gain(gain)) below_ = {log_of_gain(gain), -1};
  return evidence(below_);
}

GainInterval PairedComparison::interval(double confidence) const {
  const double enough = std::log(2 / (1 - confidence));
  if (sorted_.empty()) return {0, -1, 1};
  // The evidence decreases as the gain approaches the median. Each look at it takes all pairs, so
  // the search for an end of the interval begins about where it is expected.
  const double few = std::sqrt(double(sorted_.size())) / 4;
  const auto end = [&](double direction) {
    double possible = median_of_sorted(sorted_), step = std::max(1.0, scale_of(sorted_) / few);
    const double most = -direction * kMostLogRatio;
    const auto beyond = [&] {
      const double next = possible - direction * step;
      return std::abs(next) < kMostLogRatio ? next : most;
    };
    double ruled_out = beyond();
    for (; evidence(ruled_out, direction) < enough; ruled_out = beyond()) {
      if (ruled_out == most) return most;
      possible = ruled_out;
      step *= 2;
    }
    while (std::abs(ruled_out - possible) > 0.5) {
      const double middle = (ruled_out + possible) / 2;
      (evidence(middle, direction) >= enough ? ruled_out : possible) = middle;
    }
    return ruled_out;
  };
  return {gain(), gain_of_log(end(1)), gain_of_log(end(-1))};
}

}  // namespace vyre
