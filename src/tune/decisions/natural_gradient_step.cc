#include "vyre/tune/decisions/natural_gradient_step.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

std::size_t fastest_of(std::span<const Measurement> measurements) {
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < measurements.size(); ++i) {
    if (measurements[i].elapsed_ns < measurements[fastest].elapsed_ns) fastest = i;
  }
  return fastest;
}

// Nearest integer, halves up; `value` is in 0..65536.
std::uint32_t rounded(double value) {
  const auto whole = static_cast<std::uint32_t>(value);
  return whole + (value - whole >= 0.5 ? 1 : 0);
}

void softmax_q16(std::span<const Measurement> measurements, std::uint64_t best_ns,
                 double temperature_ns, std::span<std::uint32_t> weights_q16) {
  const auto likelihood = [&](std::size_t i) {
    const auto behind_ns = static_cast<double>(measurements[i].elapsed_ns - best_ns);
    return std::exp(-behind_ns / temperature_ns);
  };
  // The likelihoods of the first few are stored; the others are computed twice.
  std::array<double, 32> kept;
  const std::size_t count = measurements.size();
  const std::size_t keep = std::min(count, kept.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < keep; ++i) sum += kept[i] = likelihood(i);
  for (std::size_t i = keep; i < count; ++i) sum += likelihood(i);

  std::uint32_t remaining = kQ16One;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const double share = (i < keep ? kept[i] : likelihood(i)) / sum;
    weights_q16[i] = std::min(rounded(share * 65536.0), remaining);
    remaining -= weights_q16[i];
  }
  weights_q16[count - 1] = remaining;
}

// Each product is below 2^49 and floored before it is added, so the sum fits into 64 bits.
std::uint32_t row_times_weights(std::span<const std::uint32_t> row_q16,
                                std::span<const std::uint32_t> weights_q16) {
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < row_q16.size(); ++c) {
    sum += static_cast<std::uint64_t>(row_q16[c]) * weights_q16[c] >> 16;
  }
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(sum, std::numeric_limits<std::uint32_t>::max()));
}

std::size_t last_largest(std::span<const std::uint32_t> values) {
  std::size_t largest = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] >= values[largest]) largest = i;
  }
  return largest;
}

std::optional<PolicyError> check(const NaturalGradientPolicy& policy,
                                 std::span<const Measurement> measurements) {
  if (measurements.empty()) return EmptyMeasurements{};
  if (policy.temperature_ns == 0) return ZeroTemperature{};
  return std::nullopt;
}

Suggestion weigh(const NaturalGradientPolicy& policy, std::span<const Measurement> measurements,
                 std::span<std::uint32_t> weights_q16) {
  assert(weights_q16.size() == measurements.size());
  const Measurement& best = measurements[fastest_of(measurements)];
  softmax_q16(measurements, best.elapsed_ns, static_cast<double>(policy.temperature_ns),
              weights_q16);
  return {.selected = {}, .best_measured = best.workgroup, .best_measured_ns = best.elapsed_ns};
}

}  // namespace

std::vector<std::uint32_t> identity_matrix_q16(std::size_t n) {
  std::vector<std::uint32_t> cells(checked_mul(n, n).value_or(0), 0);
  for (std::size_t i = 0; i < cells.size(); i += n + 1) cells[i] = kQ16One;
  return cells;
}

std::expected<Suggestion, PolicyError> suggest(const NaturalGradientPolicy& policy,
                                               std::span<const Measurement> measurements,
                                               std::span<const std::uint32_t> matrix_q16,
                                               std::span<std::uint32_t> weights_q16,
                                               std::span<std::uint32_t> gradient_q16) {
  if (auto fault = check(policy, measurements)) return std::unexpected(*fault);
  const std::size_t count = measurements.size();
  if (checked_mul(count, count) != matrix_q16.size()) {
    return std::unexpected(FisherShape{count, matrix_q16.size()});
  }
  assert(gradient_q16.size() == count);
  Suggestion suggestion = weigh(policy, measurements, weights_q16);
  for (std::size_t r = 0; r < count; ++r) {
    gradient_q16[r] = row_times_weights(matrix_q16.subspan(r * count, count), weights_q16);
  }
  suggestion.selected = measurements[last_largest(gradient_q16)].workgroup;
  return suggestion;
}

std::expected<Suggestion, PolicyError> suggest_with_identity(
    const NaturalGradientPolicy& policy, std::span<const Measurement> measurements,
    std::span<std::uint32_t> weights_q16) {
  if (auto fault = check(policy, measurements)) return std::unexpected(*fault);
  Suggestion suggestion = weigh(policy, measurements, weights_q16);
  suggestion.selected = measurements[last_largest(weights_q16)].workgroup;
  return suggestion;
}

}  // namespace vyre
