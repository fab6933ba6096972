// The direct children of an expression or a statement, for walks that treat most nodes alike.
#pragma once

#include <utility>
#include <variant>

#include "vyre/base/overloaded.h"
#include "vyre/ir/program.h"

namespace vyre {

// Calls f(ExprId) for each operand, in order of evaluation.
template <class F>
void for_each_operand(const Program& program, const ExprNode& node, F&& f) {
  const auto all = [&](ExprRange range) {
    for (const ExprId id : program.list(range)) f(id);
  };
  std::visit(Overloaded{
                 [](const ConstantExpr&) {},
                 [](const ZeroExpr&) {},
                 [](const OverrideExpr&) {},
                 [](const LocalExpr&) {},
                 [](const GlobalPtrExpr&) {},
                 [](const LocalPtrExpr&) {},
                 [](const InvocationIdExpr&) {},
                 [&](const MemberExpr& e) { f(e.base); },
                 [&](const IndexExpr& e) {
                   f(e.base);
                   f(e.index);
                 },
                 [&](const LoadExpr& e) { f(e.pointer); },
                 [&](const SwizzleExpr& e) { f(e.vector); },
                 [&](const ConstructExpr& e) { all(e.parts); },
                 [&](const SplatExpr& e) { f(e.scalar); },
                 [&](const UnaryExpr& e) { f(e.operand); },
                 [&](const BinaryExpr& e) {
                   f(e.left);
                   f(e.right);
                 },
                 [&](const SelectExpr& e) {
                   f(e.on_false);
                   f(e.on_true);
                   f(e.condition);
                 },
                 [&](const ConvertExpr& e) { f(e.value); },
                 [&](const BitcastExpr& e) { f(e.value); },
                 [&](const MathExpr& e) { all(e.arguments); },
                 [&](const ArrayLengthExpr& e) { f(e.pointer); },
                 [&](const ViewExpr& e) {
                   f(e.buffer);
                   f(e.offset);
                   if (e.size != kNoExpr) f(e.size);
                 },
             },
             node);
}

// Calls f(ExprId) for each expression that the statement itself evaluates, in order, without those
// of nested blocks. A loop's break_if belongs to the loop.
template <class F>
void for_each_expr(const Program& program, const StmtNode& node, F&& f) {
  const auto present = [&](ExprId id) {
    if (id != kNoExpr) f(id);
  };
  std::visit(Overloaded{
                 [&](const LetStmt& s) { f(s.value); },
                 [&](const VarStmt& s) { present(s.initial); },
                 [&](const StoreStmt& s) {
                   f(s.pointer);
                   f(s.value);
                 },
                 [&](const IfStmt& s) { f(s.condition); },
                 [&](const LoopStmt& s) { present(s.break_if); },
                 [&](const SwitchStmt& s) { f(s.selector); },
                 [](const BreakStmt&) {},
                 [](const ContinueStmt&) {},
                 [&](const ReturnStmt& s) { present(s.value); },
                 [](const BarrierStmt&) {},
                 [&](const UniformLoadStmt& s) { f(s.pointer); },
                 [&](const AtomicStmt& s) {
                   f(s.pointer);
                   present(s.compare);
                   present(s.value);
                 },
                 [&](const SubgroupStmt& s) {
                   present(s.value);
                   present(s.lane);
                 },
                 [&](const CallStmt& s) {
                   for (const ExprId id : program.list(s.arguments)) f(id);
                 },
             },
             node);
}

// Calls f(Block) for each block directly inside the statement, in source order.
template <class F>
void for_each_block(const Program& program, const StmtNode& node, F&& f) {
  if (const auto* s = std::get_if<IfStmt>(&node)) {
    f(s->then);
    f(s->otherwise);
  } else if (const auto* s = std::get_if<LoopStmt>(&node)) {
    f(s->body);
    f(s->continuing);
  } else if (const auto* s = std::get_if<SwitchStmt>(&node)) {
    for (const SwitchCase& c : program.cases(*s)) f(c.body);
  }
}

// Calls f(StmtId) for each statement of a block and of all nested blocks, outermost first.
template <class F>
void for_each_stmt(const Program& program, Block block, F&& f) {
  for (const StmtId id : program.block(block)) {
    f(id);
    for_each_block(program, program[id].node,
                   [&](Block inner) { for_each_stmt(program, inner, f); });
  }
}

// Calls f(ExprId) for an expression and everything below it, operands first.
template <class F>
void for_each_subexpr(const Program& program, ExprId root, F&& f) {
  for_each_operand(program, program[root].node,
                   [&](ExprId operand) { for_each_subexpr(program, operand, f); });
  f(root);
}

}  // namespace vyre
