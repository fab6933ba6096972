// What is different on a GPU: barriers and atomics of the hardware, deadlines by its timer, and
// its approximations of division, square root and some elementary functions.
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>

#include "vyre/lower/emit/emitter_internal.h"
#include "vyre/lower/gpu/ptx_ops_internal.h"
#include "vyre/lower/gpu/tile_check_internal.h"
#include "vyre/lower/loop_shape_internal.h"

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
  if (!gpu || !condition.held || !rows_tested || frame.parent != nullptr || !targets.empty()) {
    return condition.value;
  }
  // A guard says something of x. Where a condition does not, both sides may be as frequent.
  if (std::ranges::none_of(*condition.held,
                           [](const RowRequirement& r) { return r.along.known; })) {
    return condition.value;
  }
  requirements.insert(requirements.end(), condition.held->begin(), condition.held->end());
  return condition.rest;
}

// Rows above and below another share its index: what lies between them is the step.
Value* Emitter::gpu_row_index(Value* row) {
  if (row == nullptr) return gpu->x;
  Value*& index = gpu->row_indices[row];
  if (index != nullptr) return index;
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(row_start);
  const auto step = step_of(row);
  const auto from = step ? gpu->row_indices.find(step->from) : gpu->row_indices.end();
  if (from == gpu->row_indices.end()) return index = b.CreateAdd(gpu->x, row);
  return index =
             step->back ? b.CreateSub(from->second, step->by) : b.CreateAdd(from->second, step->by);
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

// Ends the kernel when its time is over.
void Emitter::gpu_check_deadline() {
  auto* late = new_block("late");
  auto* go_on = new_block("go_on");
  b.CreateCondBr(b.CreateICmpUGT(ptx_global_timer(b), gpu->deadline), late, go_on);
  b.SetInsertPoint(late);
  b.CreateStore(b.getInt32(1), gpu->status, /*isVolatile=*/true);
  give_up();
  b.SetInsertPoint(go_on);
}

// A loop runs in strips, and between two of them the timer is looked at. A `while` has one test
// for its condition and the strip's end: strip and loop stay small loops of their own.
void Emitter::gpu_loop(EmitFrame& frame, StmtId id, const LoopStmt& s) {
  const LoopShape& shape = gpu->loops->of(id);
  const bool watched = !shape.counted || !shape.innermost;
  const bool is_while = watched && shape.condition != kNoExpr;
  JumpTarget target;
  target.is_loop = true;
  target.frame = &frame;
  auto* strip = new_block("strip");
  auto* head = new_block("loop");
  target.next = new_block("continuing");
  target.exit = new_block("after_loop");
  llvm::AllocaInst* left = watched ? alloca_of(b.getInt32Ty(), "left") : nullptr;
  const auto iterations_left = [&] { return b.CreateLoad(b.getInt32Ty(), left); };
  b.CreateBr(strip);
  b.SetInsertPoint(strip);
  if (watched) b.CreateStore(b.getInt32(shape.innermost ? kStrip : kOuterStrip), left);
  b.CreateBr(head);

  b.SetInsertPoint(head);
  auto* look = new_block("look_at_timer");
  auto body = p_.block(s.body);
  if (is_while) {
    Value* goes_on = eval_leaf(frame, shape.condition).value;
    auto* inside = new_block("iteration");
    auto* leave = new_block("leave");
    Value* more = b.CreateICmpNE(iterations_left(), b.getInt32(0));
    b.CreateCondBr(b.CreateAnd(goes_on, more), inside, leave);
    b.SetInsertPoint(leave);
    b.CreateCondBr(goes_on, look, target.exit);
    b.SetInsertPoint(inside);
    body = body.subspan(1);
  } else if (watched) {
    auto* inside = new_block("iteration");
    b.CreateCondBr(b.CreateICmpNE(iterations_left(), b.getInt32(0)), inside, look);
    b.SetInsertPoint(inside);
  }
  targets.push_back(target);
  block(frame, body);
  if (!ended()) b.CreateBr(target.next);
  b.SetInsertPoint(target.next);
  block(frame, p_.block(s.continuing));
  if (!ended()) {
    if (watched) b.CreateStore(b.CreateSub(iterations_left(), b.getInt32(1)), left);
    if (s.break_if != kNoExpr) {
      b.CreateCondBr(eval_leaf(frame, s.break_if).value, target.exit, head);
    } else {
      b.CreateBr(head);
    }
  }
  targets.pop_back();

  b.SetInsertPoint(look);
  if (watched) {
    gpu_check_deadline();
    b.CreateBr(strip);
  } else {
    b.CreateUnreachable();
  }
  b.SetInsertPoint(target.exit);
}

Value* Emitter::divide(Value* x, Value* y) {
  return gpu ? ptx_divide(b, x, y) : b.CreateFDiv(x, y);
}

Value* Emitter::square_root(Value* x) {
  return gpu ? ptx_square_root(b, x) : b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
}

}  // namespace vyre
