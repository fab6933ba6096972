// The slots of a program: its storage and uniform variables, ordered by (group, binding). Plans,
// generated code and launches all count bindings this way.
#pragma once

#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

std::vector<GlobalId> slots_of(const Program& program);

}  // namespace vyre
