// The interpreter: runs any valid kernel, one invocation at a time between barriers, slowly and
// clearly. It is the oracle for every device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "vyre/ir/kernel.h"

namespace vyre {

// Bytes bound to a storage or uniform global of the program, by (group, binding). The size may be
// anything that holds the static part of the type and at least one element of a run-time array; a
// part of an element at the end is out of bounds. Any alignment will do. Bindings that the program
// does not use are left alone.
struct BoundBuffer {
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  std::span<std::byte> bytes;
};

struct LaunchShape {
  Extent grid{1, 1, 1};  // workgroups
  // Exactly the invocations whose global id lies inside run; default: all of the grid.
  Extent extent{0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU};
};

struct InterpretOptions {
  // Statements over all invocations, where each round of a loop and the end of an invocation count
  // as one; 0: no limit. Looked at when a loop goes round, at calls and between invocations.
  std::uint64_t step_budget = 0;
  std::function<bool()> cancelled;  // asked now and then; true ends the run with an error
};

struct InterpretReport {
  std::uint64_t invocations = 0;
  std::uint64_t steps = 0;
};

// Workgroups run one after the other. Memory is needed for one of them, however large the grid. A
// store leaves the padding of what it writes as it was.
//
// Errors: a missing, doubled or too small binding; one range of memory bound twice, once writable;
// an exhausted budget (names the kernel); cancellation; a barrier that not all invocations of a
// workgroup (inside the extent) reach; more than 1 GiB for one invocation or 4 GiB for a workgroup.
Result<InterpretReport> interpret(const Kernel& kernel, std::span<const BoundBuffer> buffers,
                                  const LaunchShape& shape, const InterpretOptions& options = {});

}  // namespace vyre
