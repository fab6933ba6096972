// Facts about a loop that are known without running it: whether it must end, and whether it
// contains other loops.
#pragma once

#include <map>
#include <optional>

#include "vyre/ir/program.h"

namespace vyre {

// `v < bound` with `v += by` in every round: the rounds that are left can be computed. `by` and
// `bound` are the same in all rounds. A signed v has a positive constant for `by`.
struct LoopSteps {
  LocalId var{};
  ExprId bound = kNoExpr;
  ExprId by = kNoExpr;
  bool down = false;       // v > bound, v -= by
  bool inclusive = false;  // v <= bound, or v >= bound
};

struct LoopShape {
  // The loop must end: it compares a variable, which one statement changes by one in every
  // iteration, with a value that the loop does not change.
  bool counted = false;
  // Neither the loop nor a function that it calls contains another loop, except for loops with few
  // iterations: those whose rounds are determined by constants, and those that divide a variable by
  // a constant until it is small.
  bool innermost = false;
  // The condition that a `while` or `for` tests before each iteration, as the first statement of
  // its body says it.
  ExprId condition = kNoExpr;
  std::optional<LoopSteps> steps{};  // by which the condition, all of it, ends the loop
  // A small number of rounds that is determined by constants. Whenever the loop begins, it makes
  // this many rounds, unless a jump ends it.
  std::optional<std::uint32_t> rounds{};
};

// All loops of a program.
class LoopShapes {
 public:
  explicit LoopShapes(const Program& program);
  const LoopShape& of(StmtId loop) const { return shapes_.at(loop); }

 private:
  std::map<StmtId, LoopShape> shapes_;
};

}  // namespace vyre
