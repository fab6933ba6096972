#include "vyre/ir/fuse_multiply_add.h"

#include <cstdint>
#include <variant>

namespace vyre {
namespace {

bool is_float_scalar_or_vector(const TypeTable& types, TypeId type) {
  const auto* scalar = types.get_if<ScalarType>(type);
  if (scalar != nullptr) return is_float(scalar->kind);
  const auto* vector = types.get_if<VectorType>(type);
  return vector != nullptr && is_float(vector->kind);
}

// A component-wise product; the product of a matrix and a vector is not one.
const BinaryExpr* product(const Program& program, ExprId id, TypeId type) {
  const auto* e = std::get_if<BinaryExpr>(&program[id].node);
  if (e == nullptr || e->op != BinaryOp::mul) return nullptr;
  const bool same =
      program[id].type == type && program[e->left].type == type && program[e->right].type == type;
  return same ? e : nullptr;
}

ExprId negated(Program& program, ExprId id) {
  const Expr expr{program[id].type, program[id].pos, UnaryExpr{UnaryOp::negate, id}};
  program.exprs.push_back(expr);
  return static_cast<ExprId>(program.exprs.size() - 1);
}

MathExpr fma_of(Program& program, ExprId a, ExprId b, ExprId c) {
  const ExprRange range{static_cast<std::uint32_t>(program.expr_lists.size()), 3};
  program.expr_lists.insert(program.expr_lists.end(), {a, b, c});
  return MathExpr{MathFn::fma, range};
}

}  // namespace

void contract_multiply_add(Program& program) {
  const std::size_t count = program.exprs.size();  // negations added on the way are no sums
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = static_cast<ExprId>(i);
    const TypeId type = program[id].type;
    const auto* found = std::get_if<BinaryExpr>(&program[id].node);
    if (found == nullptr || !is_float_scalar_or_vector(program.types, type)) continue;
    const BinaryExpr sum = *found;
    if (sum.op != BinaryOp::add && sum.op != BinaryOp::sub) continue;
    const bool subtract = sum.op == BinaryOp::sub;
    if (const BinaryExpr* left = product(program, sum.left, type)) {
      const BinaryExpr p = *left;
      const ExprId c = subtract ? negated(program, sum.right) : sum.right;
      program[id].node = fma_of(program, p.left, p.right, c);
    } else if (const BinaryExpr* right = product(program, sum.right, type)) {
      const BinaryExpr p = *right;
      const ExprId a = subtract ? negated(program, p.left) : p.left;
      program[id].node = fma_of(program, a, p.right, sum.left);
    }
  }
}

}  // namespace vyre
