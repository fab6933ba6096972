// Atomics: lane by lane, in lane order. Workgroup memory belongs to one thread on the host.
#include "vyre/lower/emit/emitter_internal.h"

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

llvm::AtomicRMWInst::BinOp rmw_of(AtomicOp op, bool is_signed) {
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
  const llvm::Align align(4);
  const auto order = ordering_of(s.order);
  llvm::Type* word = b.getInt32Ty();
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
    default: return {b.CreateAtomicRMW(rmw_of(s.op, is_signed), at, value, align, order), nullptr};
  }
}

}  // namespace

void Emitter::atomic(EmitFrame& frame, const AtomicStmt& s) {
  const Val where = eval(frame, s.pointer);
  const Leaf compare =
      s.compare == kNoExpr ? constant_leaf(Scalar::of(0U)) : eval_leaf(frame, s.compare);
  const Leaf value = s.value == kNoExpr ? constant_leaf(Scalar::of(0U)) : eval_leaf(frame, s.value);
  const Pointer pointer = resolved(*where.pointer);
  const bool is_signed = p_.types.get_if<AtomicType>(pointer.pointee)->kind == ScalarKind::i32;
  const bool alone = pointer.is_workgroup;
  const bool wants = s.result != kNoLocal;
  const bool exchange = s.op == AtomicOp::compare_exchange;
  llvm::Type* word = b.getInt32Ty();

  const auto finish = [&](const Leaf& old, const Leaf& exchanged) {
    if (!wants) return;
    Val out;
    out.type = frame.function->locals[static_cast<std::size_t>(s.result)].type;
    out.leaves.push_back(old);
    if (exchange) out.leaves.push_back(exchanged);
    put_local(frame, s.result, out);
  };

  // Scalar code, or a load that every lane makes at one place.
  if (!wide() || (s.op == AtomicOp::load && !pointer.offset.varying)) {
    Value* inside = pointer.inside.value;
    auto* old_at = alloca_of(word, "old");
    auto* exchanged_at = alloca_of(b.getInt1Ty(), "exchanged");
    b.CreateStore(b.getInt32(0), old_at);
    b.CreateStore(b.getFalse(), exchanged_at);
    branch(
        inside == nullptr ? b.getTrue() : inside,
        [&] {
          if (gpu) {
            Value* old = gpu_atomic(s, is_signed, pointer, compare.value, value.value, wants);
            if (!wants) return;
            b.CreateStore(old, old_at);
            if (exchange) b.CreateStore(b.CreateICmpEQ(old, compare.value), exchanged_at);
            return;
          }
          const auto out = one(b, s, is_signed, alone, address(pointer, pointer.offset.value, 0),
                               compare.value, value.value);
          b.CreateStore(out.old, old_at);
          if (out.exchanged != nullptr) b.CreateStore(out.exchanged, exchanged_at);
        },
        [] {});
    finish(uniform(b.CreateLoad(word, old_at)), uniform(b.CreateLoad(b.getInt1Ty(), exchanged_at)));
    return;
  }

  // One lane after the other.
  Value* lanes = lanes_inside(pointer);
  if (lanes == nullptr) lanes = all_on();
  Value* offsets = vector_of(pointer.offset);
  Value* values = vector_of(value);
  Value* compares = vector_of(compare);
  llvm::Type* bits_type = b.getIntNTy(width_);
  auto* left_at = alloca_of(bits_type, "lanes_left");
  auto* old_at = alloca_of(lanes_of(word), "olds");
  auto* exchanged_at = alloca_of(lanes_of(b.getInt1Ty()), "exchanged");
  b.CreateStore(b.CreateBitCast(lanes, bits_type), left_at);
  b.CreateStore(llvm::Constant::getNullValue(lanes_of(word)), old_at);
  b.CreateStore(zero_mask(), exchanged_at);
  auto* head = new_block("atomic_lanes");
  auto* body = new_block("atomic_lane");
  auto* after = new_block("after_atomics");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Value* left = b.CreateLoad(bits_type, left_at);
  b.CreateCondBr(b.CreateICmpNE(left, llvm::ConstantInt::get(bits_type, 0)), body, after);
  b.SetInsertPoint(body);
  Value* lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b.getTrue());
  b.CreateStore(b.CreateAnd(left, b.CreateSub(left, llvm::ConstantInt::get(bits_type, 1))),
                left_at);
  Value* i = b.CreateZExtOrTrunc(lane, b.getInt32Ty());
  Value* at = address(pointer, b.CreateExtractElement(offsets, i), 0);
  const auto out = one(b, s, is_signed, alone, at, b.CreateExtractElement(compares, i),
                       b.CreateExtractElement(values, i));
  if (wants) {
    b.CreateStore(b.CreateInsertElement(b.CreateLoad(lanes_of(word), old_at), out.old, i), old_at);
    if (out.exchanged != nullptr) {
      b.CreateStore(b.CreateInsertElement(b.CreateLoad(lanes_of(b.getInt1Ty()), exchanged_at),
                                          out.exchanged, i),
                    exchanged_at);
    }
  }
  b.CreateBr(head);
  b.SetInsertPoint(after);
  finish(varying(b.CreateLoad(lanes_of(word), old_at)),
         varying(b.CreateLoad(lanes_of(b.getInt1Ty()), exchanged_at)));
}

}  // namespace vyre
