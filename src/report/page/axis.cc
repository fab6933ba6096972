#include "vyre/report/page/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vyre/report/report_text.h"

namespace vyre {
namespace {

constexpr double kLeast = 1e-9, kMost = 1e30;

// 1, 2 or 5 times a power of ten, so that a range has about `steps` steps.
double nice_step(double range, int steps) {
  const double rough = range / std::max(steps, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double leading = rough / power;
  return power * (leading < 1.5 ? 1 : leading < 3.5 ? 2 : leading < 7.5 ? 5 : 10);
}

std::vector<double> linear_ticks(double low, double high, int steps) {
  const double step = nice_step(high - low, steps);
  std::vector<double> values;
  // Multiplies instead of adding, so that errors do not accumulate; a range has only a few steps.
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i < 4 * steps + 4; ++i) {
    const double value = (first + i) * step;
    if (value > high + 1e-9 * step) break;
    values.push_back(std::clamp(value, low, high));
  }
  return values;
}

// Powers of ten, and 2 and 5 times these if there are few.
std::vector<double> logarithmic_ticks(double low, double high, int steps) {
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const double decades = std::log10(high / low);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / (steps + 2))));
  std::vector<double> values;
  for (int power = first; power <= last; ++power) {
    if (every > 1 && (power - first) % every != 0) continue;
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1 && decades * 3 > steps + 3) continue;
      const double value = factor * std::pow(10, power);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) values.push_back(value);
    }
  }
  return values;
}

std::string plain_number(double value, double step) {
  const int digits = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
  return fmt::format("{:.{}f}", value, std::min(digits, 6));
}

// One unit for the whole axis; each tick has as many digits as the step needs.
std::vector<Tick> time_ticks(const std::vector<double>& values, bool log) {
  std::vector<Tick> ticks;
  const double most = values.empty() ? 1 : values.back();
  const double unit = most >= 1e9 ? 1e9 : most >= 1e6 ? 1e6 : most >= 1e3 ? 1e3 : 1;
  const std::string_view name = unit == 1e9   ? "s"
                                : unit == 1e6 ? "ms"
                                : unit == 1e3 ? "\xC2\xB5s"
                                              : "ns";
  const double step = values.size() > 1 ? (values[1] - values[0]) / unit : most / unit;
  for (const double value : values) {
    if (log) {
      std::string text = time_text(value);
      // Writes "1 ms" instead of "1.00 ms".
      for (const std::string_view zeros : {".00", ".0"})
        if (const auto at = text.find(zeros); at != std::string::npos) {
          text.erase(at, zeros.size());
          break;
        }
      ticks.push_back({value, std::move(text)});
    } else {
      ticks.push_back(
          {value,
           value == 0 ? "0" : fmt::format("{}\xC2\xA0{}", plain_number(value / unit, step), name)});
    }
  }
  return ticks;
}

std::vector<double> tick_values(const Axis& axis, int steps) {
  auto values = axis.log ? logarithmic_ticks(axis.low, axis.high, steps)
                         : linear_ticks(axis.low, axis.high, steps);
  if (values.empty()) values = {axis.low, axis.high};
  return values;
}

// The bounds of an axis that contains these values, with a margin.
Axis bounds(double least, double most) {
  Axis axis;
  if (!is_known(least) || !is_known(most) || most < least) return axis;
  // Larger values are not times; they are drawn at the end.
  least = std::clamp(least, kLeast, kMost);
  most = std::clamp(most, kLeast, kMost);
  axis.log = most / least > kLogarithmicRange;
  if (axis.log) {
    const double air = std::pow(most / least, 0.04);
    axis.low = least / air;
    axis.high = most * air;
  } else {
    const double air = std::max(0.06 * (most - least), 0.01 * most);
    axis.low = least < 0.5 * most ? 0 : std::max(0.0, least - air);
    axis.high = most + air;
  }
  return axis;
}

}  // namespace

double Axis::at(double value) const {
  if (!std::isfinite(value)) return 0;
  const double place = log ? std::log(std::max(value, low) / low) / std::log(high / low)
                           : (value - low) / (high - low);
  return std::clamp(place, 0.0, 1.0);
}

Axis time_axis(double least, double most, int ticks) {
  Axis axis = bounds(least, most);
  axis.ticks = time_ticks(tick_values(axis, ticks), axis.log);
  return axis;
}

Axis amount_axis(double most, int ticks) {
  Axis axis;
  axis.high = is_known(most) ? 1.2 * std::clamp(most, kLeast, kMost) : 1;
  axis.ticks = time_ticks(tick_values(axis, ticks), false);
  return axis;
}

Axis count_axis(double first, double last, bool log, int ticks) {
  Axis axis;
  axis.log = log;
  axis.low = first;
  axis.high = std::max(last, first + 1);
  for (const double value : tick_values(axis, ticks))
    if (std::floor(value) == value) axis.ticks.push_back({value, count_text(value)});
  return axis;
}

Axis ratio_axis(double least, double most, int ticks) {
  Axis axis = bounds(least, most);
  if (!axis.log && is_known(least) && most > least) {
    const double air = 0.06 * (most - least);
    axis.low = std::max(0.0, least - air);
    axis.high = most + air;
  }
  const auto values = tick_values(axis, ticks);
  const double step = values.size() > 1 ? values[1] - values[0] : 1;
  for (const double value : values)
    axis.ticks.push_back(
        {value, (axis.log ? number_text(value) : plain_number(value, step)) + "\xC3\x97"});
  return axis;
}

}  // namespace vyre
