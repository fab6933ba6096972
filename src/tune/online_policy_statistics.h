// Robust statistics of a few samples: neither a lucky one nor a disturbed one moves them.
#pragma once

#include <cstddef>
#include <span>

namespace vyre {

// At most this many samples are looked at, the last ones.
inline constexpr std::size_t kMostSamples = 64;

// The mean of the middle two where their number is even; 0 of none.
double median_of(std::span<const double> values);

// 1.4826 times the median distance from `middle`: the standard deviation where noise is normal.
double spread_of(std::span<const double> values, double middle);

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
