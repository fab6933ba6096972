#include "vyre/ir/pointwise.h"

#include <cstdint>
#include <utility>

#include "vyre/ir/walk.h"

namespace vyre {
namespace {

// What is known of a value or a pointer.
enum class Fact : std::uint8_t {
  unknown,          // nothing yet
  other,            // a value that is not the id; a pointer to memory other than storage
  global_id,        // the vector
  global_id_x,      // its first component
  whole_buffer,     // pointer into storage, no array indexed yet
  own_element,      // pointer into storage, into the element that belongs to the invocation
  foreign_element,  // pointer into storage, anywhere
};

Fact meet(Fact a, Fact b) {
  if (a == Fact::unknown || a == b) return b;
  if (b == Fact::unknown) return a;
  const bool pointer = a >= Fact::whole_buffer || b >= Fact::whole_buffer;
  return pointer ? Fact::foreign_element : Fact::other;
}

class Pointwise {
 public:
  explicit Pointwise(const Program& program) : program_(program) {
    for (const Function& f : program.functions) facts_.emplace_back(f.locals.size(), Fact::unknown);
  }

  bool run() {
    if (program_.workgroup[1] != 1 || program_.workgroup[2] != 1) return false;
    const std::vector<bool> reached = functions_reached(program_);
    // From callers to callees: all arguments of a function are known before its body is looked at.
    for (std::size_t i = reached.size(); i-- > 0;) {
      if (!reached[i]) continue;
      function_ = i;
      for_each_stmt(program_, program_.functions[i].body, [&](StmtId id) { stmt(id); });
    }
    return accesses_ && good_;
  }

 private:
  Fact& local(LocalId id) { return facts_[function_][static_cast<std::size_t>(id)]; }

  void access(ExprId pointer) {
    const Fact found = fact(pointer);
    const auto* type = program_.types.get_if<PointerType>(program_[pointer].type);
    if (type == nullptr || type->memory != MemoryKind::storage) return;
    accesses_ = true;
    good_ = good_ && found == Fact::own_element;
  }

  void stmt(StmtId id) {
    const StmtNode& node = program_[id].node;
    for_each_expr(program_, node, [&](ExprId root) {
      for_each_subexpr(program_, root, [&](ExprId expr) {
        if (const auto* e = std::get_if<LoadExpr>(&program_[expr].node)) access(e->pointer);
      });
    });
    if (const auto* s = std::get_if<LetStmt>(&node)) {
      local(s->local) = fact(s->value);
    } else if (const auto* s = std::get_if<StoreStmt>(&node)) {
      access(s->pointer);
    } else if (const auto* s = std::get_if<AtomicStmt>(&node)) {
      access(s->pointer);
    } else if (std::holds_alternative<SubgroupStmt>(node)) {
      good_ = false;  // invocations see each other's elements
    } else if (const auto* s = std::get_if<CallStmt>(&node)) {
      std::vector<Fact>& callee = facts_[static_cast<std::size_t>(s->callee)];
      std::size_t parameter = 0;
      for (const ExprId argument : program_.list(s->arguments)) {
        callee[parameter] = meet(callee[parameter], fact(argument));
        ++parameter;
      }
    }
  }

  Fact fact(ExprId id) {
    const Expr& expr = program_[id];
    if (const auto* e = std::get_if<LocalExpr>(&expr.node)) return local(e->id);
    if (const auto* e = std::get_if<GlobalPtrExpr>(&expr.node)) {
      return program_[e->id].memory == MemoryKind::storage ? Fact::whole_buffer : Fact::other;
    }
    if (const auto* e = std::get_if<InvocationIdExpr>(&expr.node)) {
      return e->kind == InvocationIdKind::global_invocation ? Fact::global_id : Fact::other;
    }
    if (const auto* e = std::get_if<SwizzleExpr>(&expr.node)) {
      const bool first = e->size == 1 && e->lanes[0] == 0;
      return first && fact(e->vector) == Fact::global_id ? Fact::global_id_x : Fact::other;
    }
    if (const auto* e = std::get_if<MemberExpr>(&expr.node)) {
      const Fact base = fact(e->base);
      return base >= Fact::whole_buffer ? base : Fact::other;
    }
    if (const auto* e = std::get_if<IndexExpr>(&expr.node)) return index(*e);
    return Fact::other;
  }

  Fact index(const IndexExpr& e) {
    const Fact base = fact(e.base);
    if (base == Fact::global_id && is_zero(e.index)) return Fact::global_id_x;
    if (base < Fact::whole_buffer) return Fact::other;
    if (base != Fact::whole_buffer) return base;
    return fact(e.index) == Fact::global_id_x ? Fact::own_element : Fact::foreign_element;
  }

  bool is_zero(ExprId id) const {
    const ExprNode& node = program_[id].node;
    if (std::holds_alternative<ZeroExpr>(node)) return true;
    const auto* e = std::get_if<ConstantExpr>(&node);
    return e != nullptr && program_[e->id].scalars == std::vector<std::uint64_t>{0};
  }

  const Program& program_;
  std::vector<std::vector<Fact>> facts_;  // per function, per local
  std::size_t function_ = 0;
  bool accesses_ = false;
  bool good_ = true;
};

}  // namespace

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

bool is_pointwise(const Program& program) { return Pointwise(program).run(); }

}  // namespace vyre
