// The rounds of a loop that all lanes of a gang make, without masks.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// A loop such as `for (var i = local_index; i < n; i += 256u)` ends at different times for
// different lanes, but all lanes make most of its rounds. Emits these common rounds as a loop that
// is counted before it begins and does not test the condition. Afterwards the builder is at the
// place for the remaining rounds, which the caller emits as a loop that tests each lane. `exit` is
// the block to continue with when no lane has a round left. Emits nothing if the rounds cannot be
// counted.
void emit_whole_rounds(EmitContext& e, EmitFrame& frame, StmtId id, const LoopStmt& loop,
                       llvm::BasicBlock* exit);

}  // namespace vyre
