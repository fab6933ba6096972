// Random chains of kernels that share buffers. Each kernel alone gives the same result in any order
// of its invocations: what one writes, no other one reads or writes in the same stage.
#pragma once

#include <cstdint>

#include "staged.h"

namespace vyre {

// The same seed gives the same chain. stages 0: two to four.
Staged random_stages(std::uint64_t seed, int stages = 0);

}  // namespace vyre
