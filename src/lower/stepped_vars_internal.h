// Variables that all lanes step together.
//
// In `for (var i = local_index; i < n; i += 256u)` lanes leave the loop one by one, so that `i` has
// a value for each lane. But those that are still in the loop have all taken the same steps: if `i`
// begins linear in the lane, it stays so, and what it indexes is contiguous in every round. What
// the variable would be in lanes that have left is never looked at.
#pragma once

#include <set>

#include "vyre/lower/lane_values_internal.h"

namespace vyre {

// The vars of a frame that hold an integer; that nothing names but its declaration and one loop
// behind that, in the same block; and that are only ever changed by adding or subtracting what is
// the same for all lanes, once in each round of that loop, where every lane passes that goes on.
std::set<LocalId> stepped_vars(const Program& program, const FrameSpreads& frame);

}  // namespace vyre
