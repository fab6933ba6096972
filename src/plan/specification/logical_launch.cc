#include "vyre/plan/specification/logical_launch.h"

#include <algorithm>

#include "vyre/base/arithmetic.h"
#include "vyre/plan/geometry.h"

namespace vyre {
namespace {

constexpr Extent kUnitGrid{1, 1, 1};

WorkgroupSource source_of(FeedbackSource source) {
  switch (source) {
    case FeedbackSource::cold_start: return WorkgroupSource::cold_start;
    case FeedbackSource::measured: return WorkgroupSource::measured;
    case FeedbackSource::stored: return WorkgroupSource::stored;
  }
  return WorkgroupSource::cold_start;
}

PlanResult<std::uint32_t> counted_elements(const LogicalRequest& request) {
  const DispatchConfig& config = request.config;
  if (!config.element_count)
    return inferred_element_count(request.bindings, request.program.contains_atomic);
  if (*config.element_count == 0)
    return std::unexpected(ZeroGlobalSize{request.adapter.limits.backend, {0, 1, 1}});
  return *config.element_count;
}

// With a fixed grid, the elements that its x axis covers.
PlanResult<std::uint32_t> launched_elements(const LogicalRequest& request, std::uint32_t counted,
                                            const Extent& workgroup) {
  if (!request.config.grid_override) return counted;
  const Extent& grid = *request.config.grid_override;
  const std::string& backend = request.adapter.limits.backend;
  if (has_zero(grid)) return std::unexpected(ZeroOverrideDimension{backend, grid});
  const auto elements = checked_mul(grid[0], workgroup[0]);
  if (!elements) return std::unexpected(ElementCountOverflow{backend, grid[0], workgroup[0]});
  return *elements;
}

PlanResult<Extent> launched_grid(const LogicalRequest& request, std::uint32_t elements,
                                 const Extent& workgroup) {
  const DispatchConfig& config = request.config;
  if (config.grid_override) return *config.grid_override;
  if (workgroup[1] == 1 && workgroup[2] == 1) return grid_for_count(elements, workgroup);
  const std::string& backend = request.adapter.limits.backend;
  if (!config.global_size) return std::unexpected(GridOverrideRequired{backend, workgroup});
  if (has_zero(*config.global_size))
    return std::unexpected(ZeroGlobalSize{backend, *config.global_size});
  return grid_covering(*config.global_size, workgroup);
}

std::uint64_t largest_alignment(std::span<const PlannedBinding> bindings) {
  if (bindings.empty()) return 1;
  std::uint64_t largest = 0;
  for (const PlannedBinding& binding : bindings)
    largest = std::max(largest, binding.preferred_alignment);
  return largest;
}

}  // namespace

std::string_view to_string(WorkgroupSource source) {
  switch (source) {
    case WorkgroupSource::overridden: return "override";
    case WorkgroupSource::declared_by_mode: return "declared (mode)";
    case WorkgroupSource::declared_with_grid: return "declared (fixed grid)";
    case WorkgroupSource::declared_ineligible: return "declared (not tunable)";
    case WorkgroupSource::declared_only: return "declared (nothing to choose from)";
    case WorkgroupSource::cold_start: return "cold start";
    case WorkgroupSource::measured: return "measured";
    case WorkgroupSource::stored: return "stored decision";
  }
  return "unknown";
}

WorkgroupChoice resolve_workgroup(const ProgramFacts& program, const DispatchConfig& config,
                                  const Adapter& adapter, std::uint32_t element_count,
                                  TunerMode mode, LaunchFeedback& feedback) {
  using enum WorkgroupSource;
  if (config.workgroup_override) return {*config.workgroup_override, overridden};
  if (mode != TunerMode::natural_gradient) return {program.workgroup, declared_by_mode};
  if (config.grid_override) return {program.workgroup, declared_with_grid};
  const Resolution known = feedback.resolve(program, adapter, element_count);
  if (known.workgroup) return {*known.workgroup, source_of(known.source)};
  if (known.ineligible != Ineligible::none)
    return {program.workgroup, declared_ineligible, known.ineligible};
  return {program.workgroup, declared_only};
}

PlanResult<void> prepare(LogicalLaunch& plan, const LogicalRequest& request, TunerMode mode,
                         LaunchFeedback& feedback) {
  const Limits& limits = request.adapter.limits;
  VYRE_TRY(const std::uint32_t counted, counted_elements(request));
  const WorkgroupChoice choice =
      resolve_workgroup(request.program, request.config, request.adapter, counted, mode, feedback);
  VYRE_CHECK(check_geometry(choice.workgroup, kUnitGrid, limits));
  VYRE_TRY(const std::uint32_t elements, launched_elements(request, counted, choice.workgroup));
  VYRE_TRY(const Extent grid, launched_grid(request, elements, choice.workgroup));
  VYRE_CHECK(check_geometry(choice.workgroup, grid, limits));
  VYRE_CHECK(write_param_words(request.bindings, elements, plan.param_words));

  plan.element_count = elements;
  plan.workgroup = choice.workgroup;
  plan.grid = grid;
  plan.max_binding_alignment = largest_alignment(request.bindings);
  plan.workgroup_source = choice.source;
  plan.ineligible = choice.ineligible;
  return {};
}

}  // namespace vyre
