#include <map>
#include <optional>
#include <set>

#include "vyre/ir/walk.h"
#include "vyre/lower/loop_shape_internal.h"

namespace vyre {
namespace {

template <class T>
const T* as(const Program& p, ExprId id) {
  return std::get_if<T>(&p[id].node);
}

bool has_loop(const Program& p, Block block, std::set<FunctionId>& seen) {
  bool found = false;
  for_each_stmt(p, block, [&](StmtId id) {
    const StmtNode& node = p[id].node;
    if (std::get_if<LoopStmt>(&node) != nullptr) found = true;
    const auto* call = std::get_if<CallStmt>(&node);
    if (call == nullptr || found || !seen.insert(call->callee).second) return;
    found = has_loop(p, p[call->callee].body, seen);
  });
  return found;
}

// The var that an expression loads.
std::optional<LocalId> loaded_var(const Program& p, ExprId id) {
  const auto* load = as<LoadExpr>(p, id);
  if (load == nullptr) return std::nullopt;
  const auto* var = as<LocalPtrExpr>(p, load->pointer);
  return var == nullptr ? std::nullopt : std::optional(var->id);
}

// The comparison that a loop's first statement leaves it by, when it is false.
const BinaryExpr* condition_of(const Program& p, const LoopStmt& loop) {
  const auto body = p.block(loop.body);
  if (body.empty()) return nullptr;
  const auto* test = std::get_if<IfStmt>(&p[body[0]].node);
  if (test == nullptr) return nullptr;
  Block leaves = test->then;
  ExprId condition = test->condition;
  if (const auto* no = as<UnaryExpr>(p, condition);
      no != nullptr && no->op == UnaryOp::logical_not && test->otherwise.count == 0) {
    condition = no->operand;
  } else if (test->then.count == 0) {
    leaves = test->otherwise;
  } else {
    return nullptr;
  }
  const auto statements = p.block(leaves);
  if (statements.size() != 1 || std::get_if<BreakStmt>(&p[statements[0]].node) == nullptr) {
    return nullptr;
  }
  return as<BinaryExpr>(p, condition);
}

bool is_one(const Program& p, ExprId id) {
  const auto* c = as<ConstantExpr>(p, id);
  return c != nullptr && p[c->id].scalars.size() == 1 && p[c->id].scalars[0] == 1;
}

// v = v + 1 (or - 1), and nothing else.
bool steps_by_one(const Program& p, Block continuing, LocalId v, BinaryOp step) {
  const auto statements = p.block(continuing);
  if (statements.size() != 1) return false;
  const auto* store = std::get_if<StoreStmt>(&p[statements[0]].node);
  if (store == nullptr) return false;
  const auto* to = as<LocalPtrExpr>(p, store->pointer);
  const auto* sum = as<BinaryExpr>(p, store->value);
  return to != nullptr && to->id == v && sum != nullptr && sum->op == step &&
         loaded_var(p, sum->left) == v && is_one(p, sum->right);
}

// Pure of memory that may change: lets, parameters, constants, lengths, ids and read-only buffers,
// and vars that the loop does not name but in loads.
class Unchanged {
 public:
  Unchanged(const Program& p, const LoopStmt& loop) : p_(p) {
    for (const Block block : {loop.body, loop.continuing}) {
      for_each_stmt(p, block,
                    [&](StmtId id) { for_each_expr(p, p[id].node, [&](ExprId e) { note(e); }); });
    }
  }
  // How often the loop names the var other than to load it.
  std::size_t named(LocalId var) const {
    const auto found = named_.find(var);
    return found == named_.end() ? 0 : found->second;
  }
  bool operator()(ExprId id) const {
    if (const auto var = loaded_var(p_, id)) return named(*var) == 0;
    if (const auto* load = as<LoadExpr>(p_, id)) {
      const auto* global = as<GlobalPtrExpr>(p_, root_of(load->pointer));
      if (global == nullptr) return false;
      const Global& g = p_[global->id];
      if (g.memory != MemoryKind::uniform && g.access != Access::read) return false;
    }
    bool same = true;
    for_each_operand(p_, p_[id].node, [&](ExprId operand) { same = same && (*this)(operand); });
    return same;
  }

 private:
  ExprId root_of(ExprId pointer) const {
    for (;;) {
      if (const auto* m = as<MemberExpr>(p_, pointer)) {
        pointer = m->base;
      } else if (const auto* i = as<IndexExpr>(p_, pointer)) {
        pointer = i->base;
      } else {
        return pointer;
      }
    }
  }
  void note(ExprId id) {
    if (loaded_var(p_, id)) return;
    if (const auto* var = as<LocalPtrExpr>(p_, id)) ++named_[var->id];
    for_each_operand(p_, p_[id].node, [&](ExprId operand) { note(operand); });
  }

  const Program& p_;
  std::map<LocalId, std::size_t> named_;
};

bool is_counted(const Program& p, const LoopStmt& loop) {
  const BinaryExpr* condition = condition_of(p, loop);
  if (condition == nullptr) return false;
  const Unchanged unchanged(p, loop);
  // v < bound going up, v > bound going down; or written the other way round.
  const auto counts = [&](ExprId var, ExprId bound, BinaryOp step) {
    const auto v = loaded_var(p, var);
    return v && steps_by_one(p, loop.continuing, *v, step) && unchanged.named(*v) == 1 &&
           unchanged(bound);
  };
  switch (condition->op) {
    case BinaryOp::less:
      return counts(condition->left, condition->right, BinaryOp::add) ||
             counts(condition->right, condition->left, BinaryOp::sub);
    case BinaryOp::greater:
      return counts(condition->left, condition->right, BinaryOp::sub) ||
             counts(condition->right, condition->left, BinaryOp::add);
    default: return false;
  }
}

}  // namespace

LoopShape shape_of(const Program& program, StmtId loop) {
  const auto& statement = std::get<LoopStmt>(program[loop].node);
  std::set<FunctionId> seen;
  LoopShape out;
  out.innermost =
      !has_loop(program, statement.body, seen) && !has_loop(program, statement.continuing, seen);
  out.counted = is_counted(program, statement);
  return out;
}

}  // namespace vyre
