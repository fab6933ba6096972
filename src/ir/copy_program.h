// Copies parts of one program into another, where everything gets new ids.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "vyre/ir/program.h"
#include "vyre/ir/writer.h"

namespace vyre {

// Types, constants, overrides, globals and functions are copied at their first use, and keep their
// new ids. A derived class can change the copies of expressions, statements and ids of locals.
class ProgramCopy {
 public:
  ProgramCopy(const Program& from, Program& to);
  ProgramCopy(const ProgramCopy&) = delete;
  ProgramCopy& operator=(const ProgramCopy&) = delete;
  virtual ~ProgramCopy() = default;

  TypeId type(TypeId id);
  OverrideId override_(OverrideId id);  // after the overrides that its initial value needs
  GlobalId global(GlobalId id);
  FunctionId function(FunctionId id);  // after the functions that it calls
  // The copy uses `known` for the global instead of making one.
  void use_global(GlobalId id, GlobalId known);

  virtual ExprId expr(ExprId id);
  // Statements go into a block of their own.
  Block block(Block original);

 protected:
  // Appends the copy of a statement to the block that the writer has open.
  virtual void stmt(const Stmt& original);
  virtual LocalId local(LocalId id) { return id; }
  void statements(Block original);

  const Program& from_;
  Program& to_;
  Writer writer_;

 private:
  ConstantId constant(ConstantId id);
  ExprId count(ExprId id);
  ExprId maybe(ExprId id) { return id == kNoExpr ? id : expr(id); }
  LocalId maybe(LocalId id) { return id == kNoLocal ? id : local(id); }
  void switch_cases(SwitchStmt& s);

  std::vector<std::optional<TypeId>> types_;
  std::vector<std::optional<OverrideId>> overrides_;
  std::vector<std::optional<GlobalId>> globals_;
  std::vector<std::optional<FunctionId>> functions_;
  std::unordered_map<std::uint32_t, ConstantId> constants_;
  std::unordered_map<std::uint32_t, ExprId> counts_;
};

}  // namespace vyre
