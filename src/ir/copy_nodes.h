// Copies of IR nodes with other operands.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "vyre/base/overloaded.h"
#include "vyre/ir/program.h"
#include "vyre/ir/writer.h"

namespace vyre {

// The node with f(operand) in place of each operand, in order of evaluation. Operand lists are read
// from `from` and written through `writer`.
template <class F>
ExprNode with_operands(const Program& from, Writer& writer, ExprNode node, F&& f) {
  const auto all = [&](ExprRange range) {
    std::vector<ExprId> ids;
    ids.reserve(range.count);
    for (std::uint32_t i = 0; i < range.count; ++i) {
      ids.push_back(f(from.expr_lists[range.first + i]));
    }
    return writer.list(ids);
  };
  std::visit(Overloaded{
                 [](ConstantExpr&) {},
                 [](ZeroExpr&) {},
                 [](OverrideExpr&) {},
                 [](LocalExpr&) {},
                 [](GlobalPtrExpr&) {},
                 [](LocalPtrExpr&) {},
                 [](InvocationIdExpr&) {},
                 [&](MemberExpr& e) { e.base = f(e.base); },
                 [&](IndexExpr& e) {
                   e.base = f(e.base);
                   e.index = f(e.index);
                 },
                 [&](LoadExpr& e) { e.pointer = f(e.pointer); },
                 [&](SwizzleExpr& e) { e.vector = f(e.vector); },
                 [&](ConstructExpr& e) { e.parts = all(e.parts); },
                 [&](SplatExpr& e) { e.scalar = f(e.scalar); },
                 [&](UnaryExpr& e) { e.operand = f(e.operand); },
                 [&](BinaryExpr& e) {
                   e.left = f(e.left);
                   e.right = f(e.right);
                 },
                 [&](SelectExpr& e) {
                   e.on_false = f(e.on_false);
                   e.on_true = f(e.on_true);
                   e.condition = f(e.condition);
                 },
                 [&](ConvertExpr& e) { e.value = f(e.value); },
                 [&](BitcastExpr& e) { e.value = f(e.value); },
                 [&](MathExpr& e) { e.arguments = all(e.arguments); },
                 [&](ArrayLengthExpr& e) { e.pointer = f(e.pointer); },
                 [&](ViewExpr& e) {
                   e.buffer = f(e.buffer);
                   e.offset = f(e.offset);
                   if (e.size != kNoExpr) e.size = f(e.size);
                 },
             },
             node);
  return node;
}

}  // namespace vyre
