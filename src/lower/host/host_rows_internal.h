#pragma once

#include "vyre/lower/emit/emit_context_internal.h"
#include "vyre/lower/host/private_counts_internal.h"
#include "vyre/target/variant.h"

namespace vyre {

// Fills `function` (the HostEntry signature) with a program that has neither barriers nor workgroup
// memory.
void emit_rows(EmitContext& e, const ProgramSpreads& spreads, const Variant& variant,
               const PrivateCounts& counts, llvm::Function* function);

}  // namespace vyre
