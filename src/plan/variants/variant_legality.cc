#include "vyre/plan/variants/variant_legality.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "vyre/ir/slots.h"

namespace vyre {
namespace {

bool is_one_of(std::uint32_t value, std::initializer_list<std::uint32_t> allowed) {
  return std::ranges::find(allowed, value) != allowed.end();
}

std::string beyond_limits(const Kernel& kernel, const Variant& v, const Limits& limits) {
  std::uint64_t lanes = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (v.workgroup[axis] == 0) return "the workgroup has an axis of 0";
    if (v.workgroup[axis] > limits.max_block_dim[axis]) {
      return fmt::format("the workgroup has {} invocations along axis {}; {} allows {}",
                         v.workgroup[axis], axis, limits.backend, limits.max_block_dim[axis]);
    }
    lanes *= v.workgroup[axis];
  }
  if (lanes > limits.max_threads_per_block) {
    return fmt::format("the workgroup has {} invocations; {} allows {}", lanes, limits.backend,
                       limits.max_threads_per_block);
  }
  if (kernel.stats.workgroup_bytes > limits.max_workgroup_bytes) {
    return fmt::format("the program has {} bytes of workgroup memory; {} allows {}",
                       kernel.stats.workgroup_bytes, limits.backend, limits.max_workgroup_bytes);
  }
  const std::size_t bindings = slots_of(*kernel.program).size();
  if (bindings > limits.max_bindings) {
    return fmt::format("the program has {} bindings; {} allows {}", bindings, limits.backend,
                       limits.max_bindings);
  }
  return {};
}

}  // namespace

std::string_view why_shape_is_fixed(const Kernel& kernel) {
  if (kernel.stats.barriers != 0 || has_workgroup_memory(*kernel.program)) {
    return "shares memory or waits within its workgroup";
  }
  if (works_together(kernel)) return "has subgroup operations";
  return reads_workgroup_ids(kernel.stats) ? "reads the local or workgroup ids" : "";
}

std::string why_not(const Kernel& kernel, const Variant& v, TargetKind kind, const Limits& limits) {
  if (std::string why = beyond_limits(kernel, v, limits); !why.empty()) return why;
  if (kind == TargetKind::nvptx && v.gang_width != 1) return "gangs are for the CPU";
  if (!is_one_of(v.gang_width, {1, 8, 16, 32})) {
    return fmt::format("a gang has 1, 8, 16 or 32 lanes, not {}", v.gang_width);
  }
  if (kind == TargetKind::host && kernel.stats.subgroup_operations != 0 &&
      v.gang_width != kSubgroupSize) {
    return fmt::format("the program has subgroup operations, which need gangs of {} lanes",
                       kSubgroupSize);
  }
  const std::string_view fixed = why_shape_is_fixed(kernel);
  if (v.workgroup != kernel.program->workgroup && !fixed.empty()) {
    return fmt::format("the program {}, so its shape is fixed", fixed);
  }
  if (v.items_per_lane == 1) return {};
  if (!is_one_of(v.items_per_lane, {2, 4, 8, 16})) {
    return fmt::format("a lane takes 1, 2, 4, 8 or 16 items, not {}", v.items_per_lane);
  }
  return fixed.empty() ? "" : fmt::format("the program {}", fixed);
}

}  // namespace vyre
