// The fusion plan of a list of stages, for `vyre plan --stages`.
#pragma once

#include "vyre/cli/plan.h"

namespace vyre {

Exit plan_stages(const PlanOptions& options, Streams& streams);

}  // namespace vyre
