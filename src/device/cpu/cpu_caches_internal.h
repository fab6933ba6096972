// The sizes of this processor's caches, as the system reports them.
#pragma once

#include <cstdint>

namespace vyre {

// All sizes are 0 if they are unknown.
std::uint64_t last_level_cache();
std::uint64_t second_level_cache();  // of one core

}  // namespace vyre
