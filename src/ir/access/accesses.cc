#include "vyre/ir/access/accesses.h"

#include <algorithm>
#include <utility>

#include "vyre/ir/access/evaluator_internal.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

constexpr double kGuessedRounds = 16;  // of a loop that is not understood

class Walk : Evaluator {
 public:
  using Evaluator::Evaluator;

  Accesses run() {
    frame_ = 0;
    const Function& entry = program_[program_.entry];
    const std::size_t mark = numbers_.mark();
    block(entry.body);
    numbers_.forget(mark);
    return std::move(out_);
  }

 private:
  // What an execution of a block ends with, as far as it is certain.
  enum class End : std::uint8_t { falls_through, leaves, may_leave };

  // Facts that a block learns end with it; those about what leaves it early last to the end of the
  // block around it.
  End block(Block b) {
    bool may_leave = false;
    for (const StmtId id : program_.block(b)) {
      if (!has_budget()) return End::may_leave;
      stmt_ = id;
      const End end = std::visit([&](const auto& s) { return stmt(id, s); }, program_[id].node);
      if (end == End::leaves) return End::leaves;
      if (end == End::may_leave) may_leave = true;
    }
    return may_leave ? End::may_leave : End::falls_through;
  }

  void bind(LocalId local, Abstract value) {
    values_[{frame_, static_cast<std::uint32_t>(local)}] = std::move(value);
  }
  TypeId local_type(LocalId local) const {
    return frames_[frame_]->locals[static_cast<std::size_t>(local)].type;
  }

  End stmt(StmtId, const LetStmt& s) {
    bind(s.local, eval(s.value));
    return End::falls_through;
  }
  End stmt(StmtId, const VarStmt& s) {
    bind(s.local, s.initial != kNoExpr ? eval(s.initial) : zero(local_type(s.local)));
    return End::falls_through;
  }
  End stmt(StmtId, const StoreStmt& s) {
    const Abstract pointer = eval(s.pointer);
    Abstract value = eval(s.value);
    if (!pointer.place) return forget_variables();
    const Place& place = *pointer.place;
    if (place.global) {
      if (program_.globals[place.root].memory == MemoryKind::storage) {
        out_.all.push_back(access(AccessKind::store, place, s.pointer));
      }
      return End::falls_through;
    }
    Abstract& variable = values_[{place.frame, place.root}];
    variable = place.path.empty() ? std::move(value) : unknown(local_of(place).type);
    return End::falls_through;
  }
  // A store through a pointer of which nothing is known.
  End forget_variables() {
    out_.complete = false;
    for (auto& [key, value] : values_) {
      const Local& local = frames_[key.first]->locals[key.second];
      if (local.kind == LocalKind::var) value = unknown(local.type);
    }
    return End::falls_through;
  }

  // Variables that a block stores to, in this call or through pointers.
  void stored_in(Block b, std::vector<VarKey>& out, bool& anything) const {
    for_each_stmt(program_, b, [&](StmtId id) {
      const StmtNode& node = program_[id].node;
      if (const auto* s = std::get_if<StoreStmt>(&node)) {
        ExprId at = s->pointer;
        while (true) {
          if (const auto* e = std::get_if<MemberExpr>(&program_[at].node)) {
            at = e->base;
          } else if (const auto* e = std::get_if<IndexExpr>(&program_[at].node)) {
            at = e->base;
          } else {
            break;
          }
        }
        if (const auto* e = std::get_if<LocalPtrExpr>(&program_[at].node)) {
          out.emplace_back(frame_, static_cast<std::uint32_t>(e->id));
        } else if (std::holds_alternative<LocalExpr>(program_[at].node)) {
          anything = true;
        }
      } else if (const auto* s = std::get_if<CallStmt>(&node)) {
        for (const ExprId argument : program_.list(s->arguments)) {
          anything = anything || types_.get_if<PointerType>(program_[argument].type) != nullptr;
        }
      }
    });
  }
  // The variables that the blocks may store to, with their values now.
  using Variables = std::vector<std::pair<VarKey, Abstract>>;
  Variables stored_variables(std::initializer_list<Block> blocks) const {
    std::vector<VarKey> stored;
    bool anything = false;
    for (const Block b : blocks) stored_in(b, stored, anything);
    Variables out;
    if (anything) {
      for (const auto& [key, value] : values_) {
        if (frames_[key.first]->locals[key.second].kind == LocalKind::var) {
          out.emplace_back(key, value);
        }
      }
    }
    for (const VarKey& key : stored) {
      const auto known = values_.find(key);
      if (known != values_.end()) out.emplace_back(key, known->second);
    }
    return out;
  }
  void restore(const Variables& variables) {
    for (const auto& [key, value] : variables) values_[key] = value;
  }
  void forget(const Variables& variables) {
    for (const auto& [key, value] : variables) {
      values_[key] = unknown(frames_[key.first]->locals[key.second].type);
    }
  }
  void forget_stored(std::initializer_list<Block> blocks) { forget(stored_variables(blocks)); }

  // What follows runs only sometimes, and nothing says when.
  void assume_something() { numbers_.assume(numbers_.unknown(ScalarKind::boolean), true); }

  End stmt(StmtId id, const IfStmt& s) {
    const Abstract condition = eval(s.condition);
    const ValueNumber c = condition.parts.empty() ? ValueNumber{} : condition.parts[0];
    if (calls_ == 0 && depth_ == 0) out_.conditions[static_cast<std::uint32_t>(id)] = c;
    if (condition.parts.empty()) return End::may_leave;  // the budget is spent
    ++depth_;
    const auto branch = [&](Block b, bool truth) {
      const std::size_t mark = numbers_.mark();
      numbers_.assume(c, truth);
      const End end = block(b);
      numbers_.forget(mark);
      return end;
    };
    const Variables before = stored_variables({s.then});
    const End then = branch(s.then, true);
    restore(before);
    const End otherwise = branch(s.otherwise, false);
    forget_stored({s.then, s.otherwise});
    --depth_;
    if (then == End::leaves && otherwise == End::leaves) return End::leaves;
    if (then == End::falls_through && otherwise == End::falls_through) return End::falls_through;
    if (then == End::leaves && otherwise == End::falls_through) {
      numbers_.assume(c, false);
    } else if (then == End::falls_through && otherwise == End::leaves) {
      numbers_.assume(c, true);
    } else {
      assume_something();
    }
    return End::may_leave;
  }

  End stmt(StmtId, const LoopStmt& s) {
    ++depth_;
    const double times = times_;
    const std::size_t mark = numbers_.mark();
    const double rounds = enter_loop(s);
    times_ = times * rounds;
    const std::size_t entered = numbers_.mark();
    block(s.body);
    forget_stored({s.body});
    if (contains<ContinueStmt>(s.body)) {  // what the end of the body knows does not hold then
      numbers_.forget(entered);
      assume_something();
    }
    block(s.continuing);
    if (s.break_if != kNoExpr) eval(s.break_if);
    numbers_.forget(mark);
    forget_stored({s.body, s.continuing});
    times_ = times;
    --depth_;
    if (!contains<ReturnStmt>(s.body)) return End::falls_through;
    assume_something();
    return End::may_leave;
  }
  template <class S>
  bool contains(Block b) const {
    bool found = false;
    for_each_stmt(program_, b, [&](StmtId id) {
      found = found || std::holds_alternative<S>(program_[id].node);
    });
    return found;
  }

  // Variables that the loop changes are unknown in it, except a counter: one that only `continuing`
  // changes, by adding a constant, and that the loop compares before anything else. Gives an
  // estimate of the number of rounds.
  double enter_loop(const LoopStmt& s) {
    const Variables before = stored_variables({s.body, s.continuing});
    forget(before);
    const auto body = program_.block(s.body);
    if (body.empty()) return kGuessedRounds;
    const auto* test = std::get_if<IfStmt>(&program_[body[0]].node);
    if (test == nullptr) return kGuessedRounds;
    for (const StmtId id : program_.block(s.continuing)) {
      const auto* store = std::get_if<StoreStmt>(&program_[id].node);
      if (store == nullptr) continue;
      const auto* variable = std::get_if<LocalPtrExpr>(&program_[store->pointer].node);
      if (variable == nullptr || stores_to(s, variable->id) != 1) continue;
      const VarKey key{frame_, static_cast<std::uint32_t>(variable->id)};
      const auto first =
          std::ranges::find(before, key, [](const auto& variable) { return variable.first; });
      if (first == before.end() || first->second.parts.size() != 1) continue;
      if (const auto rounds = count(*test, *store, key, first->second.parts[0])) return *rounds;
    }
    return kGuessedRounds;
  }
  int stores_to(const LoopStmt& s, LocalId id) const {
    std::vector<VarKey> stored;
    bool anything = false;
    stored_in(s.body, stored, anything);
    stored_in(s.continuing, stored, anything);
    if (anything) return 2;
    return static_cast<int>(
        std::ranges::count(stored, VarKey{frame_, static_cast<std::uint32_t>(id)}));
  }
  bool only_breaks(Block b) const {
    const auto stmts = program_.block(b);
    return stmts.size() == 1 && std::holds_alternative<BreakStmt>(program_[stmts[0]].node);
  }
  // The counter becomes first + step * round.
  std::optional<double> count(const IfStmt& test, const StoreStmt& store, const VarKey& key,
                              ValueNumber first) {
    const auto kind = types_.scalar_kind(frames_[frame_]->locals[key.second].type);
    if (!kind || !is_integer(*kind)) return std::nullopt;
    if (values_[key].parts.empty()) return std::nullopt;
    const ValueNumber now = values_[key].parts[0];
    // Evaluated on a copy of what was found: these are no accesses of their own.
    const std::size_t found = out_.all.size();
    const Abstract next = eval(store.value);
    const Abstract condition = eval(test.condition);
    out_.all.resize(found);
    // The next value as now + step, if nothing wraps.
    const auto step = step_of(store.value, key);
    if (!step || *step <= 0 || next.parts.empty() || condition.parts.empty()) return std::nullopt;
    const bool leaves_when_true = only_breaks(test.then) && program_.block(test.otherwise).empty();
    const bool leaves_when_false = only_breaks(test.otherwise) && program_.block(test.then).empty();
    if (!leaves_when_true && !leaves_when_false) return std::nullopt;
    const std::size_t mark = numbers_.mark();
    numbers_.assume(condition.parts[0], leaves_when_false);
    const ValueRange inside = numbers_.range(now);
    numbers_.forget(mark);
    const ValueRange start = numbers_.range(first);
    if (inside.high > range_of(*kind).high - *step) return std::nullopt;
    const ValueNumber round = numbers_.loop_round();
    const ValueNumber counter = numbers_.plus(first, *step, round);
    values_[key].parts = {counter};
    // In the test itself the counter may have passed the end by one step.
    const std::int64_t most = std::max<std::int64_t>(0, (inside.high - start.low) / *step + 1);
    numbers_.assume(
        numbers_.binary(BinaryOp::less_equal, ScalarKind::u32, round, numbers_.constant(most)),
        true);
    return std::max<double>(
        1, static_cast<double>(most) - (start.high - start.low) / static_cast<double>(*step) / 2);
  }
  // The constant c of `variable + c`.
  std::optional<std::int64_t> step_of(ExprId value, const VarKey& key) {
    const auto* sum = std::get_if<BinaryExpr>(&program_[value].node);
    if (sum == nullptr || sum->op != BinaryOp::add) return std::nullopt;
    const auto is_variable = [&](ExprId id) {
      const auto* load = std::get_if<LoadExpr>(&program_[id].node);
      if (load == nullptr) return false;
      const auto* at = std::get_if<LocalPtrExpr>(&program_[load->pointer].node);
      return at != nullptr && static_cast<std::uint32_t>(at->id) == key.second;
    };
    const ExprId other = is_variable(sum->left) ? sum->right : sum->left;
    if (!is_variable(sum->left) && !is_variable(sum->right)) return std::nullopt;
    const Abstract step = eval(other);
    return step.parts.empty() ? std::nullopt : numbers_.known(step.parts[0]);
  }

  End stmt(StmtId, const SwitchStmt& s) {
    ++depth_;
    eval(s.selector);
    bool returns = false;
    Variables before;
    for (const SwitchCase& c : program_.cases(s)) {
      const Variables here = stored_variables({c.body});
      const std::size_t mark = numbers_.mark();
      assume_something();
      block(c.body);
      numbers_.forget(mark);
      restore(here);
      before.insert(before.end(), here.begin(), here.end());
      // These go beyond the switch.
      returns = returns || contains<ReturnStmt>(c.body) || contains<ContinueStmt>(c.body);
    }
    forget(before);
    --depth_;
    if (!returns) return End::falls_through;
    assume_something();
    return End::may_leave;
  }
  End stmt(StmtId, const BreakStmt&) { return End::leaves; }
  End stmt(StmtId, const ContinueStmt&) { return End::leaves; }
  End stmt(StmtId, const ReturnStmt& s) {
    if (s.value != kNoExpr) {
      Abstract value = eval(s.value);
      if (returned_ != nullptr) returned_->push_back(std::move(value));
    }
    return End::leaves;
  }
  End stmt(StmtId, const BarrierStmt&) { return End::falls_through; }
  End stmt(StmtId, const UniformLoadStmt& s) {
    eval(s.pointer);
    bind(s.result, unknown(local_type(s.result)));
    return End::falls_through;
  }
  End stmt(StmtId id, const AtomicStmt& s) {
    const Abstract pointer = eval(s.pointer);
    if (s.compare != kNoExpr) eval(s.compare);
    if (s.value != kNoExpr) eval(s.value);
    if (!pointer.place) out_.complete = false;
    if (pointer.place && pointer.place->global &&
        program_.globals[pointer.place->root].memory == MemoryKind::storage) {
      MemoryAccess a = access(AccessKind::atomic, *pointer.place, s.pointer);
      a.stmt = id;
      a.atomic = s.op;
      a.result_used = s.result != kNoLocal && is_used(s.result);
      out_.all.push_back(std::move(a));
    }
    if (s.result != kNoLocal) bind(s.result, unknown(local_type(s.result)));
    return End::falls_through;
  }
  bool is_used(LocalId local) const {
    bool used = false;
    for_each_stmt(program_, frames_[frame_]->body, [&](StmtId id) {
      for_each_expr(program_, program_[id].node, [&](ExprId root) {
        for_each_subexpr(program_, root, [&](ExprId expr) {
          const auto* e = std::get_if<LocalExpr>(&program_[expr].node);
          used = used || (e != nullptr && e->id == local);
        });
      });
    });
    return used;
  }
  End stmt(StmtId, const SubgroupStmt& s) {
    if (s.value != kNoExpr) eval(s.value);
    if (s.lane != kNoExpr) eval(s.lane);
    bind(s.result, unknown(local_type(s.result)));
    return End::falls_through;
  }
  End stmt(StmtId id, const CallStmt& s) {
    std::vector<Abstract> arguments;
    for (const ExprId argument : program_.list(s.arguments)) arguments.push_back(eval(argument));
    const std::uint32_t caller = frame_;
    frame_ = static_cast<std::uint32_t>(frames_.size());
    frames_.push_back(&program_[s.callee]);
    for (std::uint32_t i = 0; i < arguments.size(); ++i) bind(LocalId{i}, std::move(arguments[i]));
    std::vector<Abstract> returned;
    std::vector<Abstract>* const outer = std::exchange(returned_, &returned);
    const std::size_t mark = numbers_.mark();
    ++calls_;
    const End end = block(program_[s.callee].body);
    --calls_;
    numbers_.forget(mark);
    returned_ = outer;
    const std::uint32_t callee = frame_;
    std::erase_if(values_, [&](const auto& entry) { return entry.first.first == callee; });
    frame_ = caller;
    stmt_ = id;
    if (s.result != kNoLocal) {
      const bool one = end == End::leaves && returned.size() == 1;
      bind(s.result, one ? returned[0] : unknown(local_type(s.result)));
    }
    return End::falls_through;
  }

  std::uint32_t depth_ = 0;  // of blocks
  std::vector<Abstract>* returned_ = nullptr;
};

}  // namespace

Accesses find_accesses(const Program& program, const LaunchFacts& facts, ValueNumbers& numbers) {
  return Walk(program, facts, numbers).run();
}

std::vector<bool> functions_reached(const Program& program) {
  std::vector<bool> reached(program.functions.size(), false);
  reached[static_cast<std::size_t>(program.entry)] = true;
  for (std::size_t i = reached.size(); i-- > 0;) {
    if (!reached[i]) continue;
    for_each_stmt(program, program.functions[i].body, [&](StmtId id) {
      const auto* call = std::get_if<CallStmt>(&program[id].node);
      if (call != nullptr) reached[static_cast<std::size_t>(call->callee)] = true;
    });
  }
  return reached;
}

bool is_pointwise(const Program& program) {
  if (program.workgroup[1] != 1 || program.workgroup[2] != 1) return false;
  const std::vector<bool> reached = functions_reached(program);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) continue;
    bool subgroups = false;  // by which invocations see each other's elements
    for_each_stmt(program, program.functions[i].body, [&](StmtId id) {
      subgroups = subgroups || std::holds_alternative<SubgroupStmt>(program[id].node);
    });
    if (subgroups) return false;
  }
  LaunchFacts facts;
  facts.workgroup = program.workgroup;
  facts.buffers.resize(program.globals.size());
  ValueNumbers numbers;
  const ValueNumber own = numbers.global_id(0, facts.extent, facts.workgroup);
  const Accesses accesses = find_accesses(program, facts, numbers);
  return accesses.complete && !accesses.all.empty() &&
         std::ranges::all_of(accesses.all, [&](const MemoryAccess& a) {
           return a.element != 0 && a.index() == own;
         });
}

}  // namespace vyre
