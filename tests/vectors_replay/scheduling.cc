#include "sizing_operations.h"
#include "vyre/resident/policy.h"

namespace vyre {
namespace {

Json constants_case(const Json&) {
  return {{"default_worker_count", kStandardSizing.default_worker_count},
          {"fused_over_dispatch_multiplier", kStandardSizing.fused_over_dispatch_multiplier},
          {"sizing_default_worker_count", kStandardPolicy.sizing.default_worker_count}};
}

const ReplayFamily family{
    "scheduling",
    {{"constants", constants_case},
     {"worker_workgroup_size", worker_workgroup_size_case},
     {"padded_slot_count", padded_slot_count_case},
     {"dispatch_grid_for", dispatch_grid_for_case},
     {"default_worker_groups_from_limits", default_worker_groups_from_limits_case}}};

}  // namespace
}  // namespace vyre
