#include "vyre/plan/bindings/grid_inference.h"

namespace vyre {
namespace {

PlanResult<Extent> covering_grid(const ProgramFacts& program, const BindingPlan& plan,
                                 const Extent& workgroup) {
  return grid_for_count(inferred_element_count(plan.bindings, program.contains_atomic), workgroup);
}

}  // namespace

PlanResult<Extent> infer_grid(const ProgramFacts& program, std::span<const BufferDecl> buffers,
                              std::span<const InputLength> inputs, const DispatchConfig& config) {
  if (config.grid_override) return *config.grid_override;
  VYRE_TRY(const BindingPlan plan, plan_bindings(buffers, inputs));
  return covering_grid(program, plan, config.workgroup_override.value_or(program.workgroup));
}

PlanResult<Extent> auto_grid(const ProgramFacts& program, std::span<const BufferDecl> buffers,
                             const BackendLimits& limits) {
  VYRE_CHECK(check_before_dispatch(program.workgroup, DispatchConfig{}, limits));
  VYRE_TRY(const BindingPlan plan, plan_bindings(buffers));
  return covering_grid(program, plan, program.workgroup);
}

}  // namespace vyre
