#include "vyre/frontier/legality.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "vyre/ir/fold_constants.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

// What is known of a value: it is a parameter of the outermost function, or a pointer to a global
// or an element of it.
struct Known {
  enum class Kind : std::uint8_t { other, parameter, pointer, local_pointer };
  Kind kind = Kind::other;
  std::uint32_t parameter = FunctionAccess::kAnywhere;  // or the one that is a pointer's index
  GlobalId global{};
  bool indexed = false;
};

class Collector {
 public:
  Collector(const Program& program, FunctionId function) : p_(program), outermost_(function) {}

  Result<std::vector<FunctionAccess>> take() {
    const Function& f = p_[outermost_];
    std::vector<Known> arguments(f.parameters);
    for (std::uint32_t i = 0; i < f.parameters; ++i) {
      arguments[i] = {.kind = Known::Kind::parameter, .parameter = i};
    }
    VYRE_CHECK(walk(outermost_, arguments));
    return std::move(out_);
  }

 private:
  using Locals = std::vector<Known>;
  static constexpr std::size_t kMostCalls = 100'000;

  std::unexpected<Error> refused(SourcePos pos, const std::string& what,
                                 std::string fix = {}) const {
    return fail(Code::invalid_input,
                locate(p_, pos, fmt::format("'{}' {}", p_[outermost_].name, what)), std::move(fix));
  }

  Known value(ExprId id, const Locals& locals) const {
    const Expr& e = p_[id];
    if (const auto* local = std::get_if<LocalExpr>(&e.node)) {
      return locals[static_cast<std::size_t>(local->id)];
    }
    if (std::holds_alternative<LocalPtrExpr>(e.node)) {
      return {.kind = Known::Kind::local_pointer};
    }
    if (const auto* global = std::get_if<GlobalPtrExpr>(&e.node)) {
      return {.kind = Known::Kind::pointer, .global = global->id};
    }
    if (const auto* member = std::get_if<MemberExpr>(&e.node)) {
      return pointer_or_other(member->base, locals);
    }
    if (const auto* index = std::get_if<IndexExpr>(&e.node)) {
      Known base = pointer_or_other(index->base, locals);
      if (base.kind != Known::Kind::pointer || base.indexed) return base;
      base.indexed = true;
      const Known at = value(index->index, locals);
      if (at.kind == Known::Kind::parameter) base.parameter = at.parameter;
      return base;
    }
    return {};
  }
  Known pointer_or_other(ExprId id, const Locals& locals) const {
    const Known base = value(id, locals);
    const bool pointer =
        base.kind == Known::Kind::pointer || base.kind == Known::Kind::local_pointer;
    return pointer ? base : Known{};
  }

  Result<void> access(ExprId pointer, const Locals& locals, bool writes, bool atomic,
                      SourcePos pos) {
    const Known at = value(pointer, locals);
    if (at.kind == Known::Kind::local_pointer) return {};
    if (at.kind != Known::Kind::pointer) {
      return refused(pos, "accesses memory through a pointer that is not followed here");
    }
    const Global& g = p_[at.global];
    if (g.memory == MemoryKind::uniform) return {};
    if (g.memory != MemoryKind::storage) {
      return refused(pos,
                     fmt::format("uses '{}', which is not a storage or uniform variable", g.name),
                     "keep the state of vertices and edges in storage buffers");
    }
    out_.push_back({.global = at.global,
                    .element = at.indexed ? at.parameter : FunctionAccess::kAnywhere,
                    .writes = writes,
                    .atomic = atomic,
                    .pos = pos});
    return {};
  }

  Result<void> reads_of(ExprId root, const Locals& locals, SourcePos pos) {
    Result<void> result;
    for_each_subexpr(p_, root, [&](ExprId id) {
      if (!result) return;
      const Expr& e = p_[id];
      const SourcePos at = e.pos.line != 0 ? e.pos : pos;
      if (const auto* load = std::get_if<LoadExpr>(&e.node)) {
        result = access(load->pointer, locals, false, false, at);
      } else if (std::holds_alternative<InvocationIdExpr>(e.node)) {
        result =
            refused(at, "uses the id of an invocation, which has no meaning in a graph program");
      }
    });
    return result;
  }

  Result<void> statement(StmtId id, Locals& locals) {
    const Stmt& s = p_[id];
    Result<void> result;
    for_each_expr(p_, s.node, [&](ExprId e) {
      if (result) result = reads_of(e, locals, s.pos);
    });
    if (!result) return result;
    if (const auto* let = std::get_if<LetStmt>(&s.node)) {
      locals[static_cast<std::size_t>(let->local)] = value(let->value, locals);
    } else if (const auto* store = std::get_if<StoreStmt>(&s.node)) {
      return access(store->pointer, locals, true, false, s.pos);
    } else if (const auto* atomic = std::get_if<AtomicStmt>(&s.node)) {
      return access(atomic->pointer, locals, atomic->op != AtomicOp::load, true, s.pos);
    } else if (std::holds_alternative<BarrierStmt>(s.node) ||
               std::holds_alternative<UniformLoadStmt>(s.node)) {
      return refused(s.pos, "has a barrier; the functions of a graph program run one by one");
    } else if (std::holds_alternative<SubgroupStmt>(s.node)) {
      return refused(s.pos, "uses a subgroup; the functions of a graph program run one by one");
    } else if (const auto* call = std::get_if<CallStmt>(&s.node)) {
      std::vector<Known> arguments;
      for (const ExprId e : p_.list(call->arguments)) arguments.push_back(value(e, locals));
      return walk(call->callee, arguments);
    }
    return {};
  }

  Result<void> walk(FunctionId id, std::span<const Known> arguments) {
    if (++calls_ > kMostCalls) return refused(p_[id].pos, "calls too many functions to be checked");
    const Function& f = p_[id];
    Locals locals(f.locals.size());
    std::ranges::copy(arguments, locals.begin());
    Result<void> result;
    for_each_stmt(p_, f.body, [&](StmtId s) {
      if (result) result = statement(s, locals);
    });
    return result;
  }

  const Program& p_;
  FunctionId outermost_;
  std::size_t calls_ = 0;
  std::vector<FunctionAccess> out_;
};

std::unexpected<Error> refuse(const Program& p, FunctionId function, const FunctionAccess& a,
                              std::string_view what, std::string fix) {
  return fail(
      Code::invalid_input,
      locate(p, a.pos, fmt::format("'{}' {} '{}'", p[function].name, what, p[a.global].name)),
      std::move(fix));
}

Result<void> check_edges(const Program& p, FunctionId function) {
  VYRE_TRY(const auto all, accesses_of(p, function));
  for (const FunctionAccess& a : all) {
    if (!a.writes || a.atomic) continue;
    return refuse(p, function, a, "stores plainly to",
                  "edges of one vertex run side by side, so every store must be atomic: declare "
                  "array<atomic<u32>> and use atomicStore");
  }
  return {};
}

Result<void> check_reader(const Program& p, FunctionId function) {
  VYRE_TRY(const auto all, accesses_of(p, function));
  for (const FunctionAccess& a : all) {
    if (a.writes) {
      return refuse(p, function, a, "stores to",
                    "it may only read; move the store to another function of the program");
    }
  }
  return {};
}

Result<void> check_owner(const Program& p, FunctionId function) {
  VYRE_TRY(const auto all, accesses_of(p, function));
  for (const FunctionAccess& a : all) {
    if (a.writes && !a.atomic && a.element != 0) {
      return refuse(p, function, a, "stores plainly to an element of another vertex of",
                    fmt::format("a plain store must go to '{}[{}]'; make other stores atomic",
                                p[a.global].name, p[function].locals[0].name));
    }
  }
  for (const FunctionAccess& a : all) {
    const bool stored = std::ranges::any_of(all, [&](const FunctionAccess& other) {
      return other.global == a.global && other.writes && !other.atomic;
    });
    if (!stored || a.element == 0) continue;
    return refuse(p, function, a,
                  "reads elements of other vertices, which they store themselves, of",
                  "read another variable that does not change meanwhile, or make it atomic");
  }
  return {};
}

// `waits` may run for one vertex of the frontier while the edges of another one are visited. What
// `waits` stores plainly may therefore be read in `visit` only for the edge's source, for which
// `waits` has already run, and not at all in `wants`, which is asked about the vertex that an edge
// leads to.
Result<void> check_beside_waits(const FrontierFunctions& f) {
  if (!f.waits) return {};
  const Program& p = f.library;
  VYRE_TRY(const auto own, accesses_of(p, *f.waits));
  const auto stored = [&](GlobalId global) {
    return std::ranges::any_of(
        own, [&](const FunctionAccess& a) { return a.global == global && a.writes && !a.atomic; });
  };
  for (const auto& [id, allowed] :
       {std::pair{f.visit, std::uint32_t{0}}, std::pair{f.wants, FunctionAccess::kAnywhere}}) {
    if (!id) continue;
    VYRE_TRY(const auto all, accesses_of(p, *id));
    for (const FunctionAccess& a : all) {
      if (!stored(a.global)) continue;
      if (a.element == allowed && allowed != FunctionAccess::kAnywhere) continue;
      return refuse(p, *id, a,
                    fmt::format("reads elements of vertices for which '{}' may store meanwhile, of",
                                p[*f.waits].name),
                    "read another variable that does not change meanwhile, or make it atomic");
    }
  }
  return {};
}

// Checks that functions access a variable that any of them writes only at the vertex in the given
// parameter.
struct Owned {
  std::optional<FunctionId> function;
  std::uint32_t element = 0;
};

}  // namespace

Result<std::vector<FunctionAccess>> accesses_of(const Program& program, FunctionId function) {
  return Collector(program, function).take();
}

Result<void> check_legality(const FrontierFunctions& f) {
  for (const auto& id : {f.init, f.start, f.waits, f.after, f.apply}) {
    if (id) VYRE_CHECK(check_owner(f.library, *id));
  }
  for (const auto& id : {f.wants, f.gather}) {
    if (id) VYRE_CHECK(check_reader(f.library, *id));
  }
  if (f.visit) VYRE_CHECK(check_edges(f.library, *f.visit));
  return check_beside_waits(f);
}

Result<bool> after_may_follow_pull(const FrontierFunctions& f) {
  if (!f.after || !f.visit) return false;
  std::map<GlobalId, std::pair<bool, bool>> used;  // written by anyone; accessed elsewhere
  for (const Owned& o : {Owned{f.visit, 2}, Owned{f.wants, 0}, Owned{f.after, 0}}) {
    if (!o.function) continue;
    VYRE_TRY(const auto all, accesses_of(f.library, *o.function));
    for (const FunctionAccess& a : all) {
      auto& [written, elsewhere] = used[a.global];
      written = written || a.writes;
      elsewhere = elsewhere || a.element != o.element;
    }
  }
  return std::ranges::none_of(used,
                              [](const auto& u) { return u.second.first && u.second.second; });
}

Result<bool> visit_loads_what_wants_loads(const FrontierFunctions& f) {
  if (!f.visit || !f.wants) return false;
  VYRE_TRY(const auto asked, accesses_of(f.library, *f.wants));
  VYRE_TRY(const auto visited, accesses_of(f.library, *f.visit));
  return std::ranges::all_of(asked, [&](const FunctionAccess& a) {
    return std::ranges::any_of(
        visited, [&](const FunctionAccess& v) { return v.global == a.global && !v.writes; });
  });
}

}  // namespace vyre
