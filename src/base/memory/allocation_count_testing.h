// Counts heap allocations, for tests of paths that must not make any. A test program that links
// this has its operator new replaced.
#pragma once

#include <cstdint>

namespace vyre {

// Calls of operator new by this thread so far. Always 0 under a sanitizer, so that a test which
// compares two counts passes there without having looked.
std::uint64_t allocation_count();

}  // namespace vyre
