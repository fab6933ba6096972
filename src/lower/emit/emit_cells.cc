#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"

namespace vyre {

using llvm::Value;

std::uint64_t cells_of(const EmitContext& e, TypeId type) {
  return e.program.types.scalar_count(type);
}

// Allocates cells on the stack, or in the call's scratch memory once the stack is full enough.
LaneMemory new_lane_memory(EmitContext& e, std::uint64_t cells, bool is_varying, const char* name) {
  constexpr std::uint64_t kLarge = 16 << 10, kMostOnStack = 256 << 10;
  is_varying = is_varying && e.wide();
  llvm::Type* cell = is_varying ? e.lanes_of(e.b.getInt32Ty()) : e.b.getInt32Ty();
  const std::uint64_t bytes = std::max<std::uint64_t>(cells, 1) * 4 * (is_varying ? e.width : 1);
  if (e.scratch == nullptr || e.gpu || (bytes <= kLarge && e.stack_bytes + bytes <= kMostOnStack)) {
    e.stack_bytes += bytes;
    return {e.alloca_of(llvm::ArrayType::get(cell, std::max<std::uint64_t>(cells, 1)), name),
            is_varying};
  }
  llvm::IRBuilder<>::InsertPointGuard guard(e.b);
  e.b.SetInsertPoint(e.allocas->getTerminator());
  Value* base = e.b.CreatePtrAdd(e.scratch, e.b.getInt64(e.scratch_bytes));
  e.scratch_bytes += (bytes + 63) / 64 * 64;
  return {base, is_varying};
}

std::uint64_t reserve_slot(EmitContext& e, std::uint64_t cells, Spread spread) {
  const std::uint64_t per_gang = cells * 4 * (spread == Spread::lane ? e.width : 1);
  const std::uint64_t offset = e.scratch_bytes;
  e.scratch_bytes += (per_gang * e.gangs + 63) / 64 * 64;
  return offset;
}

LaneMemory slot_memory(EmitContext& e, std::uint64_t offset, std::uint64_t cells, Spread spread) {
  const std::uint64_t per_gang = cells * 4 * (spread == Spread::lane ? e.width : 1);
  Value* at =
      e.b.CreateAdd(e.b.getInt64(offset), e.b.CreateMul(e.gang_index, e.b.getInt64(per_gang)));
  return {e.b.CreatePtrAdd(e.scratch, at), spread == Spread::lane && e.wide()};
}

Leaf load_cell(EmitContext& e, const LaneMemory& memory, Value* cell, ScalarKind kind) {
  llvm::Type* word = memory.varying ? e.lanes_of(e.b.getInt32Ty()) : e.b.getInt32Ty();
  Value* at = e.b.CreateGEP(word, memory.base, cell);
  Value* v = e.b.CreateAlignedLoad(word, at, llvm::Align(4));
  if (kind == ScalarKind::boolean) {
    v = e.b.CreateICmpNE(v, llvm::Constant::getNullValue(word));
  } else if (kind == ScalarKind::f32) {
    v = e.b.CreateBitCast(v, memory.varying ? e.lanes_of(e.b.getFloatTy()) : e.b.getFloatTy());
  } else if (kind == ScalarKind::f16) {
    v = e.b.CreateTrunc(v, memory.varying ? e.lanes_of(e.b.getInt16Ty()) : e.b.getInt16Ty());
    v = e.b.CreateBitCast(v, memory.varying ? e.lanes_of(e.b.getHalfTy()) : e.b.getHalfTy());
  }
  return memory.varying ? varying_leaf(e, v) : uniform_leaf(v);
}

namespace {
Value* as_word(EmitContext& e, ScalarKind kind, Value* v) {
  auto& b = e.b;
  const bool vector = v->getType()->isVectorTy();
  llvm::Type* word = vector ? e.lanes_of(b.getInt32Ty()) : b.getInt32Ty();
  if (kind == ScalarKind::boolean) return b.CreateZExt(v, word);
  if (kind == ScalarKind::f32) return b.CreateBitCast(v, word);
  if (kind == ScalarKind::f16) {
    v = b.CreateBitCast(v, vector ? e.lanes_of(b.getInt16Ty()) : b.getInt16Ty());
    return b.CreateZExt(v, word);
  }
  return v;
}
}  // namespace

void store_cell(EmitContext& e, const LaneMemory& memory, Value* cell, ScalarKind kind,
                const Leaf& value, Value* lanes) {
  llvm::Type* word = memory.varying ? e.lanes_of(e.b.getInt32Ty()) : e.b.getInt32Ty();
  Value* at = e.b.CreateGEP(word, memory.base, cell);
  Value* v = as_word(e, kind, memory.varying ? vector_of(e, value) : agreed(e, value, lanes));
  if (memory.varying && lanes != nullptr) {
    Value* old = e.b.CreateAlignedLoad(word, at, llvm::Align(4));
    v = e.b.CreateSelect(lanes, v, old);
  }
  e.b.CreateAlignedStore(v, at, llvm::Align(4));
}

Val load_cells(EmitContext& e, const LaneMemory& memory, TypeId type) {
  Val out;
  out.type = type;
  std::uint32_t cell = 0;
  for (const ScalarField& f : fields_of(e, type)) {
    out.leaves.push_back(load_cell(e, memory, e.b.getInt32(cell++), f.kind));
  }
  return out;
}

void store_cells(EmitContext& e, const LaneMemory& memory, const Val& value, Value* lanes) {
  std::uint32_t cell = 0;
  for (const ScalarField& f : fields_of(e, value.type)) {
    store_cell(e, memory, e.b.getInt32(cell), f.kind, value.leaves[cell], lanes);
    ++cell;
  }
}

void zero_cells(EmitContext& e, const LaneMemory& memory, std::uint64_t cells, Value* lanes) {
  if (lanes == nullptr || !memory.varying) {
    const std::uint64_t bytes = cells * 4 * (memory.varying ? e.width : 1);
    e.b.CreateMemSet(memory.base, e.b.getInt8(0), bytes, llvm::Align(4));
    return;
  }
  const Leaf zero = constant_leaf(e, Scalar::of(0U));
  if (cells > kManyScalars) {
    emit_rounds(e, static_cast<std::uint32_t>(cells), [&](const Leaf& cell) {
      store_cell(e, memory, cell.value, ScalarKind::u32, zero, lanes);
    });
    return;
  }
  for (std::uint64_t c = 0; c < cells; ++c) {
    store_cell(e, memory, e.b.getInt32(static_cast<std::uint32_t>(c)), ScalarKind::u32, zero,
               lanes);
  }
}

// Emits a loop that runs body(0), body(1), ...
void emit_rounds(EmitContext& e, std::uint32_t rounds, llvm::function_ref<void(const Leaf&)> body) {
  auto* at = e.alloca_of(e.b.getInt32Ty(), "round");
  e.b.CreateStore(e.b.getInt32(0), at);
  auto* head = e.new_block("rounds");
  auto* after = e.new_block("after_rounds");
  e.b.CreateBr(head);
  e.b.SetInsertPoint(head);
  Leaf round = uniform_leaf(e.b.CreateLoad(e.b.getInt32Ty(), at));
  round.max = rounds - 1;
  body(round);
  Value* next = e.b.CreateAdd(round.value, e.b.getInt32(1));
  e.b.CreateStore(next, at);
  e.b.CreateCondBr(e.b.CreateICmpULT(next, e.b.getInt32(rounds)), head, after);
  e.b.SetInsertPoint(after);
}

}  // namespace vyre
