// Pointers into shared memory (buffers, workgroup memory) and into the cells of vars.
#include "vyre/lower/emit/emitter_internal.h"

namespace vyre {

using llvm::Value;

std::uint64_t Emitter::cells_of(TypeId type) const { return p_.types.scalar_count(type); }

const std::vector<Emitter::Field>& Emitter::fields_of(TypeId type) {
  if (const auto found = fields_.find(type); found != fields_.end()) return found->second;
  std::vector<Field> out;
  const auto& types = p_.types;
  const auto nested = [&](TypeId part, std::uint64_t offset) {
    for (const Field& f : fields_of(part)) out.push_back({f.kind, offset + f.offset});
  };
  if (const auto* s = types.get_if<StructType>(type)) {
    for (const Member& m : s->members) nested(m.type, m.offset);
  } else if (const auto* a = types.get_if<ArrayType>(type)) {
    for (std::uint64_t i = 0; i < a->count; ++i) nested(a->element, i * types.stride(a->element));
  } else if (const auto* m = types.get_if<MatrixType>(type)) {
    const TypeId column = types.component(type);
    for (std::uint64_t i = 0; i < m->columns; ++i) nested(column, i * types.stride(column));
  } else if (const auto* v = types.get_if<VectorType>(type)) {
    const std::uint64_t size = v->kind == ScalarKind::f16 ? 2 : 4;
    for (std::uint64_t i = 0; i < v->size; ++i) out.push_back({v->kind, i * size});
  } else if (const auto kind = types.scalar_kind(type)) {
    out.push_back({*kind, 0});
  }
  return fields_.emplace(type, std::move(out)).first->second;
}

llvm::Type* Emitter::memory_type(ScalarKind kind) {
  return kind == ScalarKind::boolean ? b.getInt32Ty() : scalar_type(kind);
}

Value* Emitter::to_memory(ScalarKind kind, Value* v) {
  if (kind != ScalarKind::boolean) return v;
  llvm::Type* words = v->getType()->isVectorTy() ? lanes_of(b.getInt32Ty()) : b.getInt32Ty();
  return b.CreateZExt(v, words);
}

Value* Emitter::from_memory(ScalarKind kind, Value* v) {
  if (kind != ScalarKind::boolean) return v;
  return b.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
}

Val Emitter::zero_value(TypeId type) {
  Val out;
  out.type = type;
  for (const Field& f : fields_of(type)) out.leaves.push_back(constant_leaf(f.kind, 0));
  return out;
}

// offset + index·scale in the width of offsets. A linear index stays linear: whoever uses that has
// compared the index with its count, so it did not wrap.
Leaf Emitter::add_offset(const Leaf& offset, const Leaf& index, std::uint64_t scale) {
  llvm::Type* type = offset_type();
  const auto widen = [&](Value* v) {
    if (!wide_offsets || v->getType()->getScalarType() == type) return v;
    return b.CreateZExt(v, v->getType()->isVectorTy() ? lanes_of(type) : type);
  };
  const auto scaled = [&](Value* v) {
    return scale == 1 ? v : b.CreateMul(v, llvm::ConstantInt::get(v->getType(), scale));
  };
  const bool linear = (!offset.varying || offset.linear.base != nullptr) &&
                      (!index.varying || index.linear.base != nullptr);
  if (!offset.varying && !index.varying) {
    const RowInvariant place(*this, {&offset, &index});
    // Nobody uses the offset of an index that is outside, so it does not wrap: addresses fold.
    Value* step = widen(index.value);
    if (gpu) return place.mark(uniform(b.CreateAdd(offset.value, scaled(step))));
    if (scale != 1) step = b.CreateNUWMul(step, llvm::ConstantInt::get(step->getType(), scale));
    return place.mark(uniform(b.CreateNUWAdd(offset.value, step)));
  }
  if (linear) {
    Value* base = offset.varying ? offset.linear.base : offset.value;
    Value* step = scaled(widen(index.varying ? index.linear.base : index.value));
    const auto stride =
        (offset.varying ? offset.linear.stride : 0) +
        (index.varying ? index.linear.stride * static_cast<std::int64_t>(scale) : 0);
    return linear_leaf(b.CreateAdd(base, step), stride);
  }
  return varying(b.CreateAdd(vector_of(offset), scaled(widen(vector_of(index)))));
}

Value* Emitter::array_length(const Pointer& pointer) {
  // The run-time array ends its buffer: what is bound beyond its start, in whole elements.
  const auto* array = p_.types.get_if<ArrayType>(pointer.pointee);
  const auto stride = p_.types.stride(array->element);
  // Run-time arrays start at a constant offset: a member of a struct, or the whole buffer.
  const auto* start = llvm::cast<llvm::ConstantInt>(pointer.offset.value);
  Value* bytes = global_bytes[static_cast<std::size_t>(pointer.global)];
  Value*& length = lengths_[{bytes, start->getZExtValue()}];
  if (length != nullptr) return length;
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(allocas->getTerminator());
  if (!wide_offsets) {
    Value* rest = b.CreateSub(b.CreateTrunc(bytes, b.getInt32Ty()),
                              b.getInt32(static_cast<std::uint32_t>(start->getZExtValue())));
    length = b.CreateUDiv(rest, b.getInt32(static_cast<std::uint32_t>(stride)));
    return length;
  }
  Value* rest = b.CreateSub(bytes, b.getInt64(start->getZExtValue()));
  length = b.CreateTrunc(b.CreateUDiv(rest, b.getInt64(stride)), b.getInt32Ty());
  return length;
}

Pointer Emitter::member(const Pointer& base, std::uint32_t member) {
  const auto* s = p_.types.get_if<StructType>(base.pointee);
  const Member& m = s->members[member];
  Pointer out = base;
  out.pointee = m.type;
  std::uint64_t step = m.offset;
  if (base.kind == Pointer::Kind::lanes) {
    step = 0;
    for (std::uint32_t i = 0; i < member; ++i) step += cells_of(s->members[i].type);
  }
  if (step == 0) return out;
  out.along_bytes += step;
  out.offset =
      add_offset(base.offset, constant_leaf(Scalar::of(static_cast<std::uint32_t>(step))), 1);
  return out;
}

Pointer Emitter::index(const Pointer& base, const Leaf& index, ScalarKind index_kind) {
  const auto& types = p_.types;
  Pointer out = base;
  const TypeId element = types.component(base.pointee);
  out.pointee = element;
  const bool shared = base.kind == Pointer::Kind::shared;
  std::uint64_t scale = shared ? types.stride(element) : cells_of(element);
  if (shared && types.get_if<VectorType>(base.pointee) != nullptr) {
    scale = types.layout(element).size;  // components lie packed
  }

  const std::uint32_t fixed = types.component_count(base.pointee);
  const bool proven = fixed != 0 && index.max < fixed;
  Value* count = fixed != 0 ? static_cast<Value*>(b.getInt32(fixed)) : nullptr;
  if (!proven && count == nullptr) count = array_length(base);

  const bool first_check = base.inside.value == nullptr && base.pending.base == nullptr;
  if (!proven && rows_tested && shared && first_check && !base.along.known &&
      index.along_row.known && !base.offset.varying &&
      llvm::isa<llvm::ConstantInt>(base.offset.value)) {
    requirements.push_back({index.along_row, count, /*elements=*/true});
    out.along = index.along_row;
    out.along_stride = scale;
    out.along_bytes = llvm::cast<llvm::ConstantInt>(base.offset.value)->getZExtValue();
    out.offset = add_offset(base.offset, index, scale);
    return out;
  }
  if (base.along.known) {
    // Only constant steps keep the row's 64-bit form.
    if (const auto* c = index.varying ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(index.value)) {
      out.along_bytes += c->getZExtValue() * scale;
    } else {
      out.along = {};
    }
  }
  out.offset = add_offset(base.offset, index, scale);
  if (proven) return out;

  const bool negative_possible = index_kind == ScalarKind::i32 && wide_offsets;
  if (index.varying && index.linear.base != nullptr && index.linear.stride > 0 &&
      base.pending.base == nullptr && !negative_possible) {
    out.pending = index.linear;
    out.pending_count = count;
    return out;
  }
  const Leaf here = lift({index, uniform(count)}, [&](auto v) {
    Value* below = b.CreateICmpULT(v[0], v[1]);
    if (!negative_possible) return below;
    return b.CreateAnd(below, b.CreateICmpSGE(v[0], llvm::Constant::getNullValue(v[0]->getType())));
  });
  out.inside = base.inside.value == nullptr ? here : land(base.inside, here);
  return out;
}

// ---- Cells ------------------------------------------------------------------------------------

// On the stack, or, when that has enough, in the call's scratch memory.
LaneMemory Emitter::new_lane_memory(std::uint64_t cells, bool is_varying, const char* name) {
  constexpr std::uint64_t kLarge = 16 << 10, kMostOnStack = 256 << 10;
  is_varying = is_varying && wide();
  llvm::Type* cell = is_varying ? lanes_of(b.getInt32Ty()) : b.getInt32Ty();
  const std::uint64_t bytes = std::max<std::uint64_t>(cells, 1) * 4 * (is_varying ? width_ : 1);
  if (scratch == nullptr || gpu || (bytes <= kLarge && stack_bytes_ + bytes <= kMostOnStack)) {
    stack_bytes_ += bytes;
    return {alloca_of(llvm::ArrayType::get(cell, std::max<std::uint64_t>(cells, 1)), name),
            is_varying};
  }
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(allocas->getTerminator());
  Value* base = b.CreatePtrAdd(scratch, b.getInt64(scratch_bytes));
  scratch_bytes += (bytes + 63) / 64 * 64;
  return {base, is_varying};
}

std::uint64_t Emitter::reserve_slot(std::uint64_t cells, Spread spread) {
  const std::uint64_t per_gang = cells * 4 * (spread == Spread::lane ? width_ : 1);
  const std::uint64_t offset = scratch_bytes;
  scratch_bytes += (per_gang * gangs + 63) / 64 * 64;
  return offset;
}

LaneMemory Emitter::slot_memory(std::uint64_t offset, std::uint64_t cells, Spread spread) {
  const std::uint64_t per_gang = cells * 4 * (spread == Spread::lane ? width_ : 1);
  Value* at = b.CreateAdd(b.getInt64(offset), b.CreateMul(gang_index, b.getInt64(per_gang)));
  return {b.CreatePtrAdd(scratch, at), spread == Spread::lane && wide()};
}

Leaf Emitter::load_cell(const LaneMemory& memory, Value* cell, ScalarKind kind) {
  llvm::Type* word = memory.varying ? lanes_of(b.getInt32Ty()) : b.getInt32Ty();
  Value* at = b.CreateGEP(word, memory.base, cell);
  Value* v = b.CreateAlignedLoad(word, at, llvm::Align(4));
  if (kind == ScalarKind::boolean) {
    v = b.CreateICmpNE(v, llvm::Constant::getNullValue(word));
  } else if (kind == ScalarKind::f32) {
    v = b.CreateBitCast(v, memory.varying ? lanes_of(b.getFloatTy()) : b.getFloatTy());
  } else if (kind == ScalarKind::f16) {
    v = b.CreateTrunc(v, memory.varying ? lanes_of(b.getInt16Ty()) : b.getInt16Ty());
    v = b.CreateBitCast(v, memory.varying ? lanes_of(b.getHalfTy()) : b.getHalfTy());
  }
  return memory.varying ? varying(v) : uniform(v);
}

namespace {
Value* as_word(Emitter& e, ScalarKind kind, Value* v) {
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

// What all running lanes hold: known to be one value, though it came in a vector.
Value* Emitter::agreed(const Leaf& value, Value* lanes) {
  if (!value.varying) return value.value;
  Value* lane = b.getInt32(0);
  if (lanes != nullptr) lane = b.CreateAnd(first_lane(lanes), b.getInt32(width_ - 1));
  return b.CreateExtractElement(vector_of(value), lane);
}

void Emitter::store_cell(const LaneMemory& memory, Value* cell, ScalarKind kind, const Leaf& value,
                         Value* lanes) {
  llvm::Type* word = memory.varying ? lanes_of(b.getInt32Ty()) : b.getInt32Ty();
  Value* at = b.CreateGEP(word, memory.base, cell);
  Value* v = as_word(*this, kind, memory.varying ? vector_of(value) : agreed(value, lanes));
  if (memory.varying && lanes != nullptr) {
    Value* old = b.CreateAlignedLoad(word, at, llvm::Align(4));
    v = b.CreateSelect(lanes, v, old);
  }
  b.CreateAlignedStore(v, at, llvm::Align(4));
}

Val Emitter::load_cells(const LaneMemory& memory, TypeId type) {
  Val out;
  out.type = type;
  std::uint32_t cell = 0;
  for (const Field& f : fields_of(type)) {
    out.leaves.push_back(load_cell(memory, b.getInt32(cell++), f.kind));
  }
  return out;
}

void Emitter::store_cells(const LaneMemory& memory, const Val& value, Value* lanes) {
  std::uint32_t cell = 0;
  for (const Field& f : fields_of(value.type)) {
    store_cell(memory, b.getInt32(cell), f.kind, value.leaves[cell], lanes);
    ++cell;
  }
}

void Emitter::zero_cells(const LaneMemory& memory, std::uint64_t cells, Value* lanes) {
  if (lanes == nullptr || !memory.varying) {
    const std::uint64_t bytes = cells * 4 * (memory.varying ? width_ : 1);
    b.CreateMemSet(memory.base, b.getInt8(0), bytes, llvm::Align(4));
    return;
  }
  const Leaf zero = constant_leaf(Scalar::of(0U));
  if (cells > kManyScalars) {
    counted(static_cast<std::uint32_t>(cells), [&](const Leaf& cell) {
      store_cell(memory, cell.value, ScalarKind::u32, zero, lanes);
    });
    return;
  }
  for (std::uint64_t c = 0; c < cells; ++c) {
    store_cell(memory, b.getInt32(static_cast<std::uint32_t>(c)), ScalarKind::u32, zero, lanes);
  }
}

// body(0), body(1), ... as a loop of the code.
void Emitter::counted(std::uint32_t rounds, llvm::function_ref<void(const Leaf&)> body) {
  auto* at = alloca_of(b.getInt32Ty(), "round");
  b.CreateStore(b.getInt32(0), at);
  auto* head = new_block("rounds");
  auto* after = new_block("after_rounds");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Leaf round = uniform(b.CreateLoad(b.getInt32Ty(), at));
  round.max = rounds - 1;
  body(round);
  Value* next = b.CreateAdd(round.value, b.getInt32(1));
  b.CreateStore(next, at);
  b.CreateCondBr(b.CreateICmpULT(next, b.getInt32(rounds)), head, after);
  b.SetInsertPoint(after);
}

// What `from` points to, or zero, one element after the other: as values, large arrays would make
// more code than anybody waits for.
void Emitter::copy(const Pointer& to, const Pointer* from, TypeId type) {
  const auto* array = p_.types.get_if<ArrayType>(type);
  if (array == nullptr || cells_of(type) <= kManyScalars) {
    store(to, from == nullptr ? zero_value(type) : load(*from, type));
    return;
  }
  counted(array->count, [&](const Leaf& i) {
    const Pointer element = index(to, i, ScalarKind::u32);
    if (from == nullptr) return copy(element, nullptr, array->element);
    const Pointer source = index(*from, i, ScalarKind::u32);
    copy(element, &source, array->element);
  });
}

void Emitter::assign(EmitFrame& frame, const Pointer& to, ExprId value) {
  const TypeId type = p_[value].type;
  if (cells_of(type) > kManyScalars && p_.types.get_if<ArrayType>(type) != nullptr) {
    if (const auto* from = std::get_if<LoadExpr>(&p_[value].node)) {
      const Val source = eval(frame, from->pointer);
      return copy(to, &*source.pointer, type);
    }
    if (std::holds_alternative<ZeroExpr>(p_[value].node)) return copy(to, nullptr, type);
  }
  store(to, eval(frame, value));
}

Pointer Emitter::var_pointer(EmitFrame& frame, LocalId local) {
  Pointer out;
  out.kind = Pointer::Kind::lanes;
  out.lanes = local_memory(frame, local);
  out.offset = uniform(llvm::ConstantInt::get(offset_type(), 0));
  out.offset.row_invariant = true;
  out.pointee = frame.function->locals[static_cast<std::size_t>(local)].type;
  return out;
}

}  // namespace vyre
