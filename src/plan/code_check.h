// What the facts of compiled code forbid. A candidate that nobody has measured serves first only
// if the device can launch its code, and if its code spills no registers where the code in whose
// place it serves spills none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "vyre/plan/planner.h"

namespace vyre {

// Why the device cannot launch the candidate; empty: it can, or nothing is known of its code.
std::string why_not_loaded(const LaunchRequest& request, const LaunchSpace& space,
                           std::size_t candidate);
// Why the candidate may not serve first in place of the declared one; empty: it may.
std::string why_not_guessed(const LaunchRequest& request, const LaunchSpace& space,
                            std::size_t candidate);
// Why code that spills this many bytes does not serve in place of `others`, which spill none.
std::string spill_text(std::uint64_t bytes, std::string_view others);

}  // namespace vyre
