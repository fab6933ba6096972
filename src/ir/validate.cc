#include "vyre/ir/validate.h"

#include <algorithm>

#include "vyre/ir/uniformity.h"
#include "vyre/ir/validate_internal.h"

namespace vyre {

std::vector<ProgramIssue> validate(const Program& program) {
  Issues issues;
  check_shape(program, issues);
  if (issues.empty()) {
    const TypeRules rules(program);
    check_declarations(program, rules, issues);
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
      check_function(program, rules, static_cast<FunctionId>(i), issues);
    }
    if (issues.empty()) issues = check_uniformity(program);
  }
  std::ranges::stable_sort(issues, [](const ProgramIssue& a, const ProgramIssue& b) {
    return std::pair(a.pos.line, a.pos.column) < std::pair(b.pos.line, b.pos.column);
  });
  return issues;
}

}  // namespace vyre
