#include "vyre/report/page/thinning.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vyre/report/report_text.h"

namespace vyre {

std::vector<std::size_t> thinned(std::span<const double> places, std::span<const double> values,
                                 std::size_t most) {
  std::vector<std::size_t> known;
  double first = std::numeric_limits<double>::infinity(), last = -first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_known(values[i]) || !std::isfinite(places[i])) continue;
    known.push_back(i);
    first = std::min(first, places[i]);
    last = std::max(last, places[i]);
  }
  if (known.size() <= most) return known;

  struct Bin {
    bool used = false;
    std::size_t first = 0, lowest = 0, highest = 0;
  };
  std::vector<Bin> bins(std::max<std::size_t>(most / 3, 1));
  for (const std::size_t i : known) {
    const double share = last > first ? (places[i] - first) / (last - first) : 0;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(bins.size()));
    Bin& bin = bins[std::min(at, bins.size() - 1)];
    if (!bin.used) bin = {.used = true, .first = i, .lowest = i, .highest = i};
    if (values[i] < values[bin.lowest]) bin.lowest = i;
    if (values[i] > values[bin.highest]) bin.highest = i;
  }
  std::vector<std::size_t> kept;
  for (const Bin& bin : bins)
    if (bin.used) kept.insert(kept.end(), {bin.first, bin.lowest, bin.highest});
  std::ranges::sort(kept);
  const auto rest = std::ranges::unique(kept);
  kept.erase(rest.begin(), rest.end());
  return kept;
}

}  // namespace vyre
