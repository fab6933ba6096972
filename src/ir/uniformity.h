// WGSL's uniformity analysis: barriers and uniform loads are reached by all invocations of a
// workgroup together.
#pragma once

#include <vector>

#include "vyre/ir/validate.h"

namespace vyre {

// An issue for every barrier, uniform load and call that needs uniform control flow (or a uniform
// value) and may not have it; the notes lead to the value that may differ between invocations, and
// say why. The program has no other errors.
std::vector<ProgramIssue> check_uniformity(const Program& program);

}  // namespace vyre
