#include "vyre/plan/variants/declared_variant.h"

#include <algorithm>

#include "vyre/plan/model/program_work.h"
#include "vyre/plan/variants/variant_legality.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

// A typical machine, so that the answer does not depend on the machine at hand.
constexpr std::uint32_t kThreads = 8;
constexpr std::uint64_t kCacheBytes = std::uint64_t{32} << 20;

// About a million invocations, along as many axes as the program has.
Extent usual_extent(const Extent& workgroup) {
  if (workgroup[2] > 1) return {128, 128, 64};
  if (workgroup[1] > 1) return {1024, 1024, 1};
  return {1 << 20, 1, 1};
}

}  // namespace

Variant plain_variant(const Kernel& kernel, TargetKind kind) {
  Variant out;
  out.workgroup = kernel.program->workgroup;
  const bool has_subgroups = kernel.stats.subgroup_operations != 0;
  if (kind == TargetKind::host && has_subgroups) out.gang_width = kSubgroupSize;
  return out;
}

Variant declared_variant(const Kernel& kernel, std::uint32_t default_gang,
                         const PlanDevice& device) {
  Variant declared = plain_variant(kernel, device.kind);
  if (device.kind != TargetKind::host) return declared;
  if (declared.gang_width == 1) declared.gang_width = default_gang;
  SpaceRequest request;
  request.kind = device.kind;
  request.usual = declared;
  request.declared = declared.workgroup;
  request.extent = usual_extent(declared.workgroup);
  request.shape_is_fixed = true;
  request.limits = device.limits;
  request.why_not = [&](const Variant& v) {
    return why_not(kernel, v, device.kind, device.limits);
  };
  if (!request.why_not(declared).empty()) return declared;
  std::vector<Variant> variants = variant_space(request);
  std::erase_if(variants, [&](const Variant& v) {
    return v.workgroup != declared.workgroup || v.groups_per_task != declared.groups_per_task;
  });
  Profile profile;
  profile.multiprocessors = kThreads;
  profile.warp_size = device.vector_width;
  profile.last_level_cache_bytes = kCacheBytes;
  CostFacts facts = cost_facts_of(kernel, device.kind, request.extent, 0);
  facts.usual = declared;
  const std::vector<double> costs = expected_ns_of(facts, profile, variants);
  return variants[static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin())];
}

}  // namespace vyre
