// The variant that runs if nothing is known about a kernel's launches.
#pragma once

#include <cstdint>

#include "vyre/ir/kernel.h"
#include "vyre/plan/plan_device.h"
#include "vyre/target/variant.h"

namespace vyre {

// The declared workgroup with one item per lane and, on the CPU, gangs of one lane, or of as many
// as the kernel's subgroup operations need.
Variant plain_variant(const Kernel& kernel, TargetKind kind);

// The declared workgroup with one item per lane. On the CPU it has the gang that the cost model
// expects to be best at a medium size, starting from `default_gang`; it depends only on the program
// and the vector width.
Variant declared_variant(const Kernel& kernel, std::uint32_t default_gang,
                         const PlanDevice& device);

}  // namespace vyre
