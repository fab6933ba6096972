#include "vyre/tune/decisions/workgroup_resize.h"

#include <algorithm>

#include "vyre/base/arithmetic.h"

namespace vyre {

std::optional<std::uint32_t> suggest_resize(const ResizePolicy& policy,
                                            const FeedbackWindow& window) {
  const std::uint32_t current = std::max(window.observed_workgroup_x, 1u);
  if (window.idle_us > policy.idle_shrink_us) {
    const std::uint32_t half = current / 2;
    if (half < policy.minimum_workgroup_x) return std::nullopt;
    return half;
  }
  if (window.observed_throughput_per_us < policy.saturation_threshold_per_us) {
    const auto twice = checked_mul(current, 2u);
    if (!twice || *twice > policy.adapter_max_workgroup_x) return std::nullopt;
    return twice;
  }
  return std::nullopt;
}

}  // namespace vyre
