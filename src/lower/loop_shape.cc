#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "vyre/base/overloaded.h"
#include "vyre/ir/walk.h"
#include "vyre/lower/loop_shape_internal.h"

namespace vyre {
namespace {

template <class T>
const T* as(const Program& p, ExprId id) {
  return std::get_if<T>(&p[id].node);
}

// The var that an expression loads.
std::optional<LocalId> loaded_var(const Program& p, ExprId id) {
  const auto* load = as<LoadExpr>(p, id);
  if (load == nullptr) return std::nullopt;
  const auto* var = as<LocalPtrExpr>(p, load->pointer);
  return var == nullptr ? std::nullopt : std::optional(var->id);
}

// `if !(condition) { break }` as the first statement.
ExprId condition_of(const Program& p, const LoopStmt& loop) {
  const auto body = p.block(loop.body);
  if (body.empty()) return kNoExpr;
  const auto* test = std::get_if<IfStmt>(&p[body[0]].node);
  if (test == nullptr || test->otherwise.count != 0) return kNoExpr;
  const auto* no = as<UnaryExpr>(p, test->condition);
  const auto statements = p.block(test->then);
  const bool leaves =
      statements.size() == 1 && std::get_if<BreakStmt>(&p[statements[0]].node) != nullptr;
  return no != nullptr && no->op == UnaryOp::logical_not && leaves ? no->operand : kNoExpr;
}

bool is_one(const Program& p, ExprId id) {
  const auto* c = as<ConstantExpr>(p, id);
  return c != nullptr && p[c->id].scalars.size() == 1 && p[c->id].scalars[0] == 1;
}

// v = v + by, or v = v - by.
struct Step {
  BinaryOp op;
  ExprId by;
};

std::optional<Step> step_in(const Program& p, StmtId id, LocalId v) {
  const auto* store = std::get_if<StoreStmt>(&p[id].node);
  if (store == nullptr) return std::nullopt;
  const auto* to = as<LocalPtrExpr>(p, store->pointer);
  const auto* sum = as<BinaryExpr>(p, store->value);
  if (to == nullptr || to->id != v || sum == nullptr) return std::nullopt;
  if (sum->op != BinaryOp::add && sum->op != BinaryOp::sub) return std::nullopt;
  if (loaded_var(p, sum->left) == v) return Step{sum->op, sum->right};
  if (sum->op == BinaryOp::add && loaded_var(p, sum->right) == v) return Step{sum->op, sum->left};
  return std::nullopt;
}

bool has_continue(const Program& p, Block block) {
  bool found = false;
  for_each_stmt(p, block, [&](StmtId id) {
    found = found || std::get_if<ContinueStmt>(&p[id].node) != nullptr;
  });
  return found;
}

// The step that every completed iteration executes: it is in the continuing block, or in the body
// where no jump skips it.
std::optional<Step> step_of(const Program& p, const LoopStmt& loop, LocalId v) {
  const auto in = [&](Block block) -> std::optional<Step> {
    for (const StmtId id : p.block(block)) {
      if (const auto step = step_in(p, id, v)) return step;
    }
    return std::nullopt;
  };
  if (const auto step = in(loop.continuing)) return step;
  return has_continue(p, loop.body) ? std::nullopt : in(loop.body);
}

// How a function uses a var.
struct VarUse {
  std::size_t named = 0;                 // other than to load it
  std::size_t stored = 0;                // of these, as what a store writes to
  std::optional<std::uint32_t> initial;  // the constant it is declared with
  // No pointer to it exists, so every change names it.
  bool is_plain() const { return named == stored; }
};
using VarUses = std::map<LocalId, VarUse>;

// The local that a statement declares or gives a value.
std::optional<LocalId> local_made_by(const StmtNode& node) {
  const LocalId local = std::visit(Overloaded{
                                       [](const LetStmt& s) { return s.local; },
                                       [](const VarStmt& s) { return s.local; },
                                       [](const CallStmt& s) { return s.result; },
                                       [](const AtomicStmt& s) { return s.result; },
                                       [](const UniformLoadStmt& s) { return s.result; },
                                       [](const SubgroupStmt& s) { return s.result; },
                                       [](const auto&) { return kNoLocal; },
                                   },
                                   node);
  return local == kNoLocal ? std::nullopt : std::optional(local);
}

// Recognises expressions that do not change during the loop: lets, parameters, constants, lengths,
// ids, read-only buffers, and vars that the loop only loads.
class Unchanged {
 public:
  Unchanged(const Program& p, const VarUses& vars, const LoopStmt& loop) : p_(p), vars_(vars) {
    for (const Block block : {loop.body, loop.continuing}) {
      for_each_stmt(p, block, [&](StmtId id) {
        if (const auto made = local_made_by(p[id].node)) made_inside_.insert(*made);
        for_each_expr(p, p[id].node, [&](ExprId e) { note(e); });
      });
    }
  }
  // How often the loop names the var other than to load it.
  std::size_t named(LocalId var) const {
    const auto found = named_.find(var);
    return found == named_.end() ? 0 : found->second;
  }
  // The loop has one use of the var that is not a load, and nothing else changes it.
  bool changed_once(LocalId var) const { return named(var) == 1 && is_plain(var); }
  bool operator()(ExprId id) const {
    if (const auto var = loaded_var(p_, id)) {
      return named(*var) == 0 && is_plain(*var) && !made_inside_.contains(*var);
    }
    if (const auto* local = as<LocalExpr>(p_, id)) return !made_inside_.contains(local->id);
    if (const auto* load = as<LoadExpr>(p_, id)) {
      const auto* global = as<GlobalPtrExpr>(p_, root_of(load->pointer));
      if (global == nullptr) return false;
      const Global& g = p_[global->id];
      const bool constant = g.memory == MemoryKind::uniform ||
                            (g.memory == MemoryKind::storage && g.access == Access::read);
      if (!constant) return false;
    }
    bool same = true;
    for_each_operand(p_, p_[id].node, [&](ExprId operand) { same = same && (*this)(operand); });
    return same;
  }

 private:
  bool is_plain(LocalId var) const {
    const auto found = vars_.find(var);
    return found == vars_.end() || found->second.is_plain();
  }
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
  const VarUses& vars_;
  std::map<LocalId, std::size_t> named_;
  std::set<LocalId> made_inside_;
};

bool ends_by(const Program& p, const LoopStmt& loop, const Unchanged& unchanged, ExprId condition) {
  const auto* test = as<BinaryExpr>(p, condition);
  if (test == nullptr) return false;
  // v < bound going up, v > bound going down; or written the other way round.
  const auto counts = [&](ExprId var, ExprId bound, BinaryOp step) {
    const auto v = loaded_var(p, var);
    if (!v || !unchanged.changed_once(*v) || !unchanged(bound)) return false;
    const auto found = step_of(p, loop, *v);
    return found && found->op == step && is_one(p, found->by);
  };
  switch (test->op) {
    case BinaryOp::logical_and:
    case BinaryOp::bit_and:
      return ends_by(p, loop, unchanged, test->left) || ends_by(p, loop, unchanged, test->right);
    case BinaryOp::less:
      return counts(test->left, test->right, BinaryOp::add) ||
             counts(test->right, test->left, BinaryOp::sub);
    case BinaryOp::greater:
      return counts(test->left, test->right, BinaryOp::sub) ||
             counts(test->right, test->left, BinaryOp::add);
    default: return false;
  }
}

// The bits of an integer constant.
std::optional<std::uint32_t> constant_of(const Program& p, ExprId id) {
  const auto* c = as<ConstantExpr>(p, id);
  const auto kind = p.types.scalar_kind(p[id].type);
  if (c == nullptr || !kind || !is_integer(*kind) || p[c->id].scalars.size() != 1) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(p[c->id].scalars[0]);
}

std::optional<LoopSteps> steps_of(const Program& p, const LoopStmt& loop,
                                  const Unchanged& unchanged, ExprId condition) {
  const auto* test = condition == kNoExpr ? nullptr : as<BinaryExpr>(p, condition);
  if (test == nullptr) return std::nullopt;
  const bool up_if_left = test->op == BinaryOp::less || test->op == BinaryOp::less_equal;
  const bool down_if_left = test->op == BinaryOp::greater || test->op == BinaryOp::greater_equal;
  if (!up_if_left && !down_if_left) return std::nullopt;
  const auto in = [&](ExprId var, ExprId bound, bool down) -> std::optional<LoopSteps> {
    const auto v = loaded_var(p, var);
    const auto kind = p.types.scalar_kind(p[var].type);
    if (!v || !kind || !is_integer(*kind) || !unchanged.changed_once(*v) || !unchanged(bound)) {
      return std::nullopt;
    }
    const auto step = step_of(p, loop, *v);
    if (!step || (step->op == BinaryOp::sub) != down || !unchanged(step->by)) return std::nullopt;
    if (*kind == ScalarKind::i32) {
      const auto by = constant_of(p, step->by);
      if (!by || *by == 0 || *by > 0x7FFFFFFFU) return std::nullopt;
    }
    const bool inclusive = test->op == BinaryOp::less_equal || test->op == BinaryOp::greater_equal;
    return LoopSteps{*v, bound, step->by, down, inclusive};
  };
  if (const auto steps = in(test->left, test->right, down_if_left)) return steps;
  return in(test->right, test->left, up_if_left);
}

std::optional<std::uint32_t> stepped(BinaryOp op, bool is_signed, std::uint32_t v,
                                     std::uint32_t by) {
  switch (op) {
    case BinaryOp::add: return v + by;
    case BinaryOp::sub: return v - by;
    case BinaryOp::mul: return v * by;
    case BinaryOp::shift_left: return v << (by & 31U);
    default: break;
  }
  if (is_signed) return std::nullopt;
  switch (op) {
    case BinaryOp::div: return by == 0 ? v : v / by;
    case BinaryOp::shift_right: return v >> (by & 31U);
    default: return std::nullopt;
  }
}

std::optional<bool> compared(BinaryOp op, bool is_signed, std::uint32_t v, std::uint32_t bound) {
  if (is_signed) {  // in the order of signed numbers
    v ^= 0x80000000U;
    bound ^= 0x80000000U;
  }
  switch (op) {
    case BinaryOp::less: return v < bound;
    case BinaryOp::less_equal: return v <= bound;
    case BinaryOp::greater: return v > bound;
    case BinaryOp::greater_equal: return v >= bound;
    case BinaryOp::not_equal: return v != bound;
    default: return std::nullopt;
  }
}

VarUses uses_in(const Program& p, const Function& function) {
  VarUses out;
  const auto note = [&](auto& self, ExprId id) -> void {
    if (loaded_var(p, id)) return;
    if (const auto* var = as<LocalPtrExpr>(p, id)) ++out[var->id].named;
    for_each_operand(p, p[id].node, [&](ExprId operand) { self(self, operand); });
  };
  for_each_stmt(p, function.body, [&](StmtId id) {
    const auto* var = std::get_if<VarStmt>(&p[id].node);
    if (var != nullptr && var->initial != kNoExpr) {
      out[var->local].initial = constant_of(p, var->initial);
    }
    if (const auto* store = std::get_if<StoreStmt>(&p[id].node)) {
      if (const auto* to = as<LocalPtrExpr>(p, store->pointer)) ++out[to->id].stored;
    }
    for_each_expr(p, p[id].node, [&](ExprId e) { note(note, e); });
  });
  return out;
}

// The number of rounds of a loop that is determined by constants and ends soon: `for (var i = 1u; i
// < 256; i *= 2)`.
std::optional<std::uint32_t> short_rounds(const Program& p, const VarUses& vars,
                                          const LoopStmt& loop) {
  constexpr std::uint32_t kFew = 1024;
  const ExprId condition = condition_of(p, loop);
  const auto* test = condition == kNoExpr ? nullptr : as<BinaryExpr>(p, condition);
  if (test == nullptr) return std::nullopt;
  const auto v = loaded_var(p, test->left);
  const auto bound = constant_of(p, test->right);
  const auto steps = p.block(loop.continuing);
  if (!v || !bound || steps.size() != 1) return std::nullopt;
  const auto* store = std::get_if<StoreStmt>(&p[steps[0]].node);
  const auto* to = store == nullptr ? nullptr : as<LocalPtrExpr>(p, store->pointer);
  const auto* step = store == nullptr ? nullptr : as<BinaryExpr>(p, store->value);
  if (to == nullptr || to->id != *v || step == nullptr || loaded_var(p, step->left) != v) {
    return std::nullopt;
  }
  const auto by = constant_of(p, step->right);
  const auto use = vars.find(*v);
  // The step is the one statement that changes it.
  if (!by || use == vars.end() || use->second.named != 1) return std::nullopt;
  const bool is_signed = p.types.scalar_kind(p[test->left].type) == ScalarKind::i32;
  auto value = use->second.initial;
  for (std::uint32_t i = 0; value && i <= kFew; ++i) {
    const auto goes_on = compared(test->op, is_signed, *value, *bound);
    if (!goes_on) return std::nullopt;
    if (!*goes_on) return i;
    value = stepped(step->op, is_signed, *value, *by);
  }
  return std::nullopt;
}

// `for (var i = n; i > 0; i /= 2)`, of unsigned numbers: at most 32 rounds, wherever it begins.
bool shrinks_to_its_end(const Program& p, const LoopStmt& loop, const Unchanged& unchanged) {
  const ExprId condition = condition_of(p, loop);
  const auto* test = condition == kNoExpr ? nullptr : as<BinaryExpr>(p, condition);
  const auto v = test == nullptr ? std::nullopt : loaded_var(p, test->left);
  const auto bound = v ? constant_of(p, test->right) : std::nullopt;
  if (!bound || p.types.scalar_kind(p[test->left].type) != ScalarKind::u32) return false;
  const bool ends_at_zero = test->op == BinaryOp::greater ||
                            (test->op == BinaryOp::greater_equal && *bound != 0) ||
                            (test->op == BinaryOp::not_equal && *bound == 0);
  if (!ends_at_zero || !unchanged.changed_once(*v)) return false;
  return std::ranges::any_of(p.block(loop.continuing), [&](StmtId id) {
    const auto* store = std::get_if<StoreStmt>(&p[id].node);
    const auto* to = store == nullptr ? nullptr : as<LocalPtrExpr>(p, store->pointer);
    const auto* step = store == nullptr ? nullptr : as<BinaryExpr>(p, store->value);
    if (to == nullptr || to->id != *v || step == nullptr || loaded_var(p, step->left) != v) {
      return false;
    }
    const auto by = constant_of(p, step->right);
    return by && ((step->op == BinaryOp::div && *by > 1) ||
                  (step->op == BinaryOp::shift_right && (*by & 31U) != 0));
  });
}

// The variable of the condition is declared in the block that contains the loop, before the loop,
// so it has its initial value whenever the loop begins.
bool begins_anew(const Program& p, Block block, StmtId loop, ExprId condition) {
  const auto* test = as<BinaryExpr>(p, condition);
  const auto v = test == nullptr ? std::nullopt : loaded_var(p, test->left);
  for (const StmtId id : p.block(block)) {
    if (id == loop) return false;
    const auto* var = std::get_if<VarStmt>(&p[id].node);
    if (var != nullptr && var->local == v) return true;
  }
  return false;
}

}  // namespace

LoopShapes::LoopShapes(const Program& program) {
  std::vector<bool> function_has_long;  // callees come before callers
  for (const Function& function : program.functions) {
    const VarUses vars = uses_in(program, function);
    const auto has_long = [&](auto& self, Block block) -> bool {
      bool found = false;
      for (const StmtId id : program.block(block)) {
        const StmtNode& node = program[id].node;
        bool inside = false;
        for_each_block(program, node, [&](Block inner) { inside = self(self, inner) || inside; });
        if (const auto* call = std::get_if<CallStmt>(&node)) {
          inside = function_has_long[static_cast<std::size_t>(call->callee)];
        }
        if (const auto* loop = std::get_if<LoopStmt>(&node)) {
          const auto rounds = short_rounds(program, vars, *loop);
          const ExprId condition = condition_of(program, *loop);
          const Unchanged unchanged(program, vars, *loop);
          const bool few = rounds || shrinks_to_its_end(program, *loop, unchanged);
          const bool ends = condition != kNoExpr && ends_by(program, *loop, unchanged, condition);
          shapes_[id] = {
              few || ends, !inside, condition, steps_of(program, *loop, unchanged, condition), {}};
          if (rounds && begins_anew(program, block, id, condition)) shapes_[id].rounds = rounds;
          inside = inside || !few;
        }
        found = found || inside;
      }
      return found;
    };
    function_has_long.push_back(has_long(has_long, function.body));
  }
}

}  // namespace vyre
