// What a program does, as far as the model of its variants needs it.
#pragma once

#include "vyre/ir/kernel.h"
#include "vyre/tune/prior.h"

namespace vyre {

// `bound_bytes` are those of all storage bindings.
PriorFacts prior_facts_of(const Kernel& kernel, TargetKind kind, const Extent& extent,
                          double bound_bytes);

}  // namespace vyre
