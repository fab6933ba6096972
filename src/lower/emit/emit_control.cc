// Statements: branches where all lanes agree, masks where they may not.
#include <llvm/IR/MDBuilder.h>

#include <utility>

#include "vyre/base/overloaded.h"
#include "vyre/lower/emit/emitter_internal.h"
#include "vyre/lower/host/stop_checks_internal.h"

namespace vyre {

using llvm::Value;

Emitter::Emitter(const Program& program, const ProgramSpreads& spreads, llvm::Function* function,
                 unsigned width, Extent workgroup)
    : b(function->getContext()),
      p_(program),
      spreads_(spreads),
      function_(function),
      width_(width),
      workgroup_(workgroup) {}

llvm::BasicBlock* Emitter::new_block(const char* name) {
  return llvm::BasicBlock::Create(context(), name, function_);
}

llvm::AllocaInst* Emitter::alloca_of(llvm::Type* type, const char* name) {
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(allocas, allocas->begin());
  auto* out = b.CreateAlloca(type, nullptr, name);
  return out;
}

Value* Emitter::all_on() {
  return wide() ? llvm::Constant::getAllOnesValue(lanes_of(b.getInt1Ty()))
                : static_cast<Value*>(b.getTrue());
}
Value* Emitter::zero_mask() { return llvm::Constant::getNullValue(lanes_of(b.getInt1Ty())); }
Value* Emitter::mask_or_all() { return mask == nullptr ? all_on() : mask; }

void Emitter::branch(Value* condition, llvm::function_ref<void()> then,
                     llvm::function_ref<void()> otherwise, bool likely) {
  auto* yes = new_block("then");
  auto* no = new_block("else");
  auto* join = new_block("join");
  b.CreateCondBr(condition, yes, no,
                 likely ? llvm::MDBuilder(context()).createLikelyBranchWeights() : nullptr);
  b.SetInsertPoint(yes);
  then();
  if (!ended()) b.CreateBr(join);
  b.SetInsertPoint(no);
  otherwise();
  if (!ended()) b.CreateBr(join);
  b.SetInsertPoint(join);
}

void Emitter::check_stop() {
  if (stop_flag != nullptr) emit_stop_mark(b, stop_flag);
}

// In a large program: ends blocks of code before they are so long that the time to compile them,
// which grows faster than their length, is no longer bearable.
void Emitter::look_between_statements() {
  constexpr std::uint32_t kStatements = 128;
  if (!spreads_.plan.one_body || gpu || stop_flag == nullptr || ++statements_ < kStatements) return;
  statements_ = 0;
  emit_stop_check(b, stop_flag);
}

// Lanes that a masked jump took away stop running here.
void Emitter::update_mask_after_jumps(EmitFrame& frame, Value* before) {
  Value* gone = nullptr;
  const auto add = [&](Value* lanes) { gone = gone == nullptr ? lanes : b.CreateOr(gone, lanes); };
  const auto load_mask = [&](Value* at) { return b.CreateLoad(lanes_of(b.getInt1Ty()), at); };
  for (const JumpTarget& t : targets) {
    if (t.frame != &frame) continue;
    if (t.broke != nullptr) add(load_mask(t.broke));
    if (t.continued != nullptr) add(load_mask(t.continued));
  }
  if (frame.masked_return) add(load_cell(frame.returned, b.getInt32(0), ScalarKind::boolean).value);
  if (gone == nullptr) {
    mask = before;
    return;
  }
  Value* stay = b.CreateNot(gone);
  mask = before == nullptr ? stay : b.CreateAnd(before, stay);
}

bool Emitter::has_masked_jump(EmitFrame& frame, StmtId id) {
  const auto any_in = [&](Block block) {
    for (StmtId s : p_.block(block)) {
      if (has_masked_jump(frame, s)) return true;
    }
    return false;
  };
  return std::visit(Overloaded{
                        [&](const BreakStmt&) { return true; },
                        [&](const ContinueStmt&) { return true; },
                        [&](const ReturnStmt&) { return true; },
                        [&](const IfStmt& s) { return any_in(s.then) || any_in(s.otherwise); },
                        [&](const LoopStmt& s) { return any_in(s.body) || any_in(s.continuing); },
                        [&](const SwitchStmt& s) {
                          for (const SwitchCase& c : p_.cases(s)) {
                            if (any_in(c.body)) return true;
                          }
                          return false;
                        },
                        [&](const auto&) { return false; },
                    },
                    p_[id].node);
}

namespace {
// `if (c) { return; } rest` is `if (!c) { rest }`: the form in which all lanes can be known to run.
bool is_early_return(const Program& p, const IfStmt& s) {
  const auto then = p.block(s.then);
  if (s.otherwise.count != 0 || then.size() != 1) return false;
  const auto* r = std::get_if<ReturnStmt>(&p[then[0]].node);
  return r != nullptr && r->value == kNoExpr;
}
}  // namespace

void Emitter::block(EmitFrame& frame, std::span<const StmtId> stmts) {
  Value* const entry_mask = mask;
  const bool whole = frame.parent == nullptr && targets.empty() && !frame.in_regions &&
                     stmts.data() == p_.block(frame.function->body).data();
  bool only_locals = whole;  // so far
  for (std::size_t i = 0; i < stmts.size(); ++i) {
    if (ended()) return;
    const auto& node = p_[stmts[i]].node;
    const auto* s = std::get_if<IfStmt>(&node);
    if (s != nullptr && whole && (frame.masked_return || !gpu) && is_early_return(p_, *s)) {
      guards_all_ = only_locals && !gpu;
      if_statement(frame, lnot(eval_leaf(frame, s->condition)), stmts.subspan(i + 1), {});
      return;
    }
    guards_all_ =
        s != nullptr && only_locals && !gpu && i + 1 == stmts.size() && s->otherwise.count == 0;
    statement(frame, stmts[i]);
    if (!ended()) look_between_statements();
    only_locals = only_locals &&
                  (std::holds_alternative<LetStmt>(node) || std::holds_alternative<VarStmt>(node));
    if (!ended() && wide() && has_masked_jump(frame, stmts[i])) {
      update_mask_after_jumps(frame, entry_mask);
    }
  }
}

void Emitter::if_statement(EmitFrame& frame, const Leaf& condition, std::span<const StmtId> then,
                           std::span<const StmtId> otherwise) {
  Value* const outer = mask;
  if (std::exchange(guards_all_, false) && condition.held && rows_tested) {
    // Tested with the row: lanes for which it does not hold have nothing to do.
    requirements.insert(requirements.end(), condition.held->begin(), condition.held->end());
    branch(condition.rest, [&] { block(frame, then); }, [] {});
    mask = outer;
    return;
  }
  if (!condition.varying) {
    branch(
        decided(frame, condition),
        [&] {
          block(frame, then);
          mask = outer;
        },
        [&] {
          block(frame, otherwise);
          mask = outer;
        });
    mask = outer;
    return;
  }
  const auto masked = [&] {
    Value* c = vector_of(condition);
    const auto side = [&](std::span<const StmtId> stmts, Value* lanes) {
      if (stmts.empty()) return;
      branch(
          any(lanes),
          [&] {
            mask = lanes;
            block(frame, stmts);
          },
          [] {});
      mask = outer;
    };
    Value* on = outer == nullptr ? c : b.CreateAnd(outer, c);
    Value* no = b.CreateNot(c);
    Value* off = outer == nullptr ? no : b.CreateAnd(outer, no);
    side(then, on);
    side(otherwise, off);
  };
  // Where one test tells that all lanes agree, that case gets code of its own.
  if (condition.all != nullptr && coherent_depth_ < 2 && targets.empty()) {
    ++coherent_depth_;
    branch(
        condition.all,
        [&] {
          block(frame, then);
          mask = outer;
        },
        [&] {
          if (otherwise.empty()) {
            branch(condition.none, [] {}, masked);
          } else {
            branch(
                condition.none,
                [&] {
                  block(frame, otherwise);
                  mask = outer;
                },
                masked);
          }
        });
    --coherent_depth_;
    mask = outer;
    return;
  }
  masked();
  mask = outer;
}

void Emitter::jump(bool is_continue) {
  for (auto it = targets.rbegin(); it != targets.rend(); ++it) {
    if (is_continue && !it->is_loop) {
      // Leaves the switch as well.
      if (it->broke != nullptr) {
        Value* old = b.CreateLoad(lanes_of(b.getInt1Ty()), it->broke);
        b.CreateStore(b.CreateOr(old, mask_or_all()), it->broke);
      }
      continue;
    }
    Value* lanes = is_continue ? it->continued : it->broke;
    const bool masked = is_continue ? it->masked_continue : it->masked_break;
    if (masked) {
      Value* old = b.CreateLoad(lanes_of(b.getInt1Ty()), lanes);
      b.CreateStore(b.CreateOr(old, mask_or_all()), lanes);
      mask = zero_mask();
    } else {
      b.CreateBr(is_continue ? it->next : it->exit);
    }
    return;
  }
}

void Emitter::return_statement(EmitFrame& frame, const ReturnStmt& s) {
  if (s.value != kNoExpr) store_cells(frame.result, eval(frame, s.value), mask);
  if (!frame.masked_return) {
    b.CreateBr(frame.exit);
    return;
  }
  store_cell(frame.returned, b.getInt32(0), ScalarKind::boolean, constant_leaf(Scalar::of(true)),
             mask);
  if (wide()) {
    mask = zero_mask();
  } else {
    b.CreateBr(frame.exit);
  }
}

namespace {
// The loops of scalar code are those whose trips differ from lane to lane: unrolled by a number,
// they would guess wrong twice, at the end of the unrolled part and at their own.
void keep_whole(Emitter& e, llvm::BranchInst* latch) {
  if (e.wide()) return;
  auto* rule = llvm::MDNode::get(
      e.context(), llvm::MDString::get(e.context(), "llvm.loop.unroll.runtime.disable"));
  auto* loop = llvm::MDNode::getDistinct(e.context(), {nullptr, rule});
  loop->replaceOperandWith(0, loop);
  latch->setMetadata(llvm::LLVMContext::MD_loop, loop);
}
}  // namespace

void Emitter::loop_statement(EmitFrame& frame, StmtId id, const LoopStmt& s) {
  if (gpu) return gpu_loop(frame, id, s);
  const auto& spread = frame.spreads->constructs.at(id);
  if (wide() && std::max(spread.leaves, spread.continues) == Spread::lane) {
    masked_loop(frame, id, s);
    return;
  }
  Value* const outer = mask;
  JumpTarget target;
  target.is_loop = true;
  target.frame = &frame;
  auto* head = new_block("loop");
  target.next = new_block("continuing");
  target.exit = new_block("after_loop");
  if (outer != nullptr) {
    // Without a running lane nothing could end the loop.
    b.CreateCondBr(any(outer), head, target.exit);
  } else {
    b.CreateBr(head);
  }
  b.SetInsertPoint(head);
  check_stop();
  targets.push_back(target);
  block(frame, p_.block(s.body));
  mask = outer;
  if (!ended()) b.CreateBr(target.next);
  b.SetInsertPoint(target.next);
  block(frame, p_.block(s.continuing));
  mask = outer;
  if (!ended()) {
    if (s.break_if != kNoExpr) {
      keep_whole(*this,
                 b.CreateCondBr(agreed(eval_leaf(frame, s.break_if), mask), target.exit, head));
    } else {
      keep_whole(*this, b.CreateBr(head));
    }
  }
  targets.pop_back();
  b.SetInsertPoint(target.exit);
}

// Lanes leave one by one: the loop goes on while any is left.
void Emitter::masked_loop(EmitFrame& frame, StmtId id, const LoopStmt& s) {
  const auto& spread = frame.spreads->constructs.at(id);
  Value* const outer = mask;
  llvm::Type* lanes_type = lanes_of(b.getInt1Ty());
  JumpTarget target;
  target.is_loop = true;
  target.frame = &frame;
  target.masked_break = true;
  target.masked_continue = spread.continues == Spread::lane;
  target.broke = alloca_of(lanes_type, "broke");
  b.CreateStore(zero_mask(), target.broke);
  if (target.masked_continue) target.continued = alloca_of(lanes_type, "continued");
  auto* head = new_block("masked_loop");
  target.next = new_block("continuing");
  target.exit = new_block("after_loop");
  if (outer != nullptr) {
    b.CreateCondBr(any(outer), head, target.exit);
  } else {
    b.CreateBr(head);
  }
  b.SetInsertPoint(head);
  check_stop();
  if (target.masked_continue) b.CreateStore(zero_mask(), target.continued);
  targets.push_back(target);
  update_mask_after_jumps(frame, outer);
  block(frame, p_.block(s.body));
  if (!ended()) b.CreateBr(target.next);
  b.SetInsertPoint(target.next);
  // Continued lanes are back for the continuing block.
  if (target.masked_continue) b.CreateStore(zero_mask(), target.continued);
  update_mask_after_jumps(frame, outer);
  block(frame, p_.block(s.continuing));
  if (!ended()) {
    update_mask_after_jumps(frame, outer);
    if (s.break_if != kNoExpr) {
      const Leaf leave = eval_leaf(frame, s.break_if);
      Value* old = b.CreateLoad(lanes_type, target.broke);
      Value* now = b.CreateAnd(mask_or_all(), vector_of(leave));
      b.CreateStore(b.CreateOr(old, now), target.broke);
      update_mask_after_jumps(frame, outer);
    }
    b.CreateCondBr(any(mask_or_all()), head, target.exit);
  }
  targets.pop_back();
  b.SetInsertPoint(target.exit);
  mask = outer;
}

void Emitter::switch_statement(EmitFrame& frame, StmtId id, const SwitchStmt& s) {
  const auto& spread = frame.spreads->constructs.at(id);
  const Leaf selector = eval_leaf(frame, s.selector);
  if (wide() && (selector.varying || spread.leaves == Spread::lane)) {
    masked_switch(frame, id, s, selector);
    return;
  }
  Value* const outer = mask;
  JumpTarget target;
  target.frame = &frame;
  target.exit = new_block("after_switch");
  auto* dispatch = b.GetInsertBlock();
  llvm::BasicBlock* fallback = target.exit;
  std::vector<std::pair<const SwitchCase*, llvm::BasicBlock*>> bodies;
  targets.push_back(target);
  for (const SwitchCase& c : p_.cases(s)) {
    auto* body = new_block("case");
    if (c.is_default) fallback = body;
    bodies.emplace_back(&c, body);
    b.SetInsertPoint(body);
    mask = outer;
    block(frame, p_.block(c.body));
    if (!ended()) b.CreateBr(target.exit);
  }
  targets.pop_back();
  b.SetInsertPoint(dispatch);
  auto* sw = b.CreateSwitch(selector.value, fallback);
  for (const auto& [c, body] : bodies) {
    for (std::uint32_t v : c->values) sw->addCase(b.getInt32(v), body);
  }
  b.SetInsertPoint(target.exit);
  mask = outer;
}

void Emitter::masked_switch(EmitFrame& frame, StmtId, const SwitchStmt& s, const Leaf& selector) {
  Value* const outer = mask;
  llvm::Type* lanes_type = lanes_of(b.getInt1Ty());
  JumpTarget target;
  target.frame = &frame;
  target.masked_break = true;
  target.broke = alloca_of(lanes_type, "switch_broke");
  b.CreateStore(zero_mask(), target.broke);
  Value* v = vector_of(selector);
  Value* matched = zero_mask();
  std::vector<std::pair<const SwitchCase*, Value*>> masks;
  for (const SwitchCase& c : p_.cases(s)) {
    Value* here = zero_mask();
    for (std::uint32_t value : c.values) {
      here = b.CreateOr(here, b.CreateICmpEQ(v, llvm::ConstantInt::get(v->getType(), value)));
    }
    matched = b.CreateOr(matched, here);
    masks.emplace_back(&c, here);
  }
  targets.push_back(target);
  for (auto& [c, here] : masks) {
    Value* lanes = c->is_default ? b.CreateOr(here, b.CreateNot(matched)) : here;
    if (outer != nullptr) lanes = b.CreateAnd(lanes, outer);
    branch(
        any(lanes),
        [&] {
          mask = lanes;
          block(frame, p_.block(c->body));
        },
        [] {});
    mask = outer;
  }
  targets.pop_back();
  mask = outer;
}

void Emitter::statement(EmitFrame& frame, StmtId id) {
  std::visit(Overloaded{
                 [&](const LetStmt& s) { put_local(frame, s.local, eval(frame, s.value)); },
                 [&](const VarStmt& s) {
                   const auto& local = frame.function->locals[static_cast<std::size_t>(s.local)];
                   const LaneMemory memory = local_memory(frame, s.local);
                   const auto cells = cells_of(local.type);
                   // No lane outside the mask holds anything in a fresh variable, but all of them
                   // compute: what is left from before may be subnormal, which takes long.
                   const bool few = cells <= kManyScalars;
                   if (s.initial == kNoExpr) {
                     zero_cells(memory, cells, few ? nullptr : mask);
                   } else {
                     if (mask != nullptr && few) zero_cells(memory, cells, nullptr);
                     assign(frame, var_pointer(frame, s.local), s.initial);
                   }
                 },
                 [&](const StoreStmt& s) {
                   const Val at = eval(frame, s.pointer);
                   assign(frame, *at.pointer, s.value);
                 },
                 [&](const IfStmt& s) {
                   if_statement(frame, eval_leaf(frame, s.condition), p_.block(s.then),
                                p_.block(s.otherwise));
                 },
                 [&](const LoopStmt& s) { loop_statement(frame, id, s); },
                 [&](const SwitchStmt& s) { switch_statement(frame, id, s); },
                 [&](const BreakStmt&) { jump(false); },
                 [&](const ContinueStmt&) { jump(true); },
                 [&](const ReturnStmt& s) { return_statement(frame, s); },
                 [&](const BarrierStmt&) {
                   if (gpu) return gpu_barrier();
                   problem = "a barrier stands where no workgroup can wait";
                 },
                 [&](const UniformLoadStmt& s) {
                   if (gpu) return gpu_uniform_load(frame, s);
                   problem = "a barrier stands where no workgroup can wait";
                 },
                 [&](const AtomicStmt& s) { atomic(frame, s); },
                 [&](const SubgroupStmt&) { problem = "subgroup operations are not emitted"; },
                 [&](const CallStmt& s) { call(frame, id, s); },
             },
             p_[id].node);
}

}  // namespace vyre
