#include "vyre/ir/uniformity.h"

#include <algorithm>

#include "vyre/ir/uniformity_function.h"

namespace vyre {

std::vector<ProgramIssue> check_uniformity(
    const Program& program, const std::unordered_map<std::uint32_t, UniformityFacts>& given) {
  std::vector<ProgramIssue> issues;
  const bool anything_required = std::ranges::any_of(program.stmts, [](const Stmt& s) {
    return std::holds_alternative<BarrierStmt>(s.node) ||
           std::holds_alternative<UniformLoadStmt>(s.node);
  });
  if (!anything_required && given.empty()) return issues;
  std::vector<UniformityFacts> known;
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    const auto facts = given.find(static_cast<std::uint32_t>(i));
    if (facts != given.end()) {
      known.push_back(facts->second);
      continue;
    }
    known.push_back(analyse_uniformity(program, static_cast<FunctionId>(i), known, issues));
  }
  return issues;
}

}  // namespace vyre
