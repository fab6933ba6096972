// An axis of a chart: where a value stands between 0 and 1, and which values are marked.
#pragma once

#include <string>
#include <vector>

namespace vyre {

struct Tick {
  double value = 0;
  std::string text;
};

struct Axis {
  double low = 0, high = 1;  // low < high, both finite; with `log` both above 0
  bool log = false;
  std::vector<Tick> ticks{};  // within low..high, rising

  // 0 at `low`, 1 at `high`; values beyond are put at the end.
  double at(double value) const;
};

// What the largest and the smallest may differ by before times are drawn on a logarithmic axis.
inline constexpr double kLogarithmicRange = 20;

// For times from `least` to `most`, with some air. Linear axes begin at 0 where that costs less
// than half of the axis. Anything that is not known gives an axis of its own making.
Axis time_axis(double least, double most, int ticks = 5);
// For amounts of time that begin at 0.
Axis amount_axis(double most, int ticks = 4);
// For counts from `first` to `last`, marked at whole numbers; `first` is above 0 on a logarithmic
// one.
Axis count_axis(double first, double last, bool log, int ticks = 6);
// For ratios: as close around them as they are.
Axis ratio_axis(double least, double most, int ticks = 5);

}  // namespace vyre
