#include "vyre/ir/validate/uniformity.h"

#include <algorithm>

#include "vyre/ir/validate/uniformity_function.h"

namespace vyre {

namespace {

template <class... S>
bool has_any(const Program& program) {
  return std::ranges::any_of(
      program.stmts, [](const Stmt& s) { return (std::holds_alternative<S>(s.node) || ...); });
}

using Given = std::unordered_map<std::uint32_t, UniformityFacts>;

void check_scope(const Program& program, UniformityScope scope, const Given& given,
                 std::vector<ProgramIssue>& issues) {
  std::vector<UniformityFacts> known;
  for (std::size_t i = 0; i < program.functions.size(); ++i) {
    const auto facts = given.find(static_cast<std::uint32_t>(i));
    if (facts == given.end()) {
      known.push_back(
          analyse_uniformity(program, static_cast<FunctionId>(i), scope, known, issues));
      continue;
    }
    known.push_back(facts->second);
    // What builtins without a body require, they require of the largest scope.
    if (scope == UniformityScope::subgroup) known.back().call_required = false;
  }
}

}  // namespace

std::vector<ProgramIssue> check_uniformity(const Program& program, const Given& given) {
  std::vector<ProgramIssue> issues;
  if (has_any<BarrierStmt, UniformLoadStmt>(program) || !given.empty()) {
    check_scope(program, UniformityScope::workgroup, given, issues);
  }
  if (has_any<SubgroupStmt>(program)) {
    check_scope(program, UniformityScope::subgroup, given, issues);
  }
  return issues;
}

bool needs_subgroup_scope(const Program& program, const Given& given) {
  if (!has_any<SubgroupStmt>(program)) return false;
  std::vector<ProgramIssue> without;
  check_scope(program, UniformityScope::workgroup_for_all, given, without);
  const std::vector<ProgramIssue> with = check_uniformity(program, given);
  return std::ranges::any_of(without, [&](const ProgramIssue& issue) {
    return std::ranges::find(with, issue.pos, &ProgramIssue::pos) == with.end();
  });
}

}  // namespace vyre
