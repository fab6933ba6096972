#include <algorithm>

#include "vyre/engine/usual_variant_internal.h"
#include "vyre/engine/work_internal.h"
#include "vyre/lower/host_compile.h"
#include "vyre/tune/space.h"

namespace vyre {
namespace {

constexpr std::uint32_t kThreads = 8;
constexpr std::uint64_t kCacheBytes = std::uint64_t{32} << 20;

// About a million invocations, along as many axes as the program has.
Extent usual_extent(const Extent& workgroup) {
  if (workgroup[2] > 1) return {128, 128, 64};
  if (workgroup[1] > 1) return {1024, 1024, 1};
  return {1 << 20, 1, 1};
}

}  // namespace

Variant usual_host_variant(const Kernel& kernel, const Limits& limits, const WhyNot& why_not) {
  SpaceRequest request;
  request.kind = TargetKind::host;
  request.usual = host_default_variant(kernel);
  request.declared = kernel.program->workgroup;
  request.extent = usual_extent(request.declared);
  request.shape_is_fixed = true;
  request.limits = limits;
  request.why_not = [&](const Variant& v) { return why_not(kernel, v); };
  if (!request.why_not(request.usual).empty()) return request.usual;
  std::vector<Variant> variants = variant_space(request);
  std::erase_if(variants, [&](const Variant& v) {
    return v.workgroup != request.usual.workgroup ||
           v.groups_per_task != request.usual.groups_per_task;
  });
  if (variants.empty()) return request.usual;
  Profile profile;
  profile.multiprocessors = kThreads;
  profile.warp_size = host_vector_width();
  profile.last_level_cache_bytes = kCacheBytes;
  PriorFacts facts = prior_facts_of(kernel, TargetKind::host, request.extent, 0);
  facts.usual = request.usual;
  const std::vector<double> costs = prior_ns(facts, profile, variants);
  return variants[static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin())];
}

}  // namespace vyre
