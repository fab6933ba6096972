#include "vyre/ir/stats.h"

#include <algorithm>
#include <vector>

#include "vyre/base/arithmetic.h"
#include "vyre/ir/access/accesses.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

bool is_shared_memory(MemoryKind memory) {
  return memory == MemoryKind::storage || memory == MemoryKind::uniform ||
         memory == MemoryKind::workgroup;
}

void add_counts(Stats& to, const Stats& from) {
  for (auto count : {&Stats::nodes, &Stats::loads, &Stats::stores, &Stats::atomics,
                     &Stats::barriers, &Stats::calls, &Stats::loops, &Stats::subgroup_operations}) {
    to.*count = saturating_add(to.*count, from.*count);
  }
}

class Walk {
 public:
  explicit Walk(const Program& program)
      : program_(program),
        of_function_(program.functions.size()),
        global_used_(program.globals.size(), false) {}

  Stats run() {
    // Callees come before callers, so each one's counts are ready when it is called.
    const std::vector<bool> reached = functions_reached(program_);
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      if (reached[i]) of_function_[i] = count(program_.functions[i]);
    }
    Stats out = of_function_[static_cast<std::size_t>(program_.entry)];
    out.uses_global_id = ids_[InvocationIdKind::global_invocation];
    out.uses_local_id = ids_[InvocationIdKind::local_invocation] || local_indices_ > subgroup_ids_;
    out.uses_subgroup_id = subgroup_ids_ != 0;
    out.uses_workgroup_id = ids_[InvocationIdKind::workgroup];
    out.uses_workgroup_count = ids_[InvocationIdKind::workgroup_count];
    out.has_effects = has_effects_;
    out.workgroup_bytes = workgroup_bytes();
    out.pointwise = is_pointwise(program_);
    return out;
  }

 private:
  struct IdSet {
    bool used[5] = {};
    bool& operator[](InvocationIdKind kind) { return used[static_cast<std::size_t>(kind)]; }
  };

  MemoryKind memory_of(ExprId pointer) const {
    const auto* type = program_.types.get_if<PointerType>(program_[pointer].type);
    return type != nullptr ? type->memory : MemoryKind::function;
  }

  Stats count(const Function& function) {
    Stats out;
    for_each_stmt(program_, function.body, [&](StmtId id) {
      ++out.nodes;
      count_stmt(program_[id].node, out);
      for_each_expr(program_, program_[id].node, [&](ExprId root) {
        for_each_subexpr(program_, root, [&](ExprId expr) { count_expr(program_[expr], out); });
      });
    });
    return out;
  }

  void count_expr(const Expr& expr, Stats& out) {
    out.nodes = saturating_add(out.nodes, 1U);
    if (const auto* e = std::get_if<LoadExpr>(&expr.node)) {
      if (is_shared_memory(memory_of(e->pointer))) ++out.loads;
    } else if (const auto* e = std::get_if<InvocationIdExpr>(&expr.node)) {
      ids_[e->kind] = true;
      if (e->kind == InvocationIdKind::local_invocation_index) ++local_indices_;
    } else if (is_subgroup_id(expr)) {
      ++subgroup_ids_;
    } else if (const auto* e = std::get_if<GlobalPtrExpr>(&expr.node)) {
      global_used_[static_cast<std::size_t>(e->id)] = true;
    }
  }

  // local_invocation_index & 31, or local_invocation_index >> 5.
  bool is_subgroup_id(const Expr& expr) const {
    const auto* e = std::get_if<BinaryExpr>(&expr.node);
    if (e == nullptr || (e->op != BinaryOp::bit_and && e->op != BinaryOp::shift_right)) {
      return false;
    }
    const auto* id = std::get_if<InvocationIdExpr>(&program_[e->left].node);
    const auto* by = std::get_if<ConstantExpr>(&program_[e->right].node);
    return id != nullptr && id->kind == InvocationIdKind::local_invocation_index && by != nullptr &&
           program_[by->id].scalars[0] == (e->op == BinaryOp::bit_and ? 31 : 5);
  }

  void count_stmt(const StmtNode& node, Stats& out) {
    if (const auto* s = std::get_if<StoreStmt>(&node)) {
      if (is_shared_memory(memory_of(s->pointer))) ++out.stores;
      has_effects_ = has_effects_ || memory_of(s->pointer) == MemoryKind::storage;
    } else if (const auto* s = std::get_if<AtomicStmt>(&node)) {
      ++out.atomics;
      const bool changes = s->op != AtomicOp::load;
      has_effects_ = has_effects_ || (changes && memory_of(s->pointer) == MemoryKind::storage);
    } else if (std::holds_alternative<BarrierStmt>(node)) {
      ++out.barriers;
    } else if (std::holds_alternative<UniformLoadStmt>(node)) {
      ++out.barriers;
      ++out.loads;
    } else if (std::holds_alternative<SubgroupStmt>(node)) {
      ++out.subgroup_operations;
    } else if (std::holds_alternative<LoopStmt>(node)) {
      ++out.loops;
    } else if (const auto* s = std::get_if<CallStmt>(&node)) {
      ++out.calls;
      add_counts(out, of_function_[static_cast<std::size_t>(s->callee)]);
    }
  }

  std::uint64_t workgroup_bytes() const {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < program_.globals.size(); ++i) {
      const Global& g = program_.globals[i];
      if (!global_used_[i] || g.memory != MemoryKind::workgroup) continue;
      const Layout& layout = program_.types.layout(g.type);
      bytes = saturating_add(bytes, (layout.align - bytes % layout.align) % layout.align);
      bytes = saturating_add(bytes, layout.size);
    }
    return bytes;
  }

  const Program& program_;
  std::vector<Stats> of_function_;
  std::vector<bool> global_used_;
  IdSet ids_;
  std::size_t local_indices_ = 0, subgroup_ids_ = 0;  // expressions
  bool has_effects_ = false;
};

}  // namespace

Stats stats(const Program& program) { return Walk(program).run(); }

}  // namespace vyre
