// Which variants can run a kernel. Only this file decides it; the code generators assert it.
#pragma once

#include <string>

#include "vyre/ir/kernel.h"
#include "vyre/target/limits.h"
#include "vyre/target/target.h"
#include "vyre/target/variant.h"

namespace vyre {

// Why this variant cannot run the kernel on the device; empty if it can.
std::string why_not(const Kernel& kernel, const Variant& variant, TargetKind kind,
                    const Limits& limits);

}  // namespace vyre
