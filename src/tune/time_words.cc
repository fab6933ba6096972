#include "vyre/tune/time_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace vyre {

std::string time_words(double ns) {
  if (!std::isfinite(ns)) return "-";
  if (ns < 0) return "-" + time_words(-ns);
  if (ns > 0 && ns < 0.95) return fmt::format("{:.1g} ns", ns);
  static constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
  // The time is rounded to whole nanoseconds first, so that records with and without fractions of a
  // nanosecond give the same text.
  double value = std::round(ns);
  if (value < 1000) return fmt::format("{:.0f} ns", value);
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : 1, kUnits[unit]);
}

}  // namespace vyre
