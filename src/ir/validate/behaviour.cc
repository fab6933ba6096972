#include "vyre/ir/validate/behaviour.h"

#include "vyre/ir/walk.h"

namespace vyre {

Behaviours::Behaviours(const Program& program, Block body)
    : program_(program), of_stmt_(program.stmts.size()) {
  visit(body);
}

void Behaviours::visit(Block block) {
  for (const StmtId id : program_.block(block)) {
    const StmtNode& node = program_[id].node;
    for_each_block(program_, node, [&](Block inner) { visit(inner); });
    of_stmt_[static_cast<std::size_t>(id)] = compute(node);
  }
}

Behaviour Behaviours::of(Block block) const {
  Behaviour out{.next = true};
  for (const StmtId id : program_.block(block)) {
    out.next = false;
    out.add(of(id));
    if (!out.next) break;
  }
  return out;
}

Behaviour Behaviours::compute(const StmtNode& node) const {
  if (std::holds_alternative<BreakStmt>(node)) return {.breaks = true};
  if (std::holds_alternative<ContinueStmt>(node)) return {.continues = true};
  if (std::holds_alternative<ReturnStmt>(node)) return {.returns = true};
  if (const auto* s = std::get_if<IfStmt>(&node)) {
    Behaviour out = of(s->then);
    out.add(of(s->otherwise));
    return out;
  }
  if (const auto* s = std::get_if<LoopStmt>(&node)) {
    Behaviour inside = of(s->body);
    inside.add(of(s->continuing));
    return {.next = inside.breaks || s->break_if != kNoExpr, .returns = inside.returns};
  }
  if (const auto* s = std::get_if<SwitchStmt>(&node)) {
    Behaviour out;
    for (const SwitchCase& c : program_.cases(*s)) out.add(of(c.body));
    out.next = out.next || out.breaks;
    out.breaks = false;
    return out;
  }
  return {.next = true};
}

}  // namespace vyre
