// Pointers into shared memory (buffers, workgroup memory) and into the cells of vars.
#include <llvm/IR/Intrinsics.h>

#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/usual_lanes_internal.h"

namespace vyre {

using llvm::Value;

const std::vector<ScalarField>& fields_of(EmitContext& e, TypeId type) {
  if (const auto found = e.fields.find(type); found != e.fields.end()) return found->second;
  std::vector<ScalarField> out;
  const auto& types = e.program.types;
  const auto nested = [&](TypeId part, std::uint64_t offset) {
    for (const ScalarField& f : fields_of(e, part)) out.push_back({f.kind, offset + f.offset});
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
  return e.fields.emplace(type, std::move(out)).first->second;
}

llvm::Type* memory_type(EmitContext& e, ScalarKind kind) {
  return kind == ScalarKind::boolean ? e.b.getInt32Ty() : scalar_type(e, kind);
}

Value* to_memory(EmitContext& e, ScalarKind kind, Value* v) {
  if (kind != ScalarKind::boolean) return v;
  llvm::Type* words = v->getType()->isVectorTy() ? e.lanes_of(e.b.getInt32Ty()) : e.b.getInt32Ty();
  return e.b.CreateZExt(v, words);
}

Value* from_memory(EmitContext& e, ScalarKind kind, Value* v) {
  if (kind != ScalarKind::boolean) return v;
  return e.b.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
}

Val zero_value(EmitContext& e, TypeId type) {
  Val out;
  out.type = type;
  for (const ScalarField& f : fields_of(e, type)) out.leaves.push_back(constant_leaf(e, f.kind, 0));
  return out;
}

// offset + index·scale in the width of offsets. A linear index stays linear: whoever uses that has
// compared the index with its count, so it did not wrap.
static Leaf add_offset(EmitContext& e, const Leaf& offset, const Leaf& index, std::uint64_t scale) {
  llvm::Type* type = e.offset_type();
  const auto widen = [&](Value* v) {
    if (!e.wide_offsets || v->getType()->getScalarType() == type) return v;
    return e.b.CreateZExt(v, v->getType()->isVectorTy() ? e.lanes_of(type) : type);
  };
  const auto scaled = [&](Value* v) {
    return scale == 1 ? v : e.b.CreateMul(v, llvm::ConstantInt::get(v->getType(), scale));
  };
  const bool linear = (!offset.varying || offset.linear.base != nullptr) &&
                      (!index.varying || index.linear.base != nullptr);
  if (!offset.varying && !index.varying) {
    const RowInvariant place(e, {&offset, &index});
    // The offset of an out-of-range index is never used, so it may be marked as not wrapping.
    Value* step = widen(index.value);
    if (scale != 1) step = e.b.CreateNUWMul(step, llvm::ConstantInt::get(step->getType(), scale));
    return place.mark(uniform_leaf(e.b.CreateNUWAdd(offset.value, step)));
  }
  if (linear) {
    Value* base = offset.varying ? offset.linear.base : offset.value;
    Value* step = scaled(widen(index.varying ? index.linear.base : index.value));
    const auto stride =
        (offset.varying ? offset.linear.stride : 0) +
        (index.varying ? index.linear.stride * static_cast<std::int64_t>(scale) : 0);
    return linear_leaf(e, e.b.CreateAdd(base, step), stride);
  }
  return varying_leaf(e, e.b.CreateAdd(vector_of(e, offset), scaled(widen(vector_of(e, index)))));
}

Value* array_length(EmitContext& e, const Pointer& pointer) {
  // A run-time sized array is the end of its buffer, so its length is the number of whole elements
  // between its start and the end of what is bound.
  const auto* array = e.program.types.get_if<ArrayType>(pointer.pointee);
  const auto stride = e.program.types.stride(array->element);
  // Run-time arrays start at a constant offset: a member of a struct, or the whole buffer.
  const auto* start = llvm::cast<llvm::ConstantInt>(pointer.offset.value);
  Value* bytes = e.global_bytes[static_cast<std::size_t>(pointer.global)];
  Value*& length = e.lengths[{bytes, start->getZExtValue()}];
  if (length != nullptr) return length;
  llvm::IRBuilder<>::InsertPointGuard guard(e.b);
  e.b.SetInsertPoint(e.allocas->getTerminator());
  if (!e.wide_offsets) {
    Value* rest = e.b.CreateSub(e.b.CreateTrunc(bytes, e.b.getInt32Ty()),
                                e.b.getInt32(static_cast<std::uint32_t>(start->getZExtValue())));
    length = e.b.CreateUDiv(rest, e.b.getInt32(static_cast<std::uint32_t>(stride)));
    return length;
  }
  Value* rest = e.b.CreateSub(bytes, e.b.getInt64(start->getZExtValue()));
  // Of more elements than a u32 can count, the others are out of bounds.
  Value* all = e.b.CreateUDiv(rest, e.b.getInt64(stride));
  Value* counted = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, all, e.b.getInt64(0xFFFFFFFF));
  length = e.b.CreateTrunc(counted, e.b.getInt32Ty());
  return length;
}

Pointer member_pointer(EmitContext& e, const Pointer& base, std::uint32_t member) {
  const auto* s = e.program.types.get_if<StructType>(base.pointee);
  const Member& m = s->members[member];
  Pointer out = base;
  out.pointee = m.type;
  std::uint64_t step = m.offset;
  if (base.kind == Pointer::Kind::lanes) {
    step = 0;
    for (std::uint32_t i = 0; i < member; ++i) step += cells_of(e, s->members[i].type);
  }
  if (step == 0) return out;
  out.along_bytes += step;
  if (out.usual.base != nullptr) {
    out.usual.base = e.b.CreateAdd(out.usual.base, e.b.getInt32(static_cast<std::uint32_t>(step)));
  }
  out.offset =
      add_offset(e, base.offset, constant_leaf(e, Scalar::of(static_cast<std::uint32_t>(step))), 1);
  return out;
}

Pointer element_pointer(EmitContext& e, const Pointer& of, const Leaf& at, ScalarKind index_kind) {
  const auto& types = e.program.types;
  const bool negative_possible = index_kind == ScalarKind::i32 && e.wide_offsets;
  const bool can_pend = at.varying && at.linear.base != nullptr && at.linear.stride > 0 &&
                        of.pending.base == nullptr && !negative_possible;
  // If a 32-bit index wraps between lanes, its 64-bit offsets are not linear. The offsets are then
  // computed lane by lane, unless the whole index will be compared with its count.
  const bool spells_out = e.wide_offsets && at.varying && !can_pend;
  const Pointer base = spells_out ? resolved(e, of) : of;
  Leaf index = at;
  if (spells_out) {
    index.value = vector_of(e, at);
    index.linear = {};
  }
  Pointer out = base;
  const TypeId element = types.component(base.pointee);
  out.pointee = element;
  const bool shared = base.kind == Pointer::Kind::shared;
  std::uint64_t scale = shared ? types.stride(element) : cells_of(e, element);
  if (shared && types.get_if<VectorType>(base.pointee) != nullptr) {
    scale = types.layout(element).size;  // components lie packed
  }

  const std::uint32_t fixed = types.component_count(base.pointee);
  const bool proven = fixed != 0 && index.max < fixed;
  Value* count = fixed != 0 ? static_cast<Value*>(e.b.getInt32(fixed)) : nullptr;
  if (!proven && count == nullptr) count = array_length(e, base);

  add_usual_place(e, base, index, scale, proven ? nullptr : count, out);
  const bool first_check = base.inside.value == nullptr && base.pending.base == nullptr;
  if (!proven && e.rows_tested && shared && first_check && !base.along.known &&
      index.along_row.known && !base.offset.varying &&
      llvm::isa<llvm::ConstantInt>(base.offset.value)) {
    e.requirements.push_back({index.along_row, count, /*elements=*/true});
    out.along = index.along_row;
    out.along_stride = scale;
    out.along_bytes = llvm::cast<llvm::ConstantInt>(base.offset.value)->getZExtValue();
    out.offset = add_offset(e, base.offset, index, scale);
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
  out.offset = add_offset(e, base.offset, index, scale);
  if (proven) return out;

  if (e.rows_tested && shared && index.most != nullptr && !negative_possible) {
    e.requirements.push_back({{}, count, false, index.most});
    return out;
  }
  if (can_pend) {
    out.pending = index.linear;
    out.pending_count = count;
    return out;
  }
  const Leaf here = lift(e, {index, uniform_leaf(count)}, [&](auto v) {
    Value* below = e.b.CreateICmpULT(v[0], v[1]);
    if (!negative_possible) return below;
    return e.b.CreateAnd(below,
                         e.b.CreateICmpSGE(v[0], llvm::Constant::getNullValue(v[0]->getType())));
  });
  out.inside = base.inside.value == nullptr ? here : both(e, base.inside, here);
  return out;
}

// Copies what `from` points to, or zeros, element by element in a loop: as SSA values, a large
// array would take far too long to compile.
static void copy_value(EmitContext& e, const Pointer& to, const Pointer* from, TypeId type) {
  const auto* array = e.program.types.get_if<ArrayType>(type);
  if (array == nullptr || cells_of(e, type) <= kManyScalars) {
    store_value(e, to, from == nullptr ? zero_value(e, type) : load_value(e, *from, type));
    return;
  }
  emit_rounds(e, array->count, [&](const Leaf& i) {
    const Pointer element = element_pointer(e, to, i, ScalarKind::u32);
    if (from == nullptr) return copy_value(e, element, nullptr, array->element);
    const Pointer source = element_pointer(e, *from, i, ScalarKind::u32);
    copy_value(e, element, &source, array->element);
  });
}

void assign_value(EmitContext& e, EmitFrame& frame, const Pointer& to, ExprId value) {
  const TypeId type = e.program[value].type;
  if (cells_of(e, type) > kManyScalars && e.program.types.get_if<ArrayType>(type) != nullptr) {
    if (const auto* from = std::get_if<LoadExpr>(&e.program[value].node)) {
      const Val source = eval(e, frame, from->pointer);
      return copy_value(e, to, &*source.pointer, type);
    }
    if (std::holds_alternative<ZeroExpr>(e.program[value].node))
      return copy_value(e, to, nullptr, type);
  }
  store_value(e, to, eval(e, frame, value));
}

}  // namespace vyre
