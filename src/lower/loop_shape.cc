#include <algorithm>
#include <map>
#include <optional>
#include <vector>

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

// v = v + 1 (or - 1).
bool steps_by_one(const Program& p, StmtId id, LocalId v, BinaryOp step) {
  const auto* store = std::get_if<StoreStmt>(&p[id].node);
  if (store == nullptr) return false;
  const auto* to = as<LocalPtrExpr>(p, store->pointer);
  const auto* sum = as<BinaryExpr>(p, store->value);
  return to != nullptr && to->id == v && sum != nullptr && sum->op == step &&
         loaded_var(p, sum->left) == v && is_one(p, sum->right);
}

bool has_continue(const Program& p, Block block) {
  bool found = false;
  for_each_stmt(p, block, [&](StmtId id) {
    found = found || std::get_if<ContinueStmt>(&p[id].node) != nullptr;
  });
  return found;
}

// The step stands where every iteration that goes on passes: in the continuing block, or in the
// body itself where nothing skips it.
bool always_steps(const Program& p, const LoopStmt& loop, LocalId v, BinaryOp step) {
  const auto in = [&](Block block) {
    return std::ranges::any_of(p.block(block),
                               [&](StmtId id) { return steps_by_one(p, id, v, step); });
  };
  return in(loop.continuing) || (in(loop.body) && !has_continue(p, loop.body));
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

bool ends_by(const Program& p, const LoopStmt& loop, const Unchanged& unchanged, ExprId condition) {
  const auto* test = as<BinaryExpr>(p, condition);
  if (test == nullptr) return false;
  // v < bound going up, v > bound going down; or written the other way round.
  const auto counts = [&](ExprId var, ExprId bound, BinaryOp step) {
    const auto v = loaded_var(p, var);
    return v && unchanged.named(*v) == 1 && always_steps(p, loop, *v, step) && unchanged(bound);
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

bool is_counted(const Program& p, const LoopStmt& loop) {
  const ExprId condition = condition_of(p, loop);
  return condition != kNoExpr && ends_by(p, loop, Unchanged(p, loop), condition);
}

std::optional<std::uint32_t> constant_of(const Program& p, ExprId id) {
  const auto* c = as<ConstantExpr>(p, id);
  const bool is_u32 = p.types.scalar_kind(p[id].type) == ScalarKind::u32;
  if (c == nullptr || !is_u32 || p[c->id].scalars.size() != 1) return std::nullopt;
  return static_cast<std::uint32_t>(p[c->id].scalars[0]);
}

std::optional<std::uint32_t> stepped(BinaryOp op, std::uint32_t v, std::uint32_t by) {
  switch (op) {
    case BinaryOp::add: return v + by;
    case BinaryOp::sub: return v - by;
    case BinaryOp::mul: return v * by;
    case BinaryOp::div: return by == 0 ? v : v / by;
    case BinaryOp::shift_left: return v << (by & 31U);
    case BinaryOp::shift_right: return v >> (by & 31U);
    default: return std::nullopt;
  }
}

std::optional<bool> compared(BinaryOp op, std::uint32_t v, std::uint32_t bound) {
  switch (op) {
    case BinaryOp::less: return v < bound;
    case BinaryOp::less_equal: return v <= bound;
    case BinaryOp::greater: return v > bound;
    case BinaryOp::greater_equal: return v >= bound;
    case BinaryOp::not_equal: return v != bound;
    default: return std::nullopt;
  }
}

// What a function does with its vars.
struct VarUse {
  std::size_t named = 0;                 // other than to load it
  std::optional<std::uint32_t> initial;  // the constant it is declared with
};
using VarUses = std::map<LocalId, VarUse>;

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
    for_each_expr(p, p[id].node, [&](ExprId e) { note(note, e); });
  });
  return out;
}

// All of it is told by constants, and it ends soon: `for (var i = 1u; i < 256; i *= 2)`.
bool is_short(const Program& p, const VarUses& vars, const LoopStmt& loop) {
  constexpr std::uint32_t kFew = 1024;
  const ExprId condition = condition_of(p, loop);
  const auto* test = condition == kNoExpr ? nullptr : as<BinaryExpr>(p, condition);
  if (test == nullptr) return false;
  const auto v = loaded_var(p, test->left);
  const auto bound = constant_of(p, test->right);
  const auto steps = p.block(loop.continuing);
  if (!v || !bound || steps.size() != 1) return false;
  const auto* store = std::get_if<StoreStmt>(&p[steps[0]].node);
  const auto* to = store == nullptr ? nullptr : as<LocalPtrExpr>(p, store->pointer);
  const auto* step = store == nullptr ? nullptr : as<BinaryExpr>(p, store->value);
  if (to == nullptr || to->id != *v || step == nullptr || loaded_var(p, step->left) != v) {
    return false;
  }
  const auto by = constant_of(p, step->right);
  const auto use = vars.find(*v);
  // The step is the one statement that changes it.
  if (!by || use == vars.end() || use->second.named != 1) return false;
  auto value = use->second.initial;
  for (std::uint32_t i = 0; value && i <= kFew; ++i) {
    const auto goes_on = compared(test->op, *value, *bound);
    if (!goes_on) return false;
    if (!*goes_on) return true;
    value = stepped(step->op, *value, *by);
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
          const bool is_brief = is_short(program, vars, *loop);
          shapes_[id] = {is_brief || is_counted(program, *loop), !inside,
                         condition_of(program, *loop)};
          inside = inside || !is_brief;
        }
        found = found || inside;
      }
      return found;
    };
    function_has_long.push_back(has_long(has_long, function.body));
  }
}

}  // namespace vyre
