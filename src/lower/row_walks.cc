#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "vyre/ir/access/column_accesses.h"
#include "vyre/lower/lets_internal.h"
#include "vyre/lower/row_walks_internal.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMostStep = 4;
constexpr unsigned kManySteps = 16;  // that a loop is likely to make
constexpr unsigned kFewSteps = 4;    // fewer are not worth a block

class Walker {
 public:
  Walker(const Program& p, const Function& function, RowWalks& out)
      : p_(p), out_(out), lets_(lets_of(p, function)) {
    block(function.body);
  }

 private:
  void block(Block statements) {
    for (const StmtId id : p_.block(statements)) {
      const StmtNode& node = p_[id].node;
      const auto* loop = std::get_if<LoopStmt>(&node);
      if (loop != nullptr) {
        const auto outside = stepped_;
        for (const Block part : {loop->body, loop->continuing}) note_steps(part);
        walking_lets_.clear();
        for_each_block(p_, node, [&](Block inner) { block(inner); });
        stepped_ = outside;
        walking_lets_.clear();
        continue;
      }
      if (!stepped_.empty()) {
        for_each_expr(p_, node, [&](ExprId root) {
          for_each_subexpr(p_, root, [&](ExprId e) { look_at(e); });
        });
        const auto* store = std::get_if<StoreStmt>(&node);
        if (store != nullptr && is_walk(store->pointer)) out_.stores.emplace(id, kManySteps);
      }
      for_each_block(p_, node, [&](Block inner) { block(inner); });
    }
  }

  // Vars of v = v + constant.
  void note_steps(Block statements) {
    for (const StmtId id : p_.block(statements)) {
      const auto* store = std::get_if<StoreStmt>(&p_[id].node);
      if (store == nullptr) continue;
      const auto* to = std::get_if<LocalPtrExpr>(&p_[store->pointer].node);
      const auto* sum = std::get_if<BinaryExpr>(&p_[store->value].node);
      if (to == nullptr || sum == nullptr || sum->op != BinaryOp::add) continue;
      const bool left = loads(sum->left, to->id) && is_small(sum->right);
      if (left || (loads(sum->right, to->id) && is_small(sum->left))) stepped_.insert(to->id);
    }
  }

  bool loads(ExprId id, LocalId local) const {
    const auto* load = std::get_if<LoadExpr>(&p_[id].node);
    const auto* var =
        load == nullptr ? nullptr : std::get_if<LocalPtrExpr>(&p_[load->pointer].node);
    return var != nullptr && var->id == local;
  }

  bool is_small(ExprId id) const {
    const auto* c = std::get_if<ConstantExpr>(&p_[id].node);
    if (c == nullptr || p_[c->id].scalars.size() != 1) return false;
    const std::uint64_t value = p_[c->id].scalars[0];
    return value >= 1 && value <= kMostStep;
  }

  void look_at(ExprId id) {
    const auto* load = std::get_if<LoadExpr>(&p_[id].node);
    if (load != nullptr && is_walk(load->pointer)) out_.loads.insert(id);
  }

  bool is_walk(ExprId at) {
    const auto* pointer = p_.types.get_if<PointerType>(p_[at].type);
    if (pointer == nullptr || pointer->memory != MemoryKind::storage) return false;
    while (const auto* member = std::get_if<MemberExpr>(&p_[at].node)) at = member->base;
    const auto* index = std::get_if<IndexExpr>(&p_[at].node);
    return index != nullptr && walks(index->index);
  }

  bool walks(ExprId id) {
    const ExprNode& node = p_[id].node;
    if (const auto* e = std::get_if<LocalExpr>(&node)) {
      const auto let = lets_.find(e->id);
      if (let == lets_.end()) return false;
      const auto known = walking_lets_.find(e->id);
      if (known != walking_lets_.end()) return known->second;
      return walking_lets_[e->id] = walks(let->second);
    }
    if (const auto* e = std::get_if<LoadExpr>(&node)) {
      const auto* var = std::get_if<LocalPtrExpr>(&p_[e->pointer].node);
      return var != nullptr && stepped_.contains(var->id);
    }
    if (const auto* e = std::get_if<ConvertExpr>(&node)) return walks(e->value);
    if (const auto* e = std::get_if<BitcastExpr>(&node)) return walks(e->value);
    const auto* e = std::get_if<BinaryExpr>(&node);
    if (e == nullptr) return false;
    switch (e->op) {
      case BinaryOp::add: return walks(e->left) || walks(e->right);
      case BinaryOp::sub: return walks(e->left);
      case BinaryOp::div:
      case BinaryOp::shift_right:
        return std::holds_alternative<ConstantExpr>(p_[e->right].node) && walks(e->left);
      default: return false;
    }
  }

  const Program& p_;
  RowWalks& out_;
  std::map<LocalId, ExprId> lets_;
  std::set<LocalId> stepped_;             // by a loop around the statement at hand
  std::map<LocalId, bool> walking_lets_;  // whether each let walks along with stepped_
};

// How often a program names each of its globals, but to ask for a length.
class Names {
 public:
  explicit Names(const Program& p) : p_(p), named_(p.globals.size(), 0) {
    for (const Function& f : p.functions) {
      for_each_stmt(p, f.body, [&](StmtId id) {
        for_each_expr(p, p[id].node, [&](ExprId root) { count(root); });
      });
    }
  }

  bool only_in(ExprId pointer) const {
    const ExprNode& node = p_[pointer].node;
    if (const auto* e = std::get_if<MemberExpr>(&node)) return only_in(e->base);
    if (const auto* e = std::get_if<IndexExpr>(&node)) return only_in(e->base);
    const auto* e = std::get_if<GlobalPtrExpr>(&node);
    return e != nullptr && named_[static_cast<std::size_t>(e->id)] == 1;
  }

 private:
  void count(ExprId id) {
    const ExprNode& node = p_[id].node;
    if (std::holds_alternative<ArrayLengthExpr>(node)) return;
    if (const auto* e = std::get_if<GlobalPtrExpr>(&node)) {
      ++named_[static_cast<std::size_t>(e->id)];
    }
    for_each_operand(p_, node, [&](ExprId operand) { count(operand); });
  }

  const Program& p_;
  std::vector<std::size_t> named_;
};

}  // namespace

RowWalks row_walks(const Program& program, unsigned rows) {
  RowWalks out;
  for (const Function& function : program.functions) Walker(program, function, out);
  const unsigned steps = std::min(std::bit_floor(std::max(rows, 1U)), kManySteps);
  if (steps >= kFewSteps) {
    const ColumnAccesses columns = column_accesses_of(program);
    out.loads.insert(columns.loads.begin(), columns.loads.end());
    for (const StmtId id : columns.stores) out.stores.emplace(id, steps);
  }
  const Names names(program);
  std::erase_if(out.stores, [&](const auto& store) {
    return !names.only_in(std::get<StoreStmt>(program[store.first].node).pointer);
  });
  return out;
}

}  // namespace vyre
