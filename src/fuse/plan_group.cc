#include <algorithm>
#include <cmath>
#include <utility>

#include "vyre/fuse/flatten.h"
#include "vyre/fuse/fusion_plan_internal.h"
#include "vyre/ir/access/reach.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

using Refused = std::unexpected<FusionRefusal>;

Refused refuse(RefusalReason reason, std::size_t stage, std::optional<std::size_t> buffer = {},
               double count = 0) {
  return Refused(FusionRefusal{.reason = reason, .stage = stage, .buffer = buffer, .count = count});
}

double invocations(const Extent& e) {
  return static_cast<double>(e[0]) * static_cast<double>(e[1]) * static_cast<double>(e[2]);
}

// An access together with the stage that makes it.
struct StagedAccess {
  std::size_t stage;
  const MemoryAccess* access;
};

bool writes(const MemoryAccess& a) {
  return a.kind == AccessKind::store ||
         (a.kind == AccessKind::atomic && a.atomic != AtomicOp::load);
}

class Planner {
 public:
  Planner(std::span<const KernelStage> stages, std::span<const FusedBuffer> buffers,
          const FusionLimits& limits)
      : stages_(stages), buffers_(buffers), limits_(limits), writers_(buffers.size()) {}

  std::expected<GroupPlan, FusionRefusal> run() {
    plan_.fates.assign(buffers_.size(), BufferFate::memory);
    if (auto r = read_stages(); !r) return std::unexpected(r.error());
    if (auto r = check_workgroups(); !r) return std::unexpected(r.error());
    if (auto r = analyse(); !r) return std::unexpected(r.error());
    for (const std::size_t b : by_first_writer()) {
      if (auto r = look_at(b); !r) return std::unexpected(r.error());
    }
    if (auto r = check_extents(); !r) return std::unexpected(r.error());
    if (auto r = check_recomputation(); !r) return std::unexpected(r.error());
    for (std::size_t b = 0; b < buffers_.size(); ++b) use_register(b);
    return std::move(plan_);
  }

 private:
  using Step = std::expected<void, FusionRefusal>;

  std::size_t last() const { return stages_.size() - 1; }

  Step read_stages() {
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      auto flat = flatten(*stages_[s].kernel->program);
      if (!flat) return refuse(RefusalReason::too_large, s);
      StageAnalysis& stage = plan_.stages.emplace_back();
      stage.program = std::move(*flat);
      stage.buffer.assign(stage.program.globals.size(), kNoBuffer);
      for (std::size_t g = 0; g < stage.program.globals.size(); ++g) {
        const Global& global = stage.program.globals[g];
        for (const StageBinding& b : stages_[s].bindings) {
          const bool buffer =
              global.memory == MemoryKind::storage || global.memory == MemoryKind::uniform;
          if (buffer && b.group == global.group && b.binding == global.binding) {
            stage.buffer[g] = b.buffer;
          }
        }
      }
      note_writes(s);
    }
    return {};
  }

  // Stores and atomics are statements of the entry, on paths that begin at a global.
  void note_writes(std::size_t s) {
    const StageAnalysis& stage = plan_.stages[s];
    const Program& p = stage.program;
    for_each_stmt(p, p[p.entry].body, [&](StmtId id) {
      const StmtNode& node = p[id].node;
      ExprId at = kNoExpr;
      if (const auto* store = std::get_if<StoreStmt>(&node)) at = store->pointer;
      if (const auto* atomic = std::get_if<AtomicStmt>(&node)) {
        if (atomic->op != AtomicOp::load) at = atomic->pointer;
      }
      if (at == kNoExpr) return;
      for_each_subexpr(p, at, [&](ExprId expr) {
        const auto* root = std::get_if<GlobalPtrExpr>(&p[expr].node);
        if (root == nullptr) return;
        const std::size_t buffer = stage.buffer[static_cast<std::size_t>(root->id)];
        if (buffer != kNoBuffer && p[root->id].access != Access::read) writers_[buffer].insert(s);
      });
    });
  }

  Step check_workgroups() {
    for (std::size_t s = 0; s < last(); ++s) {
      if (depends_on_workgroup(*stages_[s].kernel) &&
          plan_.stages[s].program.workgroup != plan_.stages[last()].program.workgroup) {
        return refuse(RefusalReason::workgroup_differs, s + 1);
      }
    }
    return {};
  }

  Step analyse() {
    std::map<std::pair<std::size_t, std::string>, std::uint32_t> views;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      StageAnalysis& stage = plan_.stages[s];
      stage.facts.extent = stages_[s].extent;
      stage.facts.workgroup = plan_.stages[last()].program.workgroup;
      for (std::size_t g = 0; g < stage.buffer.size(); ++g) {
        BufferFacts& facts = stage.facts.buffers.emplace_back();
        const std::size_t b = stage.buffer[g];
        if (b == kNoBuffer) continue;
        // Memory seen as two types has different values at the same path.
        const Program& p = stage.program;
        const std::string type = structure(p, p.globals[g].type);
        facts.identity =
            views.try_emplace({b, type}, static_cast<std::uint32_t>(views.size())).first->second;
        facts.bytes = buffers_[b].bytes;
        facts.written = !writers_[b].empty();
        if (!facts.written) facts.contents = buffers_[b].contents;
      }
      stage.accesses = find_accesses(stage.program, stage.facts, plan_.numbers);
      if (!stage.accesses.complete) return refuse(RefusalReason::too_large, s);
      for (const MemoryAccess& a : stage.accesses.all) {
        if (a.kind == AccessKind::atomic && a.result_used && stages_.size() > 1) {
          return refuse(RefusalReason::atomic_result_used, std::max<std::size_t>(s, 1),
                        stage.buffer[static_cast<std::size_t>(a.global)]);
        }
      }
    }
    return {};
  }

  // A type by what is in it, and where: attributes may leave room behind the last member.
  static std::string structure(const Program& p, TypeId type) {
    if (const auto* s = p.types.get_if<StructType>(type)) {
      std::string out = "{";
      for (const Member& m : s->members) {
        out += m.name + std::to_string(m.offset) + "/" + std::to_string(m.align) + "/" +
               std::to_string(m.size) + structure(p, m.type) + ";";
      }
      return out + "}";
    }
    if (const auto* a = p.types.get_if<ArrayType>(type)) {
      return "[" + std::to_string(a->count) + structure(p, a->element) + "]";
    }
    return p.types.spell(type);
  }

  std::vector<StagedAccess> accesses_of(std::size_t buffer) const {
    std::vector<StagedAccess> out;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageAnalysis& stage = plan_.stages[s];
      for (const MemoryAccess& a : stage.accesses.all) {
        if (stage.buffer[static_cast<std::size_t>(a.global)] == buffer) out.push_back({s, &a});
      }
    }
    return out;
  }

  // ---- Legality, buffer by buffer

  // Buffers in the order of their first writers, so that what a stage reads is decided before what
  // it writes.
  std::vector<std::size_t> by_first_writer() const {
    std::vector<std::size_t> order;
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      if (!writers_[b].empty()) order.push_back(b);
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t b) { return *writers_[b].begin(); });
    return order;
  }

  Step look_at(std::size_t b) {
    std::set<std::size_t> users;
    std::set<std::string> types;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageAnalysis& stage = plan_.stages[s];
      for (std::size_t g = 0; g < stage.buffer.size(); ++g) {
        if (stage.buffer[g] != b) continue;
        users.insert(s);
        const Global& global = stage.program.globals[g];
        types.insert(stage.program.types.spell(global.type) +
                     structure(stage.program, global.type) + std::string(to_string(global.memory)));
      }
    }
    if (users.size() < 2) return {};
    if (types.size() > 1) return refuse(RefusalReason::seen_as_two_types, *users.rbegin(), b);
    const std::vector<StagedAccess> all = accesses_of(b);
    if (std::ranges::any_of(
            all, [](const StagedAccess& a) { return a.access->kind == AccessKind::atomic; })) {
      return look_at_atomics(b, all);
    }
    for (const auto& [prefix, here] : by_array(all)) {
      if (auto r = look_at_array(b, here); !r) return r;
    }
    return {};
  }

  Step look_at_atomics(std::size_t b, const std::vector<StagedAccess>& all) {
    const int first = order_class(all[0].access->atomic);
    for (const StagedAccess& a : all) {
      const bool commutes = a.access->kind == AccessKind::atomic && first != 0 &&
                            order_class(a.access->atomic) == first;
      if (!commutes) return refuse(RefusalReason::atomics_mixed, all.back().stage, b);
    }
    return {};
  }

  // Sorts accesses by the struct members that lead to their array. Accesses to different arrays
  // cannot touch the same memory.
  using Prefix = std::vector<ValueNumber>;
  static std::map<Prefix, std::vector<StagedAccess>> by_array(
      const std::vector<StagedAccess>& all) {
    std::map<Prefix, std::vector<StagedAccess>> out;
    for (const StagedAccess& a : all) {
      const auto& path = a.access->path;
      const std::size_t length = a.access->element == 0 ? path.size() : a.access->element - 1;
      out[Prefix(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(length))].push_back(a);
    }
    // An access to a whole struct touches the memory of its members.
    for (auto at = out.begin(); at != out.end(); ++at) {
      for (auto other = std::next(at); other != out.end(); ++other) {
        if (std::ranges::mismatch(at->first, other->first).in1 == at->first.end()) {
          at->second.insert(at->second.end(), other->second.begin(), other->second.end());
        }
      }
    }
    return out;
  }

  Step look_at_array(std::size_t b, const std::vector<StagedAccess>& all) {
    std::set<std::size_t> users;
    std::set<std::size_t> writing;
    for (const StagedAccess& a : all) {
      users.insert(a.stage);
      if (writes(*a.access)) writing.insert(a.stage);
    }
    if (users.size() < 2 || writing.empty()) return {};
    const std::size_t at = *users.rbegin();
    for (const StagedAccess& a : all) {
      if (a.access->element == 0) return refuse(RefusalReason::accessed_as_a_whole, at, b);
    }
    if (same_elements(all)) return {};
    if (can_recompute(b, all)) {
      const std::size_t producer = *writing.begin();
      plan_.stages[producer].recomputed = true;
      plan_.producer[b] = producer;
      plan_.fates[b] = BufferFate::recomputed;
      return {};
    }
    return refuse(why_not(all), at, b);
  }

  // Whether every element is accessed by one invocation alone, the same in all stages.
  bool same_elements(const std::vector<StagedAccess>& all) const {
    if (std::ranges::any_of(all, [&](const StagedAccess& a) {
          return !a.access->key || stages_[a.stage].extent != stages_[all[0].stage].extent;
        })) {
      return false;
    }
    const MemoryAccess& first = *all[0].access;
    std::vector<KeyPart> hull = *first.key;
    for (const StagedAccess& a : all) {
      const std::vector<KeyPart>& key = *a.access->key;
      if (key.size() != hull.size() || constant_of(*a.access) != constant_of(first)) return false;
      for (std::size_t i = 0; i < key.size(); ++i) {
        if (key[i].what != hull[i].what || key[i].axis != hull[i].axis ||
            key[i].factor != hull[i].factor) {
          return false;
        }
        widen(hull[i].range, key[i].range);
        widen(hull[i].sum, key[i].sum);
      }
    }
    return tells_invocations_apart(hull);
  }
  static void widen(ValueRange& range, const ValueRange& by) {
    range.low = std::min(range.low, by.low);
    range.high = std::max(range.high, by.high);
  }
  std::int64_t constant_of(const MemoryAccess& a) const {
    return plan_.numbers.as_linear(a.index()).constant;
  }

  RefusalReason why_not(const std::vector<StagedAccess>& all) const {
    for (const StagedAccess& a : all) {
      if (!a.access->key || !tells_invocations_apart(*a.access->key)) {
        if (writes(*a.access)) return RefusalReason::key_not_injective;
      }
    }
    // Every write is to an element of its own invocation, so the reason is a read of another
    // element, or keys that differ.
    for (const StagedAccess& a : all) {
      if (stages_[a.stage].extent != stages_[all[0].stage].extent) {
        return RefusalReason::extents_differ;
      }
    }
    std::size_t first_write = stages_.size();
    for (const StagedAccess& a : all) {
      if (writes(*a.access)) first_write = std::min(first_write, a.stage);
    }
    const bool read_before = std::ranges::any_of(
        all, [&](const StagedAccess& a) { return a.stage < first_write && !writes(*a.access); });
    if (read_before) return RefusalReason::neighbour_overwritten;
    return RefusalReason::other_element_read;
  }

  // ---- Recomputation

  // Whether the buffer can be computed again where it is read: one stage writes it, each element
  // depends only on its place, and only later stages read it.
  bool can_recompute(std::size_t b, const std::vector<StagedAccess>& all) const {
    if (!buffers_[b].reads_as_zero || buffers_[b].needed_after || writers_[b].size() != 1) {
      return false;
    }
    const std::size_t producer = *writers_[b].begin();
    const StageAnalysis& stage = plan_.stages[producer];
    if (depends_on_workgroup(*stages_[producer].kernel)) return false;
    // A private variable would keep its value from one element to the next.
    if (std::ranges::any_of(stage.program.globals,
                            [](const Global& g) { return g.memory == MemoryKind::private_; })) {
      return false;
    }
    const MemoryAccess* store = nullptr;
    for (const MemoryAccess& a : stage.accesses.all) {
      const std::size_t buffer = stage.buffer[static_cast<std::size_t>(a.global)];
      if (a.kind == AccessKind::atomic) return false;
      if (a.kind == AccessKind::store) {
        if (store != nullptr || buffer != b) return false;
        store = &a;
      } else if (buffer != kNoBuffer && !writers_[buffer].empty() &&
                 plan_.fates[buffer] != BufferFate::recomputed) {
        return false;
      }
    }
    if (store == nullptr || !store->key || !tells_invocations_apart(*store->key) ||
        store->path.size() != 1 || store->times != 1) {
      return false;
    }
    if (!leads_back(*store->key)) return false;
    return std::ranges::all_of(all, [&](const StagedAccess& a) {
      const Program& p = plan_.stages[a.stage].program;
      return a.stage == producer ? a.access == store
                                 : a.stage > producer && a.access->in_entry &&
                                       !std::holds_alternative<LoopStmt>(p[a.access->stmt].node);
    });
  }

  // Whether dividing an index by the factors, the largest first, gives back the ids from which it
  // was computed.
  static bool leads_back(const std::vector<KeyPart>& key) {
    std::int64_t below = 0;  // the largest sum of the parts with smaller factors
    for (const KeyPart& p : key) {
      const bool varies = p.range.high > p.range.low;
      if (p.what != KeyPart::What::global || p.factor < 0 || p.range.low < 0) return false;
      if (p.factor == 0 ? varies || p.range.low != 0 : p.factor <= below) return false;
      below = p.sum.high;
    }
    return true;
  }

  // A stage whose extent differs from that of the last stage can only be computed again where it is
  // read.
  Step check_extents() {
    for (std::size_t s = 0; s < last(); ++s) {
      if (!plan_.stages[s].recomputed && stages_[s].extent != stages_[last()].extent) {
        return refuse(RefusalReason::extents_differ, s + 1);
      }
    }
    return {};
  }

  Step check_recomputation() {
    // The cost of one execution of each stage, including the elements that it computes again.
    std::vector<double> cost(stages_.size());
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageAnalysis& stage = plan_.stages[s];
      cost[s] = stages_[s].kernel->stats.nodes;
      for (const MemoryAccess& a : stage.accesses.all) {
        const auto made = plan_.producer.find(stage.buffer[static_cast<std::size_t>(a.global)]);
        if (made == plan_.producer.end() || made->second == s) continue;
        cost[s] += a.times * cost[made->second];
      }
    }
    for (const auto& [buffer, producer] : plan_.producer) {
      double evaluations = 0;
      std::size_t reader = producer;
      for (const StagedAccess& a : accesses_of(buffer)) {
        if (a.stage == producer) continue;
        evaluations += a.access->times * invocations(stages_[a.stage].extent);
        reader = a.stage;
      }
      const double each = evaluations / invocations(stages_[producer].extent);
      if (each > 1 && each * cost[producer] > limits_.recomputed_operations) {
        return refuse(RefusalReason::too_much_recomputation, reader, buffer,
                      std::round(each * cost[producer]));
      }
    }
    return {};
  }

  // ---- Registers

  // An element that each invocation accesses alone, at one index, can be kept in a variable.
  void use_register(std::size_t b) {
    if (writers_[b].empty() || plan_.fates[b] == BufferFate::recomputed) return;
    const std::vector<StagedAccess> all = accesses_of(b);
    std::set<std::size_t> users;
    for (const StagedAccess& a : all) users.insert(a.stage);
    if (users.size() < 2) return;
    const bool one_place = std::ranges::all_of(all, [&](const StagedAccess& a) {
      const MemoryAccess& x = *a.access;
      return x.kind != AccessKind::atomic && x.element == 1 && x.in_entry &&
             x.index() == all[0].access->index() && plan_.numbers.is_fixed(x.index());
    });
    if (!one_place) return;
    const Program& program = plan_.stages[all[0].stage].program;
    const BufferLayout layout = buffer_layout(program.types, program[all[0].access->global].type);
    if (!layout.is_array || !program.types.is_constructible(layout.element)) return;
    const auto elements = static_cast<std::int64_t>(layout.elements_in(buffers_[b].bytes));

    const bool from_memory = !buffers_[b].reads_as_zero;
    const bool partly = std::ranges::any_of(
        all, [](const StagedAccess& a) { return writes(*a.access) && a.access->path.size() != 1; });
    if (from_memory && partly) return;
    bool all_loads = true;
    std::vector<AccessPlan> plans;
    for (std::size_t i = 0; i < all.size(); ++i) {
      AccessPlan& plan = plans.emplace_back();
      const MemoryAccess& a = *all[i].access;
      if (a.kind == AccessKind::load) {
        plan.through_register = !from_memory || was_stored(all, i);
        plan.through_memory = !plan.through_register;
        all_loads = all_loads && plan.through_register;
      } else {
        plan.through_register = true;
        plan.tests_bounds = a.index_range.low < 0 || a.index_range.high >= elements;
      }
    }
    const bool drop = all_loads && !buffers_[b].needed_after;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].access->kind == AccessKind::store) plans[i].through_memory = !drop;
      plan_.accesses[{all[i].stage, all[i].access->pointer}] = plans[i];
    }
    plan_.fates[b] = drop ? BufferFate::dropped : BufferFate::registers;
  }

  // Whether an earlier store to this element, inside the buffer, has certainly happened when the
  // load runs.
  static bool was_stored(const std::vector<StagedAccess>& all, std::size_t load) {
    for (std::size_t i = 0; i < load; ++i) {
      if (all[i].access->kind != AccessKind::store) continue;
      const auto& needs = all[i].access->guard;
      const auto& has = all[load].access->guard;
      if (std::ranges::all_of(needs, [&](const ValueNumbers::Fact& fact) {
            return std::ranges::find(has, fact) != has.end();
          })) {
        return true;
      }
    }
    return false;
  }

  std::span<const KernelStage> stages_;
  std::span<const FusedBuffer> buffers_;
  const FusionLimits& limits_;
  std::vector<std::set<std::size_t>> writers_;  // stages that write each buffer
  GroupPlan plan_;
};

}  // namespace

std::expected<GroupPlan, FusionRefusal> plan_group(std::span<const KernelStage> stages,
                                                   std::span<const FusedBuffer> buffers,
                                                   const FusionLimits& limits) {
  return Planner(stages, buffers, limits).run();
}

}  // namespace vyre
