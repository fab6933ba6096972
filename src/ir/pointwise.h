// Which functions an entry reaches, and whether its storage accesses are pointwise.
#pragma once

#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

// One flag per function: called from the entry, directly or not; the entry itself too.
std::vector<bool> functions_reached(const Program& program);

// As Stats::pointwise.
bool is_pointwise(const Program& program);

}  // namespace vyre
