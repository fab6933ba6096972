#include "vyre/plan/fused_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>

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

}  // namespace

Result<FusedSpace> plan_fused_space(const LaunchRequest& fused,
                                    std::span<const LaunchRequest> stages, const PlanDevice& device,
                                    const PlanMemory& memory) {
  std::vector<LaunchSpace> spaces;
  for (const LaunchRequest& stage : stages) {
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
  decide_start(fused, device, unmeasured, out.space);
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
  return out;
}

bool runs_apart(std::string_view candidate) { return candidate.starts_with(kApart); }

}  // namespace vyre
