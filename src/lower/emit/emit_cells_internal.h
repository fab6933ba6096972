// The cells of vars: 32 bits for each scalar, one for the gang or one for each lane.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// Values with more scalars are copied and cleared by loops, not piece by piece.
constexpr std::uint64_t kManyScalars = 64;

std::uint64_t cells_of(const EmitContext& e, TypeId type);
LaneMemory new_lane_memory(EmitContext& e, std::uint64_t cells, bool is_varying, const char* name);
// Cells in scratch memory, a set for each gang.
std::uint64_t reserve_slot(EmitContext& e, std::uint64_t cells, Spread spread);
LaneMemory slot_memory(EmitContext& e, std::uint64_t offset, std::uint64_t cells, Spread spread);

Leaf load_cell(EmitContext& e, const LaneMemory& memory, llvm::Value* cell, ScalarKind kind);
void store_cell(EmitContext& e, const LaneMemory& memory, llvm::Value* cell, ScalarKind kind,
                const Leaf& value, llvm::Value* lanes);
Val load_cells(EmitContext& e, const LaneMemory& memory, TypeId type);
void store_cells(EmitContext& e, const LaneMemory& memory, const Val& value, llvm::Value* lanes);
void zero_cells(EmitContext& e, const LaneMemory& memory, std::uint64_t cells, llvm::Value* lanes);

// Emits a loop that runs body(0), body(1), ...
void emit_rounds(EmitContext& e, std::uint32_t rounds, llvm::function_ref<void(const Leaf&)> body);

}  // namespace vyre
