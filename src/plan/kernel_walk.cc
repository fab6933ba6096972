#include "vyre/plan/kernel_walk.h"

#include "vyre/ir/pointwise.h"
#include "vyre/ir/walk.h"

namespace vyre {

std::vector<bool> globals_used(const Program& program) {
  std::vector<bool> used(program.globals.size(), false);
  const std::vector<bool> reached = functions_reached(program);
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    if (!reached[i]) continue;
    for_each_stmt(program, program.functions[i].body, [&](StmtId stmt) {
      for_each_expr(program, program[stmt].node, [&](ExprId root) {
        for_each_subexpr(program, root, [&](ExprId expr) {
          if (const auto* global = std::get_if<GlobalPtrExpr>(&program[expr].node))
            used[static_cast<std::size_t>(global->id)] = true;
        });
      });
    });
  }
  return used;
}

}  // namespace vyre
