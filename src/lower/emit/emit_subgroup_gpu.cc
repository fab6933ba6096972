// Subgroup operations of one lane of a warp. The active lanes, which all execute an operation, are
// known (emit_warp.cc).
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_subgroup_internal.h"
#include "vyre/lower/emit/emit_warp_internal.h"

namespace vyre {
namespace {

using llvm::Value;
namespace I = llvm::Intrinsic;

class GpuSubgroup {
 public:
  // rounds: results of f32 arithmetic are rounded to f16.
  GpuSubgroup(EmitContext& e, SubgroupOp op, ScalarKind kind, bool rounds)
      : e_(e),
        b_(e.b),
        op_(op),
        how_(combination_of(op)),
        kind_(kind),
        rounds_(rounds),
        active_(e.gpu->active),
        lane_(intrinsic(I::nvvm_read_ptx_sreg_laneid, {})) {}

  Value* apply(Value* value, Value* operand) {
    switch (op_) {
      case SubgroupOp::all: return intrinsic(I::nvvm_vote_all_sync, {active_, value});
      case SubgroupOp::any: return intrinsic(I::nvvm_vote_any_sync, {active_, value});
      case SubgroupOp::ballot: return ballot(e_, active_, value);
      case SubgroupOp::elect: return b_.CreateICmpEQ(lane_, first_of(active_));
      case SubgroupOp::broadcast_first: return moved(value, first_of(active_));
      default: break;
    }
    if (op_ <= SubgroupOp::bit_xor) return reduced(value);
    if (op_ <= SubgroupOp::exclusive_mul) return scanned(value);
    Value* from = source_lane(b_, op_, lane_, operand);
    Value* wrapped = b_.CreateAnd(from, b_.getInt32(kSubgroupSize - 1));
    Value* there = b_.CreateAnd(b_.CreateICmpULT(from, b_.getInt32(kSubgroupSize)), runs(wrapped));
    return b_.CreateSelect(there, moved(value, wrapped), value);
  }

 private:
  Value* intrinsic(I::ID id, llvm::ArrayRef<Value*> arguments) {
    return b_.CreateIntrinsic(id, {}, arguments);
  }
  Value* first_of(Value* lanes) { return b_.CreateBinaryIntrinsic(I::cttz, lanes, b_.getFalse()); }
  Value* runs(Value* lane) { return b_.CreateTrunc(b_.CreateLShr(active_, lane), b_.getInt1Ty()); }
  Value* neutral() { return constant_leaf(e_, kind_, neutral_value(op_, kind_)).value; }
  Value* combined(Value* low, Value* high) {
    Value* v = combine_lanes(b_, how_, kind_, low, high);
    return rounds_ ? b_.CreateFPExt(b_.CreateFPTrunc(v, b_.getHalfTy()), b_.getFloatTy()) : v;
  }

  Value* exchanged(I::ID id, Value* value, Value* operand, std::uint32_t clamp) {
    Value* word = to_lane_word(b_, kind_, value);
    return from_lane_word(b_, kind_, intrinsic(id, {active_, word, operand, b_.getInt32(clamp)}));
  }
  // The value of another active lane.
  Value* moved(Value* value, Value* lane) {
    return exchanged(I::nvvm_shfl_sync_idx_i32, value, lane, 0x1F);
  }

  // The result for integers does not depend on the order, so the hardware's reduction can be used.
  Value* redux(Value* value) {
    const bool is_signed = kind_ == ScalarKind::i32;
    const auto id = [&]() -> I::ID {
      switch (op_) {
        case SubgroupOp::add: return I::nvvm_redux_sync_add;
        case SubgroupOp::min: return is_signed ? I::nvvm_redux_sync_min : I::nvvm_redux_sync_umin;
        case SubgroupOp::max: return is_signed ? I::nvvm_redux_sync_max : I::nvvm_redux_sync_umax;
        case SubgroupOp::bit_and: return I::nvvm_redux_sync_and;
        case SubgroupOp::bit_or: return I::nvvm_redux_sync_or;
        default: return I::nvvm_redux_sync_xor;
      }
    }();
    return intrinsic(id, {value, active_});
  }

  Value* reduced(Value* value) {
    if (e_.gpu->has_redux && !is_float(kind_) && op_ != SubgroupOp::mul) return redux(value);
    return when_all_run([&] { return reduce_all(value); }, [&] { return reduce_some(value); });
  }

  // The two halves of a step, in the order of their lanes.
  Value* step_combined(Value* own, Value* other, unsigned step) {
    // Sums and products are the same in either order.
    if (how_ == SubgroupOp::add || how_ == SubgroupOp::mul) return combined(own, other);
    Value* above = b_.CreateICmpNE(b_.CreateAnd(lane_, b_.getInt32(step)), b_.getInt32(0));
    return combined(b_.CreateSelect(above, other, own), b_.CreateSelect(above, own, other));
  }

  Value* reduce_all(Value* v) {
    for (unsigned step = kSubgroupSize / 2; step != 0; step /= 2) {
      v = step_combined(v, exchanged(I::nvvm_shfl_sync_bfly_i32, v, b_.getInt32(step), 0x1F), step);
    }
    return v;
  }

  // Before a step, lanes whose numbers are equal modulo 2 * step hold the same value, so any
  // running one of them can provide it.
  Value* reduce_some(Value* v) {
    for (unsigned step = kSubgroupSize / 2; step != 0; step /= 2) {
      std::uint32_t pattern = 0;
      for (unsigned i = 0; i < kSubgroupSize; i += 2 * step) pattern |= 1U << i;
      Value* other =
          b_.CreateAnd(b_.CreateXor(lane_, b_.getInt32(step)), b_.getInt32(2 * step - 1));
      Value* holders = b_.CreateAnd(active_, b_.CreateShl(b_.getInt32(pattern), other));
      Value* is_there = b_.CreateICmpNE(holders, b_.getInt32(0));
      Value* from = b_.CreateSelect(is_there, first_of(holders), lane_);
      v = step_combined(v, b_.CreateSelect(is_there, moved(v, from), neutral()), step);
    }
    return v;
  }

  Value* scanned(Value* value) {
    Value* scan = when_all_run([&] { return scan_all(value); }, [&] { return scan_some(value); });
    return is_exclusive_scan(op_) ? from_start(b_, op_, kind_, scan) : scan;
  }

  Value* scan_all(Value* v) {
    const auto below = [&](unsigned step) {
      return exchanged(I::nvvm_shfl_sync_up_i32, v, b_.getInt32(step), 0);
    };
    const auto at_least = [&](unsigned step) { return b_.CreateICmpUGE(lane_, b_.getInt32(step)); };
    for (unsigned step = 1; step < kSubgroupSize; step *= 2) {
      v = b_.CreateSelect(at_least(step), combined(below(step), v), v);
    }
    return is_exclusive_scan(op_) ? b_.CreateSelect(at_least(1), below(1), neutral()) : v;
  }

  // Each lane takes what the next running lane below has gathered, and then looks as far again.
  Value* scan_some(Value* v) {
    Value* below = b_.CreateSub(b_.CreateShl(b_.getInt32(1), lane_), b_.getInt32(1));
    Value* lower = b_.CreateAnd(active_, below);
    Value* leading = b_.CreateBinaryIntrinsic(I::ctlz, lower, b_.getFalse());
    Value* const no_lane = b_.getInt32(kSubgroupSize);
    Value* const previous = b_.CreateSelect(b_.CreateICmpEQ(lower, b_.getInt32(0)), no_lane,
                                            b_.CreateSub(b_.getInt32(kSubgroupSize - 1), leading));
    Value* at = previous;
    for (unsigned step = 1; step < kSubgroupSize; step *= 2) {
      Value* there = b_.CreateICmpULT(at, no_lane);
      Value* from = b_.CreateSelect(there, at, lane_);
      v = b_.CreateSelect(there, combined(moved(v, from), v), v);
      Value* next = intrinsic(I::nvvm_shfl_sync_idx_i32, {active_, at, from, b_.getInt32(0x1F)});
      at = b_.CreateSelect(there, next, no_lane);
    }
    if (!is_exclusive_scan(op_)) return v;
    Value* there = b_.CreateICmpULT(previous, no_lane);
    return b_.CreateSelect(there, moved(v, b_.CreateSelect(there, previous, lane_)), neutral());
  }

  Value* when_all_run(llvm::function_ref<Value*()> all, llvm::function_ref<Value*()> some) {
    auto* result = e_.alloca_of(scalar_type(e_, kind_), "subgroup");
    e_.branch(
        b_.CreateICmpEQ(active_, b_.getInt32(~0U)), [&] { b_.CreateStore(all(), result); },
        [&] { b_.CreateStore(some(), result); }, /*likely=*/true);
    return b_.CreateLoad(scalar_type(e_, kind_), result);
  }

  EmitContext& e_;
  llvm::IRBuilder<>& b_;
  SubgroupOp op_, how_;
  ScalarKind kind_;
  bool rounds_;
  Value* active_;
  Value* lane_;
};

}  // namespace

Value* gpu_subgroup(EmitContext& e, SubgroupOp op, ScalarKind kind, Value* value, Value* lane) {
  // Arithmetic of f16 is f32 arithmetic that is rounded after each operation.
  const bool rounds = kind == ScalarKind::f16 && op <= SubgroupOp::exclusive_mul;
  if (rounds) {
    kind = ScalarKind::f32;
    value = e.b.CreateFPExt(value, e.b.getFloatTy());
  }
  Value* out = GpuSubgroup(e, op, kind, rounds).apply(value, lane);
  return rounds ? e.b.CreateFPTrunc(out, e.b.getHalfTy()) : out;
}

}  // namespace vyre
