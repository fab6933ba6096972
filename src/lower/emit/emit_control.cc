// Statements: branches where all lanes agree, masks where they may not.
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <utility>

#include "vyre/base/overloaded.h"
#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_control_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_gpu_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/emit_subgroup_internal.h"
#include "vyre/lower/emit/emit_warp_internal.h"
#include "vyre/lower/emit/whole_rounds_internal.h"
#include "vyre/lower/host/stop_checks_internal.h"

namespace vyre {

using llvm::Value;

void check_stop(EmitContext& e) {
  if (e.stop_flag != nullptr) emit_stop_mark(e.b, e.stop_flag);
}

// Splits the blocks of a large program before they grow so long that compiling them, which
// takes more than linear time in their length, becomes too slow.
static void look_between_statements(EmitContext& e) {
  constexpr std::uint32_t kStatements = 128;
  if (!e.spreads.plan.one_body || e.gpu || e.stop_flag == nullptr || ++e.statements < kStatements)
    return;
  e.statements = 0;
  emit_stop_check(e.b, e.stop_flag);
}

// Removes lanes that have taken a masked jump from the mask.
static void update_mask_after_jumps(EmitContext& e, EmitFrame& frame, Value* before) {
  Value* gone = nullptr;
  const auto add = [&](Value* lanes) {
    gone = gone == nullptr ? lanes : e.b.CreateOr(gone, lanes);
  };
  const auto load_mask = [&](Value* at) { return e.b.CreateLoad(e.lanes_of(e.b.getInt1Ty()), at); };
  for (const JumpTarget& t : e.targets) {
    if (t.frame != &frame) continue;
    if (t.broke != nullptr) add(load_mask(t.broke));
    if (t.continued != nullptr) add(load_mask(t.continued));
  }
  if (frame.masked_return)
    add(load_cell(e, frame.returned, e.b.getInt32(0), ScalarKind::boolean).value);
  if (gone == nullptr) {
    e.mask = before;
    return;
  }
  Value* stay = e.b.CreateNot(gone);
  e.mask = before == nullptr ? stay : e.b.CreateAnd(before, stay);
}

bool has_jump(const Program& program, StmtId id) {
  const auto any_in = [&](Block block) {
    return std::ranges::any_of(program.block(block),
                               [&](StmtId s) { return has_jump(program, s); });
  };
  return std::visit(Overloaded{
                        [&](const BreakStmt&) { return true; },
                        [&](const ContinueStmt&) { return true; },
                        [&](const ReturnStmt&) { return true; },
                        [&](const IfStmt& s) { return any_in(s.then) || any_in(s.otherwise); },
                        [&](const LoopStmt& s) { return any_in(s.body) || any_in(s.continuing); },
                        [&](const SwitchStmt& s) {
                          return std::ranges::any_of(program.cases(s), [&](const SwitchCase& c) {
                            return any_in(c.body);
                          });
                        },
                        [&](const auto&) { return false; },
                    },
                    program[id].node);
}

static void emit_if(EmitContext& e, EmitFrame& frame, const Leaf& condition,
                    std::span<const StmtId> then, std::span<const StmtId> otherwise);

namespace {
// `if (c) { return; } rest` is `if (!c) { rest }`: the form in which all lanes can be known to run.
bool is_early_return(const Program& p, const IfStmt& s) {
  const auto then = p.block(s.then);
  if (s.otherwise.count != 0 || then.size() != 1) return false;
  const auto* r = std::get_if<ReturnStmt>(&p[then[0]].node);
  return r != nullptr && r->value == kNoExpr;
}
}  // namespace

void emit_block(EmitContext& e, EmitFrame& frame, std::span<const StmtId> stmts) {
  if (is_warp_flow(e)) return emit_warp_block(e, frame, stmts);
  Value* const entry_mask = e.mask;
  const bool whole = frame.parent == nullptr && e.targets.empty() && !frame.in_regions &&
                     stmts.data() == e.program.block(frame.function->body).data();
  bool only_locals = whole;  // so far
  for (std::size_t i = 0; i < stmts.size(); ++i) {
    if (e.ended()) return;
    const auto& node = e.program[stmts[i]].node;
    const auto* s = std::get_if<IfStmt>(&node);
    if (s != nullptr && whole && (frame.masked_return || !e.gpu) &&
        is_early_return(e.program, *s)) {
      e.guards_all = only_locals && !e.gpu;
      emit_if(e, frame, negated(e, eval_leaf(e, frame, s->condition)), stmts.subspan(i + 1), {});
      return;
    }
    e.guards_all =
        s != nullptr && only_locals && !e.gpu && i + 1 == stmts.size() && s->otherwise.count == 0;
    emit_statement(e, frame, stmts[i]);
    if (!e.ended()) look_between_statements(e);
    only_locals = only_locals &&
                  (std::holds_alternative<LetStmt>(node) || std::holds_alternative<VarStmt>(node));
    if (!e.ended() && e.wide() && has_jump(e.program, stmts[i])) {
      update_mask_after_jumps(e, frame, entry_mask);
    }
  }
}

static void emit_if(EmitContext& e, EmitFrame& frame, const Leaf& condition,
                    std::span<const StmtId> then, std::span<const StmtId> otherwise) {
  Value* const outer = e.mask;
  if (std::exchange(e.guards_all, false) && condition.held && e.rows_tested) {
    // The condition was tested with the row: lanes for which it is false have nothing to do.
    e.requirements.insert(e.requirements.end(), condition.held->begin(), condition.held->end());
    e.branch(condition.rest, [&] { emit_block(e, frame, then); }, [] {});
    e.mask = outer;
    return;
  }
  if (!condition.varying) {
    e.branch(
        decided(e, frame, condition),
        [&] {
          emit_block(e, frame, then);
          e.mask = outer;
        },
        [&] {
          emit_block(e, frame, otherwise);
          e.mask = outer;
        });
    e.mask = outer;
    return;
  }
  const auto masked = [&] {
    Value* c = vector_of(e, condition);
    const auto side = [&](std::span<const StmtId> stmts, Value* lanes) {
      if (stmts.empty()) return;
      e.branch(
          any_lane(e, lanes),
          [&] {
            e.mask = lanes;
            emit_block(e, frame, stmts);
          },
          [] {});
      e.mask = outer;
    };
    Value* on = outer == nullptr ? c : e.b.CreateAnd(outer, c);
    Value* no = e.b.CreateNot(c);
    Value* off = outer == nullptr ? no : e.b.CreateAnd(outer, no);
    side(then, on);
    side(otherwise, off);
  };
  // If one test can show that all lanes agree, this case gets its own code.
  if (condition.all != nullptr && e.coherent_depth < 2 && e.targets.empty() && !e.at_row_end) {
    ++e.coherent_depth;
    e.branch(
        condition.all,
        [&] {
          emit_block(e, frame, then);
          e.mask = outer;
        },
        [&] {
          if (otherwise.empty()) {
            e.branch(condition.none, [] {}, masked);
          } else {
            e.branch(
                condition.none,
                [&] {
                  emit_block(e, frame, otherwise);
                  e.mask = outer;
                },
                masked);
          }
        });
    --e.coherent_depth;
    e.mask = outer;
    return;
  }
  masked();
  e.mask = outer;
}

static void emit_jump(EmitContext& e, bool is_continue) {
  for (auto it = e.targets.rbegin(); it != e.targets.rend(); ++it) {
    if (is_continue && !it->is_loop) {
      // The lane leaves the switch as well.
      if (it->broke != nullptr) {
        Value* old = e.b.CreateLoad(e.lanes_of(e.b.getInt1Ty()), it->broke);
        e.b.CreateStore(e.b.CreateOr(old, e.mask_or_all()), it->broke);
      }
      continue;
    }
    Value* lanes = is_continue ? it->continued : it->broke;
    const bool masked = is_continue ? it->masked_continue : it->masked_break;
    if (masked) {
      Value* old = e.b.CreateLoad(e.lanes_of(e.b.getInt1Ty()), lanes);
      e.b.CreateStore(e.b.CreateOr(old, e.mask_or_all()), lanes);
      if (e.gpu) {
        e.b.CreateBr(e.gpu->meeting);
      } else {
        e.mask = e.zero_mask();
      }
    } else {
      e.b.CreateBr(is_continue ? it->next : it->exit);
    }
    return;
  }
}

static void emit_return(EmitContext& e, EmitFrame& frame, const ReturnStmt& s) {
  if (s.value != kNoExpr) store_cells(e, frame.result, eval(e, frame, s.value), e.mask);
  if (!frame.masked_return) {
    e.b.CreateBr(frame.exit);
    return;
  }
  store_cell(e, frame.returned, e.b.getInt32(0), ScalarKind::boolean,
             constant_leaf(e, Scalar::of(true)), e.mask);
  if (e.wide()) {
    e.mask = e.zero_mask();
  } else {
    e.b.CreateBr(e.gpu ? e.gpu->meeting : frame.exit);
  }
}

namespace {
// Scalar code is chosen where the number of rounds differs from lane to lane. Unrolling such a loop
// makes the processor mispredict twice: where the unrolled part ends, and where the loop ends.
void keep_whole(EmitContext& e, llvm::BranchInst* latch) {
  if (e.wide()) return;
  auto* rule = llvm::MDNode::get(
      e.context(), llvm::MDString::get(e.context(), "llvm.loop.unroll.runtime.disable"));
  auto* loop = llvm::MDNode::getDistinct(e.context(), {nullptr, rule});
  loop->replaceOperandWith(0, loop);
  latch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}
}  // namespace

static void masked_loop(EmitContext& e, EmitFrame& frame, StmtId id, const LoopStmt& s);

static void emit_loop(EmitContext& e, EmitFrame& frame, StmtId id, const LoopStmt& s) {
  if (e.gpu) return gpu_loop(e, frame, id, s);
  const auto& spread = frame.spreads->constructs.at(id);
  if (e.wide() && std::max(spread.leaves, spread.continues) == Spread::lane) {
    masked_loop(e, frame, id, s);
    return;
  }
  Value* const outer = e.mask;
  JumpTarget target;
  target.is_loop = true;
  target.frame = &frame;
  auto* head = e.new_block("loop");
  target.next = e.new_block("continuing");
  target.exit = e.new_block("after_loop");
  if (outer != nullptr) {
    // The loop does not begin if no lane runs, because nothing could end it then.
    e.b.CreateCondBr(any_lane(e, outer), head, target.exit);
  } else {
    e.b.CreateBr(head);
  }
  e.b.SetInsertPoint(head);
  check_stop(e);
  e.targets.push_back(target);
  emit_block(e, frame, e.program.block(s.body));
  e.mask = outer;
  if (!e.ended()) e.b.CreateBr(target.next);
  e.b.SetInsertPoint(target.next);
  emit_block(e, frame, e.program.block(s.continuing));
  e.mask = outer;
  if (!e.ended()) {
    if (s.break_if != kNoExpr) {
      keep_whole(e, e.b.CreateCondBr(agreed(e, eval_leaf(e, frame, s.break_if), e.mask),
                                     target.exit, head));
    } else {
      keep_whole(e, e.b.CreateBr(head));
    }
  }
  e.targets.pop_back();
  e.b.SetInsertPoint(target.exit);
}

// A loop that lanes leave one by one: it goes on as long as any lane is left.
static void masked_loop(EmitContext& e, EmitFrame& frame, StmtId id, const LoopStmt& s) {
  const auto& spread = frame.spreads->constructs.at(id);
  Value* const outer = e.mask;
  llvm::Type* lanes_type = e.lanes_of(e.b.getInt1Ty());
  JumpTarget target;
  target.is_loop = true;
  target.frame = &frame;
  target.masked_break = true;
  target.masked_continue = spread.continues == Spread::lane;
  target.broke = e.alloca_of(lanes_type, "broke");
  e.b.CreateStore(e.zero_mask(), target.broke);
  if (target.masked_continue) target.continued = e.alloca_of(lanes_type, "continued");
  auto* head = e.new_block("masked_loop");
  target.next = e.new_block("continuing");
  target.exit = e.new_block("after_loop");
  if (outer != nullptr) {
    auto* begin = e.new_block("any_lane");
    e.b.CreateCondBr(any_lane(e, outer), begin, target.exit);
    e.b.SetInsertPoint(begin);
  }
  emit_whole_rounds(e, frame, id, s, target.exit);
  e.b.CreateBr(head);
  e.b.SetInsertPoint(head);
  check_stop(e);
  if (target.masked_continue) e.b.CreateStore(e.zero_mask(), target.continued);
  e.targets.push_back(target);
  update_mask_after_jumps(e, frame, outer);
  emit_block(e, frame, e.program.block(s.body));
  if (!e.ended()) e.b.CreateBr(target.next);
  e.b.SetInsertPoint(target.next);
  // Lanes that took `continue` run again in the continuing block.
  if (target.masked_continue) e.b.CreateStore(e.zero_mask(), target.continued);
  update_mask_after_jumps(e, frame, outer);
  emit_block(e, frame, e.program.block(s.continuing));
  if (!e.ended()) {
    update_mask_after_jumps(e, frame, outer);
    if (s.break_if != kNoExpr) {
      const Leaf leave = eval_leaf(e, frame, s.break_if);
      Value* old = e.b.CreateLoad(lanes_type, target.broke);
      Value* now = e.b.CreateAnd(e.mask_or_all(), vector_of(e, leave));
      e.b.CreateStore(e.b.CreateOr(old, now), target.broke);
      update_mask_after_jumps(e, frame, outer);
    }
    e.b.CreateCondBr(any_lane(e, e.mask_or_all()), head, target.exit);
  }
  e.targets.pop_back();
  e.b.SetInsertPoint(target.exit);
  e.mask = outer;
}

static void masked_switch(EmitContext& e, EmitFrame& frame, const SwitchStmt& s,
                          const Leaf& selector);

static void emit_switch(EmitContext& e, EmitFrame& frame, StmtId id, const SwitchStmt& s) {
  const auto& spread = frame.spreads->constructs.at(id);
  const Leaf selector = eval_leaf(e, frame, s.selector);
  if (e.wide() && (selector.varying || spread.leaves == Spread::lane)) {
    masked_switch(e, frame, s, selector);
    return;
  }
  Value* const outer = e.mask;
  JumpTarget target;
  target.frame = &frame;
  target.exit = e.new_block("after_switch");
  auto* dispatch = e.b.GetInsertBlock();
  llvm::BasicBlock* fallback = target.exit;
  std::vector<std::pair<const SwitchCase*, llvm::BasicBlock*>> bodies;
  e.targets.push_back(target);
  for (const SwitchCase& c : e.program.cases(s)) {
    auto* body = e.new_block("case");
    if (c.is_default) fallback = body;
    bodies.emplace_back(&c, body);
    e.b.SetInsertPoint(body);
    e.mask = outer;
    emit_block(e, frame, e.program.block(c.body));
    if (!e.ended()) e.b.CreateBr(target.exit);
  }
  e.targets.pop_back();
  e.b.SetInsertPoint(dispatch);
  auto* sw = e.b.CreateSwitch(selector.value, fallback);
  for (const auto& [c, body] : bodies) {
    for (std::uint32_t v : c->values) sw->addCase(e.b.getInt32(v), body);
  }
  e.b.SetInsertPoint(target.exit);
  e.mask = outer;
}

static void masked_switch(EmitContext& e, EmitFrame& frame, const SwitchStmt& s,
                          const Leaf& selector) {
  Value* const outer = e.mask;
  llvm::Type* lanes_type = e.lanes_of(e.b.getInt1Ty());
  JumpTarget target;
  target.frame = &frame;
  target.masked_break = true;
  target.broke = e.alloca_of(lanes_type, "switch_broke");
  e.b.CreateStore(e.zero_mask(), target.broke);
  Value* v = vector_of(e, selector);
  Value* matched = e.zero_mask();
  std::vector<std::pair<const SwitchCase*, Value*>> masks;
  for (const SwitchCase& c : e.program.cases(s)) {
    Value* here = e.zero_mask();
    for (std::uint32_t value : c.values) {
      here = e.b.CreateOr(here, e.b.CreateICmpEQ(v, llvm::ConstantInt::get(v->getType(), value)));
    }
    matched = e.b.CreateOr(matched, here);
    masks.emplace_back(&c, here);
  }
  e.targets.push_back(target);
  for (auto& [c, here] : masks) {
    Value* lanes = c->is_default ? e.b.CreateOr(here, e.b.CreateNot(matched)) : here;
    if (outer != nullptr) lanes = e.b.CreateAnd(lanes, outer);
    e.branch(
        any_lane(e, lanes),
        [&] {
          e.mask = lanes;
          emit_block(e, frame, e.program.block(c->body));
        },
        [] {});
    e.mask = outer;
  }
  e.targets.pop_back();
  e.mask = outer;
}

void emit_statement(EmitContext& e, EmitFrame& frame, StmtId id) {
  std::visit(Overloaded{
                 [&](const LetStmt& s) { put_local(e, frame, s.local, eval(e, frame, s.value)); },
                 [&](const VarStmt& s) {
                   if (begin_linear(e, frame, s)) return;
                   const auto& local = frame.function->locals[static_cast<std::size_t>(s.local)];
                   const LaneMemory memory = local_memory(e, frame, s.local);
                   const auto cells = cells_of(e, local.type);
                   // Lanes outside the mask do not use the fresh variable, but they compute with it
                   // all the same. Old contents might be subnormal numbers, which are slow, so all
                   // lanes are cleared.
                   const bool few = cells <= kManyScalars;
                   if (s.initial == kNoExpr) {
                     zero_cells(e, memory, cells, few ? nullptr : e.mask);
                   } else {
                     if (e.mask != nullptr && few) zero_cells(e, memory, cells, nullptr);
                     assign_value(e, frame, var_pointer(e, frame, s.local), s.initial);
                   }
                 },
                 [&](const StoreStmt& s) {
                   if (const LocalSlot* slot = linear_slot(e, frame, s.pointer)) {
                     return store_linear(e, *slot, eval_leaf(e, frame, s.value));
                   }
                   Pointer at = *eval(e, frame, s.pointer).pointer;
                   if (e.row_walks != nullptr && e.row_walks->stores.contains(id)) at.store = id;
                   assign_value(e, frame, at, s.value);
                 },
                 [&](const IfStmt& s) {
                   emit_if(e, frame, eval_leaf(e, frame, s.condition), e.program.block(s.then),
                           e.program.block(s.otherwise));
                 },
                 [&](const LoopStmt& s) { emit_loop(e, frame, id, s); },
                 [&](const SwitchStmt& s) { emit_switch(e, frame, id, s); },
                 [&](const BreakStmt&) { emit_jump(e, false); },
                 [&](const ContinueStmt&) { emit_jump(e, true); },
                 [&](const ReturnStmt& s) { emit_return(e, frame, s); },
                 [&](const BarrierStmt&) {
                   if (e.gpu) return gpu_barrier(e);
                   e.problem = "a barrier stands where no workgroup can wait";
                 },
                 [&](const UniformLoadStmt& s) {
                   if (e.gpu) return gpu_uniform_load(e, frame, s);
                   e.problem = "a barrier stands where no workgroup can wait";
                 },
                 [&](const AtomicStmt& s) { emit_atomic(e, frame, s); },
                 [&](const SubgroupStmt& s) { emit_subgroup(e, frame, s); },
                 [&](const CallStmt& s) { emit_call(e, frame, id, s); },
             },
             e.program[id].node);
}

}  // namespace vyre
