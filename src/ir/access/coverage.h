// Whether a launch writes all of a buffer.
#pragma once

#include "vyre/ir/access/accesses.h"

namespace vyre {

// True only where every element is surely written whole, and nothing reads the buffer: what it held
// before does not matter then.
bool overwrites(const Program& program, const LaunchFacts& facts, GlobalId global);

}  // namespace vyre
