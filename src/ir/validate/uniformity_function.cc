// The rules are those of the section "Uniformity" of the WGSL specification. Expressions of the IR
// have no effects, so one node stands for a whole expression, with edges to all that it reads.
#include "vyre/ir/validate/uniformity_function.h"

#include <fmt/format.h>

#include <utility>

#include "vyre/ir/validate/behaviour.h"
#include "vyre/ir/validate/uniformity_graph.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

std::size_t index_of(LocalId id) { return static_cast<std::size_t>(id); }

std::string barrier_name(const BarrierStmt& s) {
  return s.workgroup_memory ? "workgroupBarrier" : "storageBarrier";
}

// The root of a pointer expression: a global, or a local that is a variable or a pointer parameter.
struct Root {
  bool is_global = false;
  GlobalId global{};
  LocalId local = kNoLocal;
  bool partial = false;  // only a part of it is accessed
};

class Analysis {
 public:
  Analysis(const Program& program, FunctionId id, UniformityScope scope,
           const std::vector<UniformityFacts>& known, std::vector<ProgramIssue>& issues)
      : program_(program),
        function_(program[id]),
        scope_(scope),
        known_(known),
        issues_(issues),
        behaviours_(program, function_.body),
        start_(graph_.node()),
        result_(graph_.node()),
        values_(function_.locals.size(), kNoNode),
        contents_(function_.locals.size(), kNoNode),
        roots_(function_.locals.size()),
        contents_out_(function_.parameters, kNoNode) {}

  UniformityFacts run() {
    for (std::uint32_t i = 0; i < function_.parameters; ++i) parameter(i);
    parameter_values_ = values_;
    parameter_contents_ = contents_;
    block(function_.body, start_);
    if (behaviours_.of(function_.body).next) leave();
    report();
    return facts();
  }

 private:
  // The values of variables where control leaves a loop or switch, or reaches a continuing part.
  struct Joins {
    std::size_t variables;          // the number in scope before the statement
    std::vector<NodeId> exit;       // per local, when control leaves
    std::vector<NodeId> continue_;  // per local, at the start of the continuing part
    bool is_loop;
  };
  struct Requirement {
    NodeId node;
    UniformityNeed need;
    std::string message;
    SourcePos pos;
  };

  bool is_pointer(std::size_t local) const {
    return program_.types.get_if<PointerType>(function_.locals[local].type) != nullptr;
  }
  const std::string& name(LocalId id) const { return function_.locals[index_of(id)].name; }

  void parameter(std::uint32_t i) {
    values_[i] = graph_.node();
    if (!is_pointer(i)) return;
    contents_[i] = graph_.node();
    contents_out_[i] = graph_.node();
    roots_[i].local = static_cast<LocalId>(i);
    variables_.push_back(static_cast<LocalId>(i));
  }

  // ---- Expressions ----

  Root root_of(ExprId id) const {
    const ExprNode& node = program_[id].node;
    if (const auto* e = std::get_if<GlobalPtrExpr>(&node)) {
      return {.is_global = true, .global = e->id};
    }
    if (const auto* e = std::get_if<LocalPtrExpr>(&node)) return {.local = e->id};
    if (const auto* e = std::get_if<LocalExpr>(&node)) return roots_[index_of(e->id)];
    Root root;
    if (const auto* e = std::get_if<MemberExpr>(&node)) root = root_of(e->base);
    if (const auto* e = std::get_if<IndexExpr>(&node)) root = root_of(e->base);
    if (const auto* e = std::get_if<ViewExpr>(&node)) root = root_of(e->buffer);
    root.partial = true;
    return root;
  }

  NodeId value(ExprId id, NodeId control) {
    const NodeId out = graph_.node();
    graph_.edge(out, control);
    read_all(id, out);
    return out;
  }
  void read_all(ExprId id, NodeId out) {
    if (scope_ == UniformityScope::subgroup && is_subgroup_id(id)) return;
    for_each_operand(program_, program_[id].node, [&](ExprId operand) { read_all(operand, out); });
    read(program_[id], out);
  }
  // local_invocation_index >> 5, which is the same in all lanes.
  bool is_subgroup_id(ExprId id) const {
    const auto* shift = std::get_if<BinaryExpr>(&program_[id].node);
    if (shift == nullptr || shift->op != BinaryOp::shift_right) return false;
    const auto* index = std::get_if<InvocationIdExpr>(&program_[shift->left].node);
    const auto* by = std::get_if<ConstantExpr>(&program_[shift->right].node);
    return index != nullptr && index->kind == InvocationIdKind::local_invocation_index &&
           by != nullptr && program_[by->id].scalars[0] == 5;
  }

  void read(const Expr& e, NodeId out) {
    if (const auto* n = std::get_if<LocalExpr>(&e.node)) {
      graph_.edge(out, values_[index_of(n->id)]);
    } else if (const auto* n = std::get_if<InvocationIdExpr>(&e.node)) {
      if (const char* id = varying_id(n->kind)) {
        graph_.edge(out, graph_.source(e.pos, fmt::format("'{}' differs between invocations", id)));
      }
    } else if (const auto* n = std::get_if<LoadExpr>(&e.node)) {
      load(n->pointer, e.pos, out);
    }
  }

  static const char* varying_id(InvocationIdKind kind) {
    switch (kind) {
      case InvocationIdKind::global_invocation: return "global_invocation_id";
      case InvocationIdKind::local_invocation: return "local_invocation_id";
      case InvocationIdKind::local_invocation_index: return "local_invocation_index";
      case InvocationIdKind::workgroup:
      case InvocationIdKind::workgroup_count: break;
    }
    return nullptr;
  }

  // Adds the dependences of a read through the pointer, besides the pointer itself.
  void load(ExprId pointer, SourcePos pos, NodeId out) {
    const Root root = root_of(pointer);
    if (root.is_global) {
      const Global& g = program_[root.global];
      if (g.access == Access::read) return;
      graph_.edge(out, graph_.source(pos, why_memory_varies(g.name, g.memory)));
      return;
    }
    if (root.local == kNoLocal) return;
    const auto* type = program_.types.get_if<PointerType>(program_[pointer].type);
    if (type->memory == MemoryKind::function || type->access == Access::read) {
      graph_.edge(out, contents_[index_of(root.local)]);
    } else {
      graph_.edge(out, graph_.source(pos, why_memory_varies(name(root.local), type->memory)));
    }
  }
  static std::string why_memory_varies(const std::string& name, MemoryKind memory) {
    if (memory == MemoryKind::private_) {
      return fmt::format("'{}' is private memory, which may differ between invocations", name);
    }
    return fmt::format("'{}' is {} memory that other invocations may have written", name,
                       memory == MemoryKind::storage ? "read_write storage" : to_string(memory));
  }

  // ---- Statements: each returns the control flow after it ----

  NodeId block(Block b, NodeId control) {
    const std::size_t scope = variables_.size();
    control = stmts(b, control);
    variables_.resize(scope);
    return control;
  }
  NodeId stmts(Block b, NodeId control) {
    for (const StmtId id : program_.block(b)) {
      const Stmt& s = program_[id];
      control =
          std::visit([&](const auto& node) { return stmt(id, s.pos, node, control); }, s.node);
      // The following statements are never reached and do not count.
      if (!behaviours_.of(id).next) break;
    }
    return control;
  }

  NodeId stmt(StmtId, SourcePos, const LetStmt& s, NodeId control) {
    values_[index_of(s.local)] = value(s.value, control);
    if (is_pointer(index_of(s.local))) roots_[index_of(s.local)] = root_of(s.value);
    return control;
  }
  NodeId stmt(StmtId, SourcePos, const VarStmt& s, NodeId control) {
    contents_[index_of(s.local)] = s.initial == kNoExpr ? control : value(s.initial, control);
    variables_.push_back(s.local);
    return control;
  }
  NodeId stmt(StmtId, SourcePos, const StoreStmt& s, NodeId control) {
    const Root root = root_of(s.pointer);
    if (root.is_global || root.local == kNoLocal) return control;
    const NodeId stored = value(s.value, control);
    // Which part is written depends on the pointer.
    graph_.edge(stored, value(s.pointer, control));
    if (root.partial) graph_.edge(stored, contents_[index_of(root.local)]);
    contents_[index_of(root.local)] = stored;
    return control;
  }

  NodeId stmt(StmtId id, SourcePos pos, const IfStmt& s, NodeId control) {
    const NodeId inside = graph_.branch(pos, "this if");
    graph_.edge(inside, value(s.condition, control));
    const std::vector<NodeId> before = contents_;
    const NodeId then_end = block(s.then, inside);
    std::vector<NodeId> after_then = std::exchange(contents_, before);
    const NodeId otherwise_end = block(s.otherwise, inside);
    const bool then_next = behaviours_.of(s.then).next;
    const bool otherwise_next = behaviours_.of(s.otherwise).next;
    if (then_next && otherwise_next) {
      for (const LocalId v : variables_) {
        contents_[index_of(v)] = join(after_then[index_of(v)], contents_[index_of(v)]);
      }
    } else if (then_next) {
      contents_ = std::move(after_then);
    }
    if (behaviours_.of(id).is_next_only()) return control;
    return join(then_end, otherwise_end);
  }
  NodeId join(NodeId a, NodeId b) {
    if (a == b) return a;
    const NodeId out = graph_.node();
    graph_.edge(out, a);
    graph_.edge(out, b);
    return out;
  }

  // Adds the current values of the variables to those of a join.
  void add_to(std::vector<NodeId>& join, std::size_t variables) {
    if (join.empty()) join.assign(contents_.size(), kNoNode);
    for (std::size_t i = 0; i < variables; ++i) {
      const std::size_t v = index_of(variables_[i]);
      if (join[v] == kNoNode) join[v] = graph_.node();
      graph_.edge(join[v], contents_[v]);
    }
  }
  void take(const std::vector<NodeId>& join, std::size_t variables) {
    if (join.empty()) return;
    for (std::size_t i = 0; i < variables; ++i) {
      const std::size_t v = index_of(variables_[i]);
      if (join[v] != kNoNode) contents_[v] = join[v];
    }
  }

  NodeId stmt(StmtId id, SourcePos pos, const LoopStmt& s, NodeId control) {
    const std::size_t scope = variables_.size();
    const NodeId iteration = graph_.node();
    graph_.edge(iteration, control);
    std::vector<NodeId> entry(contents_.size(), kNoNode);
    add_to(entry, scope);
    take(entry, scope);
    joins_.push_back({scope, {}, {}, true});
    NodeId end = stmts(s.body, iteration);
    const Behaviour body = behaviours_.of(s.body);
    if (body.next || body.continues) {
      end = continuing(s, pos, body.next, end);
      for (std::size_t i = 0; i < scope; ++i) {
        const std::size_t v = index_of(variables_[i]);
        graph_.edge(entry[v], contents_[v]);
      }
      graph_.edge(iteration, end);
    }
    const Joins joins = std::move(joins_.back());
    joins_.pop_back();
    variables_.resize(scope);
    take(joins.exit, scope);
    return behaviours_.of(id).returns ? end : control;
  }
  NodeId continuing(const LoopStmt& s, SourcePos pos, bool body_falls_through, NodeId control) {
    Joins& joins = joins_.back();
    const std::size_t scope = variables_.size();
    if (!joins.continue_.empty()) {
      // Not every variable of the body exists at each continue; the others are not used.
      for (std::size_t i = 0; body_falls_through && i < scope; ++i) {
        const std::size_t v = index_of(variables_[i]);
        if (joins.continue_[v] != kNoNode) graph_.edge(joins.continue_[v], contents_[v]);
      }
      take(joins.continue_, scope);
    }
    control = stmts(s.continuing, control);
    if (s.break_if == kNoExpr) return control;
    const NodeId out = graph_.branch(pos, "the end of this loop");
    graph_.edge(out, value(s.break_if, control));
    add_to(joins_.back().exit, joins_.back().variables);
    return out;
  }

  NodeId stmt(StmtId id, SourcePos pos, const SwitchStmt& s, NodeId control) {
    const std::size_t scope = variables_.size();
    const NodeId inside = graph_.branch(pos, "this switch");
    graph_.edge(inside, value(s.selector, control));
    const NodeId end = graph_.node();
    const std::vector<NodeId> before = contents_;
    joins_.push_back({scope, {}, {}, false});
    for (const SwitchCase& c : program_.cases(s)) {
      contents_ = before;
      graph_.edge(end, block(c.body, inside));
      if (behaviours_.of(c.body).next) add_to(joins_.back().exit, scope);
    }
    const Joins joins = std::move(joins_.back());
    joins_.pop_back();
    contents_ = before;
    take(joins.exit, scope);
    return behaviours_.of(id).is_next_only() ? control : end;
  }
  NodeId stmt(StmtId, SourcePos, const BreakStmt&, NodeId control) {
    add_to(joins_.back().exit, joins_.back().variables);
    return control;
  }
  NodeId stmt(StmtId, SourcePos, const ContinueStmt&, NodeId control) {
    std::size_t loop = joins_.size() - 1;
    while (!joins_[loop].is_loop) --loop;
    add_to(joins_[loop].continue_, variables_.size());
    return control;
  }
  NodeId stmt(StmtId, SourcePos, const ReturnStmt& s, NodeId control) {
    if (s.value != kNoExpr) graph_.edge(result_, value(s.value, control));
    leave();
    return control;
  }
  // The memory behind pointer parameters when the function ends.
  void leave() {
    for (std::uint32_t i = 0; i < function_.parameters; ++i) {
      if (contents_out_[i] != kNoNode) graph_.edge(contents_out_[i], contents_[i]);
    }
  }

  void require(NodeId node, UniformityNeed need, std::string message, SourcePos pos) {
    requirements_.push_back({node, std::move(need), std::move(message), pos});
  }
  NodeId stmt(StmtId, SourcePos pos, const BarrierStmt& s, NodeId control) {
    if (scope_ == UniformityScope::subgroup) return control;
    const std::string what = barrier_name(s);
    require(control, {what, pos}, fmt::format("{} must be in uniform control flow", what), pos);
    return control;
  }
  NodeId stmt(StmtId, SourcePos pos, const UniformLoadStmt& s, NodeId control) {
    if (scope_ != UniformityScope::subgroup) {
      const UniformityNeed need{"workgroupUniformLoad", pos};
      require(control, need, "workgroupUniformLoad must be in uniform control flow", pos);
      require(value(s.pointer, start_), need,
              "workgroupUniformLoad takes the same address in all invocations", pos);
    }
    values_[index_of(s.result)] = control;
    return control;
  }
  NodeId stmt(StmtId, SourcePos pos, const AtomicStmt& s, NodeId control) {
    if (s.result != kNoLocal) {
      values_[index_of(s.result)] =
          graph_.source(pos, "the result of an atomic operation differs between invocations");
    }
    return control;
  }

  // The result is the same in all lanes.
  static bool is_collective(SubgroupOp op) {
    return op <= SubgroupOp::bit_xor || op == SubgroupOp::all || op == SubgroupOp::any ||
           op == SubgroupOp::ballot || op == SubgroupOp::broadcast_first ||
           op == SubgroupOp::broadcast;
  }
  NodeId stmt(StmtId, SourcePos pos, const SubgroupStmt& s, NodeId control) {
    const std::string name(to_string(s.op));
    const bool own_scope = scope_ == UniformityScope::subgroup;
    if (scope_ != UniformityScope::workgroup && s.check != UniformityCheck::none) {
      const UniformityNeed need{name, pos, s.check == UniformityCheck::warning};
      require(control, need, fmt::format("{} must be in subgroup-uniform control flow", name), pos);
      const bool by_distance = s.op == SubgroupOp::shuffle_up || s.op == SubgroupOp::shuffle_down ||
                               s.op == SubgroupOp::shuffle_xor;
      if (by_distance) {
        require(value(s.lane, control), need,
                fmt::format("{} takes the same {} in all lanes", name,
                            s.op == SubgroupOp::shuffle_xor ? "mask" : "delta"),
                pos);
      }
    }
    values_[index_of(s.result)] =
        own_scope && is_collective(s.op)
            ? control
            : graph_.source(pos, fmt::format("the result of {} differs between {}", name,
                                             own_scope ? "lanes" : "subgroups"));
    return control;
  }

  NodeId stmt(StmtId, SourcePos pos, const CallStmt& s, NodeId control) {
    const Function& callee = program_[s.callee];
    const UniformityFacts& facts = known_[static_cast<std::size_t>(s.callee)];
    const auto arguments = program_.list(s.arguments);
    std::vector<NodeId> values, contents;
    for (const ExprId argument : arguments) {
      values.push_back(value(argument, control));
      contents.push_back(pointed_to(argument, values.back()));
    }
    if (facts.call_required && facts.is_builtin) {
      UniformityNeed need = facts.call_need;
      need.pos = pos;
      require(control, need, fmt::format("{} must be in uniform control flow", need.what), pos);
    } else if (facts.call_required) {
      require(control, facts.call_need,
              fmt::format("the call of '{}' must be in uniform control flow, since it reaches {}",
                          callee.name, facts.call_need.what),
              pos);
    }
    const NodeId result = facts.result_varies
                              ? graph_.source(pos, fmt::format("the result of '{}' may differ "
                                                               "between invocations",
                                                               callee.name))
                              : graph_.node();
    graph_.edge(result, control);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const UniformityFacts::Parameter& p = facts.parameters[i];
      if (p.value_required || p.contents_required) {
        require(p.contents_required ? contents[i] : values[i], p.need,
                fmt::format("argument '{}' of '{}' must be uniform, since {} depends on it",
                            callee.locals[i].name, callee.name, p.need.what),
                pos);
      }
      if (p.value_in_result) graph_.edge(result, values[i]);
      if (p.contents_in_result) graph_.edge(result, contents[i]);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (contents[i] == kNoNode) continue;
      after_call(pos, callee, facts.parameters[i], i, arguments[i], values, contents, control);
    }
    if (s.result != kNoLocal) values_[index_of(s.result)] = result;
    return control;
  }
  // The memory that a pointer argument points to, before the call; kNoNode for values.
  NodeId pointed_to(ExprId argument, NodeId pointer) {
    if (program_.types.get_if<PointerType>(program_[argument].type) == nullptr) return kNoNode;
    const NodeId out = graph_.node();
    graph_.edge(out, pointer);
    load(argument, program_[argument].pos, out);
    return out;
  }
  // The same memory after the call.
  void after_call(SourcePos pos, const Function& callee, const UniformityFacts::Parameter& facts,
                  std::size_t index, ExprId argument, const std::vector<NodeId>& values,
                  const std::vector<NodeId>& contents, NodeId control) {
    const Root root = root_of(argument);
    if (root.is_global || root.local == kNoLocal) return;
    NodeId out = kNoNode;
    if (facts.contents_vary) {
      out = graph_.source(pos, fmt::format("'{}' may leave different values behind '{}'",
                                           callee.name, callee.locals[index].name));
    } else {
      out = graph_.node();
      graph_.edge(out, control);
      for (const std::size_t i : facts.values_in_contents) graph_.edge(out, values[i]);
      for (const std::size_t i : facts.contents_in_contents) graph_.edge(out, contents[i]);
    }
    if (root.partial) graph_.edge(out, contents_[index_of(root.local)]);
    contents_[index_of(root.local)] = out;
  }

  // ---- Results ----

  void report() {
    const std::vector<bool> varies = graph_.nodes_that_reach(graph_.varies());
    for (const Requirement& r : requirements_) {
      if (!varies[static_cast<std::size_t>(r.node)]) continue;
      ProgramIssue issue{r.message, r.pos};
      issue.warning = r.need.warning;
      if (r.pos.line == 0) issue.what = fmt::format("in '{}': {}", function_.name, r.message);
      const auto why = graph_.explain(r.node);
      if (!why.branch.empty()) {
        issue.notes.push_back(
            {why.branch + " depends on a value that may not be uniform", why.branch_pos});
      }
      if (!why.reason.empty()) issue.notes.push_back({why.reason, why.reason_pos});
      if (r.need.pos != r.pos) issue.notes.push_back({r.need.what + " is here", r.need.pos});
      issues_.push_back(std::move(issue));
    }
  }

  struct Reach {
    bool value, contents;
  };
  // As for requirements: what is said of the contents includes the value.
  Reach reach(const std::vector<bool>& reached, std::size_t parameter) const {
    const NodeId contents = parameter_contents_[parameter];
    if (contents != kNoNode && reached[static_cast<std::size_t>(contents)]) return {false, true};
    return {reached[static_cast<std::size_t>(parameter_values_[parameter])], false};
  }

  // What callers have to fulfil. Which requirement is to blame is only looked up where there is
  // one.
  void requirements_of_callers(UniformityFacts& out) const {
    std::vector<NodeId> all;
    for (const Requirement& r : requirements_) all.push_back(r.node);
    const std::vector<bool> reached = graph_.nodes_reached_from(all);
    const auto blame = [&](NodeId node) {
      for (const bool warning : {false, true}) {  // errors first
        for (const Requirement& r : requirements_) {
          if (r.need.warning != warning) continue;
          if (graph_.nodes_reached_from({r.node})[static_cast<std::size_t>(node)]) return r.need;
        }
      }
      return UniformityNeed{};
    };
    out.call_required = reached[static_cast<std::size_t>(start_)];
    if (out.call_required) out.call_need = blame(start_);
    for (std::size_t i = 0; i < out.parameters.size(); ++i) {
      UniformityFacts::Parameter& p = out.parameters[i];
      const auto [value, contents] = reach(reached, i);
      p.value_required = value;
      p.contents_required = contents;
      if (value) p.need = blame(parameter_values_[i]);
      if (contents) p.need = blame(parameter_contents_[i]);
    }
  }

  UniformityFacts facts() {
    UniformityFacts out;
    out.parameters.resize(function_.parameters);
    requirements_of_callers(out);
    const std::vector<bool> result = graph_.nodes_reached_from({result_});
    out.result_varies = result[static_cast<std::size_t>(graph_.varies())];
    for (std::size_t i = 0; i < out.parameters.size(); ++i) {
      UniformityFacts::Parameter& p = out.parameters[i];
      const Reach in_result = reach(result, i);
      p.value_in_result = in_result.value;
      p.contents_in_result = in_result.contents;
      if (contents_out_[i] == kNoNode) continue;
      const std::vector<bool> after = graph_.nodes_reached_from({contents_out_[i]});
      p.contents_vary = after[static_cast<std::size_t>(graph_.varies())];
      for (std::size_t j = 0; j < out.parameters.size(); ++j) {
        const auto [value, contents] = reach(after, j);
        if (value) p.values_in_contents.push_back(j);
        if (contents) p.contents_in_contents.push_back(j);
      }
    }
    return out;
  }

  const Program& program_;
  const Function& function_;
  const UniformityScope scope_;
  const std::vector<UniformityFacts>& known_;
  std::vector<ProgramIssue>& issues_;
  const Behaviours behaviours_;
  UniformityGraph graph_;
  NodeId start_, result_;
  std::vector<NodeId> values_;  // per local: of lets and parameters
  std::vector<NodeId>
      contents_;             // per local: what a variable or a pointer parameter's memory holds
  std::vector<Root> roots_;  // per local: of pointers
  std::vector<NodeId> contents_out_;                           // per parameter
  std::vector<NodeId> parameter_values_, parameter_contents_;  // as they were at the start
  std::vector<LocalId> variables_;  // in scope: variables and pointer parameters
  std::vector<Joins> joins_;        // enclosing loops and switches
  std::vector<Requirement> requirements_;
};

}  // namespace

UniformityFacts analyse_uniformity(const Program& program, FunctionId id, UniformityScope scope,
                                   const std::vector<UniformityFacts>& known,
                                   std::vector<ProgramIssue>& issues) {
  return Analysis(program, id, scope, known, issues).run();
}

}  // namespace vyre
