#pragma once

#include <fmt/format.h>

#include "vyre/ir/kernel.h"

namespace vyre {

// Compiled code has no subgroup operations yet; the interpreter runs them.
inline Result<void> check_no_subgroups(const Kernel& kernel) {
  if (kernel.stats.subgroup_operations == 0) return {};
  return fail(Code::unavailable,
              fmt::format("kernel '{}' uses subgroup operations, which only the interpreter runs",
                          kernel.program->name),
              "run it with --device interp");
}

}  // namespace vyre
