// The launch plan of a kernel, for `vyre plan`.
#pragma once

#include "vyre/cli/plan.h"

namespace vyre {

Exit plan_kernel(const PlanOptions& options, Streams& streams);

}  // namespace vyre
