// The grid of a launch from its buffers alone, for callers without a launch plan. Unlike a plan,
// these functions arrange workgroups of several axes as squares and cubes.
#pragma once

#include <span>

#include "vyre/plan/bindings/binding_plan.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/program_facts.h"

namespace vyre {

// The grid of the config, unchecked, or else the grid that covers the buffers and inputs.
PlanResult<Extent> infer_grid(const ProgramFacts& program, std::span<const BufferDecl> buffers,
                              std::span<const InputLength> inputs, const DispatchConfig& config);

// The grid of the declared workgroup by the declarations alone, after the check of the backend.
PlanResult<Extent> auto_grid(const ProgramFacts& program, std::span<const BufferDecl> buffers,
                             const BackendLimits& limits);

}  // namespace vyre
