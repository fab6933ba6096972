// Whether a workgroup variable must be set to zeros.
#pragma once

#include "vyre/ir/program.h"

namespace vyre {

// True when in a workgroup with all its invocations every scalar of the variable is written, each
// by one invocation, before anything reads it: `tile[local.y][local.x] = ...` for an array of the
// workgroup's shape, as the first thing done to it, where no branch leads around it.
bool written_before_read(const Program& program, GlobalId variable);

}  // namespace vyre
