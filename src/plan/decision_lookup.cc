#include "vyre/plan/decision_lookup.h"

#include <fmt/format.h>

#include "vyre/base/files/disk_wait.h"
#include "vyre/base/files/private_folder.h"
#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/kernel_facts.h"
#include "vyre/plan/specification/cold_start.h"
#include "vyre/plan/specification/eligibility.h"
#include "vyre/plan/specification/launch_feedback.h"
#include "vyre/tune/decisions/decision_file.h"

namespace vyre {

std::string why_undecidable(const Kernel& kernel, const Extent& extent) {
  const auto elements = volume_in_32_bits(extent);
  if (!elements) return "it has more elements than 32 bits count";
  const Ineligible why = eligibility(facts_of(kernel), kernel.program->workgroup, *elements);
  return why == Ineligible::none ? "" : std::string(describe(why));
}

std::optional<FeedbackKey> decision_key(const Adapter& adapter, const Kernel& kernel,
                                        const Extent& extent) {
  if (!why_undecidable(kernel, extent).empty()) return std::nullopt;
  return feedback_key(kernel.fingerprint, kernel.program->workgroup, *volume_in_32_bits(extent),
                      adapter.limits);
}

std::optional<Extent> decided_workgroup(const Adapter& adapter, const Kernel& kernel,
                                        const Extent& extent, const WorkLimits& limits) {
  const auto key = decision_key(adapter, kernel, extent);
  if (!key) return std::nullopt;
  const auto read = with_disk(
      adapter.decisions.parent_path(),
      [path = adapter.decisions]() -> Result<ParsedDecisions> {
        auto loaded = load_decisions(path);
        if (loaded) return *std::move(loaded);
        VYRE_CHECK(PrivateFolder::find(path.parent_path()));  // gives a better error
        return std::unexpected(to_error(loaded.error()));
      },
      limits);
  if (!read) {
    if (!limits.over()) warn_once("earlier decisions are not used", read.error());
    return std::nullopt;
  }
  const auto found = read->entries.find(key->view());
  if (found == read->entries.end()) return std::nullopt;
  const Extent& workgroup = found->second;
  const bool fits =
      workgroup[1] == 1 && workgroup[2] == 1 && fits_limits(workgroup[0], adapter.limits);
  return fits ? std::optional(workgroup) : std::nullopt;
}

Result<void> export_decision(const Adapter& adapter, const Kernel& kernel, const Extent& extent,
                             const Extent& workgroup) {
  const auto key = decision_key(adapter, kernel, extent);
  if (!key) {
    return fail(Code::invalid_input,
                fmt::format("a decision file holds nothing about '{}': {}", kernel.program->name,
                            why_undecidable(kernel, extent)));
  }
  const auto saved = save_decisions(adapter.decisions, {{std::string(key->view()), workgroup}},
                                    {.max_entries = kMaxFeedbackEntries, .last_use = {}});
  if (!saved) return std::unexpected(to_error(saved.error()));
  return {};
}

}  // namespace vyre
