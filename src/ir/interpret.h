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
// anything that holds the static part of the type and at least one element of a run-time array.
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
  std::uint64_t step_budget = 0;    // statements over all invocations; 0: no limit
  std::function<bool()> cancelled;  // asked now and then; true ends the run with an error
};

struct InterpretReport {
  std::uint64_t invocations = 0;
  std::uint64_t steps = 0;
};

// Errors: a missing, doubled or too small binding; one range of memory bound twice, once writable;
// an exhausted budget (names the kernel); a barrier that not all invocations reach.
Result<InterpretReport> interpret(const Kernel& kernel, std::span<const BoundBuffer> buffers,
                                  const LaunchShape& shape, const InterpretOptions& options = {});

}  // namespace vyre
