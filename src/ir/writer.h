// Appends to a Program: expressions, constants, statements and nested blocks. The WGSL front end
// and the C++ builder both write through it; it keeps storage flat and checks nothing.
#pragma once

#include <span>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

class Writer {
 public:
  explicit Writer(Program& program) : program_(program) {}

  SourcePos pos;  // the position of the next added nodes

  ExprId expr(TypeId type, ExprNode node);
  ExprRange list(std::span<const ExprId> ids);
  ExprId constant(TypeId type, std::vector<std::uint64_t> scalars);
  ExprId constant(Scalar scalar);

  // Opens a block: statements are added to it until it is closed.
  void open();
  Block close();
  StmtId stmt(StmtNode node);

 private:
  Program& program_;
  std::vector<std::vector<StmtId>> open_;
};

}  // namespace vyre
