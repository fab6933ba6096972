#include <bit>

#include "vyre/lower/emit/emit_leaf_internal.h"

namespace vyre {

using llvm::Value;

llvm::Type* scalar_type(EmitContext& e, ScalarKind kind) {
  switch (kind) {
    case ScalarKind::boolean: return e.b.getInt1Ty();
    case ScalarKind::f32: return e.b.getFloatTy();
    case ScalarKind::f16: return e.b.getHalfTy();
    default: return e.b.getInt32Ty();
  }
}

Value* lane_numbers(EmitContext& e) {
  llvm::SmallVector<llvm::Constant*, 32> numbers;
  for (unsigned i = 0; i < e.width; ++i) numbers.push_back(e.b.getInt32(i));
  return llvm::ConstantVector::get(numbers);
}

Value* vector_of(EmitContext& e, const Leaf& leaf) {
  if (!e.wide()) return leaf.value;
  if (leaf.varying) {
    if (leaf.value != nullptr) return leaf.value;
    llvm::Type* type = e.lanes_of(leaf.linear.base->getType());
    Value* step = e.b.CreateMul(e.b.CreateZExtOrTrunc(lane_numbers(e), type),
                                llvm::ConstantInt::getSigned(type, leaf.linear.stride));
    return e.b.CreateAdd(e.b.CreateVectorSplat(e.width, leaf.linear.base), step);
  }
  return e.b.CreateVectorSplat(e.width, leaf.value);
}

Value* value_of(EmitContext& e, const Leaf& leaf) {
  return leaf.varying ? vector_of(e, leaf) : leaf.value;
}

Leaf constant_leaf(EmitContext& e, Scalar scalar) {
  return constant_leaf(e, scalar.kind, scalar.bits);
}

Leaf constant_leaf(EmitContext& e, ScalarKind kind, std::uint64_t bits) {
  Leaf leaf;
  leaf.row_invariant = true;
  switch (kind) {
    case ScalarKind::boolean:
      leaf.value = e.b.getInt1(bits != 0);
      leaf.all = leaf.value;
      leaf.none = e.b.getInt1(bits == 0);
      break;
    case ScalarKind::f32:
      leaf.value = llvm::ConstantFP::get(
          e.context(),
          llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits & 0xFFFFFFFFU)));
      break;
    case ScalarKind::f16:
      leaf.value = llvm::ConstantFP::get(
          e.context(), llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits & 0xFFFFU)));
      break;
    default:
      leaf.value = e.b.getInt32(static_cast<std::uint32_t>(bits));
      leaf.max = static_cast<std::uint32_t>(bits);
  }
  return leaf;
}

Leaf uniform_leaf(Value* v) {
  Leaf leaf;
  leaf.value = v;
  return leaf;
}

Leaf varying_leaf(const EmitContext& e, Value* v) {
  Leaf leaf;
  leaf.value = v;
  leaf.varying = e.width > 1;
  return leaf;
}

Leaf linear_leaf(EmitContext& e, Value* base, std::int64_t stride) {
  Leaf leaf;
  if (!e.wide()) {
    leaf.value = base;
    return leaf;
  }
  leaf.varying = true;
  leaf.linear = {base, stride};
  return leaf;
}

RowInvariant::RowInvariant(EmitContext& e, llvm::ArrayRef<const Leaf*> operands)
    : e_(e), block_(e.b.GetInsertBlock()), point_(e.b.GetInsertPoint()) {
  active = e.row_start != nullptr;
  for (const Leaf* leaf : operands) active = active && leaf->row_invariant && !leaf->varying;
  if (active) e.b.SetInsertPoint(e.row_start);
}

RowInvariant::~RowInvariant() {
  if (active) e_.b.SetInsertPoint(block_, point_);
}

Leaf RowInvariant::mark(Leaf leaf) const {
  leaf.row_invariant = active;
  return leaf;
}

Leaf lift(EmitContext& e, llvm::ArrayRef<Leaf> operands, LeafFn f) {
  llvm::SmallVector<const Leaf*, 4> pointers;
  bool any_varying = false;
  for (const Leaf& leaf : operands) {
    pointers.push_back(&leaf);
    any_varying = any_varying || leaf.varying;
  }
  llvm::SmallVector<Value*, 4> values;
  if (!any_varying) {
    const RowInvariant place(e, pointers);
    for (const Leaf& leaf : operands) values.push_back(leaf.value);
    return place.mark(uniform_leaf(f(values)));
  }
  for (const Leaf& leaf : operands) values.push_back(vector_of(e, leaf));
  return varying_leaf(e, f(values));
}

Leaf select_leaf(EmitContext& e, const Leaf& condition, const Leaf& on_true, const Leaf& on_false) {
  return lift(e, {condition, on_true, on_false},
              [&](auto v) { return e.b.CreateSelect(v[0], v[1], v[2]); });
}

Value* any_lane(EmitContext& e, Value* lanes) {
  if (!e.wide()) return lanes;
  return e.b.CreateOrReduce(lanes);
}

Value* first_lane(EmitContext& e, Value* lanes) {
  Value* bits = e.b.CreateBitCast(lanes, e.b.getIntNTy(e.width));
  Value* count = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, e.b.getFalse());
  return e.b.CreateZExtOrTrunc(count, e.b.getInt32Ty());
}

Value* agreed(EmitContext& e, const Leaf& value, Value* lanes) {
  if (!value.varying) return value.value;
  Value* lane = e.b.getInt32(0);
  if (lanes != nullptr) lane = e.b.CreateAnd(first_lane(e, lanes), e.b.getInt32(e.width - 1));
  return e.b.CreateExtractElement(vector_of(e, value), lane);
}

namespace {
// A scalar i1 that is true only if a condition holds in all lanes; a uniform condition is its own
// answer.
Value* all_of(EmitContext& e, const Leaf& leaf) {
  if (leaf.all != nullptr) return leaf.all;
  return leaf.varying ? static_cast<Value*>(e.b.getFalse()) : leaf.value;
}
Value* none_of(EmitContext& e, const Leaf& leaf) {
  if (leaf.none != nullptr) return leaf.none;
  return leaf.varying ? static_cast<Value*>(e.b.getFalse()) : e.b.CreateNot(leaf.value);
}
bool knows(const Leaf& leaf) { return leaf.all != nullptr || !leaf.varying; }

// The remaining condition of a conjunction or disjunction once both sides' requirements hold.
void join_held(const Leaf& x, const Leaf& y, Value* rest, Leaf& out) {
  auto held = std::make_shared<std::vector<RowRequirement>>();
  for (const Leaf* leaf : {&x, &y}) {
    if (leaf->held) held->insert(held->end(), leaf->held->begin(), leaf->held->end());
  }
  out.held = std::move(held);
  out.rest = rest;
}
Value* rest_of(const Leaf& leaf) { return leaf.held ? leaf.rest : leaf.value; }
bool can_join(const Leaf& x, const Leaf& y) {
  return (x.held || y.held) && (x.held || !x.varying) && (y.held || !y.varying);
}
}  // namespace

Leaf both(EmitContext& e, const Leaf& x, const Leaf& y) {
  Leaf out = lift(e, {x, y}, [&](auto v) { return e.b.CreateAnd(v[0], v[1]); });
  if (out.varying && knows(x) && knows(y)) {
    out.all = e.b.CreateAnd(all_of(e, x), all_of(e, y));
    out.none = e.b.CreateOr(none_of(e, x), none_of(e, y));
  }
  if (can_join(x, y)) join_held(x, y, e.b.CreateAnd(rest_of(x), rest_of(y)), out);
  return out;
}

Leaf either(EmitContext& e, const Leaf& x, const Leaf& y) {
  Leaf out = lift(e, {x, y}, [&](auto v) { return e.b.CreateOr(v[0], v[1]); });
  if (out.varying && knows(x) && knows(y)) {
    out.all = e.b.CreateOr(all_of(e, x), all_of(e, y));
    out.none = e.b.CreateAnd(none_of(e, x), none_of(e, y));
  }
  if (can_join(x, y)) join_held(x, y, e.b.CreateOr(rest_of(x), rest_of(y)), out);
  return out;
}

Leaf negated(EmitContext& e, const Leaf& x) {
  Leaf out = lift(e, {x}, [&](auto v) { return e.b.CreateNot(v[0]); });
  if (out.varying && x.all != nullptr) {
    out.all = x.none;
    out.none = x.all;
  }
  if (x.held) join_held(x, {}, e.b.CreateNot(x.rest), out);
  return out;
}

}  // namespace vyre
