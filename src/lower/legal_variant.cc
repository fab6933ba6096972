#include <algorithm>
#include <array>
#include <cassert>

#include "vyre/ir/slots.h"
#include "vyre/lower/legal_variant_internal.h"
#include "vyre/target/limits.h"

namespace vyre {

void assert_legal([[maybe_unused]] const Kernel& kernel, [[maybe_unused]] const Variant& variant,
                  [[maybe_unused]] TargetKind kind) {
#ifndef NDEBUG
  constexpr std::array kGangs{1U, 8U, 16U, 32U};
  constexpr std::array kItems{1U, 2U, 4U, 8U, 16U};
  assert(std::ranges::count(kGangs, variant.gang_width) != 0);
  assert(std::ranges::count(kItems, variant.items_per_lane) != 0);
  if (depends_on_workgroup(kernel)) {
    assert(variant.workgroup == kernel.program->workgroup && variant.items_per_lane == 1);
  }
  if (kind == TargetKind::host) {
    assert(kernel.stats.subgroup_operations == 0 || variant.gang_width == kSubgroupSize);
  } else {
    assert(variant.gang_width == 1 && slots_of(*kernel.program).size() <= kGpuBindings);
  }
#endif
}

}  // namespace vyre
