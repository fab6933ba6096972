// Buffers to the slots of a program.
#pragma once

#include <span>
#include <vector>

#include "vyre/engine/session.h"
#include "vyre/ir/program.h"

namespace vyre {

// One memory a slot: the rank of (group, binding) among the program's storage and uniform
// variables. Every one is bound, large enough, aligned, and what is written overlaps nothing else.
// What a program does not use may be bound, and is ignored.
Result<std::vector<BoundMemory>> bind_slots(const Program& program, std::span<const Binding> given,
                                            std::uint64_t alignment);

// The memory of one binding; `name` is for messages.
Result<BoundMemory> bound_part(const Binding& binding, std::string_view name);

}  // namespace vyre
