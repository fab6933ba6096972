// The beginning of every host function, which reads the launch record into values.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

struct HostArguments {
  llvm::Value* launch = nullptr;
  llvm::Value* extent[3] = {};  // i64
};

// Positions the builder in a fresh entry block and fills in the emitter's globals, grid and stop
// flag.
HostArguments emit_host_prologue(EmitContext& e, llvm::Function* function, llvm::Value* launch);

// Fresh private memory for the gang that is being emitted, with its initial values.
void begin_privates(EmitContext& e, EmitFrame& entry);

// The ids of a gang from its workgroup (i32 each) and the position of its first lane.
void set_group_ids(EmitContext& e, llvm::Value* const group[3], llvm::Value* local_x,
                   llvm::Value* local_y, llvm::Value* local_z);

}  // namespace vyre
