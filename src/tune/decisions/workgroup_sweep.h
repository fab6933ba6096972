// The specification's sweep: every candidate is measured once, and the smallest time wins. It
// reproduces the specification's vectors exactly. Programs use engine/tuned/sweep.cc and
// tune/foreign/kernel_sweep.cc instead, because a single time is often luck. The timer is whatever
// the caller has: it measures one workgroup and returns nanoseconds or an error of its own type,
// which stops the sweep and is returned.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "vyre/base/extent.h"
#include "vyre/tune/decisions/candidates.h"
#include "vyre/tune/decisions/natural_gradient_step.h"

namespace vyre {

// std::expected<std::uint64_t, E> of measuring one workgroup.
template <class Timer>
using TimerError = typename std::invoke_result_t<Timer&, const Extent&>::error_type;

// The smallest time, the first among equals; absent if there are no candidates.
template <class Timer>
std::expected<std::optional<Measurement>, TimerError<Timer>> sweep_best_of(
    std::span<const Extent> candidates, Timer&& measure) {
  std::optional<Measurement> best;
  for (const Extent& workgroup : candidates) {
    auto elapsed_ns = std::invoke(measure, workgroup);
    if (!elapsed_ns) return std::unexpected(std::move(elapsed_ns).error());
    if (!best || *elapsed_ns < best->elapsed_ns) best = Measurement{workgroup, *elapsed_ns};
  }
  return best;
}

// A step with its inputs and results.
struct PolicyStep {
  std::vector<Measurement> measurements;
  std::vector<std::uint32_t> weights_q16;
  std::vector<std::uint32_t> gradient_q16;
  Suggestion suggestion;

  bool operator==(const PolicyStep&) const = default;
};

// A policy step on existing measurements.
std::expected<PolicyStep, PolicyError> policy_step(const NaturalGradientPolicy& policy,
                                                   std::vector<Measurement> measurements,
                                                   std::span<const std::uint32_t> matrix_q16);

// The outer error is the timer's first error; the inner result is the step after all measurements.
template <class Timer>
std::expected<std::expected<PolicyStep, PolicyError>, TimerError<Timer>> sweep_natural_gradient(
    const NaturalGradientPolicy& policy, std::span<const Extent> candidates,
    std::span<const std::uint32_t> matrix_q16, Timer&& measure) {
  std::vector<Measurement> measurements;
  measurements.reserve(candidates.size());
  for (const Extent& workgroup : candidates) {
    auto elapsed_ns = std::invoke(measure, workgroup);
    if (!elapsed_ns) return std::unexpected(std::move(elapsed_ns).error());
    measurements.push_back({workgroup, *elapsed_ns});
  }
  return policy_step(policy, std::move(measurements), matrix_q16);
}

}  // namespace vyre
