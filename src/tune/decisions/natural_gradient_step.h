// One step of the natural-gradient policy: measured times become softmax weights, a preconditioner
// (an inverse square root of a Fisher block) turns them into a gradient, and its largest entry is
// the suggestion. All in Q16 fixed point, so that a step gives the same bits everywhere.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <vector>

#include "vyre/base/extent.h"
#include "vyre/tune/decisions/candidates.h"
#include "vyre/tune/errors.h"

namespace vyre {

inline constexpr std::uint32_t kQ16One = 65536;

struct NaturalGradientPolicy {
  std::uint64_t temperature_ns = 10'000;

  bool operator==(const NaturalGradientPolicy&) const = default;
};

struct Suggestion {
  Extent selected{};       // the largest gradient, the last among equals
  Extent best_measured{};  // the smallest time, the first among equals
  std::uint64_t best_measured_ns = 0;

  bool operator==(const Suggestion&) const = default;
};

// The n x n identity, row by row. Empty for n = 0, and when n * n overflows.
std::vector<std::uint32_t> identity_matrix_q16(std::size_t n);

// The matrix has one row of measurements.size() cells per measurement. `weights_q16` and
// `gradient_q16` receive one value per measurement, and must have room for exactly that many.
// Weights sum to kQ16One: the last one absorbs all rounding. Does not allocate.
std::expected<Suggestion, PolicyError> suggest(const NaturalGradientPolicy& policy,
                                               std::span<const Measurement> measurements,
                                               std::span<const std::uint32_t> matrix_q16,
                                               std::span<std::uint32_t> weights_q16,
                                               std::span<std::uint32_t> gradient_q16);

// The same with the identity matrix; the gradient equals the weights.
std::expected<Suggestion, PolicyError> suggest_with_identity(
    const NaturalGradientPolicy& policy, std::span<const Measurement> measurements,
    std::span<std::uint32_t> weights_q16);

}  // namespace vyre
