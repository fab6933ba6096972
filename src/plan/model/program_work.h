// What a program does, as far as the model of its variants needs it.
#pragma once

#include "vyre/ir/kernel.h"
#include "vyre/plan/model/cost_model.h"

namespace vyre {

// `bound_bytes` are those of all storage bindings.
CostFacts cost_facts_of(const Kernel& kernel, TargetKind kind, const Extent& extent,
                        double bound_bytes);

}  // namespace vyre
