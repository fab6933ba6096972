// Robust statistics of a few samples: neither lucky nor disturbed samples move them much.
#pragma once

#include <cstddef>
#include <span>

namespace vyre {

// For an even number of values, the mean of the two in the middle; 0 without values.
double median_of(std::span<const double> values);

// 1.4826 times the median distance from `middle`: the standard deviation if the noise is normal.
double spread_of(std::span<const double> values, double middle);

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
