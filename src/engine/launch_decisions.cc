#include "vyre/engine/launch_decisions.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "vyre/base/private_folder.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"
#include "vyre/plan/eligibility.h"
#include "vyre/plan/kernel_facts.h"
#include "vyre/plan/launch_feedback.h"
#include "vyre/tune/decision_file.h"

namespace vyre {
namespace {

std::string generator_for(const Device& device) {
  return device.target().kind == TargetKind::host ? generator_version() : gpu_generator_version();
}

// Nothing where there are more than plans can count.
std::optional<std::uint32_t> elements_of(const Extent& extent) {
  const std::uint64_t plane = std::uint64_t{extent[0]} * extent[1];
  if (plane > UINT32_MAX || plane * extent[2] > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(plane * extent[2]);
}

FeedbackKey key_in_file(const Adapter& adapter, const Kernel& kernel, std::uint32_t elements) {
  return feedback_key(kernel.fingerprint, kernel.program->workgroup, elements, adapter.limits);
}

}  // namespace

Adapter adapter_of(const Device& device, const Profile& profile) {
  return make_adapter(device.limits(), {.device = profile.device_name,
                                        .driver_version = profile.driver,
                                        .code_generator_version = generator_for(device)});
}

unsigned processors_here() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

TuningKey tuning_key_of(const Device& device, const Profile& profile, std::string identity,
                        std::string name, const Extent& extent) {
  TuningKey key;
  key.program = std::move(identity);
  key.name = std::move(name);
  key.size = size_text(extent);
  key.device = profile.device_name.empty() ? std::string(device.name()) : profile.device_name;
  key.driver = profile.driver;
  key.generator = generator_for(device);
  // Other processors to work on make another machine.
  if (device.target().kind == TargetKind::host)
    key.device += fmt::format(" x{}", processors_here());
  return key;
}

std::string why_plans_keep_it(const Kernel& kernel, const Extent& extent) {
  const auto elements = elements_of(extent);
  if (!elements) return "it has more elements than plans count";
  const Ineligible why = eligibility(facts_of(kernel), kernel.program->workgroup, *elements);
  return why == Ineligible::none ? "" : std::string(describe(why));
}

std::optional<Extent> planned_workgroup(const Adapter& adapter, const Kernel& kernel,
                                        const Extent& extent) {
  const auto elements = elements_of(extent);
  if (!elements || !why_plans_keep_it(kernel, extent).empty()) return std::nullopt;
  const auto read = load_decisions(adapter.decisions);
  if (!read) {
    const auto folder = PrivateFolder::find(adapter.decisions.parent_path());
    warn_once("earlier decisions are not used", folder ? to_error(read.error()) : folder.error());
    return std::nullopt;
  }
  const auto found = read->entries.find(key_in_file(adapter, kernel, *elements).view());
  if (found == read->entries.end()) return std::nullopt;
  return found->second;
}

std::optional<Extent> workgroup_for_plans(const TuningView& view) {
  const Extent& workgroup = view.variants[view.incumbent].workgroup;
  if (workgroup[1] != 1 || workgroup[2] != 1) return std::nullopt;
  return workgroup;
}

Result<void> decide_for_plans(const Adapter& adapter, const Kernel& kernel, const Extent& extent,
                              const Extent& workgroup) {
  if (const std::string why = why_plans_keep_it(kernel, extent); !why.empty()) {
    return fail(Code::invalid_input,
                fmt::format("plans keep the workgroup of '{}': {}", kernel.program->name, why));
  }
  const Decisions decisions{
      {std::string(key_in_file(adapter, kernel, *elements_of(extent)).view()), workgroup}};
  const auto saved = save_decisions(adapter.decisions, decisions,
                                    {.max_entries = kMaxFeedbackEntries, .last_use = {}});
  if (!saved) return std::unexpected(to_error(saved.error()));
  return {};
}

}  // namespace vyre
