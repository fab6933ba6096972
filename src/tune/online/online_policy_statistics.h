// Robust statistics of a few samples: neither lucky nor disturbed samples move them much.
#pragma once

#include <cstddef>
#include <span>

namespace vyre {

// For an even number of values, the mean of the two in the middle; 0 without values.
double median_of(std::span<const double> values);

// 1.4826 times the median distance from `middle`: the standard deviation if the noise is normal.
double spread_of(std::span<const double> values, double middle);

// An estimate of a logarithm, and its standard deviation.
struct LogEstimate {
  double value = 0, error = 0;
};

// The weighted mean of two estimates. If they contradict each other, the second one, which may come
// from a disturbed run, gets less weight.
LogEstimate combined(LogEstimate first, LogEstimate second);

// The error of a first guess, worth `weight` values, as `count` values with this spread correct it.
double corrected_error(double guess, double weight, double spread, std::size_t count);

// How measured times follow prior costs, both as logarithms. There is a common factor, and a slope,
// because a bad prior exaggerates large differences. A regression on the prior costs is not misled
// by the order in which candidates are tried; the mean of the errors would be, because the prior is
// too optimistic about those that are tried first.
class PriorModel {
 public:
  PriorModel() = default;
  PriorModel(std::span<const double> log_priors, std::span<const double> log_times);

  LogEstimate predict(double log_prior) const;
  double error() const { return error_; }

 private:
  double center_ = 0, offset_ = 0;
  double bend_ = 0, bend_variance_ = 0;  // the slope less one
  double error_ = 0;                     // of one prediction
  double offset_variance_ = 0;
};

// A cumulative sum of the distances of samples from their former level, in standard deviations. One
// sample counts for at most three, so that a few slow samples raise no alarm.
class DriftWatch {
 public:
  // True when so many consecutive samples have moved that chance does not explain it.
  bool moved(double log_ratio, double log_spread, double threshold);
  // How many of the last samples made the alarm.
  std::size_t run() const { return above_ > below_ ? above_run_ : below_run_; }
  void reset() { *this = {}; }

 private:
  double above_ = 0, below_ = 0;
  std::size_t above_run_ = 0, below_run_ = 0;
};

}  // namespace vyre
