// Evaluates expressions of a program to value numbers, and notes the accesses on the way.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vyre/ir/access/accesses.h"

namespace vyre {

// A place in memory: a global, or a variable of one call.
struct Place {
  bool global = false;
  std::uint32_t root = 0;  // GlobalId or LocalId
  std::uint32_t frame = 0;
  std::vector<ValueNumber> path;
  std::uint32_t element = 0;
  std::optional<std::uint64_t> offset = 0;  // bytes, where every index is known
};

// A pointer has a place; other values have their scalars, flattened, unless there are too many.
struct Abstract {
  std::vector<ValueNumber> parts;
  std::optional<Place> place;
};

class Evaluator {
 public:
  Evaluator(const Program& program, const LaunchFacts& facts, ValueNumbers& numbers)
      : program_(program), types_(program.types), facts_(facts), numbers_(numbers) {}

 protected:
  using VarKey = std::pair<std::uint32_t, std::uint32_t>;  // frame, local

  ScalarKind scalar_at(TypeId type, std::uint64_t i) const;
  std::uint64_t scalars(TypeId type) const;
  Abstract unknown(TypeId type);
  Abstract pure(ValueKind kind, std::int64_t what, TypeId type,
                const std::vector<ValueNumber>& operands, bool complete = true);
  bool has_budget();
  Abstract eval(ExprId id);
  Abstract eval_node(const Expr& expr, const ConstantExpr& e);
  Abstract eval_node(const Expr& expr, const ZeroExpr&);
  Abstract zero(TypeId type);
  Abstract eval_node(const Expr& expr, const OverrideExpr&);
  Abstract eval_node(const Expr& expr, const LocalExpr& e);
  Abstract eval_node(const Expr&, const GlobalPtrExpr& e);
  Abstract eval_node(const Expr&, const LocalPtrExpr& e);
  Abstract eval_node(const Expr&, const InvocationIdExpr& e);
  Abstract eval_node(const Expr&, const MemberExpr& e);
  Abstract slice(const Abstract& of, std::uint64_t first, TypeId type);
  TypeId pointee(TypeId type) const;
  Abstract eval_node(const Expr& expr, const IndexExpr& e);
  const BufferFacts& buffer(std::uint32_t global) const;
  bool is_buffer(std::uint32_t global) const;
  MemoryAccess access(AccessKind kind, const Place& place, ExprId pointer);
  Abstract eval_node(const Expr& expr, const LoadExpr& e);
  Abstract inside(const Abstract& value, const Place& place, TypeId type);
  const Local& local_of(const Place& place) const;
  std::optional<Abstract> contents(std::span<const std::byte> bytes, std::uint64_t offset,
                                   TypeId type);
  bool flatten(std::span<const std::byte> bytes, std::uint64_t offset, TypeId type, Abstract& out);
  Abstract eval_node(const Expr& expr, const ArrayLengthExpr& e);
  Abstract eval_node(const Expr& expr, const ViewExpr&) { return unknown(expr.type); }
  Abstract eval_node(const Expr& expr, const SwizzleExpr& e);
  Abstract eval_node(const Expr& expr, const ConstructExpr& e);
  Abstract eval_node(const Expr& expr, const SplatExpr& e);
  Abstract eval_node(const Expr& expr, const UnaryExpr& e);
  Abstract eval_node(const Expr& expr, const BinaryExpr& e);
  Abstract eval_node(const Expr& expr, const SelectExpr& e);
  Abstract converted(ExprId value, TypeId type);
  Abstract eval_node(const Expr& expr, const ConvertExpr& e);
  Abstract eval_node(const Expr& expr, const BitcastExpr& e);
  Abstract eval_node(const Expr& expr, const MathExpr& e);

  const Program& program_;
  const TypeTable& types_;
  const LaunchFacts& facts_;
  ValueNumbers& numbers_;
  Accesses out_;
  std::map<VarKey, Abstract> values_;  // of lets, parameters and variables
  std::vector<const Function*> frames_{&program_[program_.entry]};
  std::uint32_t frame_ = 0;
  std::uint32_t calls_ = 0;  // that lead to where the walk is
  double times_ = 1;
  StmtId stmt_{};
  std::uint64_t steps_ = 0;
};

}  // namespace vyre
