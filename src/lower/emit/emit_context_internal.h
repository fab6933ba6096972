// The context that all functions of the emitter share: the program, the LLVM function that is being
// written, the builder, the ids and the mask of the gang, and the memory of the kernel.
//
// The emitter writes the statements and expressions of a program as LLVM IR, for a gang of W lanes
// (W = 1: plain scalar code with real branches). Drivers (host_rows.cc, host_groups.cc,
// gpu_kernel.cc) fill in a context and write the loops around the program; emit_*.cc write what is
// inside, each file one subject, as functions that take the context first.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vyre/lower/emit/emit_frame_internal.h"
#include "vyre/lower/emit/values_internal.h"
#include "vyre/lower/lane_values_internal.h"
#include "vyre/lower/loop_shape_internal.h"
#include "vyre/lower/row_walks_internal.h"

namespace vyre {

struct StoreBlock;  // store_blocks.h

// The ids of the gang that is being emitted.
struct GangIds {
  Leaf global[3], local[3], workgroup[3];
  Leaf local_index;
};

// The part of the context that only GPU kernels need.
struct GpuSide {
  llvm::Value* deadline = nullptr;  // i64: of the global timer
  llvm::Value* status = nullptr;    // ptr to the word that says that it has passed
  llvm::Value* x = nullptr;         // i32: global x of the thread's first item
  std::uint64_t item_offset = 0;    // of the item that is being emitted: its global x less `x`
  std::map<llvm::Value*, llvm::Value*> row_indices{};  // x + row, of tested tiles
  // In code with subgroup operations (emit_warp.cc):
  llvm::Value* active = nullptr;        // i32: the lanes of the warp that run here
  llvm::BasicBlock* meeting = nullptr;  // where lanes that leave the current statement go
  bool has_redux = false;               // the processor has redux.sync
};

// Functions of one kernel that were emitted as such: by how they are called, and by the shape of
// what is passed to them.
struct FunctionTable {
  std::map<std::pair<const FrameSpreads*, std::vector<std::int64_t>>, llvm::Function*> made;
};

struct EmitContext {
  EmitContext(const Program& program, const ProgramSpreads& spreads, llvm::Function* function,
              unsigned width, Extent workgroup);

  llvm::IRBuilder<> b;
  const Program& program;
  const ProgramSpreads& spreads;
  llvm::Function* const function;  // the LLVM function that is being written
  const unsigned width;            // lanes of a gang
  const Extent workgroup;

  // ---- Set by the driver
  // Conditions that usually hold get their own code, beside the general code. Large programs have
  // only the general code.
  bool emits_usual = false;
  std::shared_ptr<const LoopShapes> loops;    // null: loops are emitted as they stand
  std::shared_ptr<const RowWalks> row_walks;  // null: no accesses have blocks (row_blocks.h)
  GangIds ids;
  llvm::Value* grid[3] = {};               // i32
  std::vector<Pointer> globals;            // by GlobalId: storage, uniform, workgroup
  std::vector<llvm::Value*> global_bytes;  // i64: bound length of storage and uniform
  std::map<GlobalId, LaneMemory> privates;
  // Buffers of which this call of the code may have a copy in scratch memory (private_counts.h):
  // i1, whether it has.
  std::map<GlobalId, llvm::Value*> copied;
  llvm::Value* mask = nullptr;             // <W x i1>; null: all lanes run
  llvm::Value* stop_flag = nullptr;        // ptr to i32; null: no deadline
  llvm::Instruction* row_start = nullptr;  // row-invariant code goes before it
  llvm::Value* row_x64 = nullptr;          // i64 global x of lane 0, in rows tested once
  llvm::BasicBlock* allocas = nullptr;     // entry block of the function
  // Rows (tiles on a GPU) tested once: what must hold for all of them.
  bool rows_tested = false;
  std::vector<RowRequirement> requirements;
  // The remainder of a row that was tested once: short code matters more than fast code.
  bool at_row_end = false;
  // Barrier kernels: cells in scratch memory.
  llvm::Value* scratch = nullptr;     // ptr
  llvm::Value* gang_index = nullptr;  // i64, of the gang being emitted
  std::uint64_t gangs = 1;
  std::uint64_t scratch_bytes = 0;
  std::optional<GpuSide> gpu;  // W is 1 then
  bool wide_offsets = false;   // a buffer may be larger than 2 GiB: 64-bit offsets everywhere

  // ---- Kept while emitting
  std::shared_ptr<FunctionTable> functions = std::make_shared<FunctionTable>();
  std::vector<JumpTarget> targets;  // of break and continue, the innermost last
  int coherent_depth = 0;   // the depth of ifs that have their own code for lanes that agree
  bool guards_all = false;  // the next `if` contains everything that the entry does
  std::uint32_t statements =
      0;  // the number of statements since the stop flag was last tested between statements
  std::uint64_t stack_bytes = 0;
  std::uint64_t block_bytes = 0;                               // of row_blocks.h, on the stack too
  std::map<StmtId, std::shared_ptr<StoreBlock>> store_blocks;  // null: stores without one
  std::map<TypeId, std::vector<ScalarField>> fields;
  // Lengths of run-time arrays, by the size of their buffer and where in it they begin.
  std::map<std::pair<llvm::Value*, std::uint64_t>, llvm::Value*> lengths;
  std::string problem;  // set when the program needs something that cannot be emitted

  // ---- Blocks, types and masks
  llvm::LLVMContext& context() { return function->getContext(); }
  bool wide() const { return width > 1; }
  bool ended() const { return b.GetInsertBlock()->getTerminator() != nullptr; }
  llvm::BasicBlock* new_block(const char* name);
  llvm::AllocaInst* alloca_of(llvm::Type* type, const char* name);
  llvm::Type* offset_type() { return wide_offsets ? b.getInt64Ty() : b.getInt32Ty(); }
  llvm::Type* lanes_of(llvm::Type* scalar);  // <W x T>
  llvm::Value* mask_or_all();                // <W x i1>
  llvm::Value* all_on();                     // <W x i1> of ones
  llvm::Value* zero_mask();
  // Branches on a scalar condition; runs each side with the builder in its block. likely: code is
  // laid out for the condition to hold.
  void branch(llvm::Value* condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise, bool likely = false);
};

}  // namespace vyre
