#include "vyre/tune/online/online_policy_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace vyre {
namespace {

// A shift of one standard deviation is ignored, because the level is known from a few samples only.
constexpr double kSlack = 1;
constexpr double kMostOfOneSample = 3;

double middle_of(std::span<double> values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, half);
  if (values.size() % 2 == 1) return *half;
  return (*half + *std::max_element(values.begin(), half)) / 2;
}

template <typename Change>
double with_copy(std::span<const double> values, Change change) {
  std::array<double, 64> few;
  std::vector<double> many;
  std::span<double> copy = few;
  if (values.size() > few.size()) {
    many.resize(values.size());
    copy = many;
  }
  std::ranges::transform(values, copy.begin(), change);
  return middle_of(copy.first(values.size()));
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
  return with_copy(values, [](double value) { return value; });
}

double spread_of(std::span<const double> values, double middle) {
  return 1.4826 * with_copy(values, [&](double value) { return std::abs(value - middle); });
}

bool DriftWatch::moved(double log_ratio, double log_spread, double threshold) {
  const double step = std::clamp(log_ratio / log_spread, -kMostOfOneSample, kMostOfOneSample);
  watch(step, above_, above_run_);
  watch(-step, below_, below_run_);
  return std::max(above_, below_) > threshold;
}

}  // namespace vyre
