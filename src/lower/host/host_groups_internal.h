#pragma once

#include "vyre/lower/emit/emit_context_internal.h"
#include "vyre/lower/host/private_counts_internal.h"

namespace vyre {

// Fills `function` (launch, scratch, group x, y, z, copied buffers -> i32) with one workgroup of a
// program that has barriers, workgroup memory or subgroup operations. partial: the workgroup may
// reach beyond the extent. across_rows: gangs follow the linear local index instead of rows along
// x.
void emit_group(EmitContext& e, const ProgramSpreads& spreads, const PrivateCounts& counts,
                llvm::Function* function, bool partial, bool across_rows);

}  // namespace vyre
