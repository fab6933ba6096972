#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// Fills `function` (launch, scratch, group x, y, z -> i32) with one workgroup of a program that has
// barriers or workgroup memory. partial: the workgroup may reach beyond the extent.
void emit_group(EmitContext& e, const ProgramSpreads& spreads, llvm::Function* function,
                bool partial);

}  // namespace vyre
