// What is different on a GPU.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// Where one test before the tile decided it, a condition is what remains of it.
llvm::Value* decided(EmitContext& e, EmitFrame& frame, const Leaf& condition);
void gpu_barrier(EmitContext& e);
void gpu_uniform_load(EmitContext& e, EmitFrame& frame, const UniformLoadStmt& s);
llvm::Value* gpu_atomic(EmitContext& e, const AtomicStmt& s, bool is_signed, const Pointer& pointer,
                        llvm::Value* compare, llvm::Value* value, bool wants);
void gpu_loop(EmitContext& e, EmitFrame& frame, StmtId id, const LoopStmt& s);
// Ends the kernel when its time is over.
void gpu_check_deadline(EmitContext& e);
// i32, before the tile: x + row, where the row (i32) may be null.
llvm::Value* gpu_row_index(EmitContext& e, llvm::Value* row);

}  // namespace vyre
