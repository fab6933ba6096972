// One activation of a function of the program: where its locals live, and how lanes leave it.
#pragma once

#include <llvm/IR/BasicBlock.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "vyre/lower/emit/values_internal.h"
#include "vyre/lower/lane_values_internal.h"

namespace vyre {

struct EmitContext;

// The cells of a pointer that is kept from region to region: whether it is inside, and its offset
// of up to 64 bits.
constexpr std::uint64_t kPointerCells = 3;

// Where a local of an emitted frame lives.
struct LocalSlot {
  enum class Kind : std::uint8_t {
    none,
    value,   // a let or parameter: leaves at hand
    memory,  // a var (or a let that outlives its region): cells of this gang
    slot,    // cells in scratch memory, one set per gang; `spread` says how many
    again,   // a cheap let of ids and constants: evaluated where it is used
    linear,  // a var that all lanes step together: one cell with the value of lane 0, and `stride`
  } kind = Kind::none;
  Val value;
  LaneMemory memory;
  Spread spread = Spread::lane;
  std::uint64_t scratch_offset = 0;
  std::int64_t stride = 0;         // linear: from lane to lane
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
  std::set<LocalId> stepped;        // vars that stay linear if they begin linear
  bool in_regions = false;

  llvm::BasicBlock* exit = nullptr;  // where a uniform return goes
  bool masked_return = false;
  LaneMemory returned;  // per lane: it has returned
  std::uint64_t returned_slot = 0;
  LaneMemory result;
  std::uint64_t result_slot = 0;
};

// The target of a break or continue.
struct JumpTarget {
  bool is_loop = false;
  bool masked_break = false, masked_continue = false;
  llvm::BasicBlock* exit = nullptr;
  llvm::BasicBlock* next = nullptr;  // the continuing block
  llvm::Value* broke = nullptr;      // <W x i1>*: lanes that left
  llvm::Value* continued = nullptr;  // <W x i1>*: lanes that wait for the continuing block
  EmitFrame* frame = nullptr;
};

// in_regions: the frame is emitted region by region, so a lane that returned must be remembered.
std::unique_ptr<EmitFrame> new_frame(EmitContext& e, const FrameSpreads& spreads, EmitFrame* parent,
                                     bool in_regions);
// Memory for `returned` and the result, for a frame that begins and ends within one gang.
// result: where its result goes; memory of its own if there is none.
void begin_frame_in_gang(EmitContext& e, EmitFrame& frame,
                         std::optional<LaneMemory> result = std::nullopt);

void put_local(EmitContext& e, EmitFrame& frame, LocalId local, const Val& value);
Val get_local(EmitContext& e, EmitFrame& frame, LocalId local);
LaneMemory local_memory(EmitContext& e, EmitFrame& frame, LocalId local);
Pointer var_pointer(EmitContext& e, EmitFrame& frame, LocalId local);

// Vars that all lanes step together. begin_linear: false if this one does not begin linear.
bool begin_linear(EmitContext& e, EmitFrame& frame, const VarStmt& s);
// The slot of the var that a pointer expression names, if the slot is linear; else null.
const LocalSlot* linear_slot(const EmitContext& e, const EmitFrame& frame, ExprId pointer);
Leaf load_linear(EmitContext& e, const LocalSlot& slot);
void store_linear(EmitContext& e, const LocalSlot& slot, const Leaf& value);

}  // namespace vyre
