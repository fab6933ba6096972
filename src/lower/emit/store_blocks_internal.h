// Stores of lanes that walk along rows of their own (row_walks.h): what the lanes store in some
// rounds is kept, and then written with one wide store a lane.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// Says whether a store is kept in a block. Else what is kept of the same statement is written at
// once, so that each lane's stores keep their order.
bool begin_store_block(EmitContext& e, const Pointer& pointer,
                       const std::vector<ScalarField>& fields);
// pointer: resolved. lanes: those that run and are inside; null: all.
void store_to_block(EmitContext& e, const Pointer& pointer, const std::vector<ScalarField>& fields,
                    const Val& value, llvm::Value* lanes);

// At the end of a function.
void end_store_blocks(EmitContext& e);

}  // namespace vyre
