#include <algorithm>
#include <optional>
#include <utility>

#include "vyre/base/overloaded.h"
#include "vyre/lower/lane_values_internal.h"

namespace vyre {
namespace {

std::size_t index_of(LocalId id) { return static_cast<std::size_t>(id); }

std::size_t leaf_entries(const TypeTable& types, TypeId type) {
  if (types.get_if<PointerType>(type) != nullptr) return 1;
  const auto n = types.scalar_count(type);
  return n == 0 || n > kLeafSpreads ? 1 : static_cast<std::size_t>(n);
}

bool raise(Spread& into, Spread by) {
  if (by <= into) return false;
  into = by;
  return true;
}

bool raise(Spreads& into, Spread by) {
  bool changed = false;
  for (auto& s : into) changed |= raise(s, by);
  return changed;
}

bool raise(Spreads& into, const Spreads& by) {
  if (into.size() != by.size()) return raise(into, joined(by));
  bool changed = false;
  for (std::size_t i = 0; i < by.size(); ++i) changed |= raise(into[i], by[i]);
  return changed;
}

std::optional<std::uint64_t> constant_index(const Program& p, ExprId id) {
  const auto* c = std::get_if<ConstantExpr>(&p[id].node);
  if (c == nullptr || p[c->id].scalars.size() != 1) return std::nullopt;
  return p[c->id].scalars[0] & 0xFFFFFFFFU;
}

// The first scalar of component i within a flattened composite.
std::uint64_t first_leaf(const TypeTable& types, TypeId composite, std::uint64_t i) {
  if (const auto* s = types.get_if<StructType>(composite)) {
    std::uint64_t first = 0;
    for (std::uint64_t m = 0; m < i && m < s->members.size(); ++m) {
      first += types.scalar_count(s->members[m].type);
    }
    return first;
  }
  return i * types.scalar_count(types.component(composite));
}

// The `count` spreads of a composite that begin at `first`; if the composite has a single spread,
// copies of it.
Spreads part(const Spreads& whole, std::uint64_t first, std::size_t count) {
  if (first + count <= whole.size()) {
    return {whole.begin() + static_cast<std::ptrdiff_t>(first),
            whole.begin() + static_cast<std::ptrdiff_t>(first + count)};
  }
  return Spreads(count, joined(whole));
}

struct PointerPath {
  Spread index = Spread::group;           // of the indices on the way
  std::optional<std::uint64_t> leaf = 0;  // first scalar below the root, when constant
  bool direct = true;                     // the root is named here, not through a pointer local
};

PointerPath path_of(const Program& p, const FrameSpreads& frame, ExprId pointer) {
  const auto& node = p[pointer].node;
  const auto pointee = [&](ExprId e) { return p.types.get_if<PointerType>(p[e].type)->pointee; };
  if (const auto* m = std::get_if<MemberExpr>(&node)) {
    auto path = path_of(p, frame, m->base);
    if (path.leaf) *path.leaf += first_leaf(p.types, pointee(m->base), m->member);
    return path;
  }
  if (const auto* i = std::get_if<IndexExpr>(&node)) {
    auto path = path_of(p, frame, i->base);
    raise(path.index, joined(spreads_of(p, frame, i->index)));
    const auto constant = constant_index(p, i->index);
    if (path.leaf && constant) {
      *path.leaf += first_leaf(p.types, pointee(i->base), *constant);
    } else {
      path.leaf.reset();
    }
    return path;
  }
  if (const auto* l = std::get_if<LocalExpr>(&node)) {
    return {joined(frame.locals[index_of(l->id)]), std::nullopt, false};
  }
  return {};
}

Spreads load_spreads(const Program& p, const FrameSpreads& frame, ExprId pointer, TypeId type) {
  const auto root = root_of(p, frame, pointer);
  const auto path = path_of(p, frame, pointer);
  Spreads out(leaf_entries(p.types, type), path.index);
  if (root.kind == PointerRoot::Kind::var) {
    const Spreads& held = root.frame->locals[index_of(root.local)];
    if (path.leaf) {
      raise(out, part(held, *path.leaf, out.size()));
    } else {
      raise(out, joined(held));
    }
  } else if (root.kind == PointerRoot::Kind::global) {
    const Global& g = p[root.global];
    const bool constant = g.memory == MemoryKind::uniform ||
                          (g.memory == MemoryKind::storage && g.access == Access::read);
    raise(out, g.memory == MemoryKind::private_
                   ? Spread::lane
                   : (constant ? Spread::group : frame.layout.written));
  } else {
    raise(out, Spread::lane);
  }
  return out;
}

// Reductions and votes give all running lanes the same value.
bool gives_all_lanes_one_value(SubgroupOp op) {
  switch (op) {
    case SubgroupOp::all:
    case SubgroupOp::any:
    case SubgroupOp::ballot:
    case SubgroupOp::broadcast_first: return true;
    default: return op <= SubgroupOp::bit_xor;
  }
}

// A function that is called in more ways than this has one further version, for which everything
// varies.
constexpr std::size_t kMostUses = 16;

class Analysis {
 public:
  Analysis(const Program& program, ProgramSpreads& all, FrameSpreads& frame)
      : p_(program), all_(all), frame_(frame) {}

  void run() {
    do {
      changed_ = false;
      walk_function(frame_);
    } while (changed_);
  }

  static std::unique_ptr<FrameSpreads> new_frame(const Program& p, FunctionId id,
                                                 const GangLayout& layout) {
    auto frame = std::make_unique<FrameSpreads>();
    frame->function = id;
    frame->layout = layout;
    const Function& f = p[id];
    for (const Local& l : f.locals) {
      frame->locals.emplace_back(leaf_entries(p.types, l.type), Spread::group);
    }
    frame->declared_depth.assign(f.locals.size(), 0);
    frame->result.assign(leaf_entries(p.types, f.result), Spread::group);
    return frame;
  }

 private:
  struct Target {  // of break and continue
    FrameSpreads::Construct* construct;
    std::size_t depth;  // of the control stack outside the construct
    bool is_loop;
  };

  Spread control_above(std::size_t depth) const {
    Spread s = Spread::group;
    for (std::size_t i = depth; i < control_.size(); ++i) raise(s, control_[i]);
    return s;
  }

  void note(bool changed) { changed_ |= changed; }

  void walk_function(FrameSpreads& frame) {
    const auto outer_targets = std::exchange(targets_, {});
    control_.push_back(frame.leaves);
    const auto outer_depth = std::exchange(frame_depth_, control_.size());
    walk(frame, p_[frame.function].body);
    frame_depth_ = outer_depth;
    control_.pop_back();
    targets_ = outer_targets;
  }

  void walk(FrameSpreads& frame, Block block) {
    for (StmtId id : p_.block(block)) {
      std::visit([&](const auto& s) { walk(frame, id, s); }, p_[id].node);
    }
  }

  void assign(FrameSpreads& frame, LocalId local, const Spreads& value) {
    note(raise(frame.locals[index_of(local)], value));
  }

  void bind(FrameSpreads& frame, LocalId local, const FrameSpreads& from, ExprId value) {
    if (p_.types.get_if<PointerType>(p_[value].type) != nullptr) {
      frame.pointers[local] = root_of(p_, from, value);
    }
    assign(frame, local, spreads_of(p_, from, value));
  }

  void walk(FrameSpreads& frame, StmtId, const LetStmt& s) { bind(frame, s.local, frame, s.value); }

  void walk(FrameSpreads& frame, StmtId, const VarStmt& s) {
    frame.declared_depth[index_of(s.local)] = control_.size();
    if (s.initial != kNoExpr) assign(frame, s.local, spreads_of(p_, frame, s.initial));
  }

  // The value, the indices, and the control between the declaration and here.
  void walk(FrameSpreads& frame, StmtId, const StoreStmt& s) {
    const auto root = root_of(p_, frame, s.pointer);
    if (root.kind != PointerRoot::Kind::var) return;
    auto& owner = const_cast<FrameSpreads&>(*root.frame);
    Spreads& held = owner.locals[index_of(root.local)];
    const auto depth = owner.declared_depth[index_of(root.local)];
    const auto path = path_of(p_, frame, s.pointer);
    Spread control = std::max(control_above(depth), path.index);
    for (const Target& t : targets_) {
      // What a continued lane skipped may still be read in the continuing block.
      if (t.is_loop && t.depth < depth) raise(control, t.construct->continues);
    }
    const auto value = spreads_of(p_, frame, s.value);
    if (std::holds_alternative<LocalPtrExpr>(p_[s.pointer].node)) {
      note(raise(held, value));
      note(raise(held, control));
    } else {
      note(raise(held, std::max(joined(value), control)));
    }
  }

  void walk(FrameSpreads& frame, StmtId, const IfStmt& s) {
    control_.push_back(joined(spreads_of(p_, frame, s.condition)));
    walk(frame, s.then);
    walk(frame, s.otherwise);
    control_.pop_back();
  }

  void walk(FrameSpreads& frame, StmtId id, const LoopStmt& s) {
    auto& c = frame.constructs[id];
    targets_.push_back({&c, control_.size(), true});
    control_.push_back(std::max(c.leaves, c.continues));
    walk(frame, s.body);
    walk(frame, s.continuing);
    if (s.break_if != kNoExpr) note(raise(c.leaves, joined(spreads_of(p_, frame, s.break_if))));
    control_.pop_back();
    targets_.pop_back();
  }

  void walk(FrameSpreads& frame, StmtId id, const SwitchStmt& s) {
    auto& c = frame.constructs[id];
    targets_.push_back({&c, control_.size(), false});
    control_.push_back(std::max(c.leaves, joined(spreads_of(p_, frame, s.selector))));
    for (const SwitchCase& k : p_.cases(s)) walk(frame, k.body);
    control_.pop_back();
    targets_.pop_back();
  }

  void walk(FrameSpreads&, StmtId, const BreakStmt&) {
    const Target& t = targets_.back();
    note(raise(t.construct->leaves, control_above(t.depth)));
  }

  void walk(FrameSpreads&, StmtId, const ContinueStmt&) {
    for (auto t = targets_.rbegin(); t != targets_.rend(); ++t) {
      const Spread s = control_above(t->depth);
      if (t->is_loop) {
        note(raise(t->construct->continues, s));
        return;
      }
      note(raise(t->construct->leaves, s));
    }
  }

  void walk(FrameSpreads& frame, StmtId, const ReturnStmt& s) {
    const Spread control = control_above(frame_depth_);
    note(raise(frame.leaves, control));
    for (const Target& t : targets_) note(raise(t.construct->leaves, control_above(t.depth)));
    if (s.value == kNoExpr) return;
    note(raise(frame.result, spreads_of(p_, frame, s.value)));
    note(raise(frame.result, control));
  }

  void walk(FrameSpreads&, StmtId, const BarrierStmt&) {}
  void walk(FrameSpreads&, StmtId, const UniformLoadStmt&) {}

  void walk(FrameSpreads& frame, StmtId, const SubgroupStmt& s) {
    note(raise(frame.locals[index_of(s.result)],
               gives_all_lanes_one_value(s.op) ? Spread::gang : Spread::lane));
  }

  void walk(FrameSpreads& frame, StmtId, const AtomicStmt& s) {
    if (s.result == kNoLocal) return;
    // A load at one address is one load; every other atomic differs from lane to lane.
    const bool one =
        s.op == AtomicOp::load && joined(spreads_of(p_, frame, s.pointer)) < Spread::lane;
    note(raise(frame.locals[index_of(s.result)], one ? frame.layout.written : Spread::lane));
  }

  void walk(FrameSpreads& frame, StmtId id, const CallStmt& s) {
    if (all_.plan.outlined[static_cast<std::size_t>(s.callee)]) {
      const FrameSpreads& callee = use_of(frame, s);
      frame.function_calls[id] = &callee;
      if (s.result != kNoLocal) assign(frame, s.result, callee.result);
      return;
    }
    auto& callee = frame.calls[id];
    if (!callee) callee = new_frame(p_, s.callee, frame.layout);
    const auto arguments = p_.list(s.arguments);
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
      bind(*callee, LocalId{i}, frame, arguments[i]);
    }
    walk_function(*callee);
    if (s.result != kNoLocal) assign(frame, s.result, callee->result);
  }

  // A function that is emitted as a function stores one value per lane through its pointers, so the
  // caller's var must hold one value per lane. The analysis then needs nothing from the function
  // but its result.
  const FrameSpreads& use_of(FrameSpreads& frame, const CallStmt& s) {
    FunctionUse use{s.callee, {}, {}};
    for (const ExprId argument : p_.list(s.arguments)) {
      use.arguments.push_back(spreads_of(p_, frame, argument));
      use.globals.push_back(-1);
      if (p_.types.get_if<PointerType>(p_[argument].type) == nullptr) continue;
      const PointerRoot root = root_of(p_, frame, argument);
      if (root.kind == PointerRoot::Kind::global) {
        use.globals.back() = static_cast<std::int64_t>(root.global);
        continue;
      }
      use.arguments.back() = {Spread::lane};
      if (root.kind != PointerRoot::Kind::var) continue;
      auto& owner = const_cast<FrameSpreads&>(*root.frame);
      note(raise(owner.locals[index_of(root.local)], Spread::lane));
    }
    auto found = all_.functions.find(use);
    if (found == all_.functions.end()) {
      const auto uses = std::ranges::count_if(
          all_.functions, [&](const auto& known) { return known.first.function == s.callee; });
      if (frame.layout.one_lane || static_cast<std::size_t>(uses) >= kMostUses) {
        for (Spreads& spreads : use.arguments) raise(spreads, Spread::lane);
      }
      found = all_.functions.try_emplace(use).first;
    }
    if (!found->second) {
      found->second = new_frame(p_, s.callee, frame.layout);
      FrameSpreads& callee = *found->second;
      for (std::uint32_t i = 0; i < use.arguments.size(); ++i) {
        callee.locals[i] = use.arguments[i];
        if (p_.types.get_if<PointerType>(p_[s.callee].locals[i].type) == nullptr) continue;
        const bool global = use.globals[i] >= 0;
        callee.pointers[LocalId{i}] =
            global ? PointerRoot{PointerRoot::Kind::global,
                                 GlobalId{static_cast<std::uint32_t>(use.globals[i])},
                                 nullptr,
                                 {}}
                   : PointerRoot{PointerRoot::Kind::var, {}, &callee, LocalId{i}};
      }
      Analysis(p_, all_, callee).run();
    }
    return *found->second;
  }

  const Program& p_;
  ProgramSpreads& all_;
  FrameSpreads& frame_;
  bool changed_ = false;
  std::vector<Spread> control_;
  std::vector<Target> targets_;
  std::size_t frame_depth_ = 0;
};

}  // namespace

Spread joined(const Spreads& spreads) {
  Spread s = Spread::group;
  for (Spread x : spreads) raise(s, x);
  return s;
}

PointerRoot root_of(const Program& p, const FrameSpreads& frame, ExprId pointer) {
  return std::visit(Overloaded{
                        [&](const MemberExpr& e) { return root_of(p, frame, e.base); },
                        [&](const IndexExpr& e) { return root_of(p, frame, e.base); },
                        [&](const GlobalPtrExpr& e) {
                          return PointerRoot{PointerRoot::Kind::global, e.id, nullptr, {}};
                        },
                        [&](const LocalPtrExpr& e) {
                          return PointerRoot{PointerRoot::Kind::var, {}, &frame, e.id};
                        },
                        [&](const LocalExpr& e) {
                          const auto found = frame.pointers.find(e.id);
                          return found == frame.pointers.end() ? PointerRoot{} : found->second;
                        },
                        [&](const auto&) { return PointerRoot{}; },
                    },
                    p[pointer].node);
}

Spreads spreads_of(const Program& p, const FrameSpreads& frame, ExprId id) {
  const Expr& expr = p[id];
  const std::size_t n = leaf_entries(p.types, expr.type);
  if (p.types.get_if<PointerType>(expr.type) != nullptr) return {path_of(p, frame, id).index};
  const auto all = [&](std::initializer_list<ExprId> operands) {
    Spreads out(n, Spread::group);
    for (ExprId e : operands) raise(out, joined(spreads_of(p, frame, e)));
    return out;
  };
  const auto each = [&](std::initializer_list<ExprId> operands) {
    Spreads out(n, Spread::group);
    for (ExprId e : operands) raise(out, spreads_of(p, frame, e));
    return out;
  };
  return std::visit(
      Overloaded{
          [&](const LocalExpr& e) { return frame.locals[index_of(e.id)]; },
          [&](const MemberExpr& e) {
            return part(spreads_of(p, frame, e.base), first_leaf(p.types, p[e.base].type, e.member),
                        n);
          },
          [&](const IndexExpr& e) {
            const auto base = spreads_of(p, frame, e.base);
            if (const auto i = constant_index(p, e.index)) {
              return part(base, first_leaf(p.types, p[e.base].type, *i), n);
            }
            return Spreads(n, std::max(joined(base), joined(spreads_of(p, frame, e.index))));
          },
          [&](const LoadExpr& e) { return load_spreads(p, frame, e.pointer, expr.type); },
          [&](const SwizzleExpr& e) {
            const auto base = spreads_of(p, frame, e.vector);
            Spreads out;
            for (std::size_t i = 0; i < e.size; ++i) out.push_back(part(base, e.lanes[i], 1)[0]);
            return out;
          },
          [&](const ConstructExpr& e) {
            Spreads out;
            for (ExprId part_id : p.list(e.parts)) {
              const auto s = spreads_of(p, frame, part_id);
              out.insert(out.end(), s.begin(), s.end());
            }
            if (out.size() != n) out.assign(n, joined(out));
            return out;
          },
          [&](const SplatExpr& e) { return all({e.scalar}); },
          [&](const UnaryExpr& e) { return each({e.operand}); },
          [&](const BinaryExpr& e) {
            const bool matrix = p.types.get_if<MatrixType>(p[e.left].type) != nullptr ||
                                p.types.get_if<MatrixType>(p[e.right].type) != nullptr;
            return matrix ? all({e.left, e.right}) : each({e.left, e.right});
          },
          [&](const SelectExpr& e) { return each({e.on_false, e.on_true, e.condition}); },
          [&](const ConvertExpr& e) { return each({e.value}); },
          [&](const BitcastExpr& e) { return each({e.value}); },
          [&](const MathExpr& e) {
            Spreads out(n, Spread::group);
            for (ExprId a : p.list(e.arguments)) raise(out, joined(spreads_of(p, frame, a)));
            return out;
          },
          [&](const InvocationIdExpr& e) {
            switch (e.kind) {
              case InvocationIdKind::global_invocation:
              case InvocationIdKind::local_invocation:
                return Spreads{Spread::lane, frame.layout.rows, frame.layout.rows};
              case InvocationIdKind::local_invocation_index: return Spreads{Spread::lane};
              case InvocationIdKind::workgroup:
                return Spreads{frame.layout.workgroup_x,
                               std::min(frame.layout.workgroup_x, Spread::gang),
                               std::min(frame.layout.workgroup_x, Spread::gang)};
              case InvocationIdKind::workgroup_count: return Spreads(3, Spread::group);
            }
            return Spreads(n, Spread::lane);
          },
          [&](const auto&) { return Spreads(n, Spread::group); },
      },
      expr.node);
}

bool has_barrier(const Program& p, const std::vector<bool>& functions, StmtId id) {
  const auto any = [&](Block b) {
    return std::ranges::any_of(p.block(b), [&](StmtId s) { return has_barrier(p, functions, s); });
  };
  return std::visit(
      Overloaded{
          [&](const BarrierStmt&) { return true; },
          [&](const UniformLoadStmt&) { return true; },
          [&](const IfStmt& s) { return any(s.then) || any(s.otherwise); },
          [&](const LoopStmt& s) { return any(s.body) || any(s.continuing); },
          [&](const SwitchStmt& s) {
            return std::ranges::any_of(p.cases(s),
                                       [&](const SwitchCase& c) { return any(c.body); });
          },
          [&](const CallStmt& s) -> bool { return functions[static_cast<std::size_t>(s.callee)]; },
          [&](const auto&) { return false; },
      },
      p[id].node);
}

Result<ProgramSpreads> analyse_spreads(const Program& p, const GangLayout& layout) {
  ProgramSpreads out;
  VYRE_TRY(out.plan, plan_calls(p));
  for (const FunctionNeeds& needs : out.plan.needs) {
    out.function_has_barrier.push_back(needs.barrier);
  }
  out.entry = Analysis::new_frame(p, p.entry, layout);
  Analysis(p, out, *out.entry).run();
  return out;
}

}  // namespace vyre
