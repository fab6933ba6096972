// The parts of the emitter that differ on a GPU: barriers and atomics of the hardware, deadlines by
// its timer, and its approximations of division, square root and some elementary functions.
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>

#include "vyre/lower/emit/emit_control_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_gpu_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/emit_operation_internal.h"
#include "vyre/lower/gpu/ptx_ops_internal.h"
#include "vyre/lower/gpu/tile_check_internal.h"
#include "vyre/lower/loop_shape_internal.h"

namespace vyre {

using llvm::Value;

namespace {

// Iterations between two reads of the timer, in an innermost loop and in one with loops inside.
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

Value* decided(EmitContext& e, EmitFrame& frame, const Leaf& condition) {
  if (!e.gpu || !condition.held || !e.rows_tested || frame.parent != nullptr ||
      !e.targets.empty()) {
    return condition.value;
  }
  // A bounds guard constrains x. Any other condition may be false as often as true: do not split.
  if (std::ranges::none_of(*condition.held,
                           [](const RowRequirement& r) { return r.along.known; })) {
    return condition.value;
  }
  e.requirements.insert(e.requirements.end(), condition.held->begin(), condition.held->end());
  return condition.rest;
}

// Rows above and below a row are indexed relative to it; the distance to them is the step.
Value* gpu_row_index(EmitContext& e, Value* row) {
  if (row == nullptr) return e.gpu->x;
  Value*& index = e.gpu->row_indices[row];
  if (index != nullptr) return index;
  llvm::IRBuilder<>::InsertPointGuard guard(e.b);
  e.b.SetInsertPoint(e.row_start);
  const auto step = step_of(row);
  const auto from = step ? e.gpu->row_indices.find(step->from) : e.gpu->row_indices.end();
  if (from == e.gpu->row_indices.end()) return index = e.b.CreateAdd(e.gpu->x, row);
  return index = step->back ? e.b.CreateSub(from->second, step->by)
                            : e.b.CreateAdd(from->second, step->by);
}

void gpu_barrier(EmitContext& e) { e.b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {}); }

void gpu_uniform_load(EmitContext& e, EmitFrame& frame, const UniformLoadStmt& s) {
  const Val at = eval(e, frame, s.pointer);
  gpu_barrier(e);
  const Val value =
      load_value(e, *at.pointer, frame.function->locals[static_cast<std::size_t>(s.result)].type);
  gpu_barrier(e);
  put_local(e, frame, s.result, value);
}

Value* gpu_atomic(EmitContext& e, const AtomicStmt& s, bool is_signed, const Pointer& pointer,
                  Value* compare, Value* value, bool wants) {
  // A pointer to workgroup memory is a 64-bit offset of its own space.
  Value* at = e.b.CreatePtrToInt(address(e, pointer, pointer.offset.value, 0), e.b.getInt64Ty());
  const std::string_view space = pointer.is_workgroup ? "shared" : "global";
  const std::string_view scope =
      pointer.is_workgroup || s.scope == Scope::workgroup ? "cta" : "gpu";
  llvm::Type* word = e.b.getInt32Ty();
  const auto emit = [&](llvm::Type* type, const std::string& text,
                        llvm::ArrayRef<Value*> operands) {
    return ptx_instruction(e.b, type, text, operands, PtxEffect::memory);
  };
  if (s.order == Order::sequential) {
    emit(e.b.getVoidTy(), fmt::format("fence.sc.{};", scope), {});
  }
  const std::string_view order = order_of(s.order);
  switch (s.op) {
    case AtomicOp::load:
      return emit(word,
                  fmt::format("ld.{}.{}.{}.u32 $0, [$1];", order == "relaxed" ? order : "acquire",
                              scope, space),
                  {at});
    case AtomicOp::store:
      emit(e.b.getVoidTy(),
           fmt::format("st.{}.{}.{}.u32 [$0], $1;", order == "relaxed" ? order : "release", scope,
                       space),
           {at, value});
      return value;
    case AtomicOp::compare_exchange:
      return emit(word, fmt::format("atom.{}.{}.{}.cas.b32 $0, [$1], $2, $3;", order, scope, space),
                  {at, compare, value});
    default: break;
  }
  if (s.op == AtomicOp::sub) value = e.b.CreateNeg(value);
  std::string operation(operation_of(s.op, is_signed));
  if (value->getType()->isIntegerTy(64)) operation = s.op == AtomicOp::max ? "max.u64" : "min.u64";
  // An atomic whose result is unused becomes a reduction (red); exchange has no such form.
  if (!wants && s.op != AtomicOp::exchange && (order == "relaxed" || order == "release")) {
    emit(e.b.getVoidTy(), fmt::format("red.{}.{}.{}.{} [$0], $1;", order, scope, space, operation),
         {at, value});
    return value;
  }
  return emit(word, fmt::format("atom.{}.{}.{}.{} $0, [$1], $2;", order, scope, space, operation),
              {at, value});
}

// Emits a test that ends the kernel when its deadline has passed.
void gpu_check_deadline(EmitContext& e) {
  auto* late = e.new_block("late");
  auto* go_on = e.new_block("go_on");
  e.b.CreateCondBr(e.b.CreateICmpUGT(ptx_global_timer(e.b), e.gpu->deadline), late, go_on);
  e.b.SetInsertPoint(late);
  e.b.CreateStore(e.b.getInt32(1), e.gpu->status, /*isVolatile=*/true);
  give_up(e);
  e.b.SetInsertPoint(go_on);
}

// The number of rounds in the next strip: at most those that are left, and at least one, because
// the condition holds. The variable does not wrap around before the step of the last of them.
static Value* rounds_of_strip(EmitContext& e, EmitFrame& frame, const LoopSteps& steps,
                              std::uint32_t most) {
  auto& b = e.b;
  const TypeId type = frame.function->locals[static_cast<std::size_t>(steps.var)].type;
  Value* at = load_value(e, var_pointer(e, frame, steps.var), type).leaves[0].value;
  Value* bound = eval_leaf(e, frame, steps.bound).value;
  Value* by = eval_leaf(e, frame, steps.by).value;
  Value* distance = steps.down ? b.CreateSub(at, bound) : b.CreateSub(bound, at);
  if (!steps.inclusive) distance = b.CreateSub(distance, b.getInt32(1));
  // A step of 0 makes a loop without an end, which runs in strips as well.
  by = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, by, b.getInt32(1));
  Value* further = b.CreateUDiv(distance, by);
  further = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, further, b.getInt32(most - 1));
  return b.CreateNUWAdd(further, b.getInt32(1));
}

// The rounds of a strip are counted before it begins, so that nothing but the count ends it: LLVM
// unrolls it, and the loads of several rounds are under way at once.
static void gpu_stepped_loop(EmitContext& e, EmitFrame& frame, const LoopStmt& s,
                             const LoopShape& shape, std::uint32_t most) {
  auto& b = e.b;
  JumpTarget target;
  target.is_loop = true;
  target.frame = &frame;
  auto* strip = e.new_block("strip");
  auto* head = e.new_block("loop");
  target.next = e.new_block("continuing");
  target.exit = e.new_block("after_loop");
  auto* after_strip = e.new_block("after_strip");
  auto* look = e.new_block("look_at_timer");
  llvm::AllocaInst* left = e.alloca_of(b.getInt32Ty(), "left");
  const auto go_on = [&](llvm::BasicBlock* there) {
    b.CreateCondBr(eval_leaf(e, frame, shape.condition).value, there, target.exit);
  };
  go_on(strip);
  b.SetInsertPoint(strip);
  b.CreateStore(rounds_of_strip(e, frame, *shape.steps, most), left);
  b.CreateBr(head);

  b.SetInsertPoint(head);
  e.targets.push_back(target);
  emit_block(e, frame, e.program.block(s.body).subspan(1));
  if (!e.ended()) b.CreateBr(target.next);
  b.SetInsertPoint(target.next);
  emit_block(e, frame, e.program.block(s.continuing));
  if (!e.ended()) {
    if (s.break_if != kNoExpr) {
      auto* stay = e.new_block("stay");
      b.CreateCondBr(eval_leaf(e, frame, s.break_if).value, target.exit, stay);
      b.SetInsertPoint(stay);
    }
    Value* rest = b.CreateSub(b.CreateLoad(b.getInt32Ty(), left), b.getInt32(1));
    b.CreateStore(rest, left);
    b.CreateCondBr(b.CreateICmpNE(rest, b.getInt32(0)), head, after_strip);
  }
  e.targets.pop_back();

  b.SetInsertPoint(after_strip);
  go_on(look);
  b.SetInsertPoint(look);
  gpu_check_deadline(e);
  b.CreateBr(strip);
  b.SetInsertPoint(target.exit);
}

// A loop runs in strips, and the timer is read between two strips. A `while` tests its condition
// and the strip's end together, so that both the strip and the loop around it stay small.
void gpu_loop(EmitContext& e, EmitFrame& frame, StmtId id, const LoopStmt& s) {
  const LoopShape& shape = e.loops->of(id);
  const bool watched = !shape.counted || !shape.innermost;
  const std::uint32_t most = shape.innermost ? kStrip : kOuterStrip;
  if (watched && shape.steps) return gpu_stepped_loop(e, frame, s, shape, most);
  const bool is_while = watched && shape.condition != kNoExpr;
  JumpTarget target;
  target.is_loop = true;
  target.frame = &frame;
  auto* strip = e.new_block("strip");
  auto* head = e.new_block("loop");
  target.next = e.new_block("continuing");
  target.exit = e.new_block("after_loop");
  llvm::AllocaInst* left = watched ? e.alloca_of(e.b.getInt32Ty(), "left") : nullptr;
  const auto iterations_left = [&] { return e.b.CreateLoad(e.b.getInt32Ty(), left); };
  e.b.CreateBr(strip);
  e.b.SetInsertPoint(strip);
  if (watched) e.b.CreateStore(e.b.getInt32(most), left);
  e.b.CreateBr(head);

  e.b.SetInsertPoint(head);
  auto* look = e.new_block("look_at_timer");
  auto body = e.program.block(s.body);
  if (is_while) {
    Value* goes_on = eval_leaf(e, frame, shape.condition).value;
    auto* inside = e.new_block("iteration");
    auto* leave = e.new_block("leave");
    Value* more = e.b.CreateICmpNE(iterations_left(), e.b.getInt32(0));
    e.b.CreateCondBr(e.b.CreateAnd(goes_on, more), inside, leave);
    e.b.SetInsertPoint(leave);
    e.b.CreateCondBr(goes_on, look, target.exit);
    e.b.SetInsertPoint(inside);
    body = body.subspan(1);
  } else if (watched) {
    auto* inside = e.new_block("iteration");
    e.b.CreateCondBr(e.b.CreateICmpNE(iterations_left(), e.b.getInt32(0)), inside, look);
    e.b.SetInsertPoint(inside);
  }
  e.targets.push_back(target);
  emit_block(e, frame, body);
  if (!e.ended()) e.b.CreateBr(target.next);
  e.b.SetInsertPoint(target.next);
  emit_block(e, frame, e.program.block(s.continuing));
  if (!e.ended()) {
    if (watched) e.b.CreateStore(e.b.CreateSub(iterations_left(), e.b.getInt32(1)), left);
    if (s.break_if != kNoExpr) {
      e.b.CreateCondBr(eval_leaf(e, frame, s.break_if).value, target.exit, head);
    } else {
      e.b.CreateBr(head);
    }
  }
  e.targets.pop_back();

  e.b.SetInsertPoint(look);
  if (watched) {
    gpu_check_deadline(e);
    e.b.CreateBr(strip);
  } else {
    e.b.CreateUnreachable();
  }
  e.b.SetInsertPoint(target.exit);
}

Value* emit_divide(EmitContext& e, Value* x, Value* y) {
  return e.gpu ? ptx_divide(e.b, x, y) : e.b.CreateFDiv(x, y);
}

Value* emit_square_root(EmitContext& e, Value* x) {
  return e.gpu ? ptx_square_root(e.b, x) : e.b.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
}

}  // namespace vyre
