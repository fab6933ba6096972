#include "vyre/ir/writer.h"

#include <utility>

namespace vyre {

ExprId Writer::expr(TypeId type, ExprNode node) {
  const auto id = static_cast<ExprId>(program_.exprs.size());
  program_.exprs.push_back(Expr{type, pos, node});
  return id;
}

ExprRange Writer::list(std::span<const ExprId> ids) {
  const ExprRange range{static_cast<std::uint32_t>(program_.expr_lists.size()),
                        static_cast<std::uint32_t>(ids.size())};
  program_.expr_lists.insert(program_.expr_lists.end(), ids.begin(), ids.end());
  return range;
}

ExprId Writer::constant(TypeId type, std::vector<std::uint64_t> scalars) {
  const auto id = static_cast<ConstantId>(program_.constants.size());
  program_.constants.push_back(Constant{type, std::move(scalars)});
  return expr(type, ConstantExpr{id});
}

ExprId Writer::constant(Scalar scalar) {
  return constant(program_.types.scalar(scalar.kind), {scalar.bits});
}

void Writer::open() { open_.emplace_back(); }

Block Writer::close() {
  if (open_.empty()) return {};
  const std::vector<StmtId> stmts = std::move(open_.back());
  open_.pop_back();
  const Block block{static_cast<std::uint32_t>(program_.block_stmts.size()),
                    static_cast<std::uint32_t>(stmts.size())};
  program_.block_stmts.insert(program_.block_stmts.end(), stmts.begin(), stmts.end());
  return block;
}

StmtId Writer::stmt(StmtNode node) {
  const auto id = static_cast<StmtId>(program_.stmts.size());
  program_.stmts.push_back(Stmt{pos, node});
  if (!open_.empty()) open_.back().push_back(id);
  return id;
}

}  // namespace vyre
