#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "vyre/ir/validate/behaviour.h"
#include "vyre/ir/validate/validate_internal.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

// The largest size of a value, since every invocation has its own copy.
constexpr std::uint64_t kMaxValueBytes = 1U << 20U;

class FunctionCheck {
 public:
  FunctionCheck(const Program& program, const TypeRules& rules, FunctionId id, Issues& issues)
      : program_(program),
        types_(program.types),
        rules_(rules),
        function_(program[id]),
        entry_(id == program.entry),
        issues_(issues),
        visible_(function_.locals.size(), false),
        defined_(function_.locals.size(), false) {}

  void run() {
    header();
    block(function_.body, Context());
    if (function_.result == types_.void_type()) return;
    if (Behaviours(program_, function_.body).of(function_.body).next) {
      report(function_.pos, "function '{}' can end without returning its {}", function_.name,
             types_.spell(function_.result));
    }
  }

 private:
  // What encloses a statement.
  struct Context {
    bool in_breakable = false;   // a break is allowed
    bool in_loop = false;        // a continue is allowed
    bool in_continuing = false;  // a return is not allowed
    std::size_t loop = 0;        // index of loops_, when in_loop
  };
  struct Loop {
    std::size_t body_scope;       // index of scopes_ of the body's block
    std::size_t continued_after;  // the number of the body's locals that exist at every continue
  };

  template <class... Args>
  void report(SourcePos pos, fmt::format_string<Args...> format, Args&&... args) {
    std::string what = fmt::format(format, std::forward<Args>(args)...);
    // Without a position the message names the function.
    if (pos.line == 0 && !function_.name.empty()) {
      what = fmt::format("in '{}': {}", function_.name, what);
    }
    issues_.push_back({std::move(what), pos});
  }

  void header() {
    if (entry_ && function_.parameters != 0) {
      report(function_.pos, "the entry has {} parameters", function_.parameters);
    }
    if (entry_ && function_.result != types_.void_type()) {
      report(function_.pos, "the entry returns {}", types_.spell(function_.result));
    }
    if (function_.result != types_.void_type() && !types_.is_constructible(function_.result)) {
      report(function_.pos, "function '{}' cannot return {}", function_.name,
             types_.spell(function_.result));
    }
    for (std::size_t i = 0; i < function_.locals.size(); ++i) {
      const bool parameter = i < function_.parameters;
      local(function_.locals[i], parameter);
      visible_[i] = parameter;
      defined_[i] = parameter;
    }
  }

  void local(const Local& l, bool parameter) {
    if ((l.kind == LocalKind::parameter) != parameter) {
      report(l.pos, "'{}' is {}a parameter", l.name, parameter ? "not marked as " : "");
    }
    if (const std::string& issue = rules_.issue(l.type); !issue.empty()) {
      report(l.pos, "'{}': {}", l.name, issue);
      return;
    }
    const bool pointer = types_.get_if<PointerType>(l.type) != nullptr;
    if (!types_.is_constructible(l.type) && !(pointer && l.kind != LocalKind::var)) {
      report(l.pos, "'{}' cannot be {}", l.name, types_.spell(l.type));
    } else if (types_.layout(l.type).size > kMaxValueBytes) {
      report(l.pos, "'{}' takes {} bytes; a local can have {}", l.name, types_.layout(l.type).size,
             kMaxValueBytes);
    }
  }

  // ---- Scopes ----

  void define(LocalId id, LocalKind kind, SourcePos pos) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= function_.locals.size()) {
      report(pos, "unknown local {}", index);
      return;
    }
    const Local& l = function_.locals[index];
    if (l.kind != kind) report(pos, "'{}' is defined as what it is not", l.name);
    if (defined_[index]) report(pos, "'{}' is defined twice", l.name);
    defined_[index] = true;
    visible_[index] = true;
    scopes_.back().push_back(index);
  }

  void open_scope() { scopes_.emplace_back(); }
  void close_scope() {
    for (const std::size_t index : scopes_.back()) visible_[index] = false;
    scopes_.pop_back();
  }

  TypeId local_type(LocalId id) const {
    const auto index = static_cast<std::size_t>(id);
    return index < function_.locals.size() ? function_.locals[index].type : types_.void_type();
  }

  // ---- Expressions ----

  bool expr(ExprId id) {
    if (!check_expr_tree(program_, rules_, &function_, id, issues_)) return false;
    bool good = true;
    for_each_subexpr(program_, id, [&](ExprId sub) {
      const Expr& e = program_[sub];
      if (good && types_.layout(e.type).size > kMaxValueBytes) {
        report(e.pos, "a value takes {} bytes; {} is the most", types_.layout(e.type).size,
               kMaxValueBytes);
        good = false;
      }
      const auto* value = std::get_if<LocalExpr>(&e.node);
      const auto* pointer = std::get_if<LocalPtrExpr>(&e.node);
      if (value == nullptr && pointer == nullptr) return;
      const auto index = static_cast<std::size_t>(value != nullptr ? value->id : pointer->id);
      if (visible_[index]) return;
      good = false;
      report(e.pos, "'{}' is used where it is not defined", function_.locals[index].name);
    });
    return good;
  }
  TypeId type(ExprId id) const { return program_[id].type; }
  bool is_bool(ExprId id) const {
    const auto* s = types_.get_if<ScalarType>(type(id));
    return s != nullptr && s->kind == ScalarKind::boolean;
  }
  void condition(ExprId id, std::string_view of) {
    if (expr(id) && !is_bool(id)) {
      report(program_[id].pos, "the condition of {} is {}, not bool", of, types_.spell(type(id)));
    }
  }

  // ---- Statements ----

  void block(Block b, const Context& context) {
    open_scope();
    stmts(b, context);
    close_scope();
  }
  void stmts(Block b, const Context& context) {
    for (const StmtId id : program_.block(b)) {
      const Stmt& s = program_[id];
      std::visit([&](const auto& node) { stmt(s.pos, node, context); }, s.node);
    }
  }

  void stmt(SourcePos pos, const LetStmt& s, const Context&) {
    if (expr(s.value) && local_type(s.local) != type(s.value)) {
      report(pos, "a let of {} gets {}", types_.spell(local_type(s.local)),
             types_.spell(type(s.value)));
    }
    define(s.local, LocalKind::let, pos);
  }
  void stmt(SourcePos pos, const VarStmt& s, const Context&) {
    if (s.initial != kNoExpr && expr(s.initial) && local_type(s.local) != type(s.initial)) {
      report(pos, "a var of {} starts with {}", types_.spell(local_type(s.local)),
             types_.spell(type(s.initial)));
    }
    define(s.local, LocalKind::var, pos);
  }
  void stmt(SourcePos pos, const StoreStmt& s, const Context&) {
    const bool good = expr(s.pointer);
    if (!expr(s.value) || !good) return;
    const auto* p = types_.get_if<PointerType>(type(s.pointer));
    if (p == nullptr) {
      report(pos, "a store to {}, which is not a pointer", types_.spell(type(s.pointer)));
    } else if (p->access == Access::read) {
      report(pos, "a store to memory that can only be read ({})", root_name(s.pointer));
    } else if (!types_.is_constructible(p->pointee)) {
      report(pos, "a store to {}, which cannot be assigned", types_.spell(p->pointee));
    } else if (p->pointee != type(s.value)) {
      report(pos, "a store of {} to {}", types_.spell(type(s.value)), types_.spell(p->pointee));
    }
  }
  // The root of a pointer: a global or a local.
  std::string root_name(ExprId id) const {
    const ExprNode& node = program_[id].node;
    if (const auto* e = std::get_if<MemberExpr>(&node)) return root_name(e->base);
    if (const auto* e = std::get_if<IndexExpr>(&node)) return root_name(e->base);
    if (const auto* e = std::get_if<ViewExpr>(&node)) return root_name(e->buffer);
    if (const auto* e = std::get_if<GlobalPtrExpr>(&node)) return program_[e->id].name;
    if (const auto* e = std::get_if<LocalExpr>(&node)) {
      return function_.locals[static_cast<std::size_t>(e->id)].name;
    }
    if (const auto* e = std::get_if<LocalPtrExpr>(&node)) {
      return function_.locals[static_cast<std::size_t>(e->id)].name;
    }
    return "?";
  }

  void stmt(SourcePos, const IfStmt& s, const Context& context) {
    condition(s.condition, "an if");
    block(s.then, context);
    block(s.otherwise, context);
  }
  void stmt(SourcePos, const LoopStmt& s, const Context& context) {
    const std::size_t index = loops_.size();
    open_scope();
    loops_.push_back({scopes_.size() - 1, function_.locals.size()});
    Context body = context;
    body.in_breakable = body.in_loop = true;
    body.loop = index;
    stmts(s.body, body);
    // The continuing part can use what the body declared before its first continue.
    const std::size_t kept = std::min(loops_[index].continued_after, scopes_.back().size());
    for (std::size_t i = kept; i < scopes_.back().size(); ++i) visible_[scopes_.back()[i]] = false;
    open_scope();
    Context continuing;
    continuing.in_continuing = true;
    stmts(s.continuing, continuing);
    if (s.break_if != kNoExpr) condition(s.break_if, "a break if");
    close_scope();
    loops_.pop_back();
    close_scope();
  }
  void stmt(SourcePos pos, const SwitchStmt& s, const Context& context) {
    const auto kind = expr(s.selector) ? types_.scalar_kind(type(s.selector)) : ScalarKind::u32;
    if (!kind || !is_integer(*kind) || types_.get_if<VectorType>(type(s.selector)) != nullptr) {
      report(pos, "a switch on {}, not i32 or u32", types_.spell(type(s.selector)));
    }
    Context inner = context;
    inner.in_breakable = true;
    std::set<std::uint32_t> seen;
    std::size_t defaults = 0;
    for (const SwitchCase& c : program_.cases(s)) {
      defaults += c.is_default ? 1 : 0;
      for (const std::uint32_t value : c.values) {
        if (!seen.insert(value).second) report(pos, "a switch has two cases for {}", value);
      }
      block(c.body, inner);
    }
    if (defaults != 1) report(pos, "a switch has {} default cases, not one", defaults);
  }
  void stmt(SourcePos pos, const BreakStmt&, const Context& context) {
    if (!context.in_breakable) report(pos, "a break outside of a loop or switch");
  }
  void stmt(SourcePos pos, const ContinueStmt&, const Context& context) {
    if (!context.in_loop) {
      report(pos, "a continue outside of a loop");
    } else {
      Loop& loop = loops_[context.loop];
      loop.continued_after = std::min(loop.continued_after, scopes_[loop.body_scope].size());
    }
  }
  void stmt(SourcePos pos, const ReturnStmt& s, const Context& context) {
    if (context.in_continuing) report(pos, "a return inside a continuing part");
    const bool wanted = function_.result != types_.void_type();
    if (wanted && s.value == kNoExpr) {
      report(pos, "a return without a value in function '{}'", function_.name);
    } else if (!wanted && s.value != kNoExpr) {
      report(pos, "a return with a value in function '{}', which has no result", function_.name);
    } else if (wanted && expr(s.value) && type(s.value) != function_.result) {
      report(pos, "a return of {} in function '{}', whose result is {}",
             types_.spell(type(s.value)), function_.name, types_.spell(function_.result));
    }
  }
  void stmt(SourcePos, const BarrierStmt&, const Context&) {}

  // `wanted` is void if there is no result.
  void result(LocalId id, TypeId wanted, SourcePos pos) {
    if (id == kNoLocal) return;
    if (wanted == types_.void_type()) {
      report(pos, "a result is kept where there is none");
    } else if (local_type(id) != wanted) {
      report(pos, "a result of {} is kept as {}", types_.spell(wanted),
             types_.spell(local_type(id)));
    }
    define(id, LocalKind::let, pos);
  }
  TypeId scalar_type(ScalarKind kind) const {
    return types_.find(ScalarType{kind}).value_or(types_.void_type());
  }

  void stmt(SourcePos pos, const UniformLoadStmt& s, const Context&) {
    if (!expr(s.pointer)) {
      define(s.result, LocalKind::let, pos);
      return;
    }
    const auto* p = types_.get_if<PointerType>(type(s.pointer));
    TypeId loaded = types_.void_type();
    if (p != nullptr && p->memory == MemoryKind::workgroup) {
      if (types_.is_constructible(p->pointee)) loaded = p->pointee;
      const auto* a = types_.get_if<AtomicType>(p->pointee);
      if (a != nullptr && a->size == 1) loaded = scalar_type(a->kind);
    }
    if (loaded == types_.void_type()) {
      report(pos, "a uniform load from {}; it takes a pointer to workgroup memory",
             types_.spell(type(s.pointer)));
      define(s.result, LocalKind::let, pos);
    } else {
      result(s.result, loaded, pos);
    }
  }

  // The result type of a subgroup operation; void if its operands are wrong.
  TypeId subgroup_result(const SubgroupStmt& s) const {
    const bool takes_lane = s.op >= SubgroupOp::broadcast && s.op <= SubgroupOp::quad_broadcast;
    const TypeId none = types_.void_type();
    if ((s.lane != kNoExpr) != takes_lane) return none;
    if (takes_lane && type(s.lane) != scalar_type(ScalarKind::u32)) return none;
    if ((s.value == kNoExpr) != (s.op == SubgroupOp::elect)) return none;
    const TypeId boolean = scalar_type(ScalarKind::boolean);
    if (s.op == SubgroupOp::elect) return boolean;
    const TypeId given = type(s.value);
    if (s.op == SubgroupOp::all || s.op == SubgroupOp::any || s.op == SubgroupOp::ballot) {
      if (given != boolean) return none;
      return s.op != SubgroupOp::ballot
                 ? boolean
                 : types_.find(VectorType{ScalarKind::u32, 4}).value_or(none);
    }
    if (types_.get_if<ScalarType>(given) == nullptr &&
        types_.get_if<VectorType>(given) == nullptr) {
      return none;
    }
    const ScalarKind kind = *types_.scalar_kind(given);
    const bool bits =
        s.op == SubgroupOp::bit_and || s.op == SubgroupOp::bit_or || s.op == SubgroupOp::bit_xor;
    const bool good = kind == ScalarKind::i32 || kind == ScalarKind::u32 ||
                      (!bits && (kind == ScalarKind::f32 || kind == ScalarKind::f16));
    return good ? given : none;
  }
  void stmt(SourcePos pos, const SubgroupStmt& s, const Context&) {
    bool good = s.op <= SubgroupOp::quad_swap_diagonal;
    for (const ExprId operand : {s.value, s.lane}) {
      if (operand != kNoExpr) good = expr(operand) && good;
    }
    const TypeId wanted = good ? subgroup_result(s) : types_.void_type();
    if (wanted == types_.void_type()) {
      if (good) report(pos, "{} with operands that it does not take", to_string(s.op));
      define(s.result, LocalKind::let, pos);
    } else {
      result(s.result, wanted, pos);
    }
  }

  void stmt(SourcePos pos, const AtomicStmt& s, const Context&) {
    bool good = expr(s.pointer);
    for (const ExprId operand : {s.compare, s.value}) {
      if (operand != kNoExpr) good = expr(operand) && good;
    }
    if (good) {
      atomic(pos, s);
    } else if (s.result != kNoLocal) {
      define(s.result, LocalKind::let, pos);
    }
  }
  void atomic(SourcePos pos, const AtomicStmt& s) {
    const auto* p = types_.get_if<PointerType>(type(s.pointer));
    const auto* a = p != nullptr ? types_.get_if<AtomicType>(p->pointee) : nullptr;
    if (a == nullptr) {
      report(pos, "an atomic operation on {}, which is not a pointer to an atomic",
             types_.spell(type(s.pointer)));
      if (s.result != kNoLocal) define(s.result, LocalKind::let, pos);
      return;
    }
    if (p->access != Access::read_write ||
        (p->memory != MemoryKind::storage && p->memory != MemoryKind::workgroup)) {
      report(pos, "an atomic operation on {} memory with access {}", to_string(p->memory),
             to_string(p->access));
    }
    if (a->size != 1) return wide_atomic(pos, s, *p, *a);
    const TypeId scalar = scalar_type(a->kind);
    const bool exchange = s.op == AtomicOp::compare_exchange;
    operand(pos, s.value, s.op != AtomicOp::load, scalar, "value");
    operand(pos, s.compare, exchange, scalar, "value to compare with");
    if (!exchange) {
      result(s.result, s.op == AtomicOp::store ? types_.void_type() : scalar, pos);
      return;
    }
    if (s.result == kNoLocal) return;
    const auto* pair = types_.get_if<StructType>(local_type(s.result));
    if (pair == nullptr || pair->members.size() != 2 || pair->members[0].type != scalar ||
        pair->members[1].type != scalar_type(ScalarKind::boolean)) {
      report(pos, "the result of a compare exchange is kept as {}, not as a struct of {} and bool",
             types_.spell(local_type(s.result)), types_.spell(scalar));
    }
    define(s.result, LocalKind::let, pos);
  }
  // Of a vector: a minimum or maximum in storage memory, without a result.
  void wide_atomic(SourcePos pos, const AtomicStmt& s, const PointerType& p, const AtomicType& a) {
    if (p.memory != MemoryKind::storage || (s.op != AtomicOp::min && s.op != AtomicOp::max) ||
        s.result != kNoLocal) {
      report(pos, "an operation that {} does not have", types_.spell(p.pointee));
      if (s.result != kNoLocal) define(s.result, LocalKind::let, pos);
    }
    const TypeId vector = types_.find(VectorType{a.kind, a.size}).value_or(types_.void_type());
    operand(pos, s.value, true, vector, "value");
    operand(pos, s.compare, false, vector, "value to compare with");
  }
  void operand(SourcePos pos, ExprId id, bool wanted, TypeId scalar, std::string_view what) {
    if (wanted != (id != kNoExpr)) {
      report(pos, "an atomic operation {} a {}", wanted ? "without" : "with", what);
    } else if (wanted && type(id) != scalar) {
      report(pos, "the {} of an atomic operation on {} is {}", what, types_.spell(scalar),
             types_.spell(type(id)));
    }
  }

  // A pointer to a buffer can be passed as one to a buffer without a size, or a smaller one.
  bool fits(TypeId argument, TypeId parameter) const {
    if (argument == parameter) return true;
    const auto* from = types_.get_if<PointerType>(argument);
    const auto* to = types_.get_if<PointerType>(parameter);
    if (from == nullptr || to == nullptr || from->memory != to->memory ||
        from->access != to->access) {
      return false;
    }
    const auto* large = types_.get_if<BufferType>(from->pointee);
    const auto* small = types_.get_if<BufferType>(to->pointee);
    if (large == nullptr || small == nullptr || small->bytes_expr != kNoExpr) return false;
    return small->bytes <= large->bytes || (small->bytes == 0 && large->bytes_expr != kNoExpr);
  }
  void stmt(SourcePos pos, const CallStmt& s, const Context&) {
    const Function& callee = program_[s.callee];
    const auto arguments = program_.list(s.arguments);
    if (arguments.size() != callee.parameters) {
      report(pos, "'{}' takes {} arguments, not {}", callee.name, callee.parameters,
             arguments.size());
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!expr(arguments[i]) || i >= callee.parameters) continue;
      if (!fits(type(arguments[i]), callee.locals[i].type)) {
        report(program_[arguments[i]].pos, "argument {} of '{}' is {}, not {}", i + 1, callee.name,
               types_.spell(callee.locals[i].type), types_.spell(type(arguments[i])));
      }
    }
    result(s.result, callee.result, pos);
  }

  const Program& program_;
  const TypeTable& types_;
  const TypeRules& rules_;
  const Function& function_;
  const bool entry_;
  Issues& issues_;
  std::vector<bool> visible_, defined_;
  std::vector<std::vector<std::size_t>> scopes_;
  std::vector<Loop> loops_;
};

}  // namespace

void check_function(const Program& program, const TypeRules& rules, FunctionId id, Issues& issues) {
  FunctionCheck(program, rules, id, issues).run();
}

}  // namespace vyre
