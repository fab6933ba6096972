// The median and the spread of a set of times.
#pragma once

#include <cstddef>
#include <span>

namespace vyre {

struct TimeSpread {
  std::size_t count = 0;  // of samples that are finite and above 0; if 0, all other members are 0
  double least = 0, low = 0, first_quartile = 0, median = 0, third_quartile = 0, high = 0, most = 0;
  // 1.4826 times the median distance from the median: as a standard deviation.
  double deviation = 0;

  bool operator==(const TimeSpread&) const = default;
};

// `low` and `high` are the quantiles 5% and 95%. Between two samples quantiles are interpolated.
TimeSpread spread_of(std::span<const double> samples_ns);

}  // namespace vyre
