#include "vyre/ir/validate/validate.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "vyre/ir/validate/uniformity.h"
#include "vyre/ir/validate/validate_internal.h"

namespace vyre {

namespace {

// By position; issues at one position keep their order.
std::vector<ProgramIssue> in_source_order(std::vector<ProgramIssue> issues) {
  std::vector<std::size_t> order(issues.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple(issues[i].pos.line, issues[i].pos.column, i);
  });
  std::vector<ProgramIssue> out;
  out.reserve(issues.size());
  for (const std::size_t i : order) out.push_back(std::move(issues[i]));
  return out;
}

}  // namespace

std::vector<ProgramIssue> validate(const Program& program) {
  Issues issues;
  check_shape(program, issues);
  if (issues.empty()) {
    const TypeRules rules(program);
    check_declarations(program, rules, issues);
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
      check_function(program, rules, static_cast<FunctionId>(i), issues);
    }
    if (issues.empty()) {
      issues = check_uniformity(program);
      std::erase_if(issues, [](const ProgramIssue& issue) { return issue.warning; });
    }
  }
  return in_source_order(std::move(issues));
}

}  // namespace vyre
