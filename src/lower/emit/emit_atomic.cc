// Atomics: lane by lane, in lane order, or one for all lanes. On the host, workgroup memory and
// private copies of buffers belong to one thread.
#include "vyre/lower/emit/emit_atomic_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_gpu_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"

namespace vyre {

using llvm::Value;

namespace {

llvm::AtomicOrdering ordering_of(Order order) {
  switch (order) {
    case Order::relaxed: return llvm::AtomicOrdering::Monotonic;
    case Order::acquire: return llvm::AtomicOrdering::Acquire;
    case Order::release: return llvm::AtomicOrdering::Release;
    case Order::acquire_release: return llvm::AtomicOrdering::AcquireRelease;
    case Order::sequential: return llvm::AtomicOrdering::SequentiallyConsistent;
  }
  return llvm::AtomicOrdering::SequentiallyConsistent;
}

Value* plain_result(llvm::IRBuilder<>& b, AtomicOp op, bool is_signed, Value* old, Value* v) {
  const auto pick = [&](llvm::Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, old, v); };
  switch (op) {
    case AtomicOp::add: return b.CreateAdd(old, v);
    case AtomicOp::sub: return b.CreateSub(old, v);
    case AtomicOp::max: return pick(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax);
    case AtomicOp::min: return pick(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin);
    case AtomicOp::bit_and: return b.CreateAnd(old, v);
    case AtomicOp::bit_or: return b.CreateOr(old, v);
    case AtomicOp::bit_xor: return b.CreateXor(old, v);
    default: return v;
  }
}

struct Outcome {
  Value* old;
  Value* exchanged;  // compare_exchange only
};

// One lane's operation at `at`.
Outcome one(llvm::IRBuilder<>& b, const AtomicStmt& s, bool is_signed, bool alone, Value* at,
            Value* compare, Value* value) {
  const auto order = ordering_of(s.order);
  llvm::Type* word = value->getType();
  const llvm::Align align(word->getIntegerBitWidth() / 8);
  if (alone) {
    Value* old = b.CreateAlignedLoad(word, at, align);
    if (s.op == AtomicOp::load) return {old, nullptr};
    Value* next = value;
    Value* same = nullptr;
    if (s.op == AtomicOp::compare_exchange) {
      same = b.CreateICmpEQ(old, compare);
      next = b.CreateSelect(same, value, old);
    } else if (s.op != AtomicOp::store) {
      next = plain_result(b, s.op, is_signed, old, value);
    }
    b.CreateAlignedStore(next, at, align);
    return {old, same};
  }
  switch (s.op) {
    case AtomicOp::load: {
      auto* load = b.CreateAlignedLoad(word, at, align);
      load->setAtomic(order);
      return {load, nullptr};
    }
    case AtomicOp::store: {
      auto* store = b.CreateAlignedStore(value, at, align);
      store->setAtomic(order);
      return {value, nullptr};
    }
    case AtomicOp::compare_exchange: {
      auto* x =
          b.CreateAtomicCmpXchg(at, compare, value, align, order, llvm::AtomicOrdering::Monotonic);
      return {b.CreateExtractValue(x, 0), b.CreateExtractValue(x, 1)};
    }
    default:
      return {b.CreateAtomicRMW(read_modify_write_of(s.op, is_signed), at, value, align, order),
              nullptr};
  }
}

// The same for memory that may belong to one thread: `copied` (i1) tells at run time whether it is
// a private copy of a buffer, which needs no atomic instruction.
Outcome one_of_copied(EmitContext& e, const AtomicStmt& s, bool is_signed, Value* copied, Value* at,
                      Value* compare, Value* value) {
  e.branch(
      copied, [&] { one(e.b, s, is_signed, true, at, compare, value); },
      [&] { one(e.b, s, is_signed, false, at, compare, value); });
  return {nullptr, nullptr};  // no result of such an operation is used
}

bool changes_by_value(AtomicOp op) {
  switch (op) {
    case AtomicOp::add:
    case AtomicOp::sub:
    case AtomicOp::max:
    case AtomicOp::min:
    case AtomicOp::bit_and:
    case AtomicOp::bit_or:
    case AtomicOp::bit_xor: return true;
    default: return false;
  }
}

// Reduces the values of all lanes to one. Lanes that do not take part hold the identity value.
Value* combined(llvm::IRBuilder<>& b, AtomicOp op, bool is_signed, Value* values) {
  switch (op) {
    case AtomicOp::max: return b.CreateIntMaxReduce(values, is_signed);
    case AtomicOp::min: return b.CreateIntMinReduce(values, is_signed);
    case AtomicOp::bit_and: return b.CreateAndReduce(values);
    case AtomicOp::bit_or: return b.CreateOrReduce(values);
    case AtomicOp::bit_xor: return b.CreateXorReduce(values);
    default: return b.CreateAddReduce(values);
  }
}

// For each lane the sum of those below it.
Value* sums_below(EmitContext& e, Value* values) {
  auto& b = e.b;
  Value* sums = values;
  Value* zeros = llvm::Constant::getNullValue(values->getType());
  for (unsigned distance = 1; distance < e.width; distance *= 2) {
    llvm::SmallVector<int, 32> lanes;
    for (unsigned l = 0; l < e.width; ++l) {
      lanes.push_back(static_cast<int>(l < distance ? e.width + l : l - distance));
    }
    sums = b.CreateAdd(sums, b.CreateShuffleVector(sums, zeros, lanes));
  }
  return b.CreateSub(sums, values);
}

using Perform = llvm::function_ref<Outcome(Value* at, Value* compare, Value* value)>;

// Runs the operation for one lane after the other, and collects the old values if `wants` is set.
std::pair<Leaf, Leaf> lane_by_lane(EmitContext& e, const Pointer& pointer, const Leaf& compare,
                                   const Leaf& value, Value* lanes, bool wants, Perform perform) {
  Value* offsets = vector_of(e, pointer.offset);
  Value* values = vector_of(e, value);
  llvm::Type* word = values->getType()->getScalarType();
  Value* compares = vector_of(e, compare);
  llvm::Type* bits_type = e.b.getIntNTy(e.width);
  auto* left_at = e.alloca_of(bits_type, "lanes_left");
  auto* old_at = e.alloca_of(e.lanes_of(word), "olds");
  auto* exchanged_at = e.alloca_of(e.lanes_of(e.b.getInt1Ty()), "exchanged");
  e.b.CreateStore(e.b.CreateBitCast(lanes, bits_type), left_at);
  e.b.CreateStore(llvm::Constant::getNullValue(e.lanes_of(word)), old_at);
  e.b.CreateStore(e.zero_mask(), exchanged_at);
  auto* head = e.new_block("atomic_lanes");
  auto* body = e.new_block("atomic_lane");
  auto* after = e.new_block("after_atomics");
  e.b.CreateBr(head);
  e.b.SetInsertPoint(head);
  Value* left = e.b.CreateLoad(bits_type, left_at);
  e.b.CreateCondBr(e.b.CreateICmpNE(left, llvm::ConstantInt::get(bits_type, 0)), body, after);
  e.b.SetInsertPoint(body);
  Value* lane = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, e.b.getTrue());
  e.b.CreateStore(e.b.CreateAnd(left, e.b.CreateSub(left, llvm::ConstantInt::get(bits_type, 1))),
                  left_at);
  Value* i = e.b.CreateZExtOrTrunc(lane, e.b.getInt32Ty());
  Value* at = address(e, pointer, e.b.CreateExtractElement(offsets, i), 0);
  const auto out =
      perform(at, e.b.CreateExtractElement(compares, i), e.b.CreateExtractElement(values, i));
  if (wants) {
    e.b.CreateStore(e.b.CreateInsertElement(e.b.CreateLoad(e.lanes_of(word), old_at), out.old, i),
                    old_at);
    if (out.exchanged != nullptr) {
      e.b.CreateStore(
          e.b.CreateInsertElement(e.b.CreateLoad(e.lanes_of(e.b.getInt1Ty()), exchanged_at),
                                  out.exchanged, i),
          exchanged_at);
    }
  }
  e.b.CreateBr(head);
  e.b.SetInsertPoint(after);
  return {varying_leaf(e, e.b.CreateLoad(e.lanes_of(word), old_at)),
          varying_leaf(e, e.b.CreateLoad(e.lanes_of(e.b.getInt1Ty()), exchanged_at))};
}

// Runs the operation for all lanes, without a loop. Each lane's address is read from the stack,
// which costs less than extracting it from a vector register.
void each_lane(EmitContext& e, const AtomicStmt& s, bool is_signed, bool alone,
               const Pointer& pointer, const Leaf& value) {
  auto& b = e.b;
  Value* offsets = vector_of(e, pointer.offset);
  llvm::Type* offset_type = offsets->getType()->getScalarType();
  auto* places = e.alloca_of(offsets->getType(), "places");
  // Volatile, or LLVM would take the vector apart.
  b.CreateStore(offsets, places, /*isVolatile=*/true);
  for (unsigned l = 0; l < e.width; ++l) {
    Value* place = b.CreateLoad(offset_type, b.CreateGEP(offset_type, places, b.getInt32(l)),
                                /*isVolatile=*/true);
    Value* with =
        value.varying ? b.CreateExtractElement(vector_of(e, value), std::uint64_t{l}) : value.value;
    one(b, s, is_signed, alone, address(e, pointer, place, 0), nullptr, with);
  }
}

// Both components of a vector as one number.
Leaf joined(EmitContext& e, const Val& vector) {
  const bool varying = vector.leaves[0].varying || vector.leaves[1].varying;
  llvm::Type* one = e.b.getInt64Ty();
  llvm::Type* type = varying ? e.lanes_of(one) : one;
  const auto wide = [&](const Leaf& leaf) {
    return e.b.CreateZExt(varying ? vector_of(e, leaf) : leaf.value, type);
  };
  Value* high = e.b.CreateShl(wide(vector.leaves[1]), llvm::ConstantInt::get(type, 32));
  Value* both = e.b.CreateOr(wide(vector.leaves[0]), high);
  return varying ? varying_leaf(e, both) : uniform_leaf(both);
}

}  // namespace

llvm::AtomicRMWInst::BinOp read_modify_write_of(AtomicOp op, bool is_signed) {
  using R = llvm::AtomicRMWInst;
  switch (op) {
    case AtomicOp::add: return R::Add;
    case AtomicOp::sub: return R::Sub;
    case AtomicOp::max: return is_signed ? R::Max : R::UMax;
    case AtomicOp::min: return is_signed ? R::Min : R::UMin;
    case AtomicOp::bit_and: return R::And;
    case AtomicOp::bit_or: return R::Or;
    case AtomicOp::bit_xor: return R::Xor;
    default: return R::Xchg;
  }
}

llvm::Constant* identity_of(llvm::IRBuilder<>& b, AtomicOp op, bool is_signed) {
  switch (op) {
    case AtomicOp::max: return b.getInt32(is_signed ? 0x80000000U : 0U);
    case AtomicOp::min: return b.getInt32(is_signed ? 0x7FFFFFFFU : 0xFFFFFFFFU);
    case AtomicOp::bit_and: return b.getInt32(0xFFFFFFFFU);
    default: return b.getInt32(0);
  }
}

void emit_atomic(EmitContext& e, EmitFrame& frame, const AtomicStmt& s) {
  const Val where = eval(e, frame, s.pointer);
  const Leaf compare =
      s.compare == kNoExpr ? constant_leaf(e, Scalar::of(0U)) : eval_leaf(e, frame, s.compare);
  const Pointer pointer = resolved(e, *where.pointer);
  const bool pair = e.program.types.get_if<AtomicType>(pointer.pointee)->size == 2;
  const Leaf value = pair                 ? joined(e, eval(e, frame, s.value))
                     : s.value == kNoExpr ? constant_leaf(e, Scalar::of(0U))
                                          : eval_leaf(e, frame, s.value);
  const bool is_signed =
      e.program.types.get_if<AtomicType>(pointer.pointee)->kind == ScalarKind::i32;
  const bool alone = pointer.is_workgroup;
  const auto& used = e.spreads.plan.needs[static_cast<std::size_t>(frame.spreads->function)].used;
  const bool wants = s.result != kNoLocal && (e.gpu || used[static_cast<std::size_t>(s.result)]);
  const bool exchange = s.op == AtomicOp::compare_exchange;
  llvm::Type* word = pair ? e.b.getInt64Ty() : e.b.getInt32Ty();
  const auto copied = e.copied.find(pointer.global);
  const auto perform = [&](Value* at, Value* compare_with, Value* with) {
    if (copied != e.copied.end()) {
      return one_of_copied(e, s, is_signed, copied->second, at, compare_with, with);
    }
    return one(e.b, s, is_signed, alone, at, compare_with, with);
  };

  const auto finish = [&](const Leaf& old, const Leaf& exchanged) {
    if (!wants) return;
    Val out;
    out.type = frame.function->locals[static_cast<std::size_t>(s.result)].type;
    out.leaves.push_back(old);
    if (exchange) out.leaves.push_back(exchanged);
    put_local(e, frame, s.result, out);
  };

  // Scalar code, or a load that every lane makes at one place.
  if (!e.wide() || (s.op == AtomicOp::load && !pointer.offset.varying)) {
    Value* inside = pointer.inside.value;
    auto* old_at = e.alloca_of(word, "old");
    auto* exchanged_at = e.alloca_of(e.b.getInt1Ty(), "exchanged");
    e.b.CreateStore(llvm::Constant::getNullValue(word), old_at);
    e.b.CreateStore(e.b.getFalse(), exchanged_at);
    e.branch(
        inside == nullptr ? e.b.getTrue() : inside,
        [&] {
          if (e.gpu) {
            Value* old = gpu_atomic(e, s, is_signed, pointer, compare.value, value.value, wants);
            if (!wants) return;
            e.b.CreateStore(old, old_at);
            if (exchange) e.b.CreateStore(e.b.CreateICmpEQ(old, compare.value), exchanged_at);
            return;
          }
          const auto out =
              perform(address(e, pointer, pointer.offset.value, 0), compare.value, value.value);
          if (out.old != nullptr) e.b.CreateStore(out.old, old_at);
          if (out.exchanged != nullptr) e.b.CreateStore(out.exchanged, exchanged_at);
        },
        [] {});
    finish(uniform_leaf(e.b.CreateLoad(word, old_at)),
           uniform_leaf(e.b.CreateLoad(e.b.getInt1Ty(), exchanged_at)));
    return;
  }

  Value* lanes = lanes_inside(e, pointer);
  if (lanes == nullptr) lanes = e.all_on();

  // All lanes meet at one place. Each lane's old value follows from that of the first lane.
  const bool by_value = !pair && changes_by_value(s.op);
  const bool adds = s.op == AtomicOp::add || s.op == AtomicOp::sub;
  if (!pointer.offset.varying && by_value && (adds || !wants)) {
    Value* others = e.b.CreateVectorSplat(e.width, identity_of(e.b, s.op, is_signed));
    Value* values = e.b.CreateSelect(lanes, vector_of(e, value), others);
    auto* old_at = e.alloca_of(word, "old");
    e.b.CreateStore(e.b.getInt32(0), old_at);
    e.branch(
        any_lane(e, lanes),
        [&] {
          const auto out = perform(address(e, pointer, pointer.offset.value, 0), nullptr,
                                   combined(e.b, s.op, is_signed, values));
          if (out.old != nullptr) e.b.CreateStore(out.old, old_at);
        },
        [] {});
    if (!wants) return;
    Value* old = e.b.CreateVectorSplat(e.width, e.b.CreateLoad(word, old_at));
    Value* below = sums_below(e, values);
    Value* found = s.op == AtomicOp::add ? e.b.CreateAdd(old, below) : e.b.CreateSub(old, below);
    Value* none = llvm::Constant::getNullValue(found->getType());
    return finish(varying_leaf(e, e.b.CreateSelect(lanes, found, none)), {});
  }

  if (!wants && by_value) {
    Value* bits = e.b.CreateBitCast(lanes, e.b.getIntNTy(e.width));
    Value* all = e.b.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
    Value* own = copied != e.copied.end() ? copied->second : e.b.getInt1(alone);
    return e.branch(
        all,
        [&] {
          e.branch(
              own, [&] { each_lane(e, s, is_signed, true, pointer, value); },
              [&] { each_lane(e, s, is_signed, false, pointer, value); });
        },
        [&] { lane_by_lane(e, pointer, compare, value, lanes, false, perform); });
  }
  const auto [old, exchanged] = lane_by_lane(e, pointer, compare, value, lanes, wants, perform);
  finish(old, exchanged);
}

}  // namespace vyre
