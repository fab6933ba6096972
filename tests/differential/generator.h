// Random valid WGSL programs whose result does not depend on the order of invocations: each one
// writes only elements of its own, adds to shared counters with operations that commute, and reads
// what others wrote only between barriers.
#pragma once

#include <cstdint>
#include <string>

#include "vyre/base/extent.h"

namespace vyre {

// At the end of lines that a second program leaves out, which computes the same.
inline constexpr const char* kNotInTheTwin = "// not in the twin";

struct Generated {
  std::string text;
  Extent extent{1, 1, 1};
  std::uint32_t elements = 1;  // of every run-time sized array
};

// The same seed gives the same program. `rounded_freely`: with float operations whose result WGSL
// leaves open within bounds, which the CPU computes as the interpreter does and a GPU does not.
Generated generate(std::uint64_t seed, bool rounded_freely = true);

}  // namespace vyre
