#include <algorithm>

#include "vyre/base/overloaded.h"
#include "vyre/lower/host/region_cells_internal.h"

namespace vyre {

// The most operations of a let that is evaluated again wherever it is named.
constexpr int kMostOperations = 12;
constexpr int kMostOperationsInAll = 64;  // with those of the lets that it names

RegionCells::RegionCells(const Program& p, const ProgramSpreads& spreads, const FrameSpreads& frame,
                         bool masked_return)
    : p_(p), spreads_(spreads), frame_(frame), masked_return_(masked_return) {
  find_again(p_[frame.function].body);
  do {
    grew_ = false;
    region_.assign(p_[frame.function].locals.size(), -1);
    next_ = 0;
    for (std::uint32_t i = 0; i < p_[frame.function].parameters; ++i) mention(LocalId{i});
    ++next_;
    block(p_[frame.function].body);
    hoist();
  } while (grew_);
}

bool RegionCells::at_group_level(StmtId id) const {
  if (has_barrier(p_, spreads_.function_has_barrier, id) || leaves(id, 0, 0)) return true;
  const auto& node = p_[id].node;
  if (const auto* v = std::get_if<VarStmt>(&node)) return is_group_var(v->local);
  if (const auto* s = std::get_if<StoreStmt>(&node)) {
    const auto root = root_of(p_, frame_, s->pointer);
    return root.kind == PointerRoot::Kind::var && root.frame == &frame_ && is_group_var(root.local);
  }
  return false;
}

bool RegionCells::leaves(StmtId id, int breakables, int loops) const {
  const auto any = [&](Block b, int more_breakables, int more_loops) {
    return std::ranges::any_of(p_.block(b), [&](StmtId s) {
      return leaves(s, breakables + more_breakables, loops + more_loops);
    });
  };
  return std::visit(
      Overloaded{
          [&](const BreakStmt&) { return breakables == 0; },
          [&](const ContinueStmt&) { return loops == 0; },
          [&](const ReturnStmt&) { return !masked_return_; },
          [&](const IfStmt& s) { return any(s.then, 0, 0) || any(s.otherwise, 0, 0); },
          [&](const LoopStmt& s) { return any(s.body, 1, 1) || any(s.continuing, 1, 1); },
          [&](const SwitchStmt& s) {
            return std::ranges::any_of(p_.cases(s),
                                       [&](const SwitchCase& c) { return any(c.body, 1, 0); });
          },
          [&](const auto&) { return false; },
      },
      p_[id].node);
}

void RegionCells::mention(LocalId id) {
  if (again_.contains(id)) return;
  auto& r = region_[static_cast<std::size_t>(id)];
  r = r == -1 || r == next_ ? next_ : kManyRegions;
}

void RegionCells::mention(ExprId id) {
  if (id == kNoExpr) return;
  const auto list = [&](ExprRange r) {
    for (ExprId e : p_.list(r)) mention(e);
  };
  std::visit(Overloaded{
                 [&](const LocalExpr& e) {
                   if (const auto it = again_.find(e.id); it != again_.end()) {
                     mention(it->second);
                   } else {
                     mention(e.id);
                   }
                 },
                 [&](const LocalPtrExpr& e) { mention(e.id); },
                 [&](const MemberExpr& e) { mention(e.base); },
                 [&](const IndexExpr& e) { mention(e.base), mention(e.index); },
                 [&](const LoadExpr& e) { mention(e.pointer); },
                 [&](const SwizzleExpr& e) { mention(e.vector); },
                 [&](const ConstructExpr& e) { list(e.parts); },
                 [&](const SplatExpr& e) { mention(e.scalar); },
                 [&](const UnaryExpr& e) { mention(e.operand); },
                 [&](const BinaryExpr& e) { mention(e.left), mention(e.right); },
                 [&](const SelectExpr& e) {
                   mention(e.on_false), mention(e.on_true), mention(e.condition);
                 },
                 [&](const ConvertExpr& e) { mention(e.value); },
                 [&](const BitcastExpr& e) { mention(e.value); },
                 [&](const MathExpr& e) { list(e.arguments); },
                 [&](const ArrayLengthExpr& e) { mention(e.pointer); },
                 [&](const auto&) {},
             },
             p_[id].node);
  // A pointer local reaches its var.
  if (const auto* l = std::get_if<LocalExpr>(&p_[id].node)) {
    const auto found = frame_.pointers.find(l->id);
    if (found != frame_.pointers.end() && found->second.frame == &frame_) {
      mention(found->second.local);
    }
  }
}

void RegionCells::mention_statement(StmtId id) {
  const auto all = [&](Block b) {
    for (StmtId s : p_.block(b)) mention_statement(s);
  };
  const auto local = [&](LocalId l) {
    if (l != kNoLocal) mention(l);
  };
  std::visit(Overloaded{
                 [&](const LetStmt& s) { mention(s.value), mention(s.local); },
                 [&](const VarStmt& s) { mention(s.initial), mention(s.local); },
                 [&](const StoreStmt& s) { mention(s.pointer), mention(s.value); },
                 [&](const IfStmt& s) { mention(s.condition), all(s.then), all(s.otherwise); },
                 [&](const LoopStmt& s) { all(s.body), all(s.continuing), mention(s.break_if); },
                 [&](const SwitchStmt& s) {
                   mention(s.selector);
                   for (const SwitchCase& c : p_.cases(s)) all(c.body);
                 },
                 [&](const ReturnStmt& s) { mention(s.value); },
                 [&](const UniformLoadStmt& s) { mention(s.pointer), local(s.result); },
                 [&](const AtomicStmt& s) {
                   mention(s.pointer), mention(s.compare), mention(s.value), local(s.result);
                 },
                 [&](const SubgroupStmt& s) { mention(s.value), mention(s.lane), local(s.result); },
                 [&](const CallStmt& s) {
                   for (ExprId e : p_.list(s.arguments)) mention(e);
                   local(s.result);
                 },
                 [&](const auto&) {},
             },
             p_[id].node);
}

void RegionCells::block(Block b) {
  for (StmtId id : p_.block(b)) {
    if (!at_group_level(id)) {
      mention_statement(id);
      continue;
    }
    ++next_;
    std::visit(Overloaded{
                   [&](const IfStmt& s) {
                     mention(s.condition), ++next_, block(s.then), ++next_, block(s.otherwise);
                   },
                   [&](const LoopStmt& s) {
                     ++next_, block(s.body), ++next_, block(s.continuing), ++next_;
                     mention(s.break_if);
                   },
                   [&](const SwitchStmt& s) {
                     mention(s.selector);
                     for (const SwitchCase& c : p_.cases(s)) ++next_, block(c.body);
                   },
                   [&](const CallStmt& s) {
                     for (ExprId e : p_.list(s.arguments)) mention(e);
                     ++next_;
                     if (s.result != kNoLocal) mention(s.result);
                   },
                   [&](const auto&) { mention_statement(id); },
               },
               p_[id].node);
    ++next_;
  }
}

void RegionCells::hoist() {
  std::set<LocalId> below;
  for (StmtId id : p_.block(p_[frame_.function].body)) stores_below(id, true, below);
  const auto& locals = p_[frame_.function].locals;
  for (std::uint32_t i = 0; i < locals.size(); ++i) {
    const LocalId id{i};
    if (locals[i].kind == LocalKind::var && many(id) && !below.contains(id) &&
        joined(frame_.locals[i]) == Spread::group && !group_vars_.contains(id)) {
      group_vars_.insert(id);
      grew_ = true;
    }
  }
}

void RegionCells::stores_below(StmtId id, bool direct, std::set<LocalId>& out) {
  const bool group =
      direct && (has_barrier(p_, spreads_.function_has_barrier, id) || leaves(id, 0, 0));
  const auto all = [&](Block b) {
    for (StmtId s : p_.block(b)) stores_below(s, group, out);
  };
  std::visit(Overloaded{
                 [&](const VarStmt& s) {
                   if (!direct) out.insert(s.local);
                 },
                 [&](const StoreStmt& s) {
                   const auto root = root_of(p_, frame_, s.pointer);
                   if (root.kind != PointerRoot::Kind::var || root.frame != &frame_) return;
                   const bool plain = std::holds_alternative<LocalPtrExpr>(p_[s.pointer].node);
                   if (!direct || !plain) out.insert(root.local);
                 },
                 [&](const IfStmt& s) { all(s.then), all(s.otherwise); },
                 [&](const LoopStmt& s) { all(s.body), all(s.continuing); },
                 [&](const SwitchStmt& s) {
                   for (const SwitchCase& c : p_.cases(s)) all(c.body);
                 },
                 [&](const CallStmt& s) {
                   // Through a pointer argument a callee may store.
                   for (ExprId e : p_.list(s.arguments)) {
                     if (p_.types.get_if<PointerType>(p_[e].type) == nullptr) continue;
                     const auto root = root_of(p_, frame_, e);
                     if (root.kind == PointerRoot::Kind::var && root.frame == &frame_) {
                       out.insert(root.local);
                     }
                   }
                 },
                 [&](const auto&) {},
             },
             p_[id].node);
}

void RegionCells::find_again(Block b) {
  for (StmtId id : p_.block(b)) {
    std::visit(Overloaded{
                   [&](const LetStmt& s) {
                     Budget budget{kMostOperations, kMostOperationsInAll};
                     if (p_.types.get_if<PointerType>(p_[s.value].type) == nullptr &&
                         is_cheap(s.value, budget)) {
                       again_[s.local] = s.value;
                       again_cost_[s.local] = kMostOperationsInAll - budget.all;
                     }
                   },
                   [&](const IfStmt& s) { find_again(s.then), find_again(s.otherwise); },
                   [&](const LoopStmt& s) { find_again(s.body), find_again(s.continuing); },
                   [&](const SwitchStmt& s) {
                     for (const SwitchCase& c : p_.cases(s)) find_again(c.body);
                   },
                   [&](const auto&) {},
               },
               p_[id].node);
  }
}

bool RegionCells::is_cheap(ExprId id, Budget& budget) const {
  if (--budget.own < 0 || --budget.all < 0) return false;
  return std::visit(
      Overloaded{
          [&](const ConstantExpr&) { return p_.types.scalar_count(p_[id].type) <= 4; },
          [&](const InvocationIdExpr&) { return true; },
          [&](const LocalExpr& e) {
            const auto cost = again_cost_.find(e.id);
            return cost != again_cost_.end() && (budget.all -= cost->second) >= 0;
          },
          [&](const SwizzleExpr& e) { return is_cheap(e.vector, budget); },
          [&](const UnaryExpr& e) { return is_cheap(e.operand, budget); },
          [&](const BinaryExpr& e) {
            return e.op != BinaryOp::div && e.op != BinaryOp::rem && is_cheap(e.left, budget) &&
                   is_cheap(e.right, budget);
          },
          [&](const ConvertExpr& e) { return is_cheap(e.value, budget); },
          [&](const auto&) { return false; },
      },
      p_[id].node);
}

}  // namespace vyre
