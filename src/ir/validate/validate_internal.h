// The parts of validate. Each reports all it finds.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/validate/validate.h"

namespace vyre {

using Issues = std::vector<ProgramIssue>;

// Ids and ranges lead somewhere; expressions have no cycles, bounded depth and bounded size;
// statements form trees; calls are not recursive. What follows relies on all of it.
void check_shape(const Program& program, Issues& issues);

// Types, looked at when something uses them: a table may hold more than its program needs.
class TypeRules {
 public:
  explicit TypeRules(const Program& program);
  // What is wrong with the type in itself; empty when nothing is.
  const std::string& issue(TypeId id) const { return issues_[static_cast<std::size_t>(id)]; }

 private:
  std::string look_at(const Program& program, TypeId id) const;
  std::string look_at_struct(const Program& program, const StructType& type) const;
  std::vector<std::string> issues_;
};

// The type that the expression must have by its operands, or what is wrong with them. Operands have
// been looked at before.
struct ExprRule {
  std::optional<TypeId> type;  // empty: `issue` says why
  std::string issue;
};
// Where locals are looked up; none outside of functions.
ExprRule rule_of(const Program& program, const Expr& expr, const Function* function);
// Whether a math function of these arguments gives the type; what is wrong otherwise.
std::string check_math(const Program& program, MathFn fn, std::span<const ExprId> arguments,
                       TypeId result);

void check_declarations(const Program& program, const TypeRules& rules, Issues& issues);
void check_function(const Program& program, const TypeRules& rules, FunctionId id, Issues& issues);

// Checks a tree of expressions, operands first, and reports the innermost errors only. Only
// constant and override expressions when `function` is null.
bool check_expr_tree(const Program& program, const TypeRules& rules, const Function* function,
                     ExprId root, Issues& issues);

}  // namespace vyre
