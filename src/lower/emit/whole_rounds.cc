#include <algorithm>

#include "vyre/ir/walk.h"
#include "vyre/lower/emit/emit_control_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/whole_rounds_internal.h"

namespace vyre {

using llvm::Value;

namespace {

// The body and the functions that it calls are emitted twice, so the loop must not have more
// statements than this.
constexpr std::size_t kMostStatements = 64;

// Subtracts the number of statements in a block, and in all functions that it calls, from `left`.
void take_statements(const Program& p, Block block, std::size_t& left) {
  for_each_stmt(p, block, [&](StmtId id) {
    if (left == 0) return;
    --left;
    const auto* call = std::get_if<CallStmt>(&p[id].node);
    if (call != nullptr) take_statements(p, p[call->callee].body, left);
  });
}

bool is_small(const Program& p, const LoopStmt& loop) {
  std::size_t left = kMostStatements;
  for (const Block block : {loop.body, loop.continuing}) take_statements(p, block, left);
  return left > 0;
}

// Whether lanes leave the loop only by its condition, and the loop contains no other loop.
bool leaves_by_condition(const Program& p, const LoopStmt& loop) {
  const auto jumps = [&](StmtId s) { return has_jump(p, s); };
  return loop.break_if == kNoExpr && std::ranges::none_of(p.block(loop.body).subspan(1), jumps) &&
         std::ranges::none_of(p.block(loop.continuing), jumps);
}

// The values of the first and the last lane, and the bound with which they are compared, as i64.
struct Ends {
  Value* first = nullptr;
  Value* last = nullptr;
  Value* bound = nullptr;
};

// Whether all lanes make this round.
Value* all_go_on(llvm::IRBuilder<>& b, const Ends& ends, bool inclusive) {
  return inclusive ? b.CreateICmpSLE(ends.last, ends.bound)
                   : b.CreateICmpSLT(ends.last, ends.bound);
}

}  // namespace

void emit_whole_rounds(EmitContext& e, EmitFrame& frame, StmtId id, const LoopStmt& loop,
                       llvm::BasicBlock* exit) {
  if (e.loops == nullptr || e.gpu) return;
  const LoopShape& shape = e.loops->of(id);
  if (!shape.steps || shape.steps->down || !shape.innermost) return;
  if (!leaves_by_condition(e.program, loop) || !is_small(e.program, loop)) return;
  const LoopSteps& steps = *shape.steps;
  const LocalSlot& slot = frame.locals[static_cast<std::size_t>(steps.var)];
  if (slot.kind != LocalSlot::Kind::linear || slot.stride <= 0) return;
  const Leaf bound = eval_leaf(e, frame, steps.bound);
  const Leaf by = eval_leaf(e, frame, steps.by);
  if (bound.varying || by.varying) return;

  auto& b = e.b;
  const TypeId type = frame.function->locals[static_cast<std::size_t>(steps.var)].type;
  const bool is_signed = e.program.types.scalar_kind(type) == ScalarKind::i32;
  const auto widen = [&](Value* v) {
    return is_signed ? b.CreateSExt(v, b.getInt64Ty()) : b.CreateZExt(v, b.getInt64Ty());
  };
  const auto ends_now = [&] {
    Ends out;
    out.first = widen(load_linear(e, slot).linear.base);
    const auto lanes = static_cast<std::uint64_t>(slot.stride) * (e.width - 1);
    out.last = b.CreateAdd(out.first, b.getInt64(lanes));
    out.bound = widen(bound.value);
    return out;
  };

  auto* count = e.new_block("count_rounds");
  auto* head = e.new_block("whole_round");
  auto* after = e.new_block("after_whole_rounds");
  auto* rest = e.new_block("last_rounds");
  auto* left = e.alloca_of(b.getInt64Ty(), "rounds_left");
  const Ends before = ends_now();
  b.CreateCondBr(all_go_on(b, before, steps.inclusive), count, after);

  // The rounds are counted from values up to the bound, so no lane's value wraps around before the
  // last of them.
  b.SetInsertPoint(count);
  Value* distance = b.CreateSub(before.bound, before.last);
  if (!steps.inclusive) distance = b.CreateSub(distance, b.getInt64(1));
  // With a step of 0 the loop has no end, and the masked loop after these rounds continues it.
  Value* step = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, by.value, b.getInt32(1));
  Value* further = b.CreateUDiv(b.CreateTrunc(distance, b.getInt32Ty()), step);
  b.CreateStore(b.CreateAdd(b.CreateZExt(further, b.getInt64Ty()), b.getInt64(1)), left);
  b.CreateBr(head);

  b.SetInsertPoint(head);
  check_stop(e);
  Value* const outer = e.mask;
  JumpTarget target;
  target.is_loop = true;
  target.frame = &frame;
  e.targets.push_back(target);
  emit_block(e, frame, e.program.block(loop.body).subspan(1));
  emit_block(e, frame, e.program.block(loop.continuing));
  e.targets.pop_back();
  e.mask = outer;
  Value* fewer = b.CreateSub(b.CreateLoad(b.getInt64Ty(), left), b.getInt64(1));
  b.CreateStore(fewer, left);
  b.CreateCondBr(b.CreateICmpNE(fewer, b.getInt64(0)), head, after);

  // The first lane leaves last, unless the value of a later lane has wrapped around.
  b.SetInsertPoint(after);
  const Ends now = ends_now();
  Value* limit = b.getInt64(is_signed ? 0x7FFFFFFF : 0xFFFFFFFF);
  Value* first_leaves = steps.inclusive ? b.CreateICmpSGT(now.first, now.bound)
                                        : b.CreateICmpSGE(now.first, now.bound);
  b.CreateCondBr(b.CreateAnd(first_leaves, b.CreateICmpSLE(now.last, limit)), exit, rest);
  b.SetInsertPoint(rest);
}

}  // namespace vyre
