// WGSL's uniformity analysis: barriers and uniform loads are reached by all invocations of a
// workgroup together, subgroup operations by all invocations of a subgroup.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vyre/ir/validate/uniformity_function.h"
#include "vyre/ir/validate/validate.h"

namespace vyre {

// An issue for every barrier, uniform load and call that needs uniform control flow (or a uniform
// value) and may not have it. The notes lead to the value that may differ between invocations, and
// say why. The program must have no other errors. `outside` has the facts of functions whose body
// is not in the program, by FunctionId.
std::vector<ProgramIssue> check_uniformity(
    const Program& program, const std::unordered_map<std::uint32_t, UniformityFacts>& given = {});

// Whether a subgroup operation stands where control flow is uniform in a subgroup and may not be in
// the workgroup, so that the program needs WGSL's language feature subgroup_uniformity.
bool needs_subgroup_scope(const Program& program,
                          const std::unordered_map<std::uint32_t, UniformityFacts>& given = {});

}  // namespace vyre
