#include <bit>

#include "vyre/lower/emit/emitter_internal.h"

namespace vyre {

using llvm::Value;

llvm::Type* Emitter::scalar_type(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::boolean: return b.getInt1Ty();
    case ScalarKind::f32: return b.getFloatTy();
    case ScalarKind::f16: return b.getHalfTy();
    default: return b.getInt32Ty();
  }
}

llvm::Type* Emitter::lanes_of(llvm::Type* scalar) {
  return wide() ? llvm::FixedVectorType::get(scalar, width_) : scalar;
}

Value* Emitter::lane_numbers() {
  llvm::SmallVector<llvm::Constant*, 32> numbers;
  for (unsigned i = 0; i < width_; ++i) numbers.push_back(b.getInt32(i));
  return llvm::ConstantVector::get(numbers);
}

Value* Emitter::vector_of(const Leaf& leaf) {
  if (!wide()) return leaf.value;
  if (leaf.varying) {
    if (leaf.value != nullptr) return leaf.value;
    llvm::Type* type = lanes_of(leaf.linear.base->getType());
    Value* step = b.CreateMul(b.CreateZExtOrTrunc(lane_numbers(), type),
                              llvm::ConstantInt::getSigned(type, leaf.linear.stride));
    return b.CreateAdd(b.CreateVectorSplat(width_, leaf.linear.base), step);
  }
  return b.CreateVectorSplat(width_, leaf.value);
}

Value* Emitter::value_of(const Leaf& leaf) { return leaf.varying ? vector_of(leaf) : leaf.value; }

Leaf Emitter::constant_leaf(Scalar scalar) { return constant_leaf(scalar.kind, scalar.bits); }

Leaf Emitter::constant_leaf(ScalarKind kind, std::uint64_t bits) {
  Leaf leaf;
  leaf.row_invariant = true;
  switch (kind) {
    case ScalarKind::boolean:
      leaf.value = b.getInt1(bits != 0);
      leaf.all = leaf.value;
      leaf.none = b.getInt1(bits == 0);
      break;
    case ScalarKind::f32:
      leaf.value = llvm::ConstantFP::get(
          context(),
          llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits & 0xFFFFFFFFU)));
      break;
    case ScalarKind::f16:
      leaf.value = llvm::ConstantFP::get(
          context(), llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits & 0xFFFFU)));
      break;
    default:
      leaf.value = b.getInt32(static_cast<std::uint32_t>(bits));
      leaf.max = static_cast<std::uint32_t>(bits);
  }
  return leaf;
}

Leaf Emitter::uniform(Value* v) const {
  Leaf leaf;
  leaf.value = v;
  return leaf;
}

Leaf Emitter::varying(Value* v) const {
  Leaf leaf;
  leaf.value = v;
  leaf.varying = width_ > 1;
  return leaf;
}

Leaf Emitter::linear_leaf(Value* base, std::int64_t stride) {
  Leaf leaf;
  if (!wide()) {
    leaf.value = base;
    return leaf;
  }
  leaf.varying = true;
  leaf.linear = {base, stride};
  return leaf;
}

RowInvariant::RowInvariant(Emitter& e, llvm::ArrayRef<const Leaf*> operands)
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

Leaf Emitter::lift(llvm::ArrayRef<Leaf> operands, LeafFn f) {
  llvm::SmallVector<const Leaf*, 4> pointers;
  bool any_varying = false;
  for (const Leaf& leaf : operands) {
    pointers.push_back(&leaf);
    any_varying = any_varying || leaf.varying;
  }
  llvm::SmallVector<Value*, 4> values;
  if (!any_varying) {
    const RowInvariant place(*this, pointers);
    for (const Leaf& leaf : operands) values.push_back(leaf.value);
    return place.mark(uniform(f(values)));
  }
  for (const Leaf& leaf : operands) values.push_back(vector_of(leaf));
  return varying(f(values));
}

Leaf Emitter::select(const Leaf& condition, const Leaf& on_true, const Leaf& on_false) {
  return lift({condition, on_true, on_false},
              [&](auto v) { return b.CreateSelect(v[0], v[1], v[2]); });
}

Value* Emitter::any(Value* lanes) {
  if (!wide()) return lanes;
  return b.CreateOrReduce(lanes);
}

Value* Emitter::first_lane(Value* lanes) {
  Value* bits = b.CreateBitCast(lanes, b.getIntNTy(width_));
  Value* count = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getFalse());
  return b.CreateZExtOrTrunc(count, b.getInt32Ty());
}

namespace {
// Conservative knowledge about all lanes of a condition; a uniform one knows itself.
Value* all_of(Emitter& e, const Leaf& leaf) {
  if (leaf.all != nullptr) return leaf.all;
  return leaf.varying ? static_cast<Value*>(e.b.getFalse()) : leaf.value;
}
Value* none_of(Emitter& e, const Leaf& leaf) {
  if (leaf.none != nullptr) return leaf.none;
  return leaf.varying ? static_cast<Value*>(e.b.getFalse()) : e.b.CreateNot(leaf.value);
}
bool knows(const Leaf& leaf) { return leaf.all != nullptr || !leaf.varying; }

// What a condition made of two is where their requirements hold.
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

Leaf Emitter::land(const Leaf& x, const Leaf& y) {
  Leaf out = lift({x, y}, [&](auto v) { return b.CreateAnd(v[0], v[1]); });
  if (out.varying && knows(x) && knows(y)) {
    out.all = b.CreateAnd(all_of(*this, x), all_of(*this, y));
    out.none = b.CreateOr(none_of(*this, x), none_of(*this, y));
  }
  if (can_join(x, y)) join_held(x, y, b.CreateAnd(rest_of(x), rest_of(y)), out);
  return out;
}

Leaf Emitter::lor(const Leaf& x, const Leaf& y) {
  Leaf out = lift({x, y}, [&](auto v) { return b.CreateOr(v[0], v[1]); });
  if (out.varying && knows(x) && knows(y)) {
    out.all = b.CreateOr(all_of(*this, x), all_of(*this, y));
    out.none = b.CreateAnd(none_of(*this, x), none_of(*this, y));
  }
  if (can_join(x, y)) join_held(x, y, b.CreateOr(rest_of(x), rest_of(y)), out);
  return out;
}

Leaf Emitter::lnot(const Leaf& x) {
  Leaf out = lift({x}, [&](auto v) { return b.CreateNot(v[0]); });
  if (out.varying && x.all != nullptr) {
    out.all = x.none;
    out.none = x.all;
  }
  if (x.held) join_held(x, {}, b.CreateNot(x.rest), out);
  return out;
}

}  // namespace vyre
