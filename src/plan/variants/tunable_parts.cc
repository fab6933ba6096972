#include "vyre/plan/variants/tunable_parts.h"

#include <algorithm>

#include "vyre/plan/variants/variant_legality.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {

std::vector<std::string> tunable_parts(const Kernel& kernel, TargetKind kind,
                                       const Limits& limits) {
  SpaceRequest request;
  request.kind = kind;
  request.usual.workgroup = request.declared = kernel.program->workgroup;
  if (kind == TargetKind::host) request.usual.gang_width = kSubgroupSize;
  for (unsigned axis = 0; axis < 3; ++axis) {
    request.extent[axis] = request.declared[axis] == 1 && axis != 0 ? 1 : 4096;
  }
  request.limits = limits;
  request.why_not = [&](const Variant& v) { return why_not(kernel, v, kind, limits); };
  if (!request.why_not(request.usual).empty()) return {};
  const std::vector<Variant> all = variant_space(request);
  std::vector<std::string> out;
  const auto add = [&](const char* part, auto member) {
    const auto differs = [&](const Variant& v) { return v.*member != request.usual.*member; };
    if (std::ranges::any_of(all, differs)) out.emplace_back(part);
  };
  add("workgroup", &Variant::workgroup);
  add("items per lane", &Variant::items_per_lane);
  add("layout", &Variant::layout);
  add("gang", &Variant::gang_width);
  add("groups per task", &Variant::groups_per_task);
  return out;
}

}  // namespace vyre
