// Control flow of GPU kernels that use subgroup operations.
//
// Every instruction that exchanges values within a warp names the lanes that take part, and all of
// them have to get there. The hardware does not tell which lanes those are: it may run lanes of one
// branch in turns. So the code carries a mask of the lanes that run. Where control flow may divide
// a warp, a ballot finds the lanes of each side; lanes that leave a block, a loop or the function
// early skip what follows and meet the others at its end.
//
// Statements without subgroup operations are emitted as everywhere else, and where all lanes of a
// warp are known to agree there is no ballot.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// Whether the lanes of a function that return early are tracked for the others.
bool has_warp_flow(const EmitContext& e, FunctionId function);
// Statements that are emitted now may have subgroup operations.
bool is_warp_flow(const EmitContext& e);
void emit_warp_block(EmitContext& e, EmitFrame& frame, std::span<const StmtId> stmts);

// i32: which of the lanes in `mask` see a true condition. All of them, and no others, execute it.
llvm::Value* ballot(EmitContext& e, llvm::Value* mask, llvm::Value* condition);

}  // namespace vyre
