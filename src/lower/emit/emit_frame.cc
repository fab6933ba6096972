#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_frame_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/emit_warp_internal.h"
#include "vyre/lower/stepped_vars_internal.h"

namespace vyre {

using llvm::Value;

std::unique_ptr<EmitFrame> new_frame(EmitContext& e, const FrameSpreads& spreads, EmitFrame* parent,
                                     bool in_regions) {
  auto frame = std::make_unique<EmitFrame>();
  frame->spreads = &spreads;
  frame->function = &e.program[spreads.function];
  frame->parent = parent;
  frame->in_regions = in_regions;
  frame->locals.resize(frame->function->locals.size());
  if (e.wide()) frame->stepped = stepped_vars(e.program, spreads);
  const Spread masked_from = in_regions ? Spread::gang : Spread::lane;
  frame->masked_return = spreads.leaves >= masked_from &&
                         (e.wide() || in_regions || has_warp_flow(e, spreads.function));
  return frame;
}

void begin_frame_in_gang(EmitContext& e, EmitFrame& frame, std::optional<LaneMemory> result) {
  frame.exit = e.new_block("after_call");
  if (frame.masked_return) {
    frame.returned = new_lane_memory(e, 1, true, "returned");
    zero_cells(e, frame.returned, 1, nullptr);
  }
  const auto cells = cells_of(e, frame.function->result);
  if (cells != 0) {
    frame.result =
        result ? *result
               : new_lane_memory(e, cells, joined(frame.spreads->result) == Spread::lane, "result");
    // The result is cleared, so that it is defined even if no lane returns a value.
    zero_cells(e, frame.result, cells, nullptr);
  }
}

LaneMemory local_memory(EmitContext& e, EmitFrame& frame, LocalId local) {
  LocalSlot& slot = frame.locals[static_cast<std::size_t>(local)];
  const TypeId type = frame.function->locals[static_cast<std::size_t>(local)].type;
  if (slot.kind == LocalSlot::Kind::slot) {
    if (slot.at_hand) return *slot.at_hand;
    if (slot.spread == Spread::group) return slot.memory;
    return slot_memory(e, slot.scratch_offset, cells_of(e, type), slot.spread);
  }
  if (slot.kind == LocalSlot::Kind::none) {
    const Spread spread = joined(frame.spreads->locals[static_cast<std::size_t>(local)]);
    slot.kind = LocalSlot::Kind::memory;
    slot.memory = new_lane_memory(e, cells_of(e, type), spread == Spread::lane, "var");
  }
  return slot.memory;
}

bool begin_linear(EmitContext& e, EmitFrame& frame, const VarStmt& s) {
  LocalSlot& slot = frame.locals[static_cast<std::size_t>(s.local)];
  // The same statement may be emitted again, for other lanes.
  if (slot.kind == LocalSlot::Kind::linear) slot = {};
  if (slot.kind != LocalSlot::Kind::none || !frame.stepped.contains(s.local)) return false;
  const Leaf initial = eval_leaf(e, frame, s.initial);
  if (initial.varying && initial.linear.base == nullptr) return false;
  slot.kind = LocalSlot::Kind::linear;
  slot.memory = new_lane_memory(e, 1, false, "stepped");
  slot.stride = initial.varying ? initial.linear.stride : 0;
  store_linear(e, slot, initial);
  return true;
}

const LocalSlot* linear_slot(const EmitContext& e, const EmitFrame& frame, ExprId pointer) {
  const auto* var = std::get_if<LocalPtrExpr>(&e.program[pointer].node);
  if (var == nullptr) return nullptr;
  const LocalSlot& slot = frame.locals[static_cast<std::size_t>(var->id)];
  return slot.kind == LocalSlot::Kind::linear ? &slot : nullptr;
}

Leaf load_linear(EmitContext& e, const LocalSlot& slot) {
  const Leaf first = load_cell(e, slot.memory, e.b.getInt32(0), ScalarKind::u32);
  return slot.stride == 0 ? first : linear_leaf(e, first.value, slot.stride);
}

void store_linear(EmitContext& e, const LocalSlot& slot, const Leaf& value) {
  Value* first = value.value;
  if (value.varying && value.linear.base != nullptr && value.linear.stride == slot.stride) {
    first = value.linear.base;
  } else if (value.varying || slot.stride != 0) {
    // Computed as a vector: derives lane 0's value from a lane that runs.
    Value* lane = e.b.getInt32(0);
    if (e.mask != nullptr) lane = e.b.CreateAnd(first_lane(e, e.mask), e.b.getInt32(e.width - 1));
    Value* steps = e.b.CreateMul(lane, e.b.getInt32(static_cast<std::uint32_t>(slot.stride)));
    first = e.b.CreateSub(e.b.CreateExtractElement(vector_of(e, value), lane), steps);
  }
  store_cell(e, slot.memory, e.b.getInt32(0), ScalarKind::u32, uniform_leaf(first), nullptr);
}

namespace {
constexpr ScalarKind kWord = ScalarKind::u32;

LaneMemory pointer_memory(EmitContext& e, const LocalSlot& slot) {
  if (slot.spread == Spread::group) return slot.memory;
  return slot_memory(e, slot.scratch_offset, kPointerCells, slot.spread);
}
}  // namespace

void put_local(EmitContext& e, EmitFrame& frame, LocalId local, const Val& value) {
  LocalSlot& slot = frame.locals[static_cast<std::size_t>(local)];
  if (slot.kind == LocalSlot::Kind::again) return;
  if (slot.kind != LocalSlot::Kind::slot) {
    slot.kind = LocalSlot::Kind::value;
    slot.value = value;
    return;
  }
  if (!value.pointer) {
    store_cells(e, local_memory(e, frame, local), value, e.mask);
    return;
  }
  // A pointer that outlives its region: whether it is inside, and its offset in one word or two.
  Pointer p = resolved(e, *value.pointer);
  p.usual = {};
  p.usual_if = nullptr;
  const LaneMemory memory = pointer_memory(e, slot);
  const auto part = [&](unsigned shift) {
    return lift(e, {p.offset}, [&](auto v) {
      llvm::Type* words =
          v[0]->getType()->isVectorTy() ? e.lanes_of(e.b.getInt32Ty()) : e.b.getInt32Ty();
      return e.b.CreateTrunc(e.b.CreateLShr(v[0], shift), words);
    });
  };
  store_cell(e, memory, e.b.getInt32(1), kWord, e.wide_offsets ? part(0) : p.offset, e.mask);
  if (e.wide_offsets) store_cell(e, memory, e.b.getInt32(2), kWord, part(32), e.mask);
  store_cell(e, memory, e.b.getInt32(0), ScalarKind::boolean,
             p.inside.value == nullptr ? constant_leaf(e, Scalar::of(true)) : p.inside, e.mask);
  slot.pointer = p;
}

Val get_local(EmitContext& e, EmitFrame& frame, LocalId local) {
  LocalSlot& slot = frame.locals[static_cast<std::size_t>(local)];
  const TypeId type = frame.function->locals[static_cast<std::size_t>(local)].type;
  switch (slot.kind) {
    case LocalSlot::Kind::value: return slot.value;
    case LocalSlot::Kind::again: return eval(e, frame, frame.again.at(local));
    case LocalSlot::Kind::memory: return load_cells(e, slot.memory, type);
    case LocalSlot::Kind::slot: break;
    case LocalSlot::Kind::linear:
    case LocalSlot::Kind::none:
      // Reached only if no lane runs, when no value was stored.
      if (e.program.types.get_if<PointerType>(type) != nullptr)
        e.problem = "a pointer has no value";
      return zero_value(e, type);
  }
  if (e.program.types.get_if<PointerType>(type) == nullptr) {
    return load_cells(e, local_memory(e, frame, local), type);
  }
  const LaneMemory memory = pointer_memory(e, slot);
  Val out;
  out.type = type;
  if (!slot.pointer) {
    e.problem = "a pointer has no value";
    return out;
  }
  Pointer p = *slot.pointer;
  p.inside = load_cell(e, memory, e.b.getInt32(0), ScalarKind::boolean);
  p.offset = load_cell(e, memory, e.b.getInt32(1), kWord);
  if (e.wide_offsets) {
    p.offset = lift(e, {p.offset, load_cell(e, memory, e.b.getInt32(2), kWord)}, [&](auto v) {
      llvm::Type* wide =
          v[0]->getType()->isVectorTy() ? e.lanes_of(e.b.getInt64Ty()) : e.b.getInt64Ty();
      return e.b.CreateOr(e.b.CreateZExt(v[0], wide),
                          e.b.CreateShl(e.b.CreateZExt(v[1], wide), 32));
    });
  }
  if (p.kind == Pointer::Kind::lanes) {
    const PointerRoot root = frame.spreads->pointers.at(local);
    EmitFrame* owner = &frame;
    while (owner != nullptr && owner->spreads != root.frame) owner = owner->parent;
    if (root.kind == PointerRoot::Kind::var && owner != nullptr) {
      p.lanes = local_memory(e, *owner, root.local);
    } else if (root.kind == PointerRoot::Kind::global) {
      p.lanes = e.privates.at(root.global);
    }
  }
  out.pointer = p;
  return out;
}

Pointer var_pointer(EmitContext& e, EmitFrame& frame, LocalId local) {
  Pointer out;
  out.kind = Pointer::Kind::lanes;
  out.lanes = local_memory(e, frame, local);
  out.offset = uniform_leaf(llvm::ConstantInt::get(e.offset_type(), 0));
  out.offset.row_invariant = true;
  out.pointee = frame.function->locals[static_cast<std::size_t>(local)].type;
  return out;
}

}  // namespace vyre
