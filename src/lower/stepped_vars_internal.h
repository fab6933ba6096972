// Variables that all lanes step together.
//
// In `for (var i = local_index; i < n; i += 256u)` lanes leave the loop one by one, so that `i` has
// a value for each lane. But all lanes that are still in the loop have taken the same steps: if `i`
// is linear in the lane at first, it stays linear, and the elements that it indexes are contiguous
// in every round. The values in lanes that have left the loop are never used.
#pragma once

#include <set>

#include "vyre/lower/lane_values_internal.h"

namespace vyre {

// The integer variables of a frame that are named only in their declaration and in one later loop
// of the same block, and that change only once in each round of that loop: a value that is equal in
// all lanes is added or subtracted, at a place that every lane passes before the next round.
std::set<LocalId> stepped_vars(const Program& program, const FrameSpreads& frame);

}  // namespace vyre
