// The grid of a launch from its buffers alone, for callers without a launch plan. Unlike a plan,
// these lay workgroups of several axes out as squares and cubes.
#pragma once

#include <span>

#include "vyre/plan/bindings/binding_plan.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/program_facts.h"

namespace vyre {

// The config's grid, unchecked, or the grid that covers what the buffers and inputs hold.
PlanResult<Extent> infer_grid(const ProgramFacts& program, std::span<const BufferDecl> buffers,
                              std::span<const InputLength> inputs, const DispatchConfig& config);

// The grid of the declared workgroup for what the declarations alone say, after the backend's gate.
PlanResult<Extent> auto_grid(const ProgramFacts& program, std::span<const BufferDecl> buffers,
                             const BackendLimits& limits);

}  // namespace vyre
