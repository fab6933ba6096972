// Atomics: lane by lane, in lane order. Workgroup memory belongs to one thread on the host.
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

void emit_atomic(EmitContext& e, EmitFrame& frame, const AtomicStmt& s) {
  const Val where = eval(e, frame, s.pointer);
  const Leaf compare =
      s.compare == kNoExpr ? constant_leaf(e, Scalar::of(0U)) : eval_leaf(e, frame, s.compare);
  const Leaf value =
      s.value == kNoExpr ? constant_leaf(e, Scalar::of(0U)) : eval_leaf(e, frame, s.value);
  const Pointer pointer = resolved(e, *where.pointer);
  const bool is_signed =
      e.program.types.get_if<AtomicType>(pointer.pointee)->kind == ScalarKind::i32;
  const bool alone = pointer.is_workgroup;
  const bool wants = s.result != kNoLocal;
  const bool exchange = s.op == AtomicOp::compare_exchange;
  llvm::Type* word = e.b.getInt32Ty();

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
    e.b.CreateStore(e.b.getInt32(0), old_at);
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
              one(e.b, s, is_signed, alone, address(e, pointer, pointer.offset.value, 0),
                  compare.value, value.value);
          e.b.CreateStore(out.old, old_at);
          if (out.exchanged != nullptr) e.b.CreateStore(out.exchanged, exchanged_at);
        },
        [] {});
    finish(uniform_leaf(e.b.CreateLoad(word, old_at)),
           uniform_leaf(e.b.CreateLoad(e.b.getInt1Ty(), exchanged_at)));
    return;
  }

  // One lane after the other.
  Value* lanes = lanes_inside(e, pointer);
  if (lanes == nullptr) lanes = e.all_on();
  Value* offsets = vector_of(e, pointer.offset);
  Value* values = vector_of(e, value);
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
  const auto out = one(e.b, s, is_signed, alone, at, e.b.CreateExtractElement(compares, i),
                       e.b.CreateExtractElement(values, i));
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
  finish(varying_leaf(e, e.b.CreateLoad(e.lanes_of(word), old_at)),
         varying_leaf(e, e.b.CreateLoad(e.lanes_of(e.b.getInt1Ty()), exchanged_at)));
}

}  // namespace vyre
