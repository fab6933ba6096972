#include <algorithm>
#include <utility>

#include "vyre/fuse/counted_loops_internal.h"
#include "vyre/ir/walk.h"

namespace vyre {

constexpr std::size_t kMostSteps = 4096;  // the most steps of a comparison of two expressions

CountedLoops::CountedLoops(const Program& program) : p_(program) {
  for (std::size_t f = 0; f < p_.functions.size(); ++f) {
    const bool is_entry = f == static_cast<std::size_t>(p_.entry);
    for_each_stmt(p_, p_.functions[f].body, [&](StmtId id) { look_at(id, is_entry); });
  }
  look_for_loops(p_[p_.entry].body);
}

void CountedLoops::look_at(StmtId id, bool in_entry) {
  const StmtNode& node = p_[id].node;
  if (const auto* s = std::get_if<LetStmt>(&node); s != nullptr && in_entry) {
    lets_.emplace(s->local, s->value);
  }
  const auto writes = [&](ExprId pointer) {
    if (const auto* var = local_var(pointer); var != nullptr && in_entry) {
      ++stored_vars_[var->id];
    }
    if (const auto global = root_of(pointer)) written_.insert(*global);
  };
  if (const auto* s = std::get_if<StoreStmt>(&node)) writes(s->pointer);
  if (const auto* s = std::get_if<AtomicStmt>(&node)) writes(s->pointer);
  if (!in_entry) return;
  for_each_expr(p_, node, [&](ExprId root) { note_names(root); });
}

// Notes variables that are used in any way other than loading them whole.
void CountedLoops::note_names(ExprId id) {
  if (const auto* load = std::get_if<LoadExpr>(&p_[id].node)) {
    if (local_var(load->pointer) != nullptr) return;
  }
  if (const auto* var = local_var(id)) ++named_vars_[var->id];
  for_each_operand(p_, p_[id].node, [&](ExprId operand) { note_names(operand); });
}

const LocalPtrExpr* CountedLoops::local_var(ExprId pointer) const {
  return std::get_if<LocalPtrExpr>(&p_[pointer].node);
}
std::optional<LocalId> CountedLoops::loaded_var(ExprId id) const {
  const auto* load = std::get_if<LoadExpr>(&p_[id].node);
  const auto* var = load == nullptr ? nullptr : local_var(load->pointer);
  return var == nullptr ? std::nullopt : std::optional(var->id);
}
std::optional<GlobalId> CountedLoops::root_of(ExprId pointer) const {
  while (true) {
    const ExprNode& node = p_[pointer].node;
    if (const auto* e = std::get_if<MemberExpr>(&node)) {
      pointer = e->base;
    } else if (const auto* e = std::get_if<IndexExpr>(&node)) {
      pointer = e->base;
    } else if (const auto* e = std::get_if<GlobalPtrExpr>(&node)) {
      return e->id;
    } else {
      return std::nullopt;
    }
  }
}

// Finds the counted loops of each block, in order.
void CountedLoops::look_for_loops(Block block) {
  std::map<LocalId, ExprId> initial;
  for (const StmtId id : p_.block(block)) {
    const StmtNode& node = p_[id].node;
    if (const auto* var = std::get_if<VarStmt>(&node); var != nullptr && var->initial != kNoExpr) {
      initial[var->local] = var->initial;
    }
    if (const auto* let = std::get_if<LetStmt>(&node)) {
      rounds_[let->local].insert(around_.begin(), around_.end());
    }
    std::optional<CountedLoop> counted;
    if (const auto* loop = std::get_if<LoopStmt>(&node)) {
      counted = counted_loop(id, *loop, initial);
    }
    if (counted) {
      loops_[block.first].push_back(*counted);
      around_.push_back(counted->var);
    }
    for_each_block(p_, node, [&](Block inner) { look_for_loops(inner); });
    if (counted) around_.pop_back();
  }
}

std::optional<CountedLoop> CountedLoops::counted_loop(
    StmtId id, const LoopStmt& loop, const std::map<LocalId, ExprId>& initial) const {
  const auto body = p_.block(loop.body), continuing = p_.block(loop.continuing);
  if (loop.break_if != kNoExpr || body.empty() || continuing.size() != 1) return std::nullopt;
  const auto* test = std::get_if<IfStmt>(&p_[body[0]].node);
  const auto* step = std::get_if<StoreStmt>(&p_[continuing[0]].node);
  if (test == nullptr || test->otherwise.count != 0 || step == nullptr) return std::nullopt;
  const auto then = p_.block(test->then);
  const auto* var = local_var(step->pointer);
  if (then.size() != 1 || !std::holds_alternative<BreakStmt>(p_[then[0]].node) || var == nullptr) {
    return std::nullopt;
  }
  const auto begin = initial.find(var->id);
  const auto count = [&](const std::map<LocalId, std::size_t>& map) {
    const auto found = map.find(var->id);
    return found == map.end() ? std::size_t{0} : found->second;
  };
  // Only the loop's step may store to the variable.
  if (begin == initial.end() || count(stored_vars_) != 1 || count(named_vars_) != 1) {
    return std::nullopt;
  }
  return CountedLoop{.stmt = id,
                     .var = var->id,
                     .initial = begin->second,
                     .condition = test->condition,
                     .next = step->value,
                     .body = {loop.body.first + 1, loop.body.count - 1}};
}

// ---- Equal values

bool CountedLoops::same(ExprId a, ExprId b, LocalId first, LocalId second) const {
  std::size_t steps = 0;
  return same(a, b, first, second, steps);
}
bool CountedLoops::same(ExprId a, ExprId b, LocalId first, LocalId second,
                        std::size_t& steps) const {
  if (++steps > kMostSteps) return false;
  a = resolved(a);
  b = resolved(b);
  if (p_[a].type != p_[b].type || p_[a].node.index() != p_[b].node.index()) return false;
  if (const auto var = loaded_var(a)) {
    const auto other = loaded_var(b);
    if (*var == first) return other == second;
    return other == var && !stored_vars_.contains(*var) && !named_vars_.contains(*var);
  }
  if (const auto* load = std::get_if<LoadExpr>(&p_[a].node)) {
    const auto global = root_of(load->pointer);
    if (!global || !is_fixed(*global)) return false;
  }
  if (!same_node(a, b)) return false;
  std::vector<ExprId> left, right;
  for_each_operand(p_, p_[a].node, [&](ExprId operand) { left.push_back(operand); });
  for_each_operand(p_, p_[b].node, [&](ExprId operand) { right.push_back(operand); });
  return std::ranges::equal(left, right,
                            [&](ExprId x, ExprId y) { return same(x, y, first, second, steps); });
}
// What a let stands for, as far as that is the same wherever the let is named: not what it loaded
// before that changed.
ExprId CountedLoops::resolved(ExprId id) const {
  while (const auto* local = std::get_if<LocalExpr>(&p_[id].node)) {
    const auto let = lets_.find(local->id);
    if (let == lets_.end()) break;
    const std::set<LocalId>& rounds = rounds_.at(local->id);
    bool fixed = true;
    for_each_subexpr(p_, let->second, [&](ExprId e) {
      if (!std::holds_alternative<LoadExpr>(p_[e].node)) return;
      if (const auto var = loaded_var(e)) {
        fixed = fixed && (!named_vars_.contains(*var) || rounds.contains(*var));
        return;
      }
      const auto global = root_of(std::get<LoadExpr>(p_[e].node).pointer);
      fixed = fixed && global && is_fixed(*global);
    });
    if (!fixed) break;
    id = let->second;
  }
  return id;
}
bool CountedLoops::is_same_later(ExprId value, LocalId var) const {
  bool same_later = true;
  for_each_subexpr(p_, value, [&](ExprId e) {
    if (!std::holds_alternative<LoadExpr>(p_[e].node)) return;
    if (const auto loaded = loaded_var(e)) {
      same_later = same_later && (*loaded == var || !named_vars_.contains(*loaded));
      return;
    }
    const auto global = root_of(std::get<LoadExpr>(p_[e].node).pointer);
    same_later = same_later && global && is_fixed(*global);
  });
  return same_later;
}

// Buffers that nothing in the program writes.
bool CountedLoops::is_fixed(GlobalId global) const {
  const MemoryKind memory = p_[global].memory;
  return (memory == MemoryKind::storage || memory == MemoryKind::uniform) &&
         !written_.contains(global);
}
// Whether two nodes are the same operation, whatever their operands.
bool CountedLoops::same_node(ExprId a, ExprId b) const {
  return std::visit(
      Overloaded{
          [&](const ConstantExpr& x) {
            return p_[x.id].scalars == p_[std::get<ConstantExpr>(p_[b].node).id].scalars;
          },
          [&](const LocalExpr& x) { return x.id == std::get<LocalExpr>(p_[b].node).id; },
          [&](const GlobalPtrExpr& x) { return x.id == std::get<GlobalPtrExpr>(p_[b].node).id; },
          [&](const InvocationIdExpr& x) {
            return x.kind == std::get<InvocationIdExpr>(p_[b].node).kind;
          },
          [&](const MemberExpr& x) { return x.member == std::get<MemberExpr>(p_[b].node).member; },
          [&](const SwizzleExpr& x) {
            const auto& y = std::get<SwizzleExpr>(p_[b].node);
            return x.size == y.size && x.lanes == y.lanes;
          },
          [&](const UnaryExpr& x) { return x.op == std::get<UnaryExpr>(p_[b].node).op; },
          [&](const BinaryExpr& x) { return x.op == std::get<BinaryExpr>(p_[b].node).op; },
          [&](const MathExpr& x) { return x.fn == std::get<MathExpr>(p_[b].node).fn; },
          [](const OverrideExpr&) { return false; },
          [](const LocalPtrExpr&) { return false; },
          [](const auto&) { return true; },
      },
      p_[a].node);
}

}  // namespace vyre
