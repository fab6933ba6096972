// An axis of a chart: the position of a value between 0 and 1, and the ticks.
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

  // 0 at `low`, 1 at `high`; values outside are put at the ends.
  double at(double value) const;
};

// Times that differ by a larger factor are drawn on a logarithmic axis.
inline constexpr double kLogarithmicRange = 20;

// For times from `least` to `most`, with a margin. Linear axes begin at 0 if that takes less than
// half of the axis. Unknown values give a default axis.
Axis time_axis(double least, double most, int ticks = 5);
// For amounts of time that begin at 0.
Axis amount_axis(double most, int ticks = 4);
// For counts from `first` to `last`, with ticks at whole numbers; on a logarithmic axis `first` is
// above 0.
Axis count_axis(double first, double last, bool log, int ticks = 6);
// For ratios, with tight bounds.
Axis ratio_axis(double least, double most, int ticks = 5);

}  // namespace vyre
