// Expressions and types of one function as text; the printer's smaller half.
#pragma once

#include <string>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

// Names that are unique within the list: an empty name or one met before gets the index behind it.
std::vector<std::string> unique_names(const std::vector<std::string>& names);

// The names under which things are printed.
struct PrintNames {
  explicit PrintNames(const Program& program);
  std::vector<std::string> globals, functions, overrides;
  std::vector<std::string> locals;  // of the function being printed
};

class ExprPrinter {
 public:
  ExprPrinter(const Program& program, const PrintNames& names);

  // A pointer is printed as the place it points to; reading a place is spelled `load`.
  std::string expr(ExprId id, std::uint32_t depth = 0) const;
  std::string type(TypeId id) const;
  std::string local(LocalId id) const;
  std::string function(FunctionId id) const;
  std::string scalar(ScalarKind kind, std::uint64_t bits) const;
  std::string list(ExprRange range, std::uint32_t depth = 0) const;
  // Counts one thing printed; false once there have been many more than the program has, as where
  // something contains itself.
  bool spend() const {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  std::string node(const Expr& expr, std::uint32_t depth) const;
  std::string postfix_base(ExprId id, std::uint32_t depth) const;
  std::string constant(const Constant& constant) const;
  std::string constant_part(TypeId type, const std::vector<std::uint64_t>& scalars,
                            std::size_t& next) const;

  const Program& program_;
  const PrintNames& names_;
  mutable std::size_t left_;
};

}  // namespace vyre
