#include "vyre/plan/launch_request.h"

#include <fmt/format.h>

#include <utility>

#include "vyre/base/arithmetic.h"

namespace vyre {

FixedChoices::FixedChoices(const Variant& v)
    : workgroup(v.workgroup),
      items_per_lane(v.items_per_lane),
      layout(v.layout),
      gang_width(v.gang_width),
      groups_per_task(v.groups_per_task),
      bounds(v.bounds),
      overrides(v.overrides) {}

FixedChoices::FixedChoices(const std::optional<Variant>& variant) {
  if (variant) *this = FixedChoices(*variant);
}

Variant FixedChoices::applied_to(Variant v) const {
  if (workgroup) v.workgroup = *workgroup;
  if (items_per_lane) v.items_per_lane = *items_per_lane;
  if (layout) v.layout = *layout;
  if (gang_width) v.gang_width = *gang_width;
  if (groups_per_task) v.groups_per_task = *groups_per_task;
  if (bounds) v.bounds = *bounds;
  if (!overrides.empty()) v.overrides = overrides;
  return v;
}

Result<Extent> extent_in(const DispatchSize& size, const Extent& workgroup) {
  if (!size.in_workgroups) return size.value;
  Extent out{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    const auto product = checked_mul(size.value[axis], workgroup[axis]);
    if (!product) {
      return fail(Code::limit,
                  fmt::format("axis {} has {} workgroups of {} invocations, which are more than {}",
                              axis, size.value[axis], workgroup[axis], UINT32_MAX));
    }
    out[axis] = *product;
  }
  return out;
}

Result<Extent> extent_of(const LaunchRequest& request) {
  return extent_in(request.size, request.kernels.front().kernel.program->workgroup);
}

}  // namespace vyre
