// The rounds of a loop that all lanes of a gang make, without masks.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// A loop such as `for (var i = local_index; i < n; i += 256u)` ends at different times for
// different lanes, but in most of its rounds none of them is at the end. Emits these rounds as a
// loop whose rounds are counted before it begins, with no look at its condition. Behind it the
// builder stands where the rest is to follow, a loop that tests each lane; `exit` is where to go
// when no lane has any round left. Emits nothing where the rounds cannot be counted.
void emit_whole_rounds(EmitContext& e, EmitFrame& frame, StmtId id, const LoopStmt& loop,
                       llvm::BasicBlock* exit);

}  // namespace vyre
