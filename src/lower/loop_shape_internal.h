// What can be said of a loop without running it: whether it must end, and whether it holds others.
#pragma once

#include "vyre/ir/program.h"

namespace vyre {

struct LoopShape {
  // A variable that only the continuing block changes, by one, is compared with something that the
  // loop does not change: the loop ends.
  bool counted = false;
  bool innermost = false;  // neither it nor a function it calls has another loop
};

LoopShape shape_of(const Program& program, StmtId loop);

}  // namespace vyre
