#include "vyre/tune/decisions/workgroup_sweep.h"

namespace vyre {

std::expected<PolicyStep, PolicyError> policy_step(const NaturalGradientPolicy& policy,
                                                   std::vector<Measurement> measurements,
                                                   std::span<const std::uint32_t> matrix_q16) {
  PolicyStep step{.measurements = std::move(measurements),
                  .weights_q16 = {},
                  .gradient_q16 = {},
                  .suggestion = {}};
  step.weights_q16.resize(step.measurements.size());
  step.gradient_q16.resize(step.measurements.size());
  auto suggestion =
      suggest(policy, step.measurements, matrix_q16, step.weights_q16, step.gradient_q16);
  if (!suggestion) return std::unexpected(suggestion.error());
  step.suggestion = *suggestion;
  return step;
}

}  // namespace vyre
