// The parts of the cost model.
#pragma once

#include "vyre/plan/model/cost_model.h"

namespace vyre {

// The expected time of a variant on the CPU.
double host_ns(const CostFacts& facts, const Profile& profile, const Variant& variant);

}  // namespace vyre
