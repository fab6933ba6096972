#include "vyre/tune/online/online_policy_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace vyre {
namespace {

// A shift of one standard deviation is ignored, because the level is known from a few samples only.
constexpr double kSlack = 1;
constexpr double kMostOfOneSample = 3;

// The first guess at the error of a prior, as a logarithm; it weighs as much as kPriorWeight
// candidates.
constexpr double kPriorError = 0.2, kPriorWeight = 4;
constexpr double kLeastPriorError = 0.1, kMostPriorError = 0.5;
constexpr double kBendError = 0.2;  // the first guess at the error of the slope

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

LogEstimate combined(LogEstimate first, LogEstimate second) {
  const double apart = std::abs(first.value - second.value);
  if (apart > 3 * std::hypot(first.error, second.error)) second.error = apart;
  const double weight = 1 / (first.error * first.error);
  const double other = 1 / (second.error * second.error);
  return {(weight * first.value + other * second.value) / (weight + other),
          1 / std::sqrt(weight + other)};
}

double corrected_error(double guess, double weight, double spread, std::size_t count) {
  const auto n = static_cast<double>(count);
  return std::sqrt((weight * guess * guess + n * spread * spread) / (weight + n));
}

PriorModel::PriorModel(std::span<const double> log_priors, std::span<const double> log_times)
    : error_(kPriorError), offset_variance_(kPriorError * kPriorError) {
  const std::size_t count = log_priors.size();
  bend_variance_ = kBendError * kBendError;
  if (count == 0) return;
  std::vector<double> gaps(count);
  for (std::size_t i = 0; i < count; ++i) gaps[i] = log_times[i] - log_priors[i];
  center_ = std::accumulate(log_priors.begin(), log_priors.end(), 0.0) / static_cast<double>(count);
  // The error of the first fit gives the weights of the second one.
  for (int round = 0; round < 2; ++round) {
    const double middle = median_of(gaps);
    const double most = 3 * std::max(spread_of(gaps, middle), error_);
    double squares = 0;
    double products = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = log_priors[i] - center_;
      squares += x * x;
      products += x * std::clamp(gaps[i] - middle, -most, most);
    }
    const double doubt = error_ * error_ / (kBendError * kBendError);
    bend_ = products / (doubt + squares);
    bend_variance_ = error_ * error_ / (doubt + squares);
    std::vector<double> rest(count);
    for (std::size_t i = 0; i < count; ++i) {
      rest[i] = gaps[i] - bend_ * (log_priors[i] - center_);
    }
    offset_ = median_of(rest);
    error_ = std::clamp(
        corrected_error(kPriorError, kPriorWeight, spread_of(rest, offset_), count < 2 ? 0 : count),
        kLeastPriorError, kMostPriorError);
  }
  offset_variance_ = error_ * error_ / static_cast<double>(count);
}

LogEstimate PriorModel::predict(double log_prior) const {
  const double x = log_prior - center_;
  return {log_prior + offset_ + bend_ * x,
          std::sqrt(error_ * error_ + offset_variance_ + bend_variance_ * x * x)};
}

bool DriftWatch::moved(double log_ratio, double log_spread, double threshold) {
  const double step = std::clamp(log_ratio / log_spread, -kMostOfOneSample, kMostOfOneSample);
  watch(step, above_, above_run_);
  watch(-step, below_, below_run_);
  return std::max(above_, below_) > threshold;
}

}  // namespace vyre
