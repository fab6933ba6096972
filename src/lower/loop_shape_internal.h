// What can be said of a loop without running it: whether it must end, and whether it holds others.
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
  // A variable that one statement changes, by one in every iteration, is compared with something
  // that the loop does not change: the loop ends.
  bool counted = false;
  // Neither it nor a function it calls has another loop, but for some with few iterations: told by
  // constants, or divided by a constant until the variable is small.
  bool innermost = false;
  // The condition that a `while` or `for` tests before each iteration, as the first statement of
  // its body says it.
  ExprId condition = kNoExpr;
  std::optional<LoopSteps> steps{};  // by which the condition, all of it, ends the loop
  // Told by constants, and not many: whenever the loop begins, it makes so many rounds, unless a
  // jump ends it.
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
