// The caches of this processor, as the system tells them.
#pragma once

#include <cstdint>

namespace vyre {

// 0: unknown.
std::uint64_t last_level_cache();
std::uint64_t second_level_cache();  // of one core

}  // namespace vyre
