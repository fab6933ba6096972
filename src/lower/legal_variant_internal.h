// What code generation relies on. plan/variants/variant_legality.h decides which variants a kernel
// has; another one here is a mistake of the caller.
#pragma once

#include "vyre/ir/kernel.h"
#include "vyre/target/target.h"
#include "vyre/target/variant.h"

namespace vyre {

void assert_legal(const Kernel& kernel, const Variant& variant, TargetKind kind);

}  // namespace vyre
