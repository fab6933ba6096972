// The reference interpreter: runs any valid kernel, one invocation at a time between barriers. It
// is slow and simple, and every device is compared with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "vyre/ir/kernel.h"

namespace vyre {

// The bytes bound to a storage or uniform variable of the program, by (group, binding). They must
// hold the static part of the type and at least one element of a run-time sized array; an
// incomplete element at the end is out of bounds. Any alignment is allowed. Bindings that the
// program does not use are ignored.
struct BoundBuffer {
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  std::span<std::byte> bytes;
};

struct LaunchShape {
  Extent grid{1, 1, 1};  // workgroups
  // Only the invocations whose global id lies inside run; by default the whole grid.
  Extent extent{0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU};
};

struct InterpretOptions {
  // The most statements over all invocations; each iteration of a loop and the end of an invocation
  // count as one. 0: no limit. Tested at loop iterations, at calls and between invocations.
  std::uint64_t step_budget = 0;
  std::function<bool()> cancelled;  // called now and then; true ends the run with an error
};

struct InterpretReport {
  std::uint64_t invocations = 0;
  std::uint64_t steps = 0;
};

// Workgroups run one after the other, and memory is needed for only one of them. A store does not
// change padding.
//
// Errors: a binding that is missing, given twice or too small; memory that is bound twice, once
// writable; an exhausted budget; cancellation; a barrier that not all invocations of a workgroup
// (inside the extent) reach; more than 1 GiB for one invocation or 4 GiB for a workgroup.
Result<InterpretReport> interpret(const Kernel& kernel, std::span<const BoundBuffer> buffers,
                                  const LaunchShape& shape, const InterpretOptions& options = {});

}  // namespace vyre
