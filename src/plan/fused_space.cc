#include "vyre/plan/fused_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>

#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/code_check.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

// How the text of a candidate that runs the stages begins.
constexpr const char* kApart = "launches=apart";
// The most candidates that run the stages with settings that all of them share. One more runs what
// the planner would launch for each stage by itself.
constexpr std::size_t kMostApart = 16;

// "launches=apart workgroup=64x1x1,16x16x1 gang=8": a setting that all stages share stands once.
std::string apart_text(std::span<const Variant> variants, TargetKind kind) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> values;
  for (const Variant& variant : variants) {
    for (const auto& [name, value] : configuration_of(variant, kind)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      values[name].push_back(value);
    }
  }
  std::string out = kApart;
  for (const std::string& name : names) {
    std::vector<std::string>& all = values[name];
    if (std::ranges::count(all, all.front()) == std::ssize(all) && all.size() == variants.size()) {
      all.resize(1);
    }
    out += fmt::format(" {}={}", name, fmt::join(all, ","));
  }
  return out;
}

// One way to launch the stages on their own.
struct Apart {
  std::vector<Variant> variants;  // by stage
  double expected_ns = 0;
};

// What the planner would launch for each stage by itself comes first; then settings that every
// stage has among its candidates, the cheapest first.
std::vector<Apart> ways_apart(std::span<const LaunchSpace> spaces) {
  std::vector<Apart> out(1);
  for (const LaunchSpace& space : spaces) {
    const LaunchCandidate& first = space.candidates[space.start];
    out.front().variants.push_back(first.variant);
    out.front().expected_ns += first.expected_ns;
  }
  for (const LaunchCandidate& shared : spaces.front().candidates) {
    Apart way;
    for (const LaunchSpace& space : spaces) {
      const auto found =
          std::ranges::find(space.candidates, shared.variant, &LaunchCandidate::variant);
      if (found == space.candidates.end()) break;
      way.variants.push_back(shared.variant);
      way.expected_ns += found->expected_ns;
    }
    if (way.variants.size() != spaces.size() || way.variants == out.front().variants) continue;
    out.push_back(std::move(way));
  }
  std::ranges::stable_sort(std::span(out).subspan(1), {}, &Apart::expected_ns);
  if (out.size() > kMostApart + 1) out.resize(kMostApart + 1);
  return out;
}

// Why the fused kernel of the start may not serve before it was measured; empty: it may.
std::string why_apart(const LaunchRequest& fused, std::span<const LaunchRequest> stages,
                      const FusedSpace& space) {
  const bool measured = space.space.by == Authority::pin || space.space.by == Authority::evidence;
  if (measured || !fused.code || space.is_apart(space.space.start)) return {};
  const Variant& variant = space.space.candidates[space.space.start].variant;
  const auto code = fused.code(fused.kernels.front().kernel, variant, space.space.largest);
  if (code && code->local_bytes == 0) return {};
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto alone = stages[s].code(stages[s].kernels.front().kernel, space.apart.front()[s],
                                      stages[s].size.value);
    if (!alone || alone->local_bytes != 0) return {};
  }
  return code ? spill_text(code->local_bytes, "its stages") : code.error().what;
}

void run_apart(FusedSpace& all, std::string_view why) {
  LaunchSpace& space = all.space;
  const Variant refused = space.candidates[space.start].variant;
  const auto is_larger = [&](const LaunchCandidate& c) {
    return c.kernel != kOtherKernels && c.variant.items_per_lane >= refused.items_per_lane &&
           volume(c.variant.workgroup) >= volume(refused.workgroup);
  };
  std::erase_if(space.candidates, is_larger);
  space.start = static_cast<std::uint32_t>(all.fused());
  space.declared = space.start;
  space.by = Authority::declared;
  space.why = fmt::format("the stages run on their own: of the fused kernel, {}", why);
}

}  // namespace

Result<FusedSpace> plan_fused_space(const LaunchRequest& fused,
                                    std::span<const LaunchRequest> stages, const PlanDevice& device,
                                    const PlanMemory& memory) {
  std::vector<LaunchSpace> spaces;
  for (LaunchRequest stage : stages) {
    stage.code = {};  // most stages never run on their own, and need not be compiled now
    VYRE_TRY(spaces.emplace_back(), plan_space(stage, device, memory));
  }
  PlanMemory exact = memory;
  exact.exact_size = true;
  FusedSpace out;
  VYRE_TRY(out.space, candidate_space(fused, device, exact));
  // The model does not compare different kernels well enough to leave one of them untried. Where
  // nothing was measured, the stages are expected to take as long as the fused kernel.
  PlanMemory unmeasured = exact;
  unmeasured.evidence = nullptr;
  LaunchRequest uncompiled = fused;
  uncompiled.code = {};
  decide_start(uncompiled, device, unmeasured, out.space);
  const double expected_ns = out.space.candidates[out.space.start].expected_ns;
  std::vector<Apart> ways = ways_apart(spaces);
  const double first_ns = ways.front().expected_ns;
  for (Apart& way : ways) {
    out.space.candidates.push_back({.kernel = kOtherKernels,
                                    .variant = way.variants.front(),
                                    .text = apart_text(way.variants, device.kind),
                                    .expected_ns = expected_ns * way.expected_ns / first_ns});
    out.apart.push_back(std::move(way.variants));
  }
  decide_start(fused, device, exact, out.space);
  if (const std::string why = why_apart(fused, stages, out); !why.empty()) run_apart(out, why);
  return out;
}

bool runs_apart(std::string_view candidate) { return candidate.starts_with(kApart); }

}  // namespace vyre
