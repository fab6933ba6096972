// Chooses a constant of the policy from measured costs, and computes the natural-gradient step for
// callers that tune several constants at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vyre/resident/error.h"

namespace vyre {

// The candidate with the lowest cost, or the first of several, over the common length of both
// lists. Costs are compared in IEEE total order (-0 below +0), but a NaN never wins. If there is no
// candidate, the result is `fallback`.
std::uint32_t cheapest_candidate(std::span<const std::uint32_t> candidates,
                                 std::span<const double> costs, std::uint32_t fallback);

// delta_r = (-learning_rate) * sum over c of m_inv_sqrt[r, c] * gradient[c], with an n x n
// row-major matrix. Values beyond n are ignored.
ResidentResult<std::vector<double>> natural_gradient_delta(std::span<const double> m_inv_sqrt,
                                                           std::span<const double> gradient,
                                                           std::uint32_t n, double learning_rate);

}  // namespace vyre
