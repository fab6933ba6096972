// The slots of a program: its storage and uniform variables, ordered by (group, binding). Plans,
// generated code and launches all count bindings this way.
#pragma once

#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

std::vector<GlobalId> slots_of(const Program& program);
// Whether the program may write a variable: it is in storage memory and not read-only.
bool is_written(const Global& global);

}  // namespace vyre
