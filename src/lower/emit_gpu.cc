// What is different on a GPU: barriers and atomics of the hardware, deadlines by its timer, and
// its approximations of division, square root and some elementary functions.
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "vyre/lower/elementary_internal.h"
#include "vyre/lower/emitter_internal.h"
#include "vyre/lower/loop_shape_internal.h"
#include "vyre/lower/ptx_ops_internal.h"

namespace vyre {

using llvm::Value;

namespace {

// Iterations between two looks at the timer: of a loop that holds no other, and of one that does.
constexpr std::uint32_t kStrip = 1024;
constexpr std::uint32_t kOuterStrip = 32;

std::string_view order_of(Order order) {
  switch (order) {
    case Order::relaxed: return "relaxed";
    case Order::acquire: return "acquire";
    case Order::release: return "release";
    case Order::acquire_release:
    case Order::sequential: return "acq_rel";
  }
  return "acq_rel";
}

std::string_view operation_of(AtomicOp op, bool is_signed) {
  switch (op) {
    case AtomicOp::add:
    case AtomicOp::sub: return "add.u32";
    case AtomicOp::max: return is_signed ? "max.s32" : "max.u32";
    case AtomicOp::min: return is_signed ? "min.s32" : "min.u32";
    case AtomicOp::bit_and: return "and.b32";
    case AtomicOp::bit_or: return "or.b32";
    case AtomicOp::bit_xor: return "xor.b32";
    default: return "exch.b32";
  }
}

}  // namespace

Value* Emitter::decided(EmitFrame& frame, const Leaf& condition) {
  if (!condition.held || !rows_tested || frame.parent != nullptr || !targets.empty()) {
    return condition.value;
  }
  requirements.insert(requirements.end(), condition.held->begin(), condition.held->end());
  return condition.rest;
}

void Emitter::gpu_barrier() { b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }

void Emitter::gpu_uniform_load(EmitFrame& frame, const UniformLoadStmt& s) {
  const Val at = eval(frame, s.pointer);
  gpu_barrier();
  const Val value =
      load(*at.pointer, frame.function->locals[static_cast<std::size_t>(s.result)].type);
  gpu_barrier();
  put_local(frame, s.result, value);
}

Value* Emitter::gpu_atomic(const AtomicStmt& s, bool is_signed, const Pointer& pointer,
                           Value* compare, Value* value, bool wants) {
  // A pointer to workgroup memory is a 64-bit offset of its own space.
  Value* at = b.CreatePtrToInt(address(pointer, pointer.offset.value, 0), b.getInt64Ty());
  const std::string_view space = pointer.is_workgroup ? "shared" : "global";
  const std::string_view scope =
      pointer.is_workgroup || s.scope == Scope::workgroup ? "cta" : "gpu";
  llvm::Type* word = b.getInt32Ty();
  const auto emit = [&](llvm::Type* type, const std::string& text,
                        llvm::ArrayRef<Value*> operands) {
    return ptx_instruction(b, type, text, operands, PtxEffect::memory);
  };
  if (s.order == Order::sequential) {
    emit(b.getVoidTy(), fmt::format("fence.sc.{};", scope), {});
  }
  const std::string_view order = order_of(s.order);
  switch (s.op) {
    case AtomicOp::load:
      return emit(word,
                  fmt::format("ld.{}.{}.{}.u32 $0, [$1];", order == "relaxed" ? order : "acquire",
                              scope, space),
                  {at});
    case AtomicOp::store:
      emit(b.getVoidTy(),
           fmt::format("st.{}.{}.{}.u32 [$0], $1;", order == "relaxed" ? order : "release", scope,
                       space),
           {at, value});
      return value;
    case AtomicOp::compare_exchange:
      return emit(word, fmt::format("atom.{}.{}.{}.cas.b32 $0, [$1], $2, $3;", order, scope, space),
                  {at, compare, value});
    default: break;
  }
  if (s.op == AtomicOp::sub) value = b.CreateNeg(value);
  const std::string_view operation = operation_of(s.op, is_signed);
  // Without a result the memory does it alone; exchange has no such form.
  if (!wants && s.op != AtomicOp::exchange && (order == "relaxed" || order == "release")) {
    emit(b.getVoidTy(), fmt::format("red.{}.{}.{}.{} [$0], $1;", order, scope, space, operation),
         {at, value});
    return value;
  }
  return emit(word, fmt::format("atom.{}.{}.{}.{} $0, [$1], $2;", order, scope, space, operation),
              {at, value});
}

void Emitter::gpu_check_deadline(StmtId loop) {
  const LoopShape shape = shape_of(p_, loop);
  if (shape.counted && shape.innermost) return;
  const std::uint32_t strip = shape.innermost ? kStrip : kOuterStrip;
  auto* look = new_block("look_at_timer");
  auto* late = new_block("late");
  auto* go_on = new_block("go_on");
  Value* count = b.CreateAdd(b.CreateLoad(b.getInt32Ty(), gpu->counter), b.getInt32(1));
  b.CreateStore(count, gpu->counter);
  Value* due = b.CreateICmpEQ(b.CreateAnd(count, b.getInt32(strip - 1)), b.getInt32(0));
  b.CreateCondBr(due, look, go_on);
  b.SetInsertPoint(look);
  b.CreateCondBr(b.CreateICmpUGT(ptx_global_timer(b), gpu->deadline), late, go_on);
  b.SetInsertPoint(late);
  b.CreateStore(b.getInt32(1), gpu->status, /*isVolatile=*/true);
  b.CreateRetVoid();
  b.SetInsertPoint(go_on);
}

Value* Emitter::divide(Value* x, Value* y) {
  return gpu ? ptx_divide(b, x, y) : b.CreateFDiv(x, y);
}

Value* Emitter::square_root(Value* x) {
  return gpu ? ptx_square_root(b, x) : b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
}

Value* Emitter::elementary(MathFn fn, llvm::ArrayRef<Value*> arguments) {
  return emit_elementary(b, fn, arguments, gpu.has_value());
}

}  // namespace vyre
