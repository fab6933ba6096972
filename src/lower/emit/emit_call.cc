// Locals, and calls that are expanded where they stand, with a frame of their own.
#include "vyre/lower/emit/emitter_internal.h"

namespace vyre {

using llvm::Value;

std::unique_ptr<EmitFrame> Emitter::new_frame(const FrameSpreads& spreads, EmitFrame* parent,
                                              bool in_regions) {
  auto frame = std::make_unique<EmitFrame>();
  frame->spreads = &spreads;
  frame->function = &p_[spreads.function];
  frame->parent = parent;
  frame->in_regions = in_regions;
  frame->locals.resize(frame->function->locals.size());
  const Spread masked_from = in_regions ? Spread::gang : Spread::lane;
  frame->masked_return = spreads.leaves >= masked_from && (wide() || in_regions);
  return frame;
}

// Memory for `returned` and the result, for a frame that begins and ends within one gang.
void Emitter::begin_frame_in_gang(EmitFrame& frame, std::optional<LaneMemory> result) {
  frame.exit = new_block("after_call");
  if (frame.masked_return) {
    frame.returned = new_lane_memory(1, true, "returned");
    zero_cells(frame.returned, 1, nullptr);
  }
  const auto cells = cells_of(frame.function->result);
  if (cells != 0) {
    frame.result =
        result ? *result
               : new_lane_memory(cells, joined(frame.spreads->result) == Spread::lane, "result");
    // Defined even where no lane returned a value.
    zero_cells(frame.result, cells, nullptr);
  }
}

void Emitter::call(EmitFrame& frame, StmtId id, const CallStmt& s) {
  if (const auto use = frame.spreads->function_calls.find(id);
      use != frame.spreads->function_calls.end()) {
    return call_function(frame, *use->second, s);
  }
  const auto callee = new_frame(*frame.spreads->calls.at(id), &frame, false);
  const auto arguments = p_.list(s.arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    callee->locals[i].kind = LocalSlot::Kind::value;
    callee->locals[i].value = eval(frame, arguments[i]);
  }
  begin_frame_in_gang(*callee);
  Value* const outer = mask;
  const auto outer_targets = std::move(targets);
  targets.clear();
  const auto body = [&] {
    block(*callee, p_.block(callee->function->body));
    if (!ended()) b.CreateBr(callee->exit);
    b.SetInsertPoint(callee->exit);
  };
  body();
  targets = outer_targets;
  mask = outer;
  finish_call(frame, *callee, s);
}

void Emitter::finish_call(EmitFrame& frame, EmitFrame& callee, const CallStmt& s) {
  if (s.result == kNoLocal) return;
  put_local(frame, s.result, load_cells(callee.result, callee.function->result));
}

LaneMemory Emitter::local_memory(EmitFrame& frame, LocalId local) {
  LocalSlot& slot = frame.locals[static_cast<std::size_t>(local)];
  const TypeId type = frame.function->locals[static_cast<std::size_t>(local)].type;
  if (slot.kind == LocalSlot::Kind::slot) {
    if (slot.at_hand) return *slot.at_hand;
    if (slot.spread == Spread::group) return slot.memory;
    return slot_memory(slot.scratch_offset, cells_of(type), slot.spread);
  }
  if (slot.kind == LocalSlot::Kind::none) {
    const Spread spread = joined(frame.spreads->locals[static_cast<std::size_t>(local)]);
    slot.kind = LocalSlot::Kind::memory;
    slot.memory = new_lane_memory(cells_of(type), spread == Spread::lane, "var");
  }
  return slot.memory;
}

namespace {
constexpr ScalarKind kWord = ScalarKind::u32;

LaneMemory pointer_memory(Emitter& e, const LocalSlot& slot) {
  if (slot.spread == Spread::group) return slot.memory;
  return e.slot_memory(slot.scratch_offset, kPointerCells, slot.spread);
}
}  // namespace

void Emitter::put_local(EmitFrame& frame, LocalId local, const Val& value) {
  LocalSlot& slot = frame.locals[static_cast<std::size_t>(local)];
  if (slot.kind == LocalSlot::Kind::again) return;
  if (slot.kind != LocalSlot::Kind::slot) {
    slot.kind = LocalSlot::Kind::value;
    slot.value = value;
    return;
  }
  if (!value.pointer) {
    store_cells(local_memory(frame, local), value, mask);
    return;
  }
  // A pointer that outlives its region: whether it is inside, and its offset in one word or two.
  const Pointer p = resolved(*value.pointer);
  const LaneMemory memory = pointer_memory(*this, slot);
  const auto part = [&](unsigned shift) {
    return lift({p.offset}, [&](auto v) {
      llvm::Type* words = v[0]->getType()->isVectorTy() ? lanes_of(b.getInt32Ty()) : b.getInt32Ty();
      return b.CreateTrunc(b.CreateLShr(v[0], shift), words);
    });
  };
  store_cell(memory, b.getInt32(1), kWord, wide_offsets ? part(0) : p.offset, mask);
  if (wide_offsets) store_cell(memory, b.getInt32(2), kWord, part(32), mask);
  store_cell(memory, b.getInt32(0), ScalarKind::boolean,
             p.inside.value == nullptr ? constant_leaf(Scalar::of(true)) : p.inside, mask);
  slot.pointer = p;
}

Val Emitter::get_local(EmitFrame& frame, LocalId local) {
  LocalSlot& slot = frame.locals[static_cast<std::size_t>(local)];
  const TypeId type = frame.function->locals[static_cast<std::size_t>(local)].type;
  switch (slot.kind) {
    case LocalSlot::Kind::value: return slot.value;
    case LocalSlot::Kind::again: return eval(frame, frame.again.at(local));
    case LocalSlot::Kind::memory: return load_cells(slot.memory, type);
    case LocalSlot::Kind::slot: break;
    case LocalSlot::Kind::none:
      // Reached only where no lane runs: a value that was never given.
      if (p_.types.get_if<PointerType>(type) != nullptr) problem = "a pointer has no value";
      return zero_value(type);
  }
  if (p_.types.get_if<PointerType>(type) == nullptr) {
    return load_cells(local_memory(frame, local), type);
  }
  const LaneMemory memory = pointer_memory(*this, slot);
  Val out;
  out.type = type;
  if (!slot.pointer) {
    problem = "a pointer has no value";
    return out;
  }
  Pointer p = *slot.pointer;
  p.inside = load_cell(memory, b.getInt32(0), ScalarKind::boolean);
  p.offset = load_cell(memory, b.getInt32(1), kWord);
  if (wide_offsets) {
    p.offset = lift({p.offset, load_cell(memory, b.getInt32(2), kWord)}, [&](auto v) {
      llvm::Type* wide = v[0]->getType()->isVectorTy() ? lanes_of(b.getInt64Ty()) : b.getInt64Ty();
      return b.CreateOr(b.CreateZExt(v[0], wide), b.CreateShl(b.CreateZExt(v[1], wide), 32));
    });
  }
  if (p.kind == Pointer::Kind::lanes) {
    const PointerRoot root = frame.spreads->pointers.at(local);
    EmitFrame* owner = &frame;
    while (owner != nullptr && owner->spreads != root.frame) owner = owner->parent;
    if (root.kind == PointerRoot::Kind::var && owner != nullptr) {
      p.lanes = local_memory(*owner, root.local);
    } else if (root.kind == PointerRoot::Kind::global) {
      p.lanes = privates.at(root.global);
    }
  }
  out.pointer = p;
  return out;
}

}  // namespace vyre
