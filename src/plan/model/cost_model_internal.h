// The parts of the cost model.
#pragma once

#include "vyre/plan/model/cost_model.h"

namespace vyre {

// What a variant is expected to take on a processor of the host.
double host_ns(const CostFacts& facts, const Profile& profile, const Variant& variant);

}  // namespace vyre
