#include "vyre/plan/model/program_work.h"

#include <algorithm>
#include <set>

#include "vyre/ir/access/column_accesses.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

constexpr double kSectorBytes = 32;  // the unit of a GPU's memory accesses
// An atomic outweighs this many other operations.
constexpr double kBesideAtomics = 12;

// The work of one invocation; loops are counted once.
struct Work {
  double loaded = 0, stored = 0, operations = 0;
  double beside = 0;  // bytes loaded in vain in the same sectors, for loads at loaded indices
};

Work work_of(const Program& p) {
  Work out;
  const auto bytes = [&](TypeId type) { return 4.0 * double(p.types.scalar_count(type)); };
  const auto in_storage = [&](ExprId pointer) {
    const auto* type = p.types.get_if<PointerType>(p[pointer].type);
    return type != nullptr && type->memory == MemoryKind::storage;
  };
  // Whether the place depends on a loaded value.
  const auto is_indirect = [&](ExprId pointer) {
    bool found = false;
    for_each_subexpr(p, pointer, [&](ExprId e) {
      const auto* load = std::get_if<LoadExpr>(&p[e].node);
      found = found || (load != nullptr && in_storage(load->pointer));
    });
    return found;
  };
  for (const Function& f : p.functions) {
    for_each_stmt(p, f.body, [&](StmtId id) {
      if (const auto* s = std::get_if<StoreStmt>(&p[id].node); s != nullptr) {
        if (in_storage(s->pointer)) out.stored += bytes(p[s->value].type);
      }
      if (std::holds_alternative<AtomicStmt>(p[id].node)) out.operations += 8;
      for_each_expr(p, p[id].node, [&](ExprId root) {
        for_each_subexpr(p, root, [&](ExprId e) {
          const ExprNode& node = p[e].node;
          if (const auto* load = std::get_if<LoadExpr>(&node); load != nullptr) {
            if (!in_storage(load->pointer)) return;
            out.loaded += bytes(p[e].type);
            if (!is_indirect(load->pointer)) return;
            out.beside += std::max(0.0, kSectorBytes - bytes(p[e].type));
          } else if (std::holds_alternative<BinaryExpr>(node) ||
                     std::holds_alternative<UnaryExpr>(node)) {
            out.operations += 1;
          } else if (std::holds_alternative<MathExpr>(node)) {
            out.operations += 4;
          }
        });
      });
    });
  }
  return out;
}

// Whether a buffer is both read and written.
bool reads_what_it_writes(const Program& p) {
  std::vector<bool> read(p.globals.size()), written(p.globals.size());
  const auto note = [&](ExprId pointer, std::vector<bool>& in) {
    for_each_subexpr(p, pointer, [&](ExprId e) {
      const auto* global = std::get_if<GlobalPtrExpr>(&p[e].node);
      if (global == nullptr || p[global->id].memory != MemoryKind::storage) return;
      in[static_cast<std::size_t>(global->id)] = true;
    });
  };
  for (const Function& f : p.functions) {
    for_each_stmt(p, f.body, [&](StmtId id) {
      const auto* store = std::get_if<StoreStmt>(&p[id].node);
      if (store != nullptr) note(store->pointer, written);
      for_each_expr(p, p[id].node, [&](ExprId root) {
        for_each_subexpr(p, root, [&](ExprId e) {
          const auto* load = std::get_if<LoadExpr>(&p[e].node);
          if (load != nullptr) note(load->pointer, read);
        });
      });
    });
  }
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (read[i] && written[i]) return true;
  }
  return false;
}

// The locals whose values a function uses.
std::set<LocalId> used_in(const Program& p, const Function& f) {
  std::set<LocalId> out;
  for_each_stmt(p, f.body, [&](StmtId id) {
    for_each_expr(p, p[id].node, [&](ExprId root) {
      for_each_subexpr(p, root, [&](ExprId e) {
        if (const auto* local = std::get_if<LocalExpr>(&p[e].node)) out.insert(local->id);
      });
    });
  });
  return out;
}

// Whether the loops, or the whole program if it has none, do little but atomics. On the host, those
// whose results nothing uses do not count: they are made for all lanes of a gang at once.
bool does_atomics_most(const Program& p, TargetKind kind) {
  double atomics = 0, others = 0;
  bool has_loops = false;
  const auto count = [&](const std::set<LocalId>& used, Block block) {
    for_each_stmt(p, block, [&](StmtId id) {
      const auto* atomic = std::get_if<AtomicStmt>(&p[id].node);
      if (atomic != nullptr && (kind != TargetKind::host || used.contains(atomic->result))) {
        atomics += 1;
      }
      for_each_expr(p, p[id].node, [&](ExprId root) {
        for_each_subexpr(p, root, [&](ExprId e) {
          const ExprNode& node = p[e].node;
          if (std::holds_alternative<BinaryExpr>(node)) others += 1;
          if (std::holds_alternative<MathExpr>(node)) others += 4;
        });
      });
    });
  };
  for (const Function& f : p.functions) {
    const std::set<LocalId> used = used_in(p, f);
    for_each_stmt(p, f.body, [&](StmtId id) {
      const auto* loop = std::get_if<LoopStmt>(&p[id].node);
      if (loop == nullptr) return;
      has_loops = true;
      count(used, loop->body);
    });
  }
  if (!has_loops) {
    for (const Function& f : p.functions) count(used_in(p, f), f.body);
  }
  return atomics > 0 && others <= kBesideAtomics * atomics;
}

}  // namespace

CostFacts cost_facts_of(const Kernel& kernel, TargetKind kind, const Extent& extent,
                        double bound_bytes) {
  const Work work = work_of(*kernel.program);
  CostFacts out;
  out.kind = kind;
  out.extent = extent;
  out.loaded_bytes = work.loaded;
  if (kind != TargetKind::host) out.loaded_bytes += work.beside;
  out.stored_bytes = work.stored;
  out.column_bytes = column_bytes_of(*kernel.program);
  const LaneRows rows = lane_rows_of(*kernel.program);
  out.rows_loaded = rows.loaded;
  out.rows_stored = rows.stored;
  out.operations = work.operations;
  out.traffic_bytes = kernel.stats.loops != 0 || work.beside > 0 ? 0 : bound_bytes;
  out.loops = kernel.stats.loops != 0;
  out.atomics = kernel.stats.atomics != 0 && does_atomics_most(*kernel.program, kind);
  out.pointwise = kernel.stats.pointwise;
  out.scattered = work.beside > 0;
  out.in_place = !out.pointwise && reads_what_it_writes(*kernel.program);
  out.shared_bytes = kernel.stats.workgroup_bytes;
  return out;
}

}  // namespace vyre
