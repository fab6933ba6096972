// Subgroup operations in the interpreter: which invocations execute one together, and its result.
#pragma once

#include <span>

#include "vyre/ir/interpret/interpret_machine.h"

namespace vyre {

// Lets those invocations continue that wait at the earliest subgroup operation of each subgroup.
// Returns whether there were any.
bool run_subgroups(const FlatCode& code, std::span<Invocation> all);

}  // namespace vyre
