#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "vyre/fuse/counted_loops_internal.h"
#include "vyre/fuse/forward_elements_internal.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/copy_nodes.h"
#include "vyre/ir/walk.h"
#include "vyre/ir/writer.h"

namespace vyre {
namespace {

// The most expression nodes of an element that is computed again in each of several loops, where it
// replaces one load.
constexpr std::size_t kMostNodesAgain = 24;
constexpr std::size_t kMostLoadsAgain = 2;

class Forwarding {
 public:
  Forwarding(WrittenGroup& group, const GroupPlan& plan, std::span<const FusedBuffer> buffers)
      : group_(group), p_(group.program), plan_(plan), buffers_(buffers), writer_(p_) {}

  std::vector<std::size_t> run() {
    std::vector<std::size_t> gone;
    // Results of earlier stages come first, because the results of later stages are computed from
    // them.
    std::vector<std::size_t> candidates;
    for (const std::size_t b : group_.bindings) {
      if (plan_.fates[b] == BufferFate::memory && !buffers_[b].needed_after)
        candidates.push_back(b);
    }
    for (const std::size_t b : candidates) {
      const std::optional<GlobalId> global = global_of(b);
      if (!global || !forward(*global, b)) continue;
      unbind(*global);
      gone.push_back(b);
    }
    return gone;
  }

 private:
  // ---- One buffer

  std::optional<GlobalId> global_of(std::size_t buffer) const {
    std::optional<GlobalId> found;
    for (std::uint32_t g = 0; g < p_.globals.size(); ++g) {
      const Global& global = p_.globals[g];
      if (global.memory != MemoryKind::storage || group_.bindings[global.binding] != buffer)
        continue;
      if (found) return std::nullopt;  // two variables refer to the buffer
      found = GlobalId{g};
    }
    return found;
  }

  // The loop that does nothing but store elements of the buffer, and the loops that load them.
  struct Use {
    const CountedLoop* loop = nullptr;
    std::vector<ExprId> loads;
  };
  struct Uses {
    std::uint32_t block = 0;
    const CountedLoop* producer = nullptr;
    StmtId store{};
    std::vector<Use> consumers;
    std::vector<ExprId> lengths;
  };

  bool forward(GlobalId global, std::size_t buffer) {
    if (!stores_each_element_once(buffer)) return false;
    const CountedLoops all(p_);
    const auto uses = uses_of(global, all);
    if (!uses || !may_be_computed_again(*uses, all)) return false;
    const auto& store = std::get<StoreStmt>(p_[uses->store].node);
    const TypeId element = p_[store.value].type;
    const BufferLayout layout = buffer_layout(p_.types, p_[global].type);
    const bool tests = !is_inside(buffer, layout);
    if (tests && !p_.types.scalar_kind(element) && !is_vector(element)) return false;
    const auto count = static_cast<std::uint32_t>(layout.elements_in(buffers_[buffer].bytes));
    // Before anything is copied: what is stored may depend on the length.
    for (const ExprId length : uses->lengths) {
      const ExprId number = writer_.constant(Scalar::of(count));
      p_[length].node = p_[number].node;
    }
    for (const Use& use : uses->consumers) compute_in(*use.loop, *uses, use.loads, tests, count);
    remove_loop(uses->block, uses->producer->stmt);
    return true;
  }
  bool is_vector(TypeId type) const { return p_.types.get_if<VectorType>(type) != nullptr; }

  // Whether one place of the stages stores to the buffer, and never twice to the same element.
  bool stores_each_element_once(std::size_t buffer) const {
    const StageAnalysis* writer = nullptr;
    const MemoryAccess* store = nullptr;
    for (const StageAnalysis& stage : plan_.stages) {
      for (const MemoryAccess& a : stage.accesses.all) {
        if (stage.buffer[static_cast<std::size_t>(a.global)] != buffer) continue;
        if (a.kind == AccessKind::load) continue;
        if (store != nullptr || a.kind != AccessKind::store) return false;
        writer = &stage;
        store = &a;
      }
    }
    if (store == nullptr || !store->in_entry || !store->key) return false;
    const auto rounds = std::ranges::count_if(*store->key, [](const KeyPart& part) {
      return part.what == KeyPart::What::round && part.factor != 0;
    });
    const Program& p = writer->program;
    return loops_around(p, p[p.entry].body, store->stmt) == rounds;
  }
  // Absent: the statement is not in the block.
  static std::optional<std::ptrdiff_t> loops_around(const Program& p, Block block, StmtId stmt) {
    for (const StmtId id : p.block(block)) {
      if (id == stmt) return 0;
      std::optional<std::ptrdiff_t> inside;
      for_each_block(p, p[id].node, [&](Block inner) {
        if (!inside) inside = loops_around(p, inner, stmt);
      });
      if (inside) return *inside + (std::holds_alternative<LoopStmt>(p[id].node) ? 1 : 0);
    }
    return std::nullopt;
  }

  std::optional<Uses> uses_of(GlobalId global, const CountedLoops& all) const {
    for (const auto& [block, loops] : all.by_block()) {
      for (const CountedLoop& producer : loops) {
        const auto store = only_store(producer, global);
        if (!store) continue;
        Uses out{
            .block = block, .producer = &producer, .store = *store, .consumers = {}, .lengths = {}};
        const ExprId stored_at = element_index(std::get<StoreStmt>(p_[*store].node).pointer);
        std::set<ExprId> known;
        bool after = false;
        for (const CountedLoop& loop : loops) {
          if (&loop == &producer) {
            after = true;
            continue;
          }
          Use use{.loop = &loop, .loads = {}};
          for_each_stmt(p_, loop.body, [&](StmtId id) {
            for_each_expr(p_, p_[id].node, [&](ExprId root) {
              for_each_subexpr(p_, root, [&](ExprId e) {
                if (is_element_load(e, global)) use.loads.push_back(e);
              });
            });
          });
          if (use.loads.empty()) continue;
          const bool equal =
              after && all.same(producer.initial, loop.initial, producer.var, loop.var) &&
              all.same(producer.condition, loop.condition, producer.var, loop.var) &&
              all.same(producer.next, loop.next, producer.var, loop.var) &&
              std::ranges::all_of(use.loads, [&](ExprId load) {
                const ExprId pointer = std::get<LoadExpr>(p_[load].node).pointer;
                return all.same(stored_at, element_index(pointer), producer.var, loop.var);
              });
          if (!equal) return std::nullopt;
          known.insert(use.loads.begin(), use.loads.end());
          out.consumers.push_back(std::move(use));
        }
        return others_are_lengths(global, *store, known, all, out) ? std::optional(out)
                                                                   : std::nullopt;
      }
    }
    return std::nullopt;
  }

  // The store of a loop that consists of lets and this one store; absent: the loop does anything
  // else.
  std::optional<StmtId> only_store(const CountedLoop& loop, GlobalId global) const {
    std::optional<StmtId> found;
    for (const StmtId id : p_.block(loop.body)) {
      const StmtNode& node = p_[id].node;
      if (std::holds_alternative<LetStmt>(node)) continue;
      const auto* store = std::get_if<StoreStmt>(&node);
      if (store == nullptr || found || !is_element(store->pointer, global)) return std::nullopt;
      found = id;
    }
    return found;
  }

  // `global[index]`
  bool is_element(ExprId pointer, GlobalId global) const {
    const auto* index = std::get_if<IndexExpr>(&p_[pointer].node);
    const auto* root =
        index == nullptr ? nullptr : std::get_if<GlobalPtrExpr>(&p_[index->base].node);
    return root != nullptr && root->id == global;
  }
  bool is_element_load(ExprId id, GlobalId global) const {
    const auto* load = std::get_if<LoadExpr>(&p_[id].node);
    return load != nullptr && is_element(load->pointer, global);
  }
  ExprId element_index(ExprId pointer) const { return std::get<IndexExpr>(p_[pointer].node).index; }

  // Whether the program uses the buffer nowhere else, except for its length.
  bool others_are_lengths(GlobalId global, StmtId store, const std::set<ExprId>& loads,
                          const CountedLoops& all, Uses& uses) const {
    std::size_t named = 0, explained = 1 + loads.size();
    for (const Function& function : p_.functions) {
      for_each_stmt(p_, function.body, [&](StmtId id) {
        for_each_expr(p_, p_[id].node, [&](ExprId root) {
          for_each_subexpr(p_, root, [&](ExprId e) {
            const auto* pointer = std::get_if<GlobalPtrExpr>(&p_[e].node);
            if (pointer != nullptr && pointer->id == global) ++named;
            const auto* length = std::get_if<ArrayLengthExpr>(&p_[e].node);
            if (length == nullptr || all.root_of(length->pointer) != global) return;
            uses.lengths.push_back(e);
            ++explained;
          });
        });
      });
    }
    return named == explained && !uses.consumers.empty() &&
           std::holds_alternative<StoreStmt>(p_[store].node);
  }

  // Whether the stored value can be computed in a later loop with the same result, and cheaply
  // enough.
  bool may_be_computed_again(const Uses& uses, const CountedLoops& all) const {
    std::size_t nodes = 0, loads = 0;
    bool same_later = true;
    const auto look = [&](ExprId root) {
      same_later = same_later && all.is_same_later(root, uses.producer->var);
      for_each_subexpr(p_, root, [&](ExprId e) {
        ++nodes;
        if (std::holds_alternative<LoadExpr>(p_[e].node) && !all.loaded_var(e)) ++loads;
      });
    };
    for (const StmtId id : p_.block(uses.producer->body)) {
      if (const auto* let = std::get_if<LetStmt>(&p_[id].node)) look(let->value);
    }
    look(std::get<StoreStmt>(p_[uses.store].node).value);
    const bool little = nodes <= kMostNodesAgain && loads <= kMostLoadsAgain;
    return same_later && (uses.consumers.size() == 1 || little);
  }

  // Whether no access of any stage can be outside of the buffer.
  bool is_inside(std::size_t buffer, const BufferLayout& layout) const {
    const auto count = static_cast<std::int64_t>(layout.elements_in(buffers_[buffer].bytes));
    for (const StageAnalysis& stage : plan_.stages) {
      for (const MemoryAccess& a : stage.accesses.all) {
        if (stage.buffer[static_cast<std::size_t>(a.global)] != buffer) continue;
        if (a.kind == AccessKind::load && a.path.empty()) continue;
        if (a.index_range.low < 0 || a.index_range.high >= count) return false;
      }
    }
    return true;
  }

  // ---- Writing

  using Renamed = std::map<LocalId, LocalId>;

  LocalId add_let(std::string name, TypeId type, SourcePos pos) {
    auto& locals = p_.functions[static_cast<std::size_t>(p_.entry)].locals;
    locals.push_back({std::move(name), LocalKind::let, type, pos});
    return static_cast<LocalId>(locals.size() - 1);
  }

  // Computes the elements at the beginning of each round of the loop, and makes the loop's loads
  // use these values.
  void compute_in(const CountedLoop& loop, const Uses& uses, const std::vector<ExprId>& loads,
                  bool tests, std::uint32_t count) {
    writer_.open();
    Renamed renamed{{uses.producer->var, loop.var}};
    const std::vector<StmtId> producing(p_.block(uses.producer->body).begin(),
                                        p_.block(uses.producer->body).end());
    LocalId value{};
    for (const StmtId id : producing) {
      writer_.pos = p_[id].pos;
      if (const LetStmt* let = std::get_if<LetStmt>(&p_[id].node)) {
        const LetStmt original = *let;
        const Local local = p_[p_.entry].locals[static_cast<std::size_t>(original.local)];
        const ExprId again = copy(original.value, renamed);
        renamed[original.local] = add_let(local.name, local.type, local.pos);
        writer_.stmt(LetStmt{renamed[original.local], again});
        continue;
      }
      const StoreStmt store = std::get<StoreStmt>(p_[id].node);
      ExprId again = copy(store.value, renamed);
      const TypeId type = p_[again].type;
      if (tests) again = zero_outside(again, copy(element_index(store.pointer), renamed), count);
      value = add_let("element", type, p_[id].pos);
      writer_.stmt(LetStmt{value, again});
    }
    const Block made = writer_.close();
    for (const ExprId load : loads) p_[load].node = LocalExpr{value};
    insert_after_test(loop.stmt, made);
  }

  ExprId zero_outside(ExprId value, ExprId index, std::uint32_t count) {
    const TypeId u32 = p_.types.scalar(ScalarKind::u32), type = p_[value].type;
    if (p_[index].type != u32) index = writer_.expr(u32, BitcastExpr{index});
    const ExprId limit = writer_.constant(Scalar::of(count));
    ExprId inside = writer_.expr(p_.types.scalar(ScalarKind::boolean),
                                 BinaryExpr{BinaryOp::less, index, limit});
    if (const auto* vector = p_.types.get_if<VectorType>(type)) {
      inside = writer_.expr(p_.types.vector(ScalarKind::boolean, vector->size), SplatExpr{inside});
    }
    const ExprId zero = writer_.expr(type, ZeroExpr{});
    return writer_.expr(type, SelectExpr{zero, value, inside});
  }

  ExprId copy(ExprId id, const Renamed& renamed) {
    const TypeId type = p_[id].type;
    ExprNode node = with_operands(p_, writer_, p_[id].node,
                                  [&](ExprId operand) { return copy(operand, renamed); });
    const auto rename = [&](LocalId& name) {
      if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
    };
    if (auto* let = std::get_if<LocalExpr>(&node)) rename(let->id);
    if (auto* var = std::get_if<LocalPtrExpr>(&node)) rename(var->id);
    return writer_.expr(type, std::move(node));
  }

  Block as_block(const std::vector<StmtId>& stmts) {
    const Block block{static_cast<std::uint32_t>(p_.block_stmts.size()),
                      static_cast<std::uint32_t>(stmts.size())};
    p_.block_stmts.insert(p_.block_stmts.end(), stmts.begin(), stmts.end());
    return block;
  }
  void insert_after_test(StmtId loop, Block made) {
    const Block body = std::get<LoopStmt>(p_[loop].node).body;
    const auto before = p_.block(body), more = p_.block(made);
    std::vector<StmtId> all{before[0]};
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), before.begin() + 1, before.end());
    std::get<LoopStmt>(p_[loop].node).body = as_block(all);
  }
  // Replaces the loop by an empty statement, so that the positions of all blocks stay valid.
  void remove_loop(std::uint32_t first_of_block, StmtId loop) {
    const auto at = std::find(p_.block_stmts.begin() + first_of_block, p_.block_stmts.end(), loop);
    const Block nothing = as_block({});
    const TypeId boolean = p_.types.scalar(ScalarKind::boolean);
    p_[*at].node = IfStmt{writer_.expr(boolean, ZeroExpr{}), nothing, nothing};
  }

  void unbind(GlobalId global) {
    const std::uint32_t binding = p_[global].binding;
    group_.bindings.erase(group_.bindings.begin() + binding);
    p_.globals.erase(p_.globals.begin() + static_cast<std::ptrdiff_t>(global));
    for (Global& g : p_.globals) {
      const bool bound = g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform;
      if (bound && g.binding > binding) --g.binding;
    }
    for (Expr& e : p_.exprs) {
      auto* pointer = std::get_if<GlobalPtrExpr>(&e.node);
      if (pointer == nullptr) continue;
      if (pointer->id == global) {
        e = {p_.types.scalar(ScalarKind::u32), e.pos, ZeroExpr{}};  // nothing uses it
      } else if (pointer->id > global) {
        pointer->id = static_cast<GlobalId>(static_cast<std::uint32_t>(pointer->id) - 1);
      }
    }
  }

  WrittenGroup& group_;
  Program& p_;
  const GroupPlan& plan_;
  std::span<const FusedBuffer> buffers_;
  Writer writer_;
};

}  // namespace

std::vector<std::size_t> forward_elements(WrittenGroup& group, const GroupPlan& plan,
                                          std::span<const FusedBuffer> buffers) {
  return Forwarding(group, plan, buffers).run();
}

}  // namespace vyre
