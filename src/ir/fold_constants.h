// Evaluates the constant and override expressions of a Program, in place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/ir/program.h"

namespace vyre {

// "file:line:column: what", as far as file and position are known.
std::string locate(const Program& program, SourcePos pos, const std::string& what);

// Works on valid programs. Where WGSL makes the evaluation of an override expression an error
// (overflow, division by zero, an index outside, ...), the error names the position.
class Folder {
 public:
  // One value per override of the program; an override without a value takes its initialiser.
  Folder(Program& program, std::vector<std::optional<Scalar>> given);

  // Replaces subexpressions that depend only on overrides and constants by constants.
  Result<void> fold(ExprId root);
  // Replaces the whole expression by a constant (a zero value stays a zero value); an error if it
  // is not constant.
  Result<void> make_constant(ExprId root);
  // The scalar value of an expression that must be constant.
  Result<Scalar> scalar(ExprId root);
  // Arrays of this type got their size from overrides: constant indices are checked too.
  void note_sized(TypeId array) { sized_arrays_.insert(static_cast<std::uint32_t>(array)); }

 private:
  enum class State : std::uint8_t { unknown, busy, varies, constant, override_constant };

  Result<State> visit(ExprId id);
  Result<State> visit_node(ExprId id);
  Result<State> visit_logical(ExprId id, const BinaryExpr& node);
  Result<State> visit_operands(ExprId id);
  Result<Scalar> override_value(OverrideId id);
  Result<void> check_partly_constant(ExprId id);
  TypeId indexed_type(const IndexExpr& node) const;
  bool is_sized_late(const ExprNode& node) const;
  Result<void> check_index(ExprId id, const IndexExpr& node);
  // Stores the value of a constant expression in values_.
  const std::vector<std::uint64_t>& need(ExprId id);
  // The same; faults are errors.
  Result<void> evaluate(ExprId id);
  Fault compute(const Expr& expr, std::vector<std::uint64_t>& out);
  void join(std::span<const ExprId> parts, std::vector<std::uint64_t>& out);
  void store(ExprId id, std::vector<std::uint64_t> scalars);
  Operand operand(ExprId id) { return {program_[id].type, need(id)}; }
  Scalar scalar_of(ExprId id);
  State& state(ExprId id) { return states_[static_cast<std::size_t>(id)]; }
  std::unexpected<Error> fault_at(ExprId id, const std::string& what) const;

  Program& program_;
  std::vector<std::optional<Scalar>> overrides_;
  std::vector<State> override_states_;
  std::vector<State> states_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> values_;
  std::unordered_set<std::uint32_t> sized_arrays_;  // by TypeId
  bool strict_ = false;                             // constants without overrides report faults too
};

}  // namespace vyre
