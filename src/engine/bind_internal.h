// Buffers to the slots of a program.
#pragma once

#include <span>
#include <vector>

#include "vyre/engine/session.h"
#include "vyre/ir/program.h"

namespace vyre {

// The memory of each slot, which is the rank of (group, binding) among the program's storage and
// uniform variables. It is an error if a variable is not bound, if its memory is too small or not
// aligned, or if memory that is written overlaps other memory. Bindings that the program does not
// use are ignored.
Result<std::vector<BoundMemory>> bind_slots(const Program& program, std::span<const Binding> given,
                                            std::uint64_t alignment);

// The memory of one binding; `name` is for messages.
Result<BoundMemory> bound_part(const Binding& binding, std::string_view name);

}  // namespace vyre
