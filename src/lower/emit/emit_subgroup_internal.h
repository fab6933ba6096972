// Subgroup operations, as vyre/ir/program.h and subgroup.h define them. On the CPU a gang of 32
// lanes is the subgroup, and its mask says which lanes are active; on a GPU a warp is.
#pragma once

#include "vyre/ir/subgroup.h"
#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

void emit_subgroup(EmitContext& e, EmitFrame& frame, const SubgroupStmt& s);

// emit_subgroup_gpu.cc: one scalar of an operation. Operands that the operation does not have are
// null.
llvm::Value* gpu_subgroup(EmitContext& e, SubgroupOp op, ScalarKind kind, llvm::Value* value,
                          llvm::Value* lane);

// ---- Shared by both, for scalars and for vectors with one entry per lane

// The reduction with which a scan combines its lanes; for a reduction, the operation itself.
SubgroupOp combination_of(SubgroupOp op);
bool is_exclusive_scan(SubgroupOp op);
// Combines two values; `low` comes from lower lanes.
llvm::Value* combine_lanes(llvm::IRBuilder<>& b, SubgroupOp op, ScalarKind kind, llvm::Value* low,
                           llvm::Value* high);
// Combines the exclusive scan of the lanes below with 0 or 1, which turns -0 into 0.
llvm::Value* from_start(llvm::IRBuilder<>& b, SubgroupOp op, ScalarKind kind, llvm::Value* below);
// Any number or bool as 32 bits, and back.
llvm::Value* to_lane_word(llvm::IRBuilder<>& b, ScalarKind kind, llvm::Value* v);
llvm::Value* from_lane_word(llvm::IRBuilder<>& b, ScalarKind kind, llvm::Value* v);
// The lane from which each lane takes its value; 32 or more if there is none.
llvm::Value* source_lane(llvm::IRBuilder<>& b, SubgroupOp op, llvm::Value* own, llvm::Value* lane);

}  // namespace vyre
