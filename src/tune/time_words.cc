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
  // Whole nanoseconds first, so that one who kept a fraction of one rounds like one who did not.
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
