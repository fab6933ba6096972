// Robust statistics of a few samples: neither a lucky one nor a disturbed one moves them.
#pragma once

#include <cstddef>
#include <span>

namespace vyre {

// The mean of the middle two where their number is even; 0 of none.
double median_of(std::span<const double> values);

// 1.4826 times the median distance from `middle`: the standard deviation where noise is normal.
double spread_of(std::span<const double> values, double middle);

// An estimate of a logarithm, and its standard deviation.
struct LogEstimate {
  double value = 0, error = 0;
};

// The more certain of two counts for more. Where they contradict each other, the second is taken
// for less certain than it says: it may have been a disturbed run.
LogEstimate combined(LogEstimate first, LogEstimate second);

// The error of a first guess, worth `weight` values, as `count` values with this spread correct it.
double corrected_error(double guess, double weight, double spread, std::size_t count);

// How measured times follow prior costs, both as logarithms: a common factor, and a slope, because
// a prior that is mostly wrong tells less about the far ones than it says. A regression on what the
// prior says is not misled by the order in which candidates are tried, as the mean of its errors
// would be: the ones tried first are those of which the prior thinks too well.
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

// A cumulative sum of how far samples are from where they were, in standard deviations. One sample
// counts for at most three, so that a few slow ones are no alarm.
class DriftWatch {
 public:
  // True when samples have moved, by so many in a row that chance is out of the question.
  bool moved(double log_ratio, double log_spread, double threshold);
  // How many of the last samples made the alarm.
  std::size_t run() const { return above_ > below_ ? above_run_ : below_run_; }
  void reset() { *this = {}; }

 private:
  double above_ = 0, below_ = 0;
  std::size_t above_run_ = 0, below_run_ = 0;
};

}  // namespace vyre
