// Converts elements with several scalars between words in the order of memory and one vector for
// each scalar.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// Whether W elements, `stride` bytes apart, are loaded and stored by whole vectors: words of one
// size, a power of two of them in each element.
bool are_records(const std::vector<ScalarField>& fields, std::uint64_t stride);

// Loads W records, beginning at `first`. Reads whole records, gaps included.
llvm::SmallVector<Leaf, 4> load_records(EmitContext& e, llvm::Value* first, std::uint64_t stride,
                                        const std::vector<ScalarField>& fields);
// Writes the fields and nothing between them, for the lanes that run.
void store_records(EmitContext& e, llvm::Value* first, std::uint64_t stride,
                   const std::vector<ScalarField>& fields, const Val& value);

// Whether two neighbouring fields of 8 bytes together are accessed as one.
bool is_pair(const std::vector<ScalarField>& fields, std::size_t i);
// at: <W x ptr> of field i; lanes: <W x i1>.
std::pair<Leaf, Leaf> gather_pair(EmitContext& e, const std::vector<ScalarField>& fields,
                                  std::size_t i, llvm::Value* at, llvm::Value* lanes);
void scatter_pair(EmitContext& e, const std::vector<ScalarField>& fields, std::size_t i,
                  llvm::Value* at, const Val& value, llvm::Value* lanes);

}  // namespace vyre
