// Prints the expressions and types of one function.
#pragma once

#include <string>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

// Makes names unique within the list: an empty or repeated name gets its index as a suffix.
std::vector<std::string> unique_names(const std::vector<std::string>& names);

// The printed names.
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
  // Counts a printed node; false once many more were printed than the program has, as in a cycle.
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
