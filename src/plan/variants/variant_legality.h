// Which variants can run a kernel. Only this file decides it; the code generators assert it.
#pragma once

#include <string>
#include <string_view>

#include "vyre/ir/kernel.h"
#include "vyre/target/limits.h"
#include "vyre/target/target.h"
#include "vyre/target/variant.h"

namespace vyre {

// Why launches of the kernel keep its declared workgroup, as a phrase whose subject is the program:
// "shares memory or waits within its workgroup". Empty if other workgroups are possible.
std::string_view why_shape_is_fixed(const Kernel& kernel);

// Why this variant cannot run the kernel on the device; empty if it can.
std::string why_not(const Kernel& kernel, const Variant& variant, TargetKind kind,
                    const Limits& limits);

}  // namespace vyre
