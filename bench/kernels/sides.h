// The ways to run a problem.
#pragma once

#include "problem.h"

namespace vyre::bench {

// Through a Session on the CPU.
Made make_vyre_side(const Problem& problem, unsigned threads);
// Prepares an empty kernel and returns what launches it once. Null when that fails.
std::function<void()> make_empty_launch(unsigned threads);

// Under PoCL; the number of threads is decided by its environment.
Made make_pocl_side(const Problem& problem);

Made make_native_side(const Problem& problem, NativeFunction function);

}  // namespace vyre::bench
