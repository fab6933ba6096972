// Subgroup operations in the interpreter: which invocations execute one together, and its result.
#pragma once

#include <span>

#include "vyre/ir/interpret/interpret_machine.h"

namespace vyre {

// Of the invocations that wait at subgroup operations, lets those go on that are furthest behind in
// each subgroup. Returns whether there were any.
bool run_subgroups(const FlatCode& code, std::span<Invocation> all);

}  // namespace vyre
