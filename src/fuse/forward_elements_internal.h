// Passes elements on from one loop to later ones that make the same rounds:
//
//   for (var i = lane; i < width; i += 256u) { t[row + i] = x[row + i] * scale; }
//   for (var k = lane; k < width; k += 256u) { y[row + k] = t[row + k] * w[k]; }
//
// The second loop computes what the first one would have stored, and `t` needs no memory. This is
// how cooperative stages, whose lanes walk along a row, pass their results on.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "vyre/fuse/fusion_plan_internal.h"

namespace vyre {

// Returns the buffers of the group that need no memory any more, and removes their bindings.
std::vector<std::size_t> forward_elements(WrittenGroup& group, const GroupPlan& plan,
                                          std::span<const FusedBuffer> buffers);

}  // namespace vyre
