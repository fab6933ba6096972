// The specification's plan of a launch: element count, workgroup, logical grid and parameter words.
// It is written to storage of the caller, so that preparing it again allocates nothing. The planner
// calls it with the workgroup that it chose.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vyre/plan/bindings/binding_plan.h"
#include "vyre/plan/specification/launch_feedback.h"

namespace vyre {

// Where a plan's workgroup comes from.
enum class WorkgroupSource : std::uint8_t {
  overridden,           // the caller fixed it
  declared_by_mode,     // the tuner's mode does not change plans
  declared_with_grid,   // the caller fixed the grid, which is in units of the declared workgroup
  declared_ineligible,  // the program must not be tuned; the plan says why
  declared_only,        // fewer than two widths fit the device
  cold_start,           // chosen by the cost model
  measured,             // chosen by measured launches
  stored,               // chosen by an earlier process
};
std::string_view to_string(WorkgroupSource source);

struct WorkgroupChoice {
  Extent workgroup{1, 1, 1};
  WorkgroupSource source = WorkgroupSource::declared_by_mode;
  Ineligible ineligible = Ineligible::none;  // with declared_ineligible
  bool operator==(const WorkgroupChoice&) const = default;
};

// The workgroup of a launch. Never fails: a launch that cannot be tuned keeps the declared
// workgroup. Backends that compile the workgroup into the kernel call this before they have a plan.
WorkgroupChoice resolve_workgroup(const ProgramFacts& program, const DispatchConfig& config,
                                  const Adapter& adapter, std::uint32_t element_count,
                                  TunerMode mode, LaunchFeedback& feedback);

struct LogicalLaunch {
  std::uint32_t element_count = 1;
  Extent workgroup{1, 1, 1};
  Extent grid{1, 1, 1};
  std::vector<std::uint32_t> param_words;
  std::uint64_t max_binding_alignment = 1;
  WorkgroupSource workgroup_source = WorkgroupSource::declared_by_mode;
  Ineligible ineligible = Ineligible::none;
  bool operator==(const LogicalLaunch&) const = default;
};

struct LogicalRequest {
  const ProgramFacts& program;
  std::span<const PlannedBinding> bindings;
  const DispatchConfig& config;
  const Adapter& adapter;
};

// After an error the plan is unchanged.
PlanResult<void> prepare(LogicalLaunch& plan, const LogicalRequest& request, TunerMode mode,
                         LaunchFeedback& feedback);

}  // namespace vyre
