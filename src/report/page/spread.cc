#include "vyre/report/page/spread.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vyre/report/report_text.h"

namespace vyre {
namespace {

double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + (sorted[above] - sorted[below]) * part;
}

}  // namespace

TimeSpread spread_of(std::span<const double> samples_ns) {
  std::vector<double> sorted;
  std::ranges::copy_if(samples_ns, std::back_inserter(sorted), is_known);
  if (sorted.empty()) return {};
  std::ranges::sort(sorted);
  TimeSpread spread{.count = sorted.size(),
                    .least = sorted.front(),
                    .low = quantile(sorted, 0.05),
                    .first_quartile = quantile(sorted, 0.25),
                    .median = quantile(sorted, 0.5),
                    .third_quartile = quantile(sorted, 0.75),
                    .high = quantile(sorted, 0.95),
                    .most = sorted.back()};
  for (double& value : sorted) value = std::abs(value - spread.median);
  std::ranges::sort(sorted);
  spread.deviation = 1.4826 * quantile(sorted, 0.5);
  return spread;
}

}  // namespace vyre
