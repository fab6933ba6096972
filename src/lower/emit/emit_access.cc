// Loads and stores: contiguous, at one address, or lane by lane.
#include "vyre/lower/emit/emitter_internal.h"

namespace vyre {

using llvm::Value;

Value* Emitter::address(const Pointer& pointer, Value* offset, std::uint64_t bytes) {
  // Offsets are unsigned bytes; 32-bit ones stay below 2^31.
  Value* at = offset->getType() == b.getInt64Ty() ? offset : b.CreateZExt(offset, b.getInt64Ty());
  if (bytes != 0) at = b.CreateAdd(at, b.getInt64(bytes));
  return b.CreatePtrAdd(pointer.base, at);
}

Value* Emitter::row_address(const Pointer& pointer) {
  if (gpu) {
    // The tile was tested: neither x + row nor what is added to it here wraps.
    Value* index = b.CreateAdd(
        b.CreateZExt(gpu_row_index(pointer.along.row), b.getInt64Ty()),
        b.getInt64(static_cast<std::uint64_t>(pointer.along.offset) + gpu->item_offset));
    Value* bytes = b.CreateMul(index, b.getInt64(pointer.along_stride));
    return b.CreatePtrAdd(pointer.base, b.CreateAdd(bytes, b.getInt64(pointer.along_bytes)));
  }
  Value* at = row_x64;
  if (pointer.along.row != nullptr) {
    at = b.CreateAdd(at, b.CreateZExt(pointer.along.row, b.getInt64Ty()));
  }
  at = b.CreateAdd(at, b.getInt64(static_cast<std::uint64_t>(pointer.along.offset)));
  at = b.CreateMul(at, b.getInt64(pointer.along_stride));
  return b.CreatePtrAdd(pointer.base, b.CreateAdd(at, b.getInt64(pointer.along_bytes)));
}

// Whether all lanes of a linear access are inside; null when that is certain.
Value* Emitter::linear_inside(const Pointer& pointer) {
  Value* outer = pointer.inside.value;
  if (pointer.pending.base == nullptr) return outer;
  Value* first = b.CreateZExt(pointer.pending.base, b.getInt64Ty());
  Value* last = b.CreateAdd(
      first, b.getInt64(static_cast<std::uint64_t>(pointer.pending.stride) * (width_ - 1)));
  Value* here = b.CreateICmpULT(last, b.CreateZExt(pointer.pending_count, b.getInt64Ty()));
  return outer == nullptr ? here : b.CreateAnd(outer, here);
}

Pointer Emitter::resolved(Pointer pointer) {
  if (pointer.pending.base == nullptr) return pointer;
  const Leaf index = linear_leaf(pointer.pending.base, pointer.pending.stride);
  Value* limit = b.CreateVectorSplat(width_, pointer.pending_count);
  const Leaf here = varying(b.CreateICmpULT(vector_of(index), limit));
  pointer.inside = pointer.inside.value == nullptr ? here : land(pointer.inside, here);
  // The 32-bit index may wrap between lanes: spell the offsets out lane by lane.
  if (pointer.offset.linear.base != nullptr && wide_offsets) {
    Value* lanes = b.CreateZExt(vector_of(index), lanes_of(b.getInt64Ty()));
    const auto scale = pointer.offset.linear.stride / pointer.pending.stride;
    Value* first = b.CreateZExt(pointer.pending.base, b.getInt64Ty());
    Value* rest = b.CreateSub(pointer.offset.linear.base,
                              b.CreateMul(first, b.getInt64(static_cast<std::uint64_t>(scale))));
    Value* scaled = b.CreateMul(
        lanes, llvm::ConstantInt::get(lanes->getType(), static_cast<std::uint64_t>(scale)));
    pointer.offset = varying(b.CreateAdd(scaled, b.CreateVectorSplat(width_, rest)));
  }
  pointer.pending = {};
  return pointer;
}

llvm::SmallVector<Leaf, 4> Emitter::when_inside(const Pointer& pointer, Loader fast, Loader slow) {
  Value* inside = linear_inside(pointer);
  if (inside == nullptr) return fast();
  llvm::SmallVector<Leaf, 4> quick, careful;
  llvm::BasicBlock* quick_end = nullptr;
  llvm::BasicBlock* careful_end = nullptr;
  branch(
      inside,
      [&] {
        quick = fast();
        for (Leaf& l : quick) l = varying(vector_of(l));
        quick_end = b.GetInsertBlock();
      },
      [&] {
        careful = slow();
        for (Leaf& l : careful) l = varying(vector_of(l));
        careful_end = b.GetInsertBlock();
      });
  llvm::SmallVector<Leaf, 4> out;
  for (std::size_t i = 0; i < quick.size(); ++i) {
    auto* phi = b.CreatePHI(quick[i].value->getType(), 2);
    phi->addIncoming(quick[i].value, quick_end);
    phi->addIncoming(careful[i].value, careful_end);
    out.push_back(varying(phi));
  }
  return out;
}

// One scalar. On a GPU what nothing writes goes through the cache for constants.
Value* Emitter::load_at(const Pointer& pointer, ScalarKind kind, Value* at) {
  auto* loaded =
      b.CreateAlignedLoad(memory_type(kind), at, llvm::Align(kind == ScalarKind::f16 ? 2 : 4));
  if (gpu && pointer.constant) {
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context(), {}));
  }
  return from_memory(kind, loaded);
}

// W elements `stride` bytes apart, starting at `first`, all inside.
llvm::SmallVector<Leaf, 4> Emitter::load_contiguous(const Pointer& pointer, Value* first,
                                                    std::uint64_t stride, TypeId type) {
  const auto& fields = fields_of(type);
  // A wide load of whole elements stays inside the array; one of parts could reach beyond its end.
  const bool whole = p_.types.stride(type) == stride;
  llvm::SmallVector<Leaf, 4> out;
  const auto size_of = [](ScalarKind k) -> std::uint64_t { return k == ScalarKind::f16 ? 2 : 4; };
  if (!wide()) {
    for (const Field& f : fields) {
      Value* at = b.CreatePtrAdd(first, b.getInt64(f.offset));
      out.push_back(uniform(load_at(pointer, f.kind, at)));
    }
    return out;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field& f = fields[i];
    const std::uint64_t size = size_of(f.kind);
    const std::uint64_t per = stride / size;
    llvm::Type* word = memory_type(f.kind);
    Value* v = nullptr;
    if (per == 1) {
      v = b.CreateAlignedLoad(lanes_of(word), b.CreatePtrAdd(first, b.getInt64(f.offset)),
                              llvm::Align(size));
    } else if (whole && stride % size == 0 && per <= 4) {
      // One wide load, of which every field takes its lanes; equal loads are made one by LLVM.
      llvm::Type* all = llvm::FixedVectorType::get(word, width_ * static_cast<unsigned>(per));
      Value* whole = b.CreateAlignedLoad(all, first, llvm::Align(size));
      llvm::SmallVector<int, 32> lanes;
      for (unsigned l = 0; l < width_; ++l) {
        lanes.push_back(static_cast<int>(l * per + f.offset / size));
      }
      v = b.CreateShuffleVector(whole, lanes);
    } else {
      Value* lanes =
          b.CreateMul(lane_numbers(),
                      b.CreateVectorSplat(width_, b.getInt32(static_cast<std::uint32_t>(stride))));
      Value* at = b.CreateGEP(b.getInt8Ty(), b.CreatePtrAdd(first, b.getInt64(f.offset)), lanes);
      v = b.CreateMaskedGather(lanes_of(word), at, llvm::Align(size), all_on());
    }
    out.push_back(varying(from_memory(f.kind, v)));
  }
  return out;
}

// False when the elements cannot be written as one piece.
bool Emitter::store_contiguous(Value* first, std::uint64_t stride, const std::vector<Field>& fields,
                               const Val& value) {
  const auto size_of = [](ScalarKind k) -> std::uint64_t { return k == ScalarKind::f16 ? 2 : 4; };
  if (!wide()) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Value* at = b.CreatePtrAdd(first, b.getInt64(fields[i].offset));
      b.CreateAlignedStore(to_memory(fields[i].kind, value.leaves[i].value), at,
                           llvm::Align(size_of(fields[i].kind)));
    }
    return true;
  }
  const std::uint64_t size = size_of(fields[0].kind);
  const std::uint64_t per = stride / size;
  if (fields.size() == 1 && per == 1) {
    Value* v = to_memory(fields[0].kind, vector_of(value.leaves[0]));
    if (mask == nullptr) {
      b.CreateAlignedStore(v, first, llvm::Align(size));
    } else {
      b.CreateMaskedStore(v, first, llvm::Align(size), mask);
    }
    return true;
  }
  // Elements without gaps: interleave the fields and store once.
  if (mask != nullptr || per != fields.size() || (per != 2 && per != 4)) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].kind != fields[0].kind || fields[i].offset != i * size) return false;
  }
  const auto joined_pair = [&](Value* x, Value* y) {
    const unsigned n = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
    llvm::SmallVector<int, 64> all;
    for (unsigned i = 0; i < 2 * n; ++i) all.push_back(static_cast<int>(i));
    return b.CreateShuffleVector(x, y, all);
  };
  llvm::SmallVector<Value*, 4> v;
  for (const Leaf& l : value.leaves) v.push_back(to_memory(fields[0].kind, vector_of(l)));
  Value* all = joined_pair(v[0], v[1]);
  if (per == 4) all = joined_pair(all, joined_pair(v[2], v[3]));
  llvm::SmallVector<int, 128> order;
  for (unsigned l = 0; l < width_; ++l) {
    for (unsigned f = 0; f < per; ++f) order.push_back(static_cast<int>(f * width_ + l));
  }
  b.CreateAlignedStore(b.CreateShuffleVector(all, order), first, llvm::Align(size));
  return true;
}

Value* Emitter::lanes_inside(const Pointer& pointer) {
  Value* inside = pointer.inside.value == nullptr ? nullptr : vector_of(pointer.inside);
  if (inside == nullptr) return mask;
  return mask == nullptr ? inside : b.CreateAnd(mask, inside);
}

Leaf Emitter::gather(const Pointer& pointer, const Field& field, Value* lanes) {
  Value* base =
      field.offset == 0 ? pointer.base : b.CreatePtrAdd(pointer.base, b.getInt64(field.offset));
  Value* at = b.CreateGEP(b.getInt8Ty(), base, vector_of(pointer.offset));
  llvm::Type* type = lanes_of(memory_type(field.kind));
  const llvm::Align align(field.kind == ScalarKind::f16 ? 2 : 4);
  Value* v = b.CreateMaskedGather(type, at, align, lanes == nullptr ? all_on() : lanes,
                                  llvm::Constant::getNullValue(type));
  return varying(from_memory(field.kind, v));
}

void Emitter::scatter(const Pointer& pointer, const Field& field, const Leaf& value, Value* lanes) {
  Value* base =
      field.offset == 0 ? pointer.base : b.CreatePtrAdd(pointer.base, b.getInt64(field.offset));
  Value* at = b.CreateGEP(b.getInt8Ty(), base, vector_of(pointer.offset));
  const llvm::Align align(field.kind == ScalarKind::f16 ? 2 : 4);
  b.CreateMaskedScatter(to_memory(field.kind, vector_of(value)), at, align,
                        lanes == nullptr ? all_on() : lanes);
}

// One load for the gang, behind a branch that is as good as free where it is always taken.
llvm::SmallVector<Leaf, 4> Emitter::load_if_inside(const Pointer& pointer,
                                                   const std::vector<Field>& fields) {
  llvm::SmallVector<Value*, 4> loaded;
  llvm::BasicBlock* inside = nullptr;
  llvm::BasicBlock* outside = nullptr;
  branch(
      pointer.inside.value,
      [&] {
        for (const Field& f : fields) {
          loaded.push_back(
              load_at(pointer, f.kind, address(pointer, pointer.offset.value, f.offset)));
        }
        inside = b.GetInsertBlock();
      },
      [&] { outside = b.GetInsertBlock(); }, /*likely=*/true);
  llvm::SmallVector<Leaf, 4> out;
  for (Value* v : loaded) {
    auto* phi = b.CreatePHI(v->getType(), 2);
    phi->addIncoming(v, inside);
    phi->addIncoming(llvm::Constant::getNullValue(v->getType()), outside);
    out.push_back(uniform(phi));
  }
  return out;
}

Val Emitter::load_shared(const Pointer& pointer, TypeId type) {
  const auto& fields = fields_of(type);
  Val out;
  out.type = type;
  if (pointer.along.known && rows_tested) {
    out.leaves = load_contiguous(pointer, row_address(pointer), pointer.along_stride, type);
    return out;
  }
  if (!pointer.offset.varying) {
    // One load for the gang. Outside, the first element stands in and zero is the answer.
    Value* inside = pointer.inside.value;
    const bool movable = pointer.constant;
    const Leaf guard = inside == nullptr ? constant_leaf(Scalar::of(true)) : pointer.inside;
    std::optional<RowInvariant> place;
    if (movable) place.emplace(*this, llvm::ArrayRef<const Leaf*>{&pointer.offset, &guard});
    if (inside != nullptr && !gpu && !(place && place->active)) {
      out.leaves = load_if_inside(pointer, fields);
      return out;
    }
    Value* offset = pointer.offset.value;
    if (inside != nullptr) {
      offset = b.CreateSelect(inside, offset, llvm::Constant::getNullValue(offset->getType()));
    }
    for (const Field& f : fields) {
      Value* v = load_at(pointer, f.kind, address(pointer, offset, f.offset));
      if (inside != nullptr) {
        v = b.CreateSelect(inside, v, llvm::Constant::getNullValue(v->getType()));
      }
      Leaf leaf = uniform(v);
      if (place) leaf = place->mark(leaf);
      out.leaves.push_back(leaf);
    }
    return out;
  }
  const auto slow = [&] {
    const Pointer p = resolved(pointer);
    Value* lanes = lanes_inside(p);
    llvm::SmallVector<Leaf, 4> leaves;
    for (const Field& f : fields) leaves.push_back(gather(p, f, lanes));
    return leaves;
  };
  if (pointer.offset.linear.base != nullptr && pointer.offset.linear.stride > 0 &&
      !pointer.inside.varying) {
    const auto fast = [&] {
      return load_contiguous(pointer, address(pointer, pointer.offset.linear.base, 0),
                             static_cast<std::uint64_t>(pointer.offset.linear.stride), type);
    };
    out.leaves = when_inside(pointer, fast, slow);
    return out;
  }
  out.leaves = slow();
  return out;
}

void Emitter::store_shared(const Pointer& pointer, const Val& value) {
  const auto& fields = fields_of(value.type);
  if (pointer.along.known && rows_tested) {
    if (store_contiguous(row_address(pointer), pointer.along_stride, fields, value)) return;
  }
  if (!pointer.offset.varying) {
    // All running lanes write one place: the last of them stays.
    const auto write = [&] {
      Value* last = nullptr;
      if (wide()) {
        last = b.getInt32(width_ - 1);
        if (mask != nullptr) {
          Value* bits = b.CreateBitCast(mask, b.getIntNTy(width_));
          Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b.getFalse());
          last = b.CreateSub(last, b.CreateZExtOrTrunc(zeros, b.getInt32Ty()));
        }
      }
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const Leaf& leaf = value.leaves[i];
        Value* v = leaf.varying ? b.CreateExtractElement(vector_of(leaf), last) : leaf.value;
        b.CreateAlignedStore(to_memory(fields[i].kind, v),
                             address(pointer, pointer.offset.value, fields[i].offset),
                             llvm::Align(fields[i].kind == ScalarKind::f16 ? 2 : 4));
      }
    };
    Value* condition = pointer.inside.value;
    if (mask != nullptr) {
      Value* running = any(mask);
      condition = condition == nullptr ? running : b.CreateAnd(condition, running);
    }
    if (condition == nullptr) return write();
    return branch(condition, write, [] {});
  }
  const auto slow = [&] {
    const Pointer p = resolved(pointer);
    Value* lanes = lanes_inside(p);
    for (std::size_t i = 0; i < fields.size(); ++i) scatter(p, fields[i], value.leaves[i], lanes);
  };
  if (pointer.offset.linear.base != nullptr && pointer.offset.linear.stride > 0 &&
      !pointer.inside.varying) {
    const auto fast = [&] {
      if (!store_contiguous(address(pointer, pointer.offset.linear.base, 0),
                            static_cast<std::uint64_t>(pointer.offset.linear.stride), fields,
                            value)) {
        for (std::size_t i = 0; i < fields.size(); ++i) {
          scatter(pointer, fields[i], value.leaves[i], mask);
        }
      }
    };
    Value* inside = linear_inside(pointer);
    if (inside == nullptr) return fast();
    return branch(inside, fast, slow);
  }
  slow();
}

// ---- Cells of vars with computed indices --------------------------------------------------------

namespace {
// Where each lane's cell lies: i32 cell numbers to byte offsets.
Value* cell_addresses(Emitter& e, const LaneMemory& memory, Value* cells, std::uint64_t field) {
  auto& b = e.b;
  if (cells->getType()->getScalarType() != b.getInt32Ty()) {
    cells = b.CreateTrunc(cells, e.lanes_of(b.getInt32Ty()));
  }
  cells = b.CreateAdd(cells, llvm::ConstantInt::get(cells->getType(), field));
  if (memory.varying) {
    cells = b.CreateAdd(b.CreateMul(cells, llvm::ConstantInt::get(cells->getType(), e.width())),
                        e.lane_numbers());
  }
  return b.CreateGEP(b.getInt32Ty(), memory.base, cells);
}
}  // namespace

Val Emitter::load_lanes(const Pointer& p, TypeId type) {
  const auto& fields = fields_of(type);
  Val out;
  out.type = type;
  const Pointer pointer = resolved(p);
  if (!pointer.offset.varying) {
    Value* inside = pointer.inside.value;
    Value* cell = pointer.offset.value;
    if (inside != nullptr) {
      cell = b.CreateSelect(inside, cell, llvm::Constant::getNullValue(cell->getType()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Value* at = b.CreateAdd(cell, llvm::ConstantInt::get(cell->getType(), i));
      Leaf leaf = load_cell(pointer.lanes, at, fields[i].kind);
      if (inside != nullptr) leaf = select(pointer.inside, leaf, constant_leaf(fields[i].kind, 0));
      out.leaves.push_back(leaf);
    }
    return out;
  }
  Value* lanes = lanes_inside(pointer);
  Value* cells = vector_of(pointer.offset);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Value* at = cell_addresses(*this, pointer.lanes, cells, i);
    llvm::Type* words = lanes_of(b.getInt32Ty());
    Value* v = b.CreateMaskedGather(words, at, llvm::Align(4), lanes == nullptr ? all_on() : lanes,
                                    llvm::Constant::getNullValue(words));
    switch (fields[i].kind) {
      case ScalarKind::boolean: v = b.CreateICmpNE(v, llvm::Constant::getNullValue(words)); break;
      case ScalarKind::f32: v = b.CreateBitCast(v, lanes_of(b.getFloatTy())); break;
      case ScalarKind::f16:
        v = b.CreateBitCast(b.CreateTrunc(v, lanes_of(b.getInt16Ty())), lanes_of(b.getHalfTy()));
        break;
      default: break;
    }
    out.leaves.push_back(varying(v));
  }
  return out;
}

void Emitter::store_lanes(const Pointer& p, const Val& value) {
  const auto& fields = fields_of(value.type);
  const Pointer pointer = resolved(p);
  if (!pointer.offset.varying) {
    const auto write = [&] {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        Value* at = b.CreateAdd(pointer.offset.value,
                                llvm::ConstantInt::get(pointer.offset.value->getType(), i));
        store_cell(pointer.lanes, at, fields[i].kind, value.leaves[i], mask);
      }
    };
    if (pointer.inside.value == nullptr) return write();
    return branch(pointer.inside.value, write, [] {});
  }
  Value* lanes = lanes_inside(pointer);
  Value* cells = vector_of(pointer.offset);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Value* at = cell_addresses(*this, pointer.lanes, cells, i);
    Value* v = vector_of(value.leaves[i]);
    llvm::Type* words = lanes_of(b.getInt32Ty());
    switch (fields[i].kind) {
      case ScalarKind::boolean: v = b.CreateZExt(v, words); break;
      case ScalarKind::f32: v = b.CreateBitCast(v, words); break;
      case ScalarKind::f16:
        v = b.CreateZExt(b.CreateBitCast(v, lanes_of(b.getInt16Ty())), words);
        break;
      default: break;
    }
    b.CreateMaskedScatter(v, at, llvm::Align(4), lanes == nullptr ? all_on() : lanes);
  }
}

Val Emitter::load(const Pointer& pointer, TypeId type) {
  return pointer.kind == Pointer::Kind::shared ? load_shared(pointer, type)
                                               : load_lanes(pointer, type);
}

void Emitter::store(const Pointer& pointer, const Val& value) {
  if (pointer.kind == Pointer::Kind::shared) {
    store_shared(pointer, value);
  } else {
    store_lanes(pointer, value);
  }
}

}  // namespace vyre
