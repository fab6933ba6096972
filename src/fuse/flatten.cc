#include "vyre/fuse/flatten.h"

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "vyre/ir/copy_nodes.h"
#include "vyre/ir/copy_program.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

constexpr std::size_t kMostStatements = 20'000;

// For each function, whether what it does depends on the invocation that calls it, or on buffers:
// it reads ids, accesses buffers or takes pointers to them, or calls a function that does.
std::vector<bool> functions_to_inline(const Program& program) {
  std::vector<bool> out(program.functions.size());
  for (std::size_t f = 0; f < out.size(); ++f) {  // callees come first
    bool found = false;
    for (const Local& local : program.functions[f].locals) {
      const auto* pointer = program.types.get_if<PointerType>(local.type);
      found = found || (pointer != nullptr && pointer->memory == MemoryKind::storage);
    }
    for_each_stmt(program, program.functions[f].body, [&](StmtId id) {
      const auto* call = std::get_if<CallStmt>(&program[id].node);
      found = found || (call != nullptr && out[static_cast<std::size_t>(call->callee)]);
      for_each_expr(program, program[id].node, [&](ExprId root) {
        for_each_subexpr(program, root, [&](ExprId expr) {
          const auto* e = std::get_if<GlobalPtrExpr>(&program[expr].node);
          found = found || (e != nullptr && program[e->id].memory == MemoryKind::storage) ||
                  std::holds_alternative<InvocationIdExpr>(program[expr].node);
        });
      });
    });
    out[f] = found;
  }
  return out;
}

class Flatten : public ProgramCopy {
 public:
  Flatten(const Program& from, Program& to)
      : ProgramCopy(from, to), inlined_(functions_to_inline(from)) {}

  bool run() {
    to_.name = from_.name;
    to_.source_name = from_.source_name;
    to_.workgroup = from_.workgroup;
    for (std::uint32_t g = 0; g < from_.globals.size(); ++g) global(GlobalId{g});
    const Function& entry = from_[from_.entry];
    target_.name = entry.name;
    target_.result = type(entry.result);
    target_.pos = entry.pos;
    Frame frame{.function = &entry};
    frame_ = &frame;
    writer_.open();
    begin(frame);
    sequence(from_.block(entry.body), {});
    target_.body = writer_.close();
    to_.entry = static_cast<FunctionId>(to_.functions.size());
    to_.functions.push_back(std::move(target_));
    return !too_large_;
  }

 protected:
  LocalId local(LocalId id) override {
    if (frame_ == nullptr) return id;  // a function that is copied whole keeps its variables
    const auto known = frame_->locals.find(id);
    if (known != frame_->locals.end()) return known->second;
    const Local& original = frame_->function->locals[static_cast<std::size_t>(id)];
    const LocalKind kind = original.kind == LocalKind::parameter ? LocalKind::let : original.kind;
    const LocalId made = add_local(original.name, kind, type(original.type), original.pos);
    frame_->locals.emplace(id, made);
    return made;
  }

 public:
  ExprId expr(ExprId id) override {
    const auto* e = std::get_if<LocalExpr>(&from_[id].node);
    if (e != nullptr && frame_ != nullptr) {
      const auto pointer = frame_->pointers.find(e->id);
      if (pointer != frame_->pointers.end()) return clone(pointer->second);
    }
    return ProgramCopy::expr(id);
  }

 private:
  // A body that is being copied: that of the entry, or that of a function at one of its calls.
  struct Frame {
    const Function* function = nullptr;
    std::map<LocalId, LocalId> locals = {};
    std::map<LocalId, ExprId> pointers = {};  // in the copy, with indices that do not change
    std::optional<LocalId> result = {};       // a variable
    std::optional<LocalId> ended = {};        // a variable: a `return` was executed
  };
  struct Where {
    bool breakable = false;  // `break` leaves the statement around
    bool flagged = false;    // a `return` must set `ended`
  };

  LocalId add_local(std::string name, LocalKind kind, TypeId type, SourcePos pos) {
    target_.locals.push_back({std::move(name), kind, type, pos});
    return static_cast<LocalId>(target_.locals.size() - 1);
  }
  TypeId boolean() { return to_.types.scalar(ScalarKind::boolean); }
  ExprId pointer_to(LocalId variable) {
    const TypeId type = target_.locals[static_cast<std::size_t>(variable)].type;
    return writer_.expr(to_.types.pointer(MemoryKind::function, type, Access::read_write),
                        LocalPtrExpr{variable});
  }
  ExprId load(LocalId variable) {
    const TypeId type = target_.locals[static_cast<std::size_t>(variable)].type;
    return writer_.expr(type, LoadExpr{pointer_to(variable)});
  }
  ExprId negation(ExprId condition) {
    return writer_.expr(boolean(), UnaryExpr{UnaryOp::logical_not, condition});
  }

  // Copies an expression of the copy once more.
  ExprId clone(ExprId id) {
    const Expr original = to_[id];
    const ExprNode node =
        with_operands(to_, writer_, original.node, [&](ExprId operand) { return clone(operand); });
    return writer_.expr(original.type, node);
  }
  // The same pointer with each index stored in a let, unless the index is a constant.
  ExprId frozen(ExprId id) {
    const Expr original = to_[id];
    if (const auto* e = std::get_if<MemberExpr>(&original.node)) {
      const ExprId base = frozen(e->base);
      return writer_.expr(original.type, MemberExpr{base, e->member});
    }
    if (const auto* e = std::get_if<IndexExpr>(&original.node)) {
      const ExprId base = frozen(e->base);
      ExprId index = e->index;
      if (!std::holds_alternative<ConstantExpr>(to_[index].node) &&
          !std::holds_alternative<LocalExpr>(to_[index].node)) {
        const LocalId let = add_local("index", LocalKind::let, to_[index].type, original.pos);
        writer_.stmt(LetStmt{let, index});
        index = writer_.expr(to_[index].type, LocalExpr{let});
      }
      return writer_.expr(original.type, IndexExpr{base, index});
    }
    return id;
  }

  // ---- Returns

  bool has_return(const StmtNode& node) const {
    bool found = std::holds_alternative<ReturnStmt>(node);
    for_each_block(from_, node, [&](Block b) {
      for_each_stmt(from_, b, [&](StmtId id) {
        found = found || std::holds_alternative<ReturnStmt>(from_[id].node);
      });
    });
    return found;
  }
  // `if (...) { ...; return; }`, with no other return: what follows can become its `else`.
  bool ends_in_then(const StmtNode& node) const {
    const auto* s = std::get_if<IfStmt>(&node);
    if (s == nullptr) return false;
    const auto then = from_.block(s->then);
    if (then.empty() || !std::holds_alternative<ReturnStmt>(from_[then.back()].node)) return false;
    int returns = 0;
    const auto count = [&](Block b) {
      for_each_stmt(from_, b, [&](StmtId id) {
        returns += std::holds_alternative<ReturnStmt>(from_[id].node) ? 1 : 0;
      });
    };
    count(s->then);
    count(s->otherwise);
    return returns == 1;
  }
  bool needs_flag(Block body) const {
    for (const StmtId id : from_.block(body)) {
      const StmtNode& node = from_[id].node;
      if (std::holds_alternative<ReturnStmt>(node)) return false;
      if (has_return(node) && !ends_in_then(node)) return true;
    }
    return false;
  }

  void begin(Frame& frame) {
    if (!needs_flag(frame.function->body)) return;
    frame.ended = add_local("ended", LocalKind::var, boolean(), frame.function->pos);
    writer_.stmt(VarStmt{*frame.ended});
  }

  void sequence(std::span<const StmtId> stmts, Where where) {
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      const Stmt& original = from_[stmts[i]];
      if (const auto* s = std::get_if<ReturnStmt>(&original.node)) return end_body(*s, where);
      if (!has_return(original.node)) {
        stmt(original);
        continue;
      }
      const auto rest = stmts.subspan(i + 1);
      if (ends_in_then(original.node) && !where.breakable) {
        return branch(std::get<IfStmt>(original.node), rest, where);
      }
      nested(original, where.breakable);
      const ExprId ended = load(*frame_->ended);
      if (where.breakable) {
        writer_.open();
        writer_.stmt(BreakStmt{});
        const Block leave = writer_.close();
        writer_.stmt(IfStmt{ended, leave, empty()});
        continue;
      }
      if (rest.empty()) return;
      const ExprId condition = negation(ended);
      writer_.open();
      sequence(rest, where);
      const Block then = writer_.close();
      writer_.stmt(IfStmt{condition, then, empty()});
      return;
    }
  }
  Block empty() {
    writer_.open();
    return writer_.close();
  }
  Block nested_block(Block original, Where where) {
    writer_.open();
    sequence(from_.block(original), where);
    return writer_.close();
  }

  void end_body(const ReturnStmt& s, Where where) {
    if (s.value != kNoExpr && frame_->result) {
      const ExprId value = expr(s.value);
      writer_.stmt(StoreStmt{pointer_to(*frame_->result), value});
    }
    if (!where.flagged) return;
    writer_.stmt(StoreStmt{pointer_to(*frame_->ended), writer_.constant(Scalar::of(true))});
    if (where.breakable) writer_.stmt(BreakStmt{});
  }

  void branch(const IfStmt& s, std::span<const StmtId> rest, Where where) {
    ExprId condition = expr(s.condition);
    Block then = nested_block(s.then, where);
    writer_.open();
    sequence(from_.block(s.otherwise), where);
    sequence(rest, where);
    Block otherwise = writer_.close();
    if (then.count == 0) {
      condition = negation(condition);
      std::swap(then, otherwise);
    }
    writer_.stmt(IfStmt{condition, then, otherwise});
  }

  // Copies a statement that contains a `return`, which sets the flag in the copy.
  void nested(const Stmt& original, bool breakable) {
    StmtNode node = original.node;
    if (auto* s = std::get_if<IfStmt>(&node)) {
      s->condition = expr(s->condition);
      s->then = nested_block(s->then, {breakable, true});
      s->otherwise = nested_block(s->otherwise, {breakable, true});
    } else if (auto* s = std::get_if<LoopStmt>(&node)) {
      s->body = nested_block(s->body, {true, true});
      s->continuing = block(s->continuing);
      if (s->break_if != kNoExpr) s->break_if = expr(s->break_if);
    } else if (auto* s = std::get_if<SwitchStmt>(&node)) {
      s->selector = expr(s->selector);
      std::vector<SwitchCase> cases;
      for (const SwitchCase& c : from_.cases(*s)) {
        cases.push_back({c.values, c.is_default, nested_block(c.body, {true, true})});
      }
      s->first_case = static_cast<std::uint32_t>(to_.switch_cases.size());
      for (SwitchCase& c : cases) to_.switch_cases.push_back(std::move(c));
    }
    writer_.pos = original.pos;
    writer_.stmt(node);
  }

  // ---- Calls and pointers

  void stmt(const Stmt& original) override {
    if (frame_ == nullptr) return ProgramCopy::stmt(original);
    if (++statements_ > kMostStatements) {
      too_large_ = true;
      return;
    }
    if (const auto* s = std::get_if<LetStmt>(&original.node)) {
      const auto* pointer = from_.types.get_if<PointerType>(from_[s->value].type);
      if (pointer != nullptr) {
        frame_->pointers.emplace(s->local, frozen(expr(s->value)));
        return;
      }
    }
    const auto* call = std::get_if<CallStmt>(&original.node);
    if (call == nullptr) return ProgramCopy::stmt(original);
    if (inlined_[static_cast<std::size_t>(call->callee)]) return inline_call(*call, original.pos);
    // The callee is copied whole, with its own locals.
    Frame* const here = std::exchange(frame_, nullptr);
    function(call->callee);
    frame_ = here;
    ProgramCopy::stmt(original);
  }

  void inline_call(const CallStmt& s, SourcePos pos) {
    const Function& callee = from_[s.callee];
    Frame frame{.function = &callee};
    std::uint32_t parameter = 0;
    for (const ExprId argument : from_.list(s.arguments)) {
      const LocalId id{parameter++};
      const ExprId value = expr(argument);
      if (from_.types.get_if<PointerType>(from_[argument].type) != nullptr) {
        frame.pointers.emplace(id, frozen(value));
        continue;
      }
      const Local& original = callee.locals[static_cast<std::size_t>(id)];
      const LocalId let = add_local(original.name, LocalKind::let, type(original.type), pos);
      writer_.pos = pos;
      writer_.stmt(LetStmt{let, value});
      frame.locals.emplace(id, let);
    }
    if (type(callee.result) != to_.types.void_type()) {
      frame.result = add_local(callee.name, LocalKind::var, type(callee.result), pos);
      writer_.stmt(VarStmt{*frame.result});
    }
    Frame* const caller = std::exchange(frame_, &frame);
    begin(frame);
    sequence(from_.block(callee.body), {});
    frame_ = caller;
    if (s.result != kNoLocal) writer_.stmt(LetStmt{local(s.result), load(*frame.result)});
  }

  std::vector<bool> inlined_;
  Function target_;
  Frame* frame_ = nullptr;
  std::size_t statements_ = 0;
  bool too_large_ = false;
};

}  // namespace

std::optional<Program> flatten(const Program& program) {
  Program out;
  if (!Flatten(program, out).run()) return std::nullopt;
  return out;
}

}  // namespace vyre
