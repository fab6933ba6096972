#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "vyre/fuse/forward_elements_internal.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/walk.h"
#include "vyre/ir/writer.h"

namespace vyre {
namespace {

// The most expression nodes of an element that is computed again in each of several loops, where it
// replaces one load.
constexpr std::size_t kMostNodesAgain = 24;
constexpr std::size_t kMostLoadsAgain = 2;
constexpr std::size_t kMostSteps = 4096;  // the most steps of a comparison of two expressions

// `for (var v = initial; v < bound; v += by)`, with whichever comparison and step; `v` changes
// nowhere else.
struct CountedLoop {
  StmtId stmt{};
  LocalId var{};
  ExprId initial = kNoExpr;
  ExprId condition = kNoExpr;
  ExprId next = kNoExpr;  // the value of `v` in the next round
  Block body{};           // without the test of the condition
};

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
      look_around();
      const std::optional<GlobalId> global = global_of(b);
      if (!global || !forward(*global, b)) continue;
      unbind(*global);
      gone.push_back(b);
    }
    return gone;
  }

 private:
  // ---- What the program says

  const Function& entry() const { return p_[p_.entry]; }

  void look_around() {
    lets_.clear();
    stored_vars_.clear();
    named_vars_.clear();
    written_.clear();
    loops_.clear();
    for (std::size_t f = 0; f < p_.functions.size(); ++f) {
      const bool is_entry = f == static_cast<std::size_t>(p_.entry);
      for_each_stmt(p_, p_.functions[f].body, [&](StmtId id) { look_at(id, is_entry); });
    }
    look_for_loops(entry().body);
  }

  void look_at(StmtId id, bool in_entry) {
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
  void note_names(ExprId id) {
    if (const auto* load = std::get_if<LoadExpr>(&p_[id].node)) {
      if (local_var(load->pointer) != nullptr) return;
    }
    if (const auto* var = local_var(id)) ++named_vars_[var->id];
    for_each_operand(p_, p_[id].node, [&](ExprId operand) { note_names(operand); });
  }

  const LocalPtrExpr* local_var(ExprId pointer) const {
    return std::get_if<LocalPtrExpr>(&p_[pointer].node);
  }
  std::optional<LocalId> loaded_var(ExprId id) const {
    const auto* load = std::get_if<LoadExpr>(&p_[id].node);
    const auto* var = load == nullptr ? nullptr : local_var(load->pointer);
    return var == nullptr ? std::nullopt : std::optional(var->id);
  }
  std::optional<GlobalId> root_of(ExprId pointer) const {
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
  void look_for_loops(Block block) {
    std::map<LocalId, ExprId> initial;
    for (const StmtId id : p_.block(block)) {
      const StmtNode& node = p_[id].node;
      if (const auto* var = std::get_if<VarStmt>(&node);
          var != nullptr && var->initial != kNoExpr) {
        initial[var->local] = var->initial;
      }
      if (const auto* loop = std::get_if<LoopStmt>(&node)) {
        if (auto counted = counted_loop(id, *loop, initial)) {
          loops_[block.first].push_back(*counted);
        }
      }
      for_each_block(p_, node, [&](Block inner) { look_for_loops(inner); });
    }
  }

  std::optional<CountedLoop> counted_loop(StmtId id, const LoopStmt& loop,
                                          const std::map<LocalId, ExprId>& initial) const {
    const auto body = p_.block(loop.body), continuing = p_.block(loop.continuing);
    if (loop.break_if != kNoExpr || body.empty() || continuing.size() != 1) return std::nullopt;
    const auto* test = std::get_if<IfStmt>(&p_[body[0]].node);
    const auto* step = std::get_if<StoreStmt>(&p_[continuing[0]].node);
    if (test == nullptr || test->otherwise.count != 0 || step == nullptr) return std::nullopt;
    const auto then = p_.block(test->then);
    const auto* var = local_var(step->pointer);
    if (then.size() != 1 || !std::holds_alternative<BreakStmt>(p_[then[0]].node) ||
        var == nullptr) {
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

  // Whether `b` equals `a` if the second loop's variable is put in the place of the first one's.
  // Anything whose value depends on when it is computed counts as different.
  bool same(ExprId a, ExprId b, LocalId first, LocalId second) const {
    std::size_t steps = 0;
    return same(a, b, first, second, steps);
  }
  bool same(ExprId a, ExprId b, LocalId first, LocalId second, std::size_t& steps) const {
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
  ExprId resolved(ExprId id) const {
    while (const auto* local = std::get_if<LocalExpr>(&p_[id].node)) {
      const auto let = lets_.find(local->id);
      if (let == lets_.end()) break;
      // A let may hold what was loaded before it changed.
      bool fixed = true;
      for_each_subexpr(p_, let->second, [&](ExprId e) {
        if (!std::holds_alternative<LoadExpr>(p_[e].node) || loaded_var(e)) return;
        const auto global = root_of(std::get<LoadExpr>(p_[e].node).pointer);
        fixed = fixed && global && is_fixed(*global);
      });
      if (!fixed) break;
      id = let->second;
    }
    return id;
  }
  // Buffers that nothing in the program writes.
  bool is_fixed(GlobalId global) const {
    const MemoryKind memory = p_[global].memory;
    return (memory == MemoryKind::storage || memory == MemoryKind::uniform) &&
           !written_.contains(global);
  }
  // Whether two nodes are the same operation, whatever their operands.
  bool same_node(ExprId a, ExprId b) const {
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
            [&](const MemberExpr& x) {
              return x.member == std::get<MemberExpr>(p_[b].node).member;
            },
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
    const auto uses = uses_of(global);
    if (!uses || !may_be_computed_again(*uses)) return false;
    const auto& store = std::get<StoreStmt>(p_[uses->store].node);
    const TypeId element = p_[store.value].type;
    const BufferLayout layout = buffer_layout(p_.types, p_[global].type);
    const bool tests = !is_inside(buffer, layout);
    if (tests && !p_.types.scalar_kind(element) && !is_vector(element)) return false;
    const auto count = static_cast<std::uint32_t>(layout.elements_in(buffers_[buffer].bytes));
    for (const Use& use : uses->consumers) compute_in(*use.loop, *uses, use.loads, tests, count);
    for (const ExprId length : uses->lengths) {
      const ExprId number = writer_.constant(Scalar::of(count));
      p_[length].node = p_[number].node;
    }
    remove_loop(uses->block, uses->producer->stmt);
    return true;
  }
  bool is_vector(TypeId type) const { return p_.types.get_if<VectorType>(type) != nullptr; }

  std::optional<Uses> uses_of(GlobalId global) const {
    for (const auto& [block, loops] : loops_) {
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
              after && same(producer.initial, loop.initial, producer.var, loop.var) &&
              same(producer.condition, loop.condition, producer.var, loop.var) &&
              same(producer.next, loop.next, producer.var, loop.var) &&
              std::ranges::all_of(use.loads, [&](ExprId load) {
                const ExprId pointer = std::get<LoadExpr>(p_[load].node).pointer;
                return same(stored_at, element_index(pointer), producer.var, loop.var);
              });
          if (!equal) return std::nullopt;
          known.insert(use.loads.begin(), use.loads.end());
          out.consumers.push_back(std::move(use));
        }
        return others_are_lengths(global, *store, known, out) ? std::optional(out) : std::nullopt;
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
                          Uses& uses) const {
    std::size_t named = 0, explained = 1 + loads.size();
    for (const Function& function : p_.functions) {
      for_each_stmt(p_, function.body, [&](StmtId id) {
        for_each_expr(p_, p_[id].node, [&](ExprId root) {
          for_each_subexpr(p_, root, [&](ExprId e) {
            const auto* pointer = std::get_if<GlobalPtrExpr>(&p_[e].node);
            if (pointer != nullptr && pointer->id == global) ++named;
            const auto* length = std::get_if<ArrayLengthExpr>(&p_[e].node);
            if (length == nullptr || root_of(length->pointer) != global) return;
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
  bool may_be_computed_again(const Uses& uses) const {
    std::size_t nodes = 0, loads = 0;
    bool same_later = true;
    const auto look = [&](ExprId root) {
      for_each_subexpr(p_, root, [&](ExprId e) {
        ++nodes;
        if (!std::holds_alternative<LoadExpr>(p_[e].node)) return;
        if (const auto var = loaded_var(e)) {
          same_later = same_later && (*var == uses.producer->var || !named_vars_.contains(*var));
          return;
        }
        ++loads;
        const auto global = root_of(std::get<LoadExpr>(p_[e].node).pointer);
        same_later = same_later && global && is_fixed(*global);
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
        const Local local = entry().locals[static_cast<std::size_t>(original.local)];
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
    ExprNode node = p_[id].node;
    const auto again = [&](ExprId& operand) { operand = copy(operand, renamed); };
    const auto all = [&](ExprRange& range) {
      std::vector<ExprId> list(p_.list(range).begin(), p_.list(range).end());
      for (ExprId& each : list) again(each);
      range = writer_.list(list);
    };
    const auto local = [&](LocalId& name) {
      if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
    };
    std::visit(Overloaded{
                   [&](LocalExpr& e) { local(e.id); },
                   [&](LocalPtrExpr& e) { local(e.id); },
                   [&](MemberExpr& e) { again(e.base); },
                   [&](IndexExpr& e) {
                     again(e.base);
                     again(e.index);
                   },
                   [&](LoadExpr& e) { again(e.pointer); },
                   [&](SwizzleExpr& e) { again(e.vector); },
                   [&](ConstructExpr& e) { all(e.parts); },
                   [&](SplatExpr& e) { again(e.scalar); },
                   [&](UnaryExpr& e) { again(e.operand); },
                   [&](BinaryExpr& e) {
                     again(e.left);
                     again(e.right);
                   },
                   [&](SelectExpr& e) {
                     again(e.on_false);
                     again(e.on_true);
                     again(e.condition);
                   },
                   [&](ConvertExpr& e) { again(e.value); },
                   [&](BitcastExpr& e) { again(e.value); },
                   [&](MathExpr& e) { all(e.arguments); },
                   [&](ArrayLengthExpr& e) { again(e.pointer); },
                   [](auto&) {},
               },
               node);
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
  std::map<LocalId, ExprId> lets_;              // of the entry
  std::map<LocalId, std::size_t> stored_vars_;  // how often each is stored to as a whole
  std::map<LocalId, std::size_t> named_vars_;   // how often each is named other than to load it
  std::set<GlobalId> written_;                  // by any function
  std::map<std::uint32_t, std::vector<CountedLoop>> loops_;  // by the first place of their block
};

}  // namespace

std::vector<std::size_t> forward_elements(WrittenGroup& group, const GroupPlan& plan,
                                          std::span<const FusedBuffer> buffers) {
  return Forwarding(group, plan, buffers).run();
}

}  // namespace vyre
