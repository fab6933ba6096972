// The work of a program, for the cost model.
#pragma once

#include "vyre/ir/kernel.h"
#include "vyre/plan/model/cost_model.h"

namespace vyre {

// `bound_bytes` is the size of all storage bindings together.
CostFacts cost_facts_of(const Kernel& kernel, TargetKind kind, const Extent& extent,
                        double bound_bytes);

}  // namespace vyre
