// The parts of validate. Each reports all errors that it finds.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/validate/validate.h"

namespace vyre {

using Issues = std::vector<ProgramIssue>;

// Checks that ids and ranges are valid, that expressions have no cycles, bounded depth and bounded
// size, that statements form trees, and that calls are not recursive. The other parts rely on this.
void check_shape(const Program& program, Issues& issues);

// Checks types when they are used, because a table may hold more than its program needs.
class TypeRules {
 public:
  explicit TypeRules(const Program& program);
  // The error of the type itself; empty if there is none.
  const std::string& issue(TypeId id) const { return issues_[static_cast<std::size_t>(id)]; }

 private:
  std::string look_at(const Program& program, TypeId id) const;
  std::string look_at_struct(const Program& program, const StructType& type) const;
  std::vector<std::string> issues_;
};

// The type of the expression by its operands, or their error. The operands have been checked
// before.
struct ExprRule {
  std::optional<TypeId> type;  // empty: `issue` says why
  std::string issue;
};
// For looking up locals; null outside of functions.
ExprRule rule_of(const Program& program, const Expr& expr, const Function* function);
// Checks that a math function of these arguments has the type; otherwise returns the error.
std::string check_math(const Program& program, MathFn fn, std::span<const ExprId> arguments,
                       TypeId result);

void check_declarations(const Program& program, const TypeRules& rules, Issues& issues);
void check_function(const Program& program, const TypeRules& rules, FunctionId id, Issues& issues);

// Checks a tree of expressions, operands first, and reports only the innermost errors. If
// `function` is null, only constant and override expressions are allowed.
bool check_expr_tree(const Program& program, const TypeRules& rules, const Function* function,
                     ExprId root, Issues& issues);

}  // namespace vyre
