#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <utility>

#include "vyre/ir/walk.h"
#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_control_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_gpu_internal.h"
#include "vyre/lower/emit/emit_warp_internal.h"

namespace vyre {

using llvm::Value;

namespace {

bool has_operation(const EmitContext& e, StmtId id) {
  const StmtNode& node = e.program[id].node;
  if (std::holds_alternative<SubgroupStmt>(node)) return true;
  if (const auto* call = std::get_if<CallStmt>(&node)) {
    return e.spreads.plan.needs[static_cast<std::size_t>(call->callee)].subgroup;
  }
  bool found = false;
  for_each_block(e.program, node, [&](Block block) {
    found = found || std::ranges::any_of(e.program.block(block),
                                         [&](StmtId s) { return has_operation(e, s); });
  });
  return found;
}

// Whether some lanes may leave the statement by a jump while others stay. breakables, loops: how
// many of them lie between the statement and `id`.
bool some_may_leave(const EmitContext& e, const EmitFrame& frame, StmtId id, int breakables = 0,
                    int loops = 0) {
  const StmtNode& node = e.program[id].node;
  if (std::holds_alternative<ReturnStmt>(node)) return frame.masked_return;
  if (std::holds_alternative<BreakStmt>(node)) {
    return breakables == 0 && e.targets.back().masked_break;
  }
  if (std::holds_alternative<ContinueStmt>(node)) {
    if (loops != 0) return false;
    const auto loop = std::ranges::find_if(e.targets.rbegin(), e.targets.rend(),
                                           [](const JumpTarget& t) { return t.is_loop; });
    return loop->masked_continue;
  }
  const bool is_loop = std::holds_alternative<LoopStmt>(node);
  const bool is_switch = std::holds_alternative<SwitchStmt>(node);
  bool found = false;
  for_each_block(e.program, node, [&](Block block) {
    for (const StmtId s : e.program.block(block)) {
      found = found || some_may_leave(e, frame, s, breakables + (is_loop || is_switch ? 1 : 0),
                                      loops + (is_loop ? 1 : 0));
    }
  });
  return found;
}

// An i1: this lane has not jumped out of the surrounding statements.
Value* stays(EmitContext& e, const EmitFrame& frame) {
  Value* gone = e.b.getFalse();
  for (const JumpTarget& t : e.targets) {
    if (t.frame != &frame) continue;
    for (Value* flag : {t.broke, t.continued}) {
      if (flag != nullptr) gone = e.b.CreateOr(gone, e.b.CreateLoad(e.b.getInt1Ty(), flag));
    }
  }
  if (frame.masked_return) {
    const Leaf returned = load_cell(e, frame.returned, e.b.getInt32(0), ScalarKind::boolean);
    gone = e.b.CreateOr(gone, returned.value);
  }
  return e.b.CreateNot(gone);
}

// Reconverges the lanes that jump out of the statement with those that do not.
void emit_without_operations(EmitContext& e, EmitFrame& frame, StmtId id) {
  auto* meeting = e.new_block("meeting");
  e.gpu->meeting = meeting;
  emit_statement(e, frame, id);
  e.gpu->meeting = nullptr;
  if (!e.ended()) e.b.CreateBr(meeting);
  if (meeting->hasNPredecessors(0)) {
    meeting->eraseFromParent();
  } else {
    e.b.SetInsertPoint(meeting);
  }
}

bool is_divided(const EmitContext& e, const EmitFrame& frame, ExprId condition) {
  return joined(spreads_of(e.program, *frame.spreads, condition)) == Spread::lane;
}

void emit_if(EmitContext& e, EmitFrame& frame, const IfStmt& s) {
  Value* condition = eval_leaf(e, frame, s.condition).value;
  Value* const outer = e.gpu->active;
  Value *yes = outer, *no = outer;
  if (is_divided(e, frame, s.condition)) {
    yes = ballot(e, outer, condition);
    no = e.b.CreateAnd(outer, e.b.CreateNot(yes));
  }
  const auto side = [&](Value* lanes, Block block) {
    e.gpu->active = lanes;
    emit_block(e, frame, e.program.block(block));
  };
  e.branch(condition, [&] { side(yes, s.then); }, [&] { side(no, s.otherwise); });
  e.gpu->active = outer;
}

llvm::AllocaInst* new_flag(EmitContext& e, const char* name) {
  auto* flag = e.alloca_of(e.b.getInt1Ty(), name);
  e.b.CreateStore(e.b.getFalse(), flag);
  return flag;
}

// Reads the timer once every few iterations.
class TimerWatch {
 public:
  explicit TimerWatch(EmitContext& e) : e_(e), left_(e.alloca_of(e.b.getInt32Ty(), "left")) {
    e.b.CreateStore(e.b.getInt32(kRounds), left_);
  }
  void round() {
    Value* left = e_.b.CreateSub(e_.b.CreateLoad(e_.b.getInt32Ty(), left_), e_.b.getInt32(1));
    e_.b.CreateStore(left, left_);
    e_.branch(
        e_.b.CreateICmpEQ(left, e_.b.getInt32(0)),
        [&] {
          gpu_check_deadline(e_);
          e_.b.CreateStore(e_.b.getInt32(kRounds), left_);
        },
        [] {});
  }

 private:
  static constexpr std::uint32_t kRounds = 32;
  EmitContext& e_;
  llvm::AllocaInst* left_;
};

// Lanes that leave the loop wait behind it for those that go on.
void emit_divided_loop(EmitContext& e, EmitFrame& frame, const LoopStmt& s) {
  Value* const outer = e.gpu->active;
  JumpTarget target;
  target.is_loop = target.masked_break = target.masked_continue = true;
  target.frame = &frame;
  target.broke = new_flag(e, "broke");
  target.continued = new_flag(e, "continued");
  auto* head = e.new_block("warp_loop");
  auto* continuing = e.new_block("continuing");
  target.exit = e.new_block("after_loop");
  auto* lanes = e.alloca_of(e.b.getInt32Ty(), "lanes");
  e.b.CreateStore(outer, lanes);
  TimerWatch watch(e);
  e.b.CreateBr(head);

  e.b.SetInsertPoint(head);
  watch.round();
  Value* round = e.b.CreateLoad(e.b.getInt32Ty(), lanes);
  e.gpu->active = round;
  e.targets.push_back(target);
  emit_block(e, frame, e.program.block(s.body));
  e.b.CreateStore(e.b.getFalse(), target.continued);
  Value* goes_on = stays(e, frame);
  e.gpu->active = ballot(e, round, goes_on);
  e.b.CreateCondBr(goes_on, continuing, target.exit);

  e.b.SetInsertPoint(continuing);
  emit_block(e, frame, e.program.block(s.continuing));
  if (s.break_if == kNoExpr) {
    e.b.CreateStore(e.gpu->active, lanes);
    e.b.CreateBr(head);
  } else {
    Value* leaves = eval_leaf(e, frame, s.break_if).value;
    e.b.CreateStore(ballot(e, e.gpu->active, e.b.CreateNot(leaves)), lanes);
    e.b.CreateCondBr(leaves, target.exit, head);
  }
  e.targets.pop_back();
  e.b.SetInsertPoint(target.exit);
  e.gpu->active = outer;
}

// Runs one case after the other, each with the lanes that chose it.
void emit_divided_switch(EmitContext& e, EmitFrame& frame, const SwitchStmt& s) {
  Value* const outer = e.gpu->active;
  Value* selector = eval_leaf(e, frame, s.selector).value;
  const auto is_one_of = [&](const SwitchCase& c) {
    Value* found = e.b.getFalse();
    for (const std::uint32_t v : c.values) {
      found = e.b.CreateOr(found, e.b.CreateICmpEQ(selector, e.b.getInt32(v)));
    }
    return found;
  };
  Value* matched = e.b.getFalse();
  for (const SwitchCase& c : e.program.cases(s)) matched = e.b.CreateOr(matched, is_one_of(c));
  JumpTarget target;
  target.frame = &frame;
  target.masked_break = true;
  target.broke = new_flag(e, "switch_broke");
  e.targets.push_back(target);
  for (const SwitchCase& c : e.program.cases(s)) {
    Value* here = is_one_of(c);
    if (c.is_default) here = e.b.CreateOr(here, e.b.CreateNot(matched));
    Value* lanes = ballot(e, outer, here);
    e.branch(
        here,
        [&] {
          e.gpu->active = lanes;
          emit_block(e, frame, e.program.block(c.body));
        },
        [] {});
    e.gpu->active = outer;
  }
  e.targets.pop_back();
}

void emit_with_operations(EmitContext& e, EmitFrame& frame, StmtId id) {
  const StmtNode& node = e.program[id].node;
  if (const auto* s = std::get_if<IfStmt>(&node)) return emit_if(e, frame, *s);
  if (const auto* s = std::get_if<LoopStmt>(&node)) {
    const auto& construct = frame.spreads->constructs.at(id);
    const bool divided = std::max(construct.leaves, construct.continues) == Spread::lane;
    return divided ? emit_divided_loop(e, frame, *s) : gpu_loop(e, frame, id, *s);
  }
  if (const auto* s = std::get_if<SwitchStmt>(&node);
      s != nullptr && (is_divided(e, frame, s->selector) ||
                       frame.spreads->constructs.at(id).leaves == Spread::lane)) {
    return emit_divided_switch(e, frame, *s);
  }
  emit_statement(e, frame, id);
}

}  // namespace

bool has_warp_flow(const EmitContext& e, FunctionId function) {
  return e.gpu && e.gpu->active != nullptr &&
         e.spreads.plan.needs[static_cast<std::size_t>(function)].subgroup;
}

bool is_warp_flow(const EmitContext& e) {
  return e.gpu && e.gpu->active != nullptr && e.gpu->meeting == nullptr;
}

void emit_warp_block(EmitContext& e, EmitFrame& frame, std::span<const StmtId> stmts) {
  Value* const outer = e.gpu->active;
  auto* end = e.new_block("rejoined");
  for (std::size_t i = 0; i < stmts.size() && !e.ended(); ++i) {
    if (has_operation(e, stmts[i])) {
      emit_with_operations(e, frame, stmts[i]);
    } else {
      emit_without_operations(e, frame, stmts[i]);
    }
    if (e.ended() || i + 1 == stmts.size() || !some_may_leave(e, frame, stmts[i])) continue;
    // Lanes that left wait for the others at the end of the block.
    Value* goes_on = stays(e, frame);
    e.gpu->active = ballot(e, e.gpu->active, goes_on);
    auto* next = e.new_block("others");
    e.b.CreateCondBr(goes_on, next, end);
    e.b.SetInsertPoint(next);
  }
  e.gpu->active = outer;
  if (!e.ended()) e.b.CreateBr(end);
  if (end->hasNPredecessors(0)) {
    end->eraseFromParent();
  } else {
    e.b.SetInsertPoint(end);
  }
}

Value* ballot(EmitContext& e, Value* mask, Value* condition) {
  return e.b.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {}, {mask, condition});
}

}  // namespace vyre
