// Emits the statements and expressions of a program as LLVM IR, for a gang of W lanes (W = 1: plain
// scalar code with real branches). Drivers (host_kernel.cc) supply the ids, the memory and the
// loops around it. Split over emit_*.cc by subject.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vyre/lower/emit/values_internal.h"
#include "vyre/lower/lane_values_internal.h"
#include "vyre/lower/loop_shape_internal.h"

namespace vyre {

// Of a pointer that is kept from region to region: inside, and the offset in up to 64 bits.
constexpr std::uint64_t kPointerCells = 3;

// Where a local of an emitted frame lives.
struct LocalSlot {
  enum class Kind : std::uint8_t {
    none,
    value,   // a let or parameter: leaves at hand
    memory,  // a var (or a let that outlives its region): cells of this gang
    slot,    // cells in scratch memory, one set per gang; `spread` says how many
    again,   // a cheap let of ids and constants: evaluated where it is used
  } kind = Kind::none;
  Val value;
  LaneMemory memory;
  Spread spread = Spread::lane;
  std::uint64_t scratch_offset = 0;
  std::optional<Pointer> pointer;  // the root of a pointer kept in a slot
  // slot: while a region runs that uses it, the gang's cells at hand.
  std::optional<LaneMemory> at_hand;
};

struct EmitFrame {
  const FrameSpreads* spreads = nullptr;
  const Function* function = nullptr;
  EmitFrame* parent = nullptr;
  std::vector<LocalSlot> locals;
  std::map<LocalId, ExprId> again;  // lets that are evaluated where used
  bool in_regions = false;

  llvm::BasicBlock* exit = nullptr;  // where a uniform return goes
  bool masked_return = false;
  LaneMemory returned;  // per lane: it has returned
  std::uint64_t returned_slot = 0;
  LaneMemory result;
  std::uint64_t result_slot = 0;
};

// What a break or continue leaves.
struct JumpTarget {
  bool is_loop = false;
  bool masked_break = false, masked_continue = false;
  llvm::BasicBlock* exit = nullptr;
  llvm::BasicBlock* next = nullptr;  // the continuing block
  llvm::Value* broke = nullptr;      // <W x i1>*: lanes that left
  llvm::Value* continued = nullptr;  // <W x i1>*: lanes that wait for the continuing block
  EmitFrame* frame = nullptr;
};

// The ids of the gang that is being emitted.
struct GangIds {
  Leaf global[3], local[3], workgroup[3];
  Leaf local_index;
};

// What a GPU kernel has that the host's code has not.
struct GpuSide {
  std::shared_ptr<const LoopShapes> loops;
  llvm::Value* deadline = nullptr;  // i64: of the global timer
  llvm::Value* status = nullptr;    // ptr to the word that says that it has passed
  llvm::Value* x = nullptr;         // i32: global x of the thread's first item
  std::uint64_t item_offset = 0;    // of the item that is being emitted: its global x less `x`
  std::map<llvm::Value*, llvm::Value*> row_indices{};  // x + row, of tested tiles
};

// Functions of one kernel that were emitted as such: by how they are called, and by the shape of
// what is passed to them.
struct FunctionTable {
  std::map<std::pair<const FrameSpreads*, std::vector<std::int64_t>>, llvm::Function*> made;
};

class Emitter {
 public:
  Emitter(const Program& program, const ProgramSpreads& spreads, llvm::Function* function,
          unsigned width, Extent workgroup);

  llvm::IRBuilder<> b;

  // ---- set by the driver -----------------------------------------------------------------------
  GangIds ids;
  llvm::Value* grid[3] = {};               // i32
  std::vector<Pointer> globals;            // by GlobalId: storage, uniform, workgroup
  std::vector<llvm::Value*> global_bytes;  // i64: bound length of storage and uniform
  std::map<GlobalId, LaneMemory> privates;
  llvm::Value* mask = nullptr;             // <W x i1>; null: all lanes run
  llvm::Value* stop_flag = nullptr;        // ptr to i32; null: no deadline
  llvm::Instruction* row_start = nullptr;  // row-invariant code goes before it
  llvm::Value* row_x64 = nullptr;          // i64 global x of lane 0, in rows tested once
  llvm::BasicBlock* allocas = nullptr;     // entry block of the function
  // Rows (tiles on a GPU) tested once: what must hold for all of them.
  bool rows_tested = false;
  std::vector<RowRequirement> requirements;
  // Barrier kernels: cells in scratch memory.
  llvm::Value* scratch = nullptr;     // ptr
  llvm::Value* gang_index = nullptr;  // i64, of the gang being emitted
  std::uint64_t gangs = 1;
  std::uint64_t scratch_bytes = 0;

  std::optional<GpuSide> gpu;  // W is 1 then

  bool wide_offsets = false;  // a buffer may be larger than 2 GiB: 64-bit offsets everywhere

  std::shared_ptr<FunctionTable> functions = std::make_shared<FunctionTable>();

  std::string problem;  // set when the program needs something that cannot be emitted

  // ---- statements (emit_control.cc, emit_call.cc)
  // ------------------------------------------------
  void block(EmitFrame& frame, std::span<const StmtId> stmts);
  void statement(EmitFrame& frame, StmtId id);
  // in_regions: the frame is emitted region by region, so a lane that returned must be remembered.
  std::unique_ptr<EmitFrame> new_frame(const FrameSpreads& spreads, EmitFrame* parent,
                                       bool in_regions);
  // result: where its result goes; memory of its own if there is none.
  void begin_frame_in_gang(EmitFrame& frame, std::optional<LaneMemory> result = std::nullopt);

  // ---- expressions (emit_expr.cc)
  // ----------------------------------------------------------------
  Val eval(EmitFrame& frame, ExprId id);
  Leaf eval_leaf(EmitFrame& frame, ExprId id) { return eval(frame, id).leaves[0]; }

  // ---- leaves (emit_leaf.cc)
  // ---------------------------------------------------------------------
  llvm::Type* scalar_type(ScalarKind kind);
  llvm::Type* lanes_of(llvm::Type* scalar);
  llvm::Value* vector_of(const Leaf& leaf);  // <W x T>
  llvm::Value* value_of(const Leaf& leaf);   // scalar or vector, as it is
  Leaf constant_leaf(Scalar scalar);
  Leaf constant_leaf(ScalarKind kind, std::uint64_t bits);
  Leaf uniform(llvm::Value* v) const;
  Leaf varying(llvm::Value* v) const;
  llvm::Value* lane_numbers();  // <W x i32> 0, 1, ...
  Leaf linear_leaf(llvm::Value* base, std::int64_t stride);
  // f(values) with operands made alike: scalars if all are uniform, else vectors.
  using LeafFn = llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)>;
  Leaf lift(llvm::ArrayRef<Leaf> operands, LeafFn f);
  Leaf select(const Leaf& condition, const Leaf& on_true, const Leaf& on_false);
  llvm::Value* any(llvm::Value* lanes);         // i1
  llvm::Value* first_lane(llvm::Value* lanes);  // i32 index of the first true lane
  Leaf land(const Leaf& a, const Leaf& b);
  Leaf lor(const Leaf& a, const Leaf& b);
  Leaf lnot(const Leaf& a);

  // ---- operations (emit_operation.cc, emit_math.cc, emit_pack.cc)
  // --------------------------------
  Leaf unary(UnaryOp op, ScalarKind kind, const Leaf& a);
  Leaf binary(BinaryOp op, ScalarKind kind, const Leaf& a, const Leaf& b);
  Leaf convert(ScalarKind from, ScalarKind to, const Leaf& a);
  Leaf fma(ScalarKind kind, const Leaf& a, const Leaf& b, const Leaf& c);
  Val math(MathFn fn, TypeId result, llvm::ArrayRef<Val> arguments);
  Val matrix_product(const Val& a, const Val& b, TypeId result);
  Val bitcast(const Val& a, TypeId result);

  // ---- memory (emit_memory.cc, emit_access.cc)
  // ---------------------------------------------------
  Pointer index(const Pointer& base, const Leaf& index, ScalarKind index_kind);
  Pointer member(const Pointer& base, std::uint32_t member);
  Val load(const Pointer& pointer, TypeId type);
  void store(const Pointer& pointer, const Val& value);
  llvm::Value* array_length(const Pointer& pointer);  // i32
  LaneMemory new_lane_memory(std::uint64_t cells, bool varying, const char* name);
  LaneMemory slot_memory(std::uint64_t offset, std::uint64_t cells, Spread spread);
  std::uint64_t reserve_slot(std::uint64_t cells, Spread spread);
  Leaf load_cell(const LaneMemory& memory, llvm::Value* cell, ScalarKind kind);
  void store_cell(const LaneMemory& memory, llvm::Value* cell, ScalarKind kind, const Leaf& value,
                  llvm::Value* lanes);
  llvm::Value* agreed(const Leaf& value, llvm::Value* lanes);
  Val load_cells(const LaneMemory& memory, TypeId type);
  void store_cells(const LaneMemory& memory, const Val& value, llvm::Value* lanes);
  void zero_cells(const LaneMemory& memory, std::uint64_t cells, llvm::Value* lanes);
  // Values with more scalars are copied and cleared by loops, not piece by piece.
  static constexpr std::uint64_t kManyScalars = 64;
  void counted(std::uint32_t rounds, llvm::function_ref<void(const Leaf&)> body);
  void copy(const Pointer& to, const Pointer* from, TypeId type);
  void assign(EmitFrame& frame, const Pointer& to, ExprId value);
  Pointer var_pointer(EmitFrame& frame, LocalId local);
  llvm::Type* offset_type() { return wide_offsets ? b.getInt64Ty() : b.getInt32Ty(); }
  Leaf add_offset(const Leaf& offset, const Leaf& index, std::uint64_t scale);
  llvm::Value* address(const Pointer& pointer, llvm::Value* offset, std::uint64_t bytes);
  Val zero_value(TypeId type);
  void atomic(EmitFrame& frame, const AtomicStmt& s);
  // The flattened scalars of a type with their byte offsets.
  struct Field {
    ScalarKind kind;
    std::uint64_t offset;
  };
  const std::vector<Field>& fields_of(TypeId type);

  // ---- helpers
  // -----------------------------------------------------------------------------------
  llvm::LLVMContext& context() { return function_->getContext(); }
  llvm::BasicBlock* new_block(const char* name);
  llvm::AllocaInst* alloca_of(llvm::Type* type, const char* name);
  llvm::Value* mask_or_all();  // <W x i1>
  llvm::Value* all_on();       // <W x i1> of ones
  llvm::Value* zero_mask();
  void put_local(EmitFrame& frame, LocalId local, const Val& value);
  Val get_local(EmitFrame& frame, LocalId local);
  LaneMemory local_memory(EmitFrame& frame, LocalId local);
  void check_stop();
  void look_between_statements();
  bool wide() const { return width_ > 1; }
  unsigned width() const { return width_; }
  const Program& program() const { return p_; }
  const Extent& workgroup() const { return workgroup_; }
  std::uint64_t cells_of(TypeId type) const;
  void call(EmitFrame& frame, StmtId id, const CallStmt& s);
  void finish_call(EmitFrame& frame, EmitFrame& callee, const CallStmt& s);
  // Functions that stay functions (emit_function.cc).
  void call_function(EmitFrame& frame, const FrameSpreads& use, const CallStmt& s);
  void give_up();  // leaves the function that is being emitted: the launch was stopped

  // Where one test before the tile decided it, a condition is what remains of it.
  llvm::Value* decided(EmitFrame& frame, const Leaf& condition);
  // On a GPU (emit_gpu.cc).
  void gpu_barrier();
  void gpu_uniform_load(EmitFrame& frame, const UniformLoadStmt& s);
  llvm::Value* gpu_atomic(const AtomicStmt& s, bool is_signed, const Pointer& pointer,
                          llvm::Value* compare, llvm::Value* value, bool wants);
  void gpu_loop(EmitFrame& frame, StmtId id, const LoopStmt& s);
  void gpu_check_deadline();
  // i32, before the tile: x + row, where the row (i32) may be null.
  llvm::Value* gpu_row_index(llvm::Value* row);
  llvm::Value* divide(llvm::Value* x, llvm::Value* y);  // f32
  llvm::Value* square_root(llvm::Value* x);             // f32
  llvm::Value* elementary(MathFn fn, llvm::ArrayRef<llvm::Value*> arguments);

  std::vector<JumpTarget> targets;

  // Branches on a scalar condition; runs each side with the builder in its block. likely: code is
  // laid out for the condition to hold.
  void branch(llvm::Value* condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise, bool likely = false);
  void if_statement(EmitFrame& frame, const Leaf& condition, std::span<const StmtId> then,
                    std::span<const StmtId> otherwise);
  bool ended() const { return b.GetInsertBlock()->getTerminator() != nullptr; }
  void update_mask_after_jumps(EmitFrame& frame, llvm::Value* before);

 private:
  friend struct RowInvariant;

  // Runs `fast` when all lanes of a linear index are inside, `slow` otherwise; joins their results.
  using Loader = llvm::function_ref<llvm::SmallVector<Leaf, 4>()>;
  llvm::SmallVector<Leaf, 4> when_inside(const Pointer& pointer, Loader fast, Loader slow);
  llvm::Value* linear_inside(const Pointer& pointer);
  Pointer resolved(Pointer pointer);                  // a pending comparison made per lane
  llvm::Value* lanes_inside(const Pointer& pointer);  // <W x i1>: inside and running; may be null
  llvm::SmallVector<Leaf, 4> load_if_inside(const Pointer& pointer,
                                            const std::vector<Field>& fields);
  Val load_shared(const Pointer& pointer, TypeId type);
  Val load_lanes(const Pointer& pointer, TypeId type);
  void store_shared(const Pointer& pointer, const Val& value);
  void store_lanes(const Pointer& pointer, const Val& value);
  llvm::SmallVector<Leaf, 4> load_contiguous(const Pointer& pointer, llvm::Value* first,
                                             std::uint64_t stride, TypeId type);
  bool store_contiguous(llvm::Value* first, std::uint64_t stride, const std::vector<Field>& fields,
                        const Val& value);
  llvm::Value* row_address(const Pointer& pointer);
  Leaf gather(const Pointer& pointer, const Field& field, llvm::Value* lanes);
  void scatter(const Pointer& pointer, const Field& field, const Leaf& value, llvm::Value* lanes);
  llvm::Value* to_memory(ScalarKind kind, llvm::Value* v);
  llvm::Value* from_memory(ScalarKind kind, llvm::Value* v);
  llvm::Type* memory_type(ScalarKind kind);
  llvm::Value* load_at(const Pointer& pointer, ScalarKind kind, llvm::Value* at);
  struct FunctionResult;
  FunctionResult result_of(const FrameSpreads& use) const;
  llvm::Function* emit_function(const FrameSpreads& use, const std::vector<std::int64_t>& shape,
                                llvm::ArrayRef<llvm::Value*> like);
  std::map<TypeId, std::vector<Field>> fields_;
  // Lengths of run-time arrays, by the size of their buffer and where in it they begin.
  std::map<std::pair<llvm::Value*, std::uint64_t>, llvm::Value*> lengths_;

  void loop_statement(EmitFrame& frame, StmtId id, const LoopStmt& s);
  void masked_loop(EmitFrame& frame, StmtId id, const LoopStmt& s);
  void switch_statement(EmitFrame& frame, StmtId id, const SwitchStmt& s);
  void masked_switch(EmitFrame& frame, StmtId id, const SwitchStmt& s, const Leaf& selector);
  void return_statement(EmitFrame& frame, const ReturnStmt& s);
  void jump(bool is_continue);
  bool has_masked_jump(EmitFrame& frame, StmtId id);

  const Program& p_;
  const ProgramSpreads& spreads_;
  llvm::Function* function_;
  unsigned width_;
  Extent workgroup_;
  int coherent_depth_ = 0;
  std::uint64_t stack_bytes_ = 0;
  std::uint32_t statements_ = 0;  // since the last look between statements
  bool guards_all_ = false;       // the next `if` stands around all that the entry does
};

// While alive, the builder stands before the loop over a row's gangs, if all operands were computed
// there; otherwise it stays.
struct RowInvariant {
  RowInvariant(Emitter& e, llvm::ArrayRef<const Leaf*> operands);
  ~RowInvariant();
  Leaf mark(Leaf leaf) const;  // says of the result that it is row-invariant, if it is
  bool active = false;

 private:
  Emitter& e_;
  llvm::BasicBlock* block_;
  llvm::BasicBlock::iterator point_;
};

}  // namespace vyre
