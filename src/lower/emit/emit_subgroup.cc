#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_subgroup_internal.h"

namespace vyre {

using llvm::Value;

SubgroupOp combination_of(SubgroupOp op) {
  switch (op) {
    case SubgroupOp::inclusive_add:
    case SubgroupOp::exclusive_add: return SubgroupOp::add;
    case SubgroupOp::inclusive_mul:
    case SubgroupOp::exclusive_mul: return SubgroupOp::mul;
    default: return op;
  }
}

bool is_exclusive_scan(SubgroupOp op) {
  return op == SubgroupOp::exclusive_add || op == SubgroupOp::exclusive_mul;
}

Value* combine_lanes(llvm::IRBuilder<>& b, SubgroupOp op, ScalarKind kind, Value* low,
                     Value* high) {
  const bool floats = is_float(kind);
  // f16 arithmetic is f32 arithmetic that is rounded after each operation.
  const auto rounded = [&](auto&& f) {
    if (kind != ScalarKind::f16) return f(low, high);
    llvm::Type* half = low->getType();
    llvm::Type* wide = half->getWithNewType(b.getFloatTy());
    return b.CreateFPTrunc(f(b.CreateFPExt(low, wide), b.CreateFPExt(high, wide)), half);
  };
  switch (op) {
    case SubgroupOp::add:
      if (!floats) return b.CreateAdd(low, high);
      return rounded([&](Value* x, Value* y) { return b.CreateFAdd(x, y); });
    case SubgroupOp::mul:
      if (!floats) return b.CreateMul(low, high);
      return rounded([&](Value* x, Value* y) { return b.CreateFMul(x, y); });
    case SubgroupOp::bit_and: return b.CreateAnd(low, high);
    case SubgroupOp::bit_or: return b.CreateOr(low, high);
    case SubgroupOp::bit_xor: return b.CreateXor(low, high);
    default: break;
  }
  Value* smaller = op == SubgroupOp::min ? high : low;
  Value* larger = op == SubgroupOp::min ? low : high;
  Value* takes_high = floats                    ? b.CreateFCmpOLT(smaller, larger)
                      : kind == ScalarKind::i32 ? b.CreateICmpSLT(smaller, larger)
                                                : b.CreateICmpULT(smaller, larger);
  return b.CreateSelect(takes_high, high, low);
}

Value* from_start(llvm::IRBuilder<>& b, SubgroupOp op, ScalarKind kind, Value* below) {
  const SubgroupOp how = combination_of(op);
  const std::uint64_t start = how == SubgroupOp::mul ? 1 : 0;
  llvm::Type* type = below->getType();
  Value* last = is_float(kind)
                    ? static_cast<Value*>(llvm::ConstantFP::get(type, static_cast<double>(start)))
                    : llvm::ConstantInt::get(type, start);
  return combine_lanes(b, how, kind, below, last);
}

Value* to_lane_word(llvm::IRBuilder<>& b, ScalarKind kind, Value* v) {
  llvm::Type* words = v->getType()->getWithNewType(b.getInt32Ty());
  if (kind == ScalarKind::f32) return b.CreateBitCast(v, words);
  if (kind == ScalarKind::boolean) return b.CreateZExt(v, words);
  if (kind != ScalarKind::f16) return v;
  return b.CreateZExt(b.CreateBitCast(v, v->getType()->getWithNewType(b.getInt16Ty())), words);
}

Value* from_lane_word(llvm::IRBuilder<>& b, ScalarKind kind, Value* v) {
  const auto like = [&](llvm::Type* scalar) { return v->getType()->getWithNewType(scalar); };
  if (kind == ScalarKind::f32) return b.CreateBitCast(v, like(b.getFloatTy()));
  if (kind == ScalarKind::boolean) return b.CreateTrunc(v, like(b.getInt1Ty()));
  if (kind != ScalarKind::f16) return v;
  return b.CreateBitCast(b.CreateTrunc(v, like(b.getInt16Ty())), like(b.getHalfTy()));
}

Value* source_lane(llvm::IRBuilder<>& b, SubgroupOp op, Value* own, Value* lane) {
  const auto number = [&](std::uint32_t n) { return llvm::ConstantInt::get(own->getType(), n); };
  switch (op) {
    // A large distance leads out of the subgroup, even if the sum or difference wraps around.
    case SubgroupOp::shuffle_up:
      return b.CreateSelect(b.CreateICmpUGT(lane, own), number(kSubgroupSize),
                            b.CreateSub(own, lane));
    case SubgroupOp::shuffle_down:
      return b.CreateSelect(b.CreateICmpUGE(lane, number(kSubgroupSize)), number(kSubgroupSize),
                            b.CreateAdd(own, lane));
    case SubgroupOp::shuffle_xor: return b.CreateXor(own, lane);
    case SubgroupOp::quad_broadcast:
      return b.CreateSelect(b.CreateICmpUGT(lane, number(3)), number(kSubgroupSize),
                            b.CreateAdd(b.CreateAnd(own, number(~3U)), lane));
    case SubgroupOp::quad_swap_x: return b.CreateXor(own, number(1));
    case SubgroupOp::quad_swap_y: return b.CreateXor(own, number(2));
    case SubgroupOp::quad_swap_diagonal: return b.CreateXor(own, number(3));
    default: return lane;
  }
}

namespace {

// Subgroup operations on the CPU, where a subgroup is a vector of 32 lanes.
class HostSubgroup {
 public:
  HostSubgroup(EmitContext& e, SubgroupOp op, ScalarKind kind)
      : e_(e), b_(e.b), op_(op), kind_(kind), active_(e.mask_or_all()) {}

  // value: null for elect.
  Leaf apply(const Leaf* value, const Leaf* lane) {
    Value* v = value == nullptr ? nullptr : vector_of(e_, *value);
    switch (op_) {
      case SubgroupOp::all:
        return uniform_leaf(b_.CreateAndReduce(b_.CreateOr(v, b_.CreateNot(active_))));
      case SubgroupOp::any: return uniform_leaf(any_lane(e_, b_.CreateAnd(v, active_)));
      case SubgroupOp::ballot:
        return uniform_leaf(b_.CreateBitCast(b_.CreateAnd(v, active_), b_.getInt32Ty()));
      case SubgroupOp::elect:
        return varying_leaf(e_, b_.CreateICmpEQ(lane_numbers(e_), splat(first_lane(e_, active_))));
      // If no lane runs, the result does not matter, but there must be one.
      case SubgroupOp::broadcast_first: return uniform_leaf(agreed(e_, *value, active_));
      default: break;
    }
    if (op_ <= SubgroupOp::bit_xor) return uniform_leaf(reduced(v));
    if (op_ <= SubgroupOp::exclusive_mul) return varying_leaf(e_, scanned(v));
    return varying_leaf(e_, shuffled(v, lane));
  }

 private:
  Value* splat(Value* scalar) { return b_.CreateVectorSplat(kSubgroupSize, scalar); }
  Value* neutral() { return splat(constant_leaf(e_, kind_, neutral_value(op_, kind_)).value); }
  // `count` entries of x and, from kSubgroupSize on, y.
  Value* picked(Value* x, Value* y, unsigned count, llvm::function_ref<unsigned(unsigned)> index) {
    llvm::SmallVector<int, kSubgroupSize> indices;
    for (unsigned i = 0; i < count; ++i) indices.push_back(static_cast<int>(index(i)));
    return b_.CreateShuffleVector(x, y, indices);
  }

  Value* reduced(Value* v) {
    if (e_.mask != nullptr) v = b_.CreateSelect(active_, v, neutral());
    for (unsigned step = kSubgroupSize / 2; step != 0; step /= 2) {
      Value* low = picked(v, v, step, [](unsigned i) { return i; });
      Value* high = picked(v, v, step, [&](unsigned i) { return i + step; });
      v = combine_lanes(b_, op_, kind_, low, high);
    }
    return b_.CreateExtractElement(v, std::uint64_t{0});
  }

  Value* scanned(Value* v) {
    if (e_.mask == nullptr) return scan_all(v);
    auto* result = e_.alloca_of(v->getType(), "scan");
    Value* bits = b_.CreateBitCast(active_, b_.getInt32Ty());
    e_.branch(
        b_.CreateICmpEQ(bits, b_.getInt32(~0U)), [&] { b_.CreateStore(scan_all(v), result); },
        [&] { b_.CreateStore(scan_some(v, bits), result); });
    return b_.CreateLoad(v->getType(), result);
  }

  Value* scan_all(Value* v) {
    Value* none = neutral();
    // Lane i - step beside lane i, with neutral values from below.
    const auto shifted = [&](unsigned step) {
      return picked(none, v, kSubgroupSize,
                    [&](unsigned i) { return i < step ? i : kSubgroupSize + i - step; });
    };
    for (unsigned step = 1; step < kSubgroupSize; step *= 2) {
      v = combine_lanes(b_, combination_of(op_), kind_, shifted(step), v);
    }
    return is_exclusive_scan(op_) ? from_start(b_, op_, kind_, shifted(1)) : v;
  }

  // Each lane takes what the next running lane below has gathered, and then looks as far again.
  Value* scan_some(Value* v, Value* bits) {
    llvm::SmallVector<llvm::Constant*, kSubgroupSize> below;
    for (unsigned i = 0; i < kSubgroupSize; ++i) below.push_back(b_.getInt32((1U << i) - 1));
    Value* lower = b_.CreateAnd(splat(bits), llvm::ConstantVector::get(below));
    Value* leading = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, lower, b_.getFalse());
    // All bits are set if there is no such lane.
    Value* const previous = b_.CreateSub(splat(b_.getInt32(kSubgroupSize - 1)), leading);
    const auto is_there = [&](Value* lane) {
      return b_.CreateICmpULT(lane, splat(b_.getInt32(kSubgroupSize)));
    };
    const auto from = [&](Value* words, Value* lane) {
      return moved(words, b_.CreateAnd(lane, splat(b_.getInt32(kSubgroupSize - 1))));
    };
    Value* at = previous;
    for (unsigned step = 1; step < kSubgroupSize; step *= 2) {
      Value* got = from_lane_word(b_, kind_, from(to_lane_word(b_, kind_, v), at));
      v = b_.CreateSelect(is_there(at), combine_lanes(b_, combination_of(op_), kind_, got, v), v);
      at = b_.CreateSelect(is_there(at), from(at, at), at);
    }
    if (!is_exclusive_scan(op_)) return v;
    Value* got = from_lane_word(b_, kind_, from(to_lane_word(b_, kind_, v), previous));
    return from_start(b_, op_, kind_, b_.CreateSelect(is_there(previous), got, neutral()));
  }

  Value* shuffled(Value* v, const Leaf* lane) {
    Value* own = to_lane_word(b_, kind_, v);
    Value* from =
        source_lane(b_, op_, lane_numbers(e_), lane == nullptr ? nullptr : vector_of(e_, *lane));
    Value* there = b_.CreateICmpULT(from, splat(b_.getInt32(kSubgroupSize)));
    Value* wrapped = b_.CreateAnd(from, splat(b_.getInt32(kSubgroupSize - 1)));
    if (e_.mask != nullptr) {
      Value* bits = splat(b_.CreateBitCast(active_, b_.getInt32Ty()));
      there = b_.CreateAnd(
          there, b_.CreateTrunc(b_.CreateLShr(bits, wrapped), e_.lanes_of(b_.getInt1Ty())));
    }
    return from_lane_word(b_, kind_, b_.CreateSelect(there, moved(own, wrapped), own));
  }

  Value* moved(Value* words, Value* from) {
    if (const auto* fixed = llvm::dyn_cast<llvm::Constant>(from)) {
      return picked(words, words, kSubgroupSize, [&](unsigned i) {
        const auto* lane = llvm::cast<llvm::ConstantInt>(fixed->getAggregateElement(i));
        return static_cast<unsigned>(lane->getZExtValue());
      });
    }
    // Through memory: each lane loads what another one has stored.
    auto* table = e_.alloca_of(words->getType(), "shuffled");
    b_.CreateStore(words, table);
    Value* at = b_.CreateGEP(b_.getInt32Ty(), table, from);
    return b_.CreateMaskedGather(words->getType(), at, llvm::Align(4), e_.all_on());
  }

  EmitContext& e_;
  llvm::IRBuilder<>& b_;
  SubgroupOp op_;
  ScalarKind kind_;
  Value* active_;
};

}  // namespace

void emit_subgroup(EmitContext& e, EmitFrame& frame, const SubgroupStmt& s) {
  if (!e.gpu && e.width != kSubgroupSize) {
    e.problem = "a subgroup operation needs gangs of 32 lanes";
    return;
  }
  Val value;
  if (s.value != kNoExpr) value = eval(e, frame, s.value);
  Leaf lane;
  if (s.lane != kNoExpr) lane = eval_leaf(e, frame, s.lane);
  const ScalarKind kind =
      s.value == kNoExpr ? ScalarKind::boolean : *e.program.types.scalar_kind(value.type);
  const auto one = [&](const Leaf* own) {
    const Leaf* operand = s.lane == kNoExpr ? nullptr : &lane;
    if (!e.gpu) return HostSubgroup(e, s.op, kind).apply(own, operand);
    return uniform_leaf(gpu_subgroup(e, s.op, kind, own == nullptr ? nullptr : own->value,
                                     operand == nullptr ? nullptr : operand->value));
  };
  Val result;
  result.type = frame.function->locals[static_cast<std::size_t>(s.result)].type;
  if (s.value == kNoExpr) result.leaves.push_back(one(nullptr));
  for (const Leaf& own : value.leaves) result.leaves.push_back(one(&own));
  if (s.op == SubgroupOp::ballot) result.leaves.resize(4, constant_leaf(e, Scalar::of(0U)));
  put_local(e, frame, s.result, result);
}

}  // namespace vyre
