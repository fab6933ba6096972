// The bytes of each global of a program during a launch.
#pragma once

#include <span>
#include <vector>

#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/interpret/interpret_compiler.h"

namespace vyre {

// The smallest binding of a buffer: its static part, and one element of a run-time sized array.
std::uint64_t smallest_binding(const TypeTable& types, TypeId type);

// The bindings of storage and uniform globals; other globals are empty.
Result<std::vector<GlobalBytes>> bind_buffers(const Program& program,
                                              std::span<const BoundBuffer> buffers);

}  // namespace vyre
