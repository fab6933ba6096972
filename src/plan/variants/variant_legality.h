// Which variants may run a kernel. This is the only place that decides it; code generation asserts
// what it relies on.
#pragma once

#include <string>

#include "vyre/ir/kernel.h"
#include "vyre/target/limits.h"
#include "vyre/target/target.h"
#include "vyre/target/variant.h"

namespace vyre {

// Why this variant cannot run the kernel on such a device; empty when it can.
std::string why_not(const Kernel& kernel, const Variant& variant, TargetKind kind,
                    const Limits& limits);

}  // namespace vyre
