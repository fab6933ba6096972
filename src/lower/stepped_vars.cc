#include <algorithm>
#include <map>
#include <optional>

#include "vyre/ir/walk.h"
#include "vyre/lower/stepped_vars_internal.h"

namespace vyre {
namespace {

std::optional<LocalId> loaded_var(const Program& p, ExprId id) {
  const auto* load = std::get_if<LoadExpr>(&p[id].node);
  const auto* var = load == nullptr ? nullptr : std::get_if<LocalPtrExpr>(&p[load->pointer].node);
  return var == nullptr ? std::nullopt : std::optional(var->id);
}

class SteppedVars {
 public:
  SteppedVars(const Program& p, const FrameSpreads& frame) : p_(p), frame_(frame) {}

  std::set<LocalId> find() {
    for_each_stmt(p_, p_[frame_.function].body, [&](StmtId id) { count(id); });
    blocks(p_[frame_.function].body);
    return std::move(found_);
  }

 private:
  // The number of uses of a var: all of them, and those that are not loads.
  struct Mentions {
    std::size_t all = 0, other = 0;
  };
  using Counts = std::map<LocalId, Mentions>;

  void count(StmtId id) {
    for_each_expr(p_, p_[id].node, [&](ExprId root) { count(root, counts_); });
  }
  void count(ExprId id, Counts& out) const {
    if (const auto var = loaded_var(p_, id)) {
      ++out[*var].all;
      return;
    }
    if (const auto* var = std::get_if<LocalPtrExpr>(&p_[id].node)) {
      ++out[var->id].all;
      ++out[var->id].other;
    }
    for_each_operand(p_, p_[id].node, [&](ExprId operand) { count(operand, out); });
  }

  void blocks(Block block) {
    std::vector<LocalId> declared;
    for (const StmtId id : p_.block(block)) {
      const StmtNode& node = p_[id].node;
      if (const auto* var = std::get_if<VarStmt>(&node); var != nullptr && is_candidate(*var)) {
        declared.push_back(var->local);
      }
      if (const auto* loop = std::get_if<LoopStmt>(&node); loop != nullptr && !declared.empty()) {
        look_at(id, *loop, declared);
      }
      for_each_block(p_, node, [&](Block inner) { blocks(inner); });
    }
  }

  bool is_candidate(const VarStmt& var) const {
    const auto& local = p_[frame_.function].locals[static_cast<std::size_t>(var.local)];
    const auto kind = p_.types.get_if<ScalarType>(local.type) == nullptr
                          ? std::nullopt
                          : p_.types.scalar_kind(local.type);
    return var.initial != kNoExpr && kind && is_integer(*kind) && counts_.contains(var.local);
  }

  void look_at(StmtId id, const LoopStmt& loop, std::vector<LocalId>& declared) {
    const auto steps = steps_of(loop);
    const bool any = std::ranges::any_of(declared, [&](LocalId v) { return steps.contains(v); });
    if (!any) return;
    Counts inside;
    const auto note = [&](StmtId s) {
      for_each_expr(p_, p_[s].node, [&](ExprId root) { count(root, inside); });
    };
    note(id);
    for_each_stmt(p_, loop.body, note);
    for_each_stmt(p_, loop.continuing, note);
    std::erase_if(declared, [&](LocalId v) {
      const auto step = steps.find(v);
      if (step == steps.end()) return false;
      const Mentions& all = counts_.at(v);
      if (inside[v].all == all.all && all.other == step->second) found_.insert(v);
      return true;
    });
  }

  // The vars that a loop steps at places that every continuing lane passes, and the number of such
  // statements.
  std::map<LocalId, std::size_t> steps_of(const LoopStmt& loop) const {
    std::map<LocalId, std::size_t> out;
    const auto add = [&](Block block) {
      for (const StmtId id : p_.block(block)) {
        if (const auto v = stepped_by(id)) ++out[*v];
      }
    };
    add(loop.continuing);
    bool continues = false;
    for_each_stmt(p_, loop.body, [&](StmtId id) {
      continues = continues || std::holds_alternative<ContinueStmt>(p_[id].node);
    });
    if (!continues) add(loop.body);
    return out;
  }

  // The var of v = v + e, e + v or v - e, where e is the same for all lanes.
  std::optional<LocalId> stepped_by(StmtId id) const {
    const auto* store = std::get_if<StoreStmt>(&p_[id].node);
    const auto* to =
        store == nullptr ? nullptr : std::get_if<LocalPtrExpr>(&p_[store->pointer].node);
    const auto* sum = store == nullptr ? nullptr : std::get_if<BinaryExpr>(&p_[store->value].node);
    if (to == nullptr || sum == nullptr) return std::nullopt;
    const auto is_var = [&](ExprId e) { return loaded_var(p_, e) == to->id; };
    const auto is_shared = [&](ExprId e) {
      return joined(spreads_of(p_, frame_, e)) != Spread::lane;
    };
    const bool adds = sum->op == BinaryOp::add || sum->op == BinaryOp::sub;
    if (adds && is_var(sum->left) && is_shared(sum->right)) return to->id;
    if (sum->op == BinaryOp::add && is_var(sum->right) && is_shared(sum->left)) return to->id;
    return std::nullopt;
  }

  const Program& p_;
  const FrameSpreads& frame_;
  Counts counts_;
  std::set<LocalId> found_;
};

}  // namespace

std::set<LocalId> stepped_vars(const Program& program, const FrameSpreads& frame) {
  return SteppedVars(program, frame).find();
}

}  // namespace vyre
