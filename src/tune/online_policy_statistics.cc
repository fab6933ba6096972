#include "vyre/tune/online_policy_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vyre {
namespace {

// A shift of one standard deviation is let pass: the level itself is only known from a few samples.
constexpr double kSlack = 1;
constexpr double kMostOfOneSample = 3;

double middle_of(std::span<double> values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, half);
  if (values.size() % 2 == 1) return *half;
  return (*half + *std::max_element(values.begin(), half)) / 2;
}

void watch(double step, double& sum, std::size_t& run) {
  sum += step - kSlack;
  ++run;
  if (sum > 0) return;
  sum = 0;
  run = 0;
}

}  // namespace

double median_of(std::span<const double> values) {
  std::array<double, kMostSamples> copy;
  const auto last = values.last(std::min(values.size(), copy.size()));
  std::ranges::copy(last, copy.begin());
  return middle_of(std::span(copy).first(last.size()));
}

double spread_of(std::span<const double> values, double middle) {
  std::array<double, kMostSamples> distances;
  const auto last = values.last(std::min(values.size(), distances.size()));
  std::ranges::transform(last, distances.begin(),
                         [&](double value) { return std::abs(value - middle); });
  return 1.4826 * middle_of(std::span(distances).first(last.size()));
}

bool DriftWatch::moved(double log_ratio, double log_spread, double threshold) {
  const double step = std::clamp(log_ratio / log_spread, -kMostOfOneSample, kMostOfOneSample);
  watch(step, above_, above_run_);
  watch(-step, below_, below_run_);
  return std::max(above_, below_) > threshold;
}

}  // namespace vyre
