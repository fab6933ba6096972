// The bytes of each global of a program during a launch.
#pragma once

#include <span>
#include <vector>

#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/interpret/interpret_compiler.h"

namespace vyre {

// The bindings of storage and uniform globals; other globals are empty.
Result<std::vector<GlobalBytes>> bind_buffers(const Program& program,
                                              std::span<const BoundBuffer> buffers);

}  // namespace vyre
