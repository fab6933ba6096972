// Random stages whose lanes walk along rows in loops, so that loops pass elements on to loops.
#pragma once

#include <cstdint>

#include "staged.h"

namespace vyre {

Staged random_rows(std::uint64_t seed);

}  // namespace vyre
