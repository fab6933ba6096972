#include "vyre/resident/autotune.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace vyre {
namespace {

// Integers in the same order as the IEEE total order of the doubles.
std::uint64_t total_order(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr std::uint64_t kSign = 1ull << 63;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace

std::uint32_t cheapest_candidate(std::span<const std::uint32_t> candidates,
                                 std::span<const double> costs, std::uint32_t fallback) {
  std::optional<std::uint64_t> lowest;
  std::uint32_t chosen = fallback;
  for (std::size_t i = 0; i < std::min(candidates.size(), costs.size()); ++i) {
    if (std::isnan(costs[i])) continue;
    const std::uint64_t cost = total_order(costs[i]);
    if (lowest && cost >= *lowest) continue;
    lowest = cost;
    chosen = candidates[i];
  }
  return chosen;
}

ResidentResult<std::vector<double>> natural_gradient_delta(std::span<const double> m_inv_sqrt,
                                                           std::span<const double> gradient,
                                                           std::uint32_t n, double learning_rate) {
  const std::uint64_t cells = static_cast<std::uint64_t>(n) * n;
  if (m_inv_sqrt.size() < cells || gradient.size() < n)
    return std::unexpected(InputTooShort{n, m_inv_sqrt.size(), gradient.size()});
  std::vector<double> delta(n);
  for (std::size_t r = 0; r < n; ++r) {
    double sum = 0.0;
    for (std::size_t c = 0; c < n; ++c) sum += m_inv_sqrt[r * n + c] * gradient[c];
    delta[r] = -learning_rate * sum;
  }
  return delta;
}

}  // namespace vyre
