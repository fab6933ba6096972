// The parts of the emitter that only GPU kernels use.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// The part of a condition that remains to be tested after the test before the tile.
llvm::Value* decided(EmitContext& e, EmitFrame& frame, const Leaf& condition);
void gpu_barrier(EmitContext& e);
void gpu_uniform_load(EmitContext& e, EmitFrame& frame, const UniformLoadStmt& s);
llvm::Value* gpu_atomic(EmitContext& e, const AtomicStmt& s, bool is_signed, const Pointer& pointer,
                        llvm::Value* compare, llvm::Value* value, bool wants);
void gpu_loop(EmitContext& e, EmitFrame& frame, StmtId id, const LoopStmt& s);
// Ends the kernel when its deadline has passed.
void gpu_check_deadline(EmitContext& e);
// The sum x + row as an i32, computed before the tile; the row (i32) may be null.
llvm::Value* gpu_row_index(EmitContext& e, llvm::Value* row);

}  // namespace vyre
