// Prepares a kernel's entry for fusion: removes early returns, and calls of functions that access
// buffers.
#pragma once

#include <optional>

#include "vyre/ir/program.h"

namespace vyre {

// The same program with an entry that has no `return` (what follows one stands in an `if`), that
// accesses buffers itself (functions that do, or that take pointers to buffers, are inlined), and
// that keeps no pointer to a buffer in a let. Empty when inlining would make it too large.
std::optional<Program> flatten(const Program& program);

}  // namespace vyre
