// Loads of lanes that walk along rows of their own (row_walks.h): the next words of every lane are
// loaded with one wide load a lane, turned into a vector for each place of a row, and kept for the
// rounds that follow.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// Whether a load of such elements can be served from a block.
bool may_take_block(const EmitContext& e, const Pointer& pointer,
                    const std::vector<ScalarField>& fields);

// pointer: resolved, into memory that nothing writes. lanes: those that run and are inside; null:
// all. otherwise: loads where no block serves.
llvm::SmallVector<Leaf, 4> load_from_block(
    EmitContext& e, const Pointer& pointer, const std::vector<ScalarField>& fields,
    llvm::Value* lanes, llvm::function_ref<llvm::SmallVector<Leaf, 4>()> otherwise);

// As many rows as each has words: what stood in a column stands in a row after this.
void transpose(llvm::IRBuilder<>& b, std::vector<llvm::Value*>& rows);

}  // namespace vyre
