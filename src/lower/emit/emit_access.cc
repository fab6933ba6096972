// Loads and stores: contiguous, at one address, or lane by lane.
#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_gpu_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/records_internal.h"
#include "vyre/lower/emit/row_blocks_internal.h"
#include "vyre/lower/emit/store_blocks_internal.h"

namespace vyre {

using llvm::Value;

Value* address(EmitContext& e, const Pointer& pointer, Value* offset, std::uint64_t bytes) {
  // Offsets are unsigned bytes; 32-bit ones stay below 2^31.
  Value* at =
      offset->getType() == e.b.getInt64Ty() ? offset : e.b.CreateZExt(offset, e.b.getInt64Ty());
  if (bytes != 0) at = e.b.CreateAdd(at, e.b.getInt64(bytes));
  return e.b.CreatePtrAdd(pointer.base, at);
}

// Words from lane to lane beyond which a gather takes less than wide loads do.
constexpr std::uint64_t kMostApart = 8;

static Value* row_address(EmitContext& e, const Pointer& pointer) {
  if (e.gpu) {
    // The tile was tested: neither x + row nor what is added to it here wraps.
    Value* index = e.b.CreateAdd(
        e.b.CreateZExt(gpu_row_index(e, pointer.along.row), e.b.getInt64Ty()),
        e.b.getInt64(static_cast<std::uint64_t>(pointer.along.offset) + e.gpu->item_offset));
    Value* bytes = e.b.CreateMul(index, e.b.getInt64(pointer.along_stride));
    return e.b.CreatePtrAdd(pointer.base, e.b.CreateAdd(bytes, e.b.getInt64(pointer.along_bytes)));
  }
  Value* at = e.row_x64;
  if (pointer.along.row != nullptr) {
    at = e.b.CreateAdd(at, e.b.CreateZExt(pointer.along.row, e.b.getInt64Ty()));
  }
  at = e.b.CreateAdd(at, e.b.getInt64(static_cast<std::uint64_t>(pointer.along.offset)));
  at = e.b.CreateMul(at, e.b.getInt64(pointer.along_stride));
  return e.b.CreatePtrAdd(pointer.base, e.b.CreateAdd(at, e.b.getInt64(pointer.along_bytes)));
}

// Whether all lanes of a linear access are inside; null when that is certain.
static Value* linear_inside(EmitContext& e, const Pointer& pointer) {
  Value* outer = pointer.inside.value;
  if (pointer.pending.base == nullptr) return outer;
  Value* first = e.b.CreateZExt(pointer.pending.base, e.b.getInt64Ty());
  Value* last = e.b.CreateAdd(
      first, e.b.getInt64(static_cast<std::uint64_t>(pointer.pending.stride) * (e.width - 1)));
  Value* here = e.b.CreateICmpULT(last, e.b.CreateZExt(pointer.pending_count, e.b.getInt64Ty()));
  return outer == nullptr ? here : e.b.CreateAnd(outer, here);
}

Pointer resolved(EmitContext& e, Pointer pointer) {
  if (pointer.pending.base == nullptr) return pointer;
  const Leaf index = linear_leaf(e, pointer.pending.base, pointer.pending.stride);
  Value* limit = e.b.CreateVectorSplat(e.width, pointer.pending_count);
  const Leaf here = varying_leaf(e, e.b.CreateICmpULT(vector_of(e, index), limit));
  pointer.inside = pointer.inside.value == nullptr ? here : both(e, pointer.inside, here);
  // The 32-bit index may wrap between lanes: spell the offsets out lane by lane.
  if (pointer.offset.linear.base != nullptr && e.wide_offsets) {
    Value* lanes = e.b.CreateZExt(vector_of(e, index), e.lanes_of(e.b.getInt64Ty()));
    const auto scale = pointer.offset.linear.stride / pointer.pending.stride;
    Value* first = e.b.CreateZExt(pointer.pending.base, e.b.getInt64Ty());
    Value* rest =
        e.b.CreateSub(pointer.offset.linear.base,
                      e.b.CreateMul(first, e.b.getInt64(static_cast<std::uint64_t>(scale))));
    Value* scaled = e.b.CreateMul(
        lanes, llvm::ConstantInt::get(lanes->getType(), static_cast<std::uint64_t>(scale)));
    pointer.offset = varying_leaf(e, e.b.CreateAdd(scaled, e.b.CreateVectorSplat(e.width, rest)));
  }
  pointer.pending = {};
  return pointer;
}

// The address of a gang's first element, if its elements are adjacent, for an access whose mask
// covers only lanes that are inside; else null. 32-bit offsets may wrap between lanes. But as
// signed numbers they increase evenly up to every lane that is inside, because the offset of such a
// lane is below 2^31.
static Value* neighbours(EmitContext& e, const Pointer& pointer,
                         const std::vector<ScalarField>& fields) {
  const Leaf& offset = pointer.offset;
  if (e.gpu || e.wide_offsets || fields.size() != 1 || offset.linear.base == nullptr) {
    return nullptr;
  }
  const auto size = fields[0].kind == ScalarKind::f16 ? 2 : 4;
  if (offset.linear.stride != size) return nullptr;
  Value* first = e.b.CreateSExt(offset.linear.base, e.b.getInt64Ty());
  return e.b.CreatePtrAdd(pointer.base, e.b.CreateAdd(first, e.b.getInt64(fields[0].offset)));
}

// Runs `fast` when all lanes of a linear index are inside, `slow` otherwise; joins their results.
// The end of a row runs once per row; there only `slow` is emitted, which is less code.
using Loader = llvm::function_ref<llvm::SmallVector<Leaf, 4>()>;
static llvm::SmallVector<Leaf, 4> when_inside(EmitContext& e, Value* inside, Loader fast,
                                              Loader slow) {
  if (inside == nullptr) return fast();
  if (e.at_row_end) return slow();
  llvm::SmallVector<Leaf, 4> quick, careful;
  llvm::BasicBlock* quick_end = nullptr;
  llvm::BasicBlock* careful_end = nullptr;
  e.branch(
      inside,
      [&] {
        quick = fast();
        for (Leaf& l : quick) l = varying_leaf(e, vector_of(e, l));
        quick_end = e.b.GetInsertBlock();
      },
      [&] {
        careful = slow();
        for (Leaf& l : careful) l = varying_leaf(e, vector_of(e, l));
        careful_end = e.b.GetInsertBlock();
      });
  llvm::SmallVector<Leaf, 4> out;
  for (std::size_t i = 0; i < quick.size(); ++i) {
    auto* phi = e.b.CreatePHI(quick[i].value->getType(), 2);
    phi->addIncoming(quick[i].value, quick_end);
    phi->addIncoming(careful[i].value, careful_end);
    out.push_back(varying_leaf(e, phi));
  }
  return out;
}

// Loads one scalar. On a GPU, data that nothing writes is loaded through the read-only cache.
static Value* load_at(EmitContext& e, const Pointer& pointer, ScalarKind kind, Value* at) {
  auto* loaded =
      e.b.CreateAlignedLoad(memory_type(e, kind), at, llvm::Align(kind == ScalarKind::f16 ? 2 : 4));
  if (e.gpu && pointer.constant) {
    loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(e.context(), {}));
  }
  return from_memory(e, kind, loaded);
}

// W words of which each is `apart` words after the last: as many wide loads, each of which gives
// some lanes. None reaches beyond the last word.
static Value* load_apart(EmitContext& e, llvm::Type* word, Value* first, std::uint64_t size,
                         std::uint64_t apart) {
  const std::uint64_t width = e.width;
  const std::uint64_t last_begins = (width - 1) * (apart - 1);
  Value* out = llvm::PoisonValue::get(e.lanes_of(word));
  llvm::SmallVector<bool, 32> taken(width, false);
  for (std::uint64_t k = 0; k < apart; ++k) {
    const std::uint64_t begins = std::min(k * width, last_begins);
    Value* part = e.b.CreateAlignedLoad(
        e.lanes_of(word), e.b.CreatePtrAdd(first, e.b.getInt64(begins * size)), llvm::Align(size));
    llvm::SmallVector<int, 32> lanes;
    for (std::uint64_t l = 0; l < width; ++l) {
      const std::uint64_t at = l * apart;
      const bool here = !taken[l] && at >= begins && at < begins + width;
      lanes.push_back(static_cast<int>(here ? width + at - begins : l));
      taken[l] = taken[l] || here;
    }
    out = e.b.CreateShuffleVector(out, part, lanes);
  }
  return out;
}

// W elements `stride` bytes apart, starting at `first`, all inside.
static llvm::SmallVector<Leaf, 4> load_contiguous(EmitContext& e, const Pointer& pointer,
                                                  Value* first, std::uint64_t stride, TypeId type) {
  const auto& fields = fields_of(e, type);
  // A wide load of whole elements stays inside the array; a wide load of parts of elements could
  // reach beyond its end.
  const bool whole = e.program.types.stride(type) == stride;
  llvm::SmallVector<Leaf, 4> out;
  const auto size_of = [](ScalarKind k) -> std::uint64_t { return k == ScalarKind::f16 ? 2 : 4; };
  if (!e.wide()) {
    for (const ScalarField& f : fields) {
      Value* at = e.b.CreatePtrAdd(first, e.b.getInt64(f.offset));
      out.push_back(uniform_leaf(load_at(e, pointer, f.kind, at)));
    }
    return out;
  }
  if (whole && are_records(fields, stride)) return load_records(e, first, stride, fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ScalarField& f = fields[i];
    const std::uint64_t size = size_of(f.kind);
    const std::uint64_t per = stride / size;
    llvm::Type* word = memory_type(e, f.kind);
    Value* v = nullptr;
    if (per == 1) {
      v = e.b.CreateAlignedLoad(e.lanes_of(word), e.b.CreatePtrAdd(first, e.b.getInt64(f.offset)),
                                llvm::Align(size));
    } else if (whole && stride % size == 0 && per <= 4) {
      // One wide load, of which every field takes its lanes; equal loads are made one by LLVM.
      llvm::Type* all = llvm::FixedVectorType::get(word, e.width * static_cast<unsigned>(per));
      Value* whole = e.b.CreateAlignedLoad(all, first, llvm::Align(size));
      llvm::SmallVector<int, 32> lanes;
      for (unsigned l = 0; l < e.width; ++l) {
        lanes.push_back(static_cast<int>(l * per + f.offset / size));
      }
      v = e.b.CreateShuffleVector(whole, lanes);
    } else if (stride % size == 0 && per <= kMostApart) {
      v = load_apart(e, word, e.b.CreatePtrAdd(first, e.b.getInt64(f.offset)), size, per);
    } else {
      Value* lanes = e.b.CreateMul(
          lane_numbers(e),
          e.b.CreateVectorSplat(e.width, e.b.getInt32(static_cast<std::uint32_t>(stride))));
      Value* at =
          e.b.CreateGEP(e.b.getInt8Ty(), e.b.CreatePtrAdd(first, e.b.getInt64(f.offset)), lanes);
      v = e.b.CreateMaskedGather(e.lanes_of(word), at, llvm::Align(size), e.all_on());
    }
    out.push_back(varying_leaf(e, from_memory(e, f.kind, v)));
  }
  return out;
}

// False when the elements cannot be written as one piece.
static bool store_contiguous(EmitContext& e, Value* first, std::uint64_t stride,
                             const std::vector<ScalarField>& fields, const Val& value) {
  const auto size_of = [](ScalarKind k) -> std::uint64_t { return k == ScalarKind::f16 ? 2 : 4; };
  if (!e.wide()) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Value* at = e.b.CreatePtrAdd(first, e.b.getInt64(fields[i].offset));
      e.b.CreateAlignedStore(to_memory(e, fields[i].kind, value.leaves[i].value), at,
                             llvm::Align(size_of(fields[i].kind)));
    }
    return true;
  }
  const std::uint64_t size = size_of(fields[0].kind);
  const std::uint64_t per = stride / size;
  if (fields.size() == 1 && per == 1) {
    Value* v = to_memory(e, fields[0].kind, vector_of(e, value.leaves[0]));
    if (e.mask == nullptr) {
      e.b.CreateAlignedStore(v, first, llvm::Align(size));
    } else {
      e.b.CreateMaskedStore(v, first, llvm::Align(size), e.mask);
    }
    return true;
  }
  if (fields.size() > 1 && are_records(fields, stride)) {
    store_records(e, first, stride, fields, value);
    return true;
  }
  return false;
}

Value* lanes_inside(EmitContext& e, const Pointer& pointer) {
  Value* inside = pointer.inside.value == nullptr ? nullptr : vector_of(e, pointer.inside);
  if (inside == nullptr) return e.mask;
  return e.mask == nullptr ? inside : e.b.CreateAnd(e.mask, inside);
}

static llvm::Align alignment_of(ScalarKind kind) {
  return llvm::Align(kind == ScalarKind::f16 ? 2 : 4);
}

static Leaf load_under_mask(EmitContext& e, Value* first, ScalarKind kind, Value* lanes) {
  llvm::Type* type = e.lanes_of(memory_type(e, kind));
  Value* v = e.b.CreateMaskedLoad(type, first, alignment_of(kind), lanes,
                                  llvm::Constant::getNullValue(type));
  return varying_leaf(e, from_memory(e, kind, v));
}

static void store_under_mask(EmitContext& e, Value* first, ScalarKind kind, const Leaf& value,
                             Value* lanes) {
  e.b.CreateMaskedStore(to_memory(e, kind, vector_of(e, value)), first, alignment_of(kind), lanes);
}

// The address of the field in each lane's element.
static Value* addresses(EmitContext& e, const Pointer& pointer, const ScalarField& field) {
  Value* base =
      field.offset == 0 ? pointer.base : e.b.CreatePtrAdd(pointer.base, e.b.getInt64(field.offset));
  return e.b.CreateGEP(e.b.getInt8Ty(), base, vector_of(e, pointer.offset));
}

static llvm::SmallVector<Leaf, 4> gather(EmitContext& e, const Pointer& pointer,
                                         const std::vector<ScalarField>& fields, Value* lanes) {
  llvm::SmallVector<Leaf, 4> out;
  if (lanes == nullptr) lanes = e.all_on();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ScalarField& f = fields[i];
    Value* at = addresses(e, pointer, f);
    if (is_pair(fields, i)) {
      auto [x, y] = gather_pair(e, fields, i++, at, lanes);
      out.push_back(x);
      out.push_back(y);
      continue;
    }
    llvm::Type* type = e.lanes_of(memory_type(e, f.kind));
    Value* v = e.b.CreateMaskedGather(type, at, alignment_of(f.kind), lanes,
                                      llvm::Constant::getNullValue(type));
    out.push_back(varying_leaf(e, from_memory(e, f.kind, v)));
  }
  return out;
}

static void scatter(EmitContext& e, const Pointer& pointer, const std::vector<ScalarField>& fields,
                    const Val& value, Value* lanes) {
  if (lanes == nullptr) lanes = e.all_on();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ScalarField& f = fields[i];
    Value* at = addresses(e, pointer, f);
    if (is_pair(fields, i)) {
      scatter_pair(e, fields, i++, at, value, lanes);
      continue;
    }
    e.b.CreateMaskedScatter(to_memory(e, f.kind, vector_of(e, value.leaves[i])), at,
                            alignment_of(f.kind), lanes);
  }
}

// One load for the gang, behind a branch that costs almost nothing if it is always taken.
static llvm::SmallVector<Leaf, 4> load_if_inside(EmitContext& e, const Pointer& pointer,
                                                 const std::vector<ScalarField>& fields) {
  llvm::SmallVector<Value*, 4> loaded;
  llvm::BasicBlock* inside = nullptr;
  llvm::BasicBlock* outside = nullptr;
  e.branch(
      pointer.inside.value,
      [&] {
        for (const ScalarField& f : fields) {
          loaded.push_back(
              load_at(e, pointer, f.kind, address(e, pointer, pointer.offset.value, f.offset)));
        }
        inside = e.b.GetInsertBlock();
      },
      [&] { outside = e.b.GetInsertBlock(); }, /*likely=*/true);
  llvm::SmallVector<Leaf, 4> out;
  for (Value* v : loaded) {
    auto* phi = e.b.CreatePHI(v->getType(), 2);
    phi->addIncoming(v, inside);
    phi->addIncoming(llvm::Constant::getNullValue(v->getType()), outside);
    out.push_back(uniform_leaf(phi));
  }
  return out;
}

static Val load_shared(EmitContext& e, const Pointer& pointer, TypeId type) {
  const auto& fields = fields_of(e, type);
  Val out;
  out.type = type;
  if (pointer.along.known && e.rows_tested) {
    out.leaves = load_contiguous(e, pointer, row_address(e, pointer), pointer.along_stride, type);
    return out;
  }
  if (!pointer.offset.varying) {
    // One load for the gang. Out of range, it loads the first element and the result is zero.
    Value* inside = pointer.inside.value;
    const bool movable = pointer.constant;
    const Leaf guard = inside == nullptr ? constant_leaf(e, Scalar::of(true)) : pointer.inside;
    std::optional<RowInvariant> place;
    if (movable) place.emplace(e, llvm::ArrayRef<const Leaf*>{&pointer.offset, &guard});
    if (inside != nullptr && !e.gpu && !(place && place->active)) {
      out.leaves = load_if_inside(e, pointer, fields);
      return out;
    }
    Value* offset = pointer.offset.value;
    if (inside != nullptr) {
      offset = e.b.CreateSelect(inside, offset, llvm::Constant::getNullValue(offset->getType()));
    }
    for (const ScalarField& f : fields) {
      Value* v = load_at(e, pointer, f.kind, address(e, pointer, offset, f.offset));
      if (inside != nullptr) {
        v = e.b.CreateSelect(inside, v, llvm::Constant::getNullValue(v->getType()));
      }
      Leaf leaf = uniform_leaf(v);
      if (place) leaf = place->mark(leaf);
      out.leaves.push_back(leaf);
    }
    return out;
  }
  const auto slow = [&] {
    const Pointer p = resolved(e, pointer);
    Value* lanes = lanes_inside(e, p);
    llvm::SmallVector<Leaf, 4> leaves;
    if (Value* first = lanes == nullptr ? nullptr : neighbours(e, p, fields)) {
      leaves.push_back(load_under_mask(e, first, fields[0].kind, lanes));
      return leaves;
    }
    const auto gathered = [&] { return gather(e, p, fields, lanes); };
    if (!may_take_block(e, p, fields)) return gathered();
    return load_from_block(e, p, fields, lanes, gathered);
  };
  if (pointer.offset.linear.base != nullptr && pointer.offset.linear.stride > 0 &&
      !pointer.inside.varying) {
    const auto fast = [&] {
      return load_contiguous(e, pointer, address(e, pointer, pointer.offset.linear.base, 0),
                             static_cast<std::uint64_t>(pointer.offset.linear.stride), type);
    };
    out.leaves = when_inside(e, linear_inside(e, pointer), fast, slow);
    return out;
  }
  if (pointer.usual.base != nullptr) {
    const auto usual = [&] {
      Value* first = address(e, pointer, pointer.usual.base, 0);
      const auto stride = static_cast<std::uint64_t>(pointer.usual.stride);
      if (stride != 0) return load_contiguous(e, pointer, first, stride, type);
      llvm::SmallVector<Leaf, 4> leaves;
      for (const ScalarField& f : fields) {
        Value* at = e.b.CreatePtrAdd(first, e.b.getInt64(f.offset));
        leaves.push_back(uniform_leaf(load_at(e, pointer, f.kind, at)));
      }
      return leaves;
    };
    out.leaves = when_inside(e, pointer.usual_if, usual, slow);
    return out;
  }
  out.leaves = slow();
  return out;
}

static void store_shared(EmitContext& e, const Pointer& pointer, const Val& value) {
  const auto& fields = fields_of(e, value.type);
  if (begin_store_block(e, pointer, fields)) {
    const Pointer p = resolved(e, pointer);
    return store_to_block(e, p, fields, value, lanes_inside(e, p));
  }
  if (pointer.along.known && e.rows_tested) {
    if (store_contiguous(e, row_address(e, pointer), pointer.along_stride, fields, value)) return;
  }
  if (!pointer.offset.varying) {
    // All running lanes write to one address: the value of the last lane remains.
    const auto write = [&] {
      Value* last = nullptr;
      if (e.wide()) {
        last = e.b.getInt32(e.width - 1);
        if (e.mask != nullptr) {
          Value* bits = e.b.CreateBitCast(e.mask, e.b.getIntNTy(e.width));
          Value* zeros = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, e.b.getFalse());
          last = e.b.CreateSub(last, e.b.CreateZExtOrTrunc(zeros, e.b.getInt32Ty()));
        }
      }
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const Leaf& leaf = value.leaves[i];
        Value* v = leaf.varying ? e.b.CreateExtractElement(vector_of(e, leaf), last) : leaf.value;
        e.b.CreateAlignedStore(to_memory(e, fields[i].kind, v),
                               address(e, pointer, pointer.offset.value, fields[i].offset),
                               llvm::Align(fields[i].kind == ScalarKind::f16 ? 2 : 4));
      }
    };
    Value* condition = pointer.inside.value;
    if (e.mask != nullptr) {
      Value* running = any_lane(e, e.mask);
      condition = condition == nullptr ? running : e.b.CreateAnd(condition, running);
    }
    if (condition == nullptr) return write();
    return e.branch(condition, write, [] {});
  }
  const auto slow = [&] {
    const Pointer p = resolved(e, pointer);
    Value* lanes = lanes_inside(e, p);
    if (Value* first = lanes == nullptr ? nullptr : neighbours(e, p, fields)) {
      store_under_mask(e, first, fields[0].kind, value.leaves[0], lanes);
      return;
    }
    scatter(e, p, fields, value, lanes);
  };
  if (pointer.offset.linear.base != nullptr && pointer.offset.linear.stride > 0 &&
      !pointer.inside.varying) {
    const auto fast = [&] {
      if (!store_contiguous(e, address(e, pointer, pointer.offset.linear.base, 0),
                            static_cast<std::uint64_t>(pointer.offset.linear.stride), fields,
                            value)) {
        scatter(e, pointer, fields, value, e.mask);
      }
    };
    Value* inside = linear_inside(e, pointer);
    if (inside == nullptr) return fast();
    if (e.at_row_end) return slow();
    return e.branch(inside, fast, slow);
  }
  if (pointer.usual.stride > 0) {
    const auto usual = [&] {
      if (!store_contiguous(e, address(e, pointer, pointer.usual.base, 0),
                            static_cast<std::uint64_t>(pointer.usual.stride), fields, value)) {
        slow();
      }
    };
    return e.branch(pointer.usual_if, usual, slow);
  }
  slow();
}

// ---- Cells of vars with computed indices --------------------------------------------------------

namespace {
// The address of each lane's cell, from i32 cell numbers.
Value* cell_addresses(EmitContext& e, const LaneMemory& memory, Value* cells, std::uint64_t field) {
  auto& b = e.b;
  if (cells->getType()->getScalarType() != b.getInt32Ty()) {
    cells = b.CreateTrunc(cells, e.lanes_of(b.getInt32Ty()));
  }
  cells = b.CreateAdd(cells, llvm::ConstantInt::get(cells->getType(), field));
  if (memory.varying) {
    cells = b.CreateAdd(b.CreateMul(cells, llvm::ConstantInt::get(cells->getType(), e.width)),
                        lane_numbers(e));
  }
  return b.CreateGEP(b.getInt32Ty(), memory.base, cells);
}
}  // namespace

static Val load_lanes(EmitContext& e, const Pointer& p, TypeId type) {
  const auto& fields = fields_of(e, type);
  Val out;
  out.type = type;
  const Pointer pointer = resolved(e, p);
  if (!pointer.offset.varying) {
    Value* inside = pointer.inside.value;
    Value* cell = pointer.offset.value;
    if (inside != nullptr) {
      cell = e.b.CreateSelect(inside, cell, llvm::Constant::getNullValue(cell->getType()));
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Value* at = e.b.CreateAdd(cell, llvm::ConstantInt::get(cell->getType(), i));
      Leaf leaf = load_cell(e, pointer.lanes, at, fields[i].kind);
      if (inside != nullptr)
        leaf = select_leaf(e, pointer.inside, leaf, constant_leaf(e, fields[i].kind, 0));
      out.leaves.push_back(leaf);
    }
    return out;
  }
  Value* lanes = lanes_inside(e, pointer);
  Value* cells = vector_of(e, pointer.offset);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Value* at = cell_addresses(e, pointer.lanes, cells, i);
    llvm::Type* words = e.lanes_of(e.b.getInt32Ty());
    Value* v =
        e.b.CreateMaskedGather(words, at, llvm::Align(4), lanes == nullptr ? e.all_on() : lanes,
                               llvm::Constant::getNullValue(words));
    switch (fields[i].kind) {
      case ScalarKind::boolean: v = e.b.CreateICmpNE(v, llvm::Constant::getNullValue(words)); break;
      case ScalarKind::f32: v = e.b.CreateBitCast(v, e.lanes_of(e.b.getFloatTy())); break;
      case ScalarKind::f16:
        v = e.b.CreateBitCast(e.b.CreateTrunc(v, e.lanes_of(e.b.getInt16Ty())),
                              e.lanes_of(e.b.getHalfTy()));
        break;
      default: break;
    }
    out.leaves.push_back(varying_leaf(e, v));
  }
  return out;
}

static void store_lanes(EmitContext& e, const Pointer& p, const Val& value) {
  const auto& fields = fields_of(e, value.type);
  const Pointer pointer = resolved(e, p);
  if (!pointer.offset.varying) {
    const auto write = [&] {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        Value* at = e.b.CreateAdd(pointer.offset.value,
                                  llvm::ConstantInt::get(pointer.offset.value->getType(), i));
        store_cell(e, pointer.lanes, at, fields[i].kind, value.leaves[i], e.mask);
      }
    };
    if (pointer.inside.value == nullptr) return write();
    return e.branch(pointer.inside.value, write, [] {});
  }
  Value* lanes = lanes_inside(e, pointer);
  Value* cells = vector_of(e, pointer.offset);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Value* at = cell_addresses(e, pointer.lanes, cells, i);
    Value* v = vector_of(e, value.leaves[i]);
    llvm::Type* words = e.lanes_of(e.b.getInt32Ty());
    switch (fields[i].kind) {
      case ScalarKind::boolean: v = e.b.CreateZExt(v, words); break;
      case ScalarKind::f32: v = e.b.CreateBitCast(v, words); break;
      case ScalarKind::f16:
        v = e.b.CreateZExt(e.b.CreateBitCast(v, e.lanes_of(e.b.getInt16Ty())), words);
        break;
      default: break;
    }
    e.b.CreateMaskedScatter(v, at, llvm::Align(4), lanes == nullptr ? e.all_on() : lanes);
  }
}

Val load_value(EmitContext& e, const Pointer& pointer, TypeId type) {
  return pointer.kind == Pointer::Kind::shared ? load_shared(e, pointer, type)
                                               : load_lanes(e, pointer, type);
}

void store_value(EmitContext& e, const Pointer& pointer, const Val& value) {
  if (pointer.kind == Pointer::Kind::shared) {
    store_shared(e, pointer, value);
  } else {
    store_lanes(e, pointer, value);
  }
}

}  // namespace vyre
