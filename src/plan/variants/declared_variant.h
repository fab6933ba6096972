// The variant that runs where nothing is known of a kernel's launches.
#pragma once

#include <cstdint>

#include "vyre/ir/kernel.h"
#include "vyre/plan/plan_device.h"
#include "vyre/target/variant.h"

namespace vyre {

// The declared workgroup with one invocation a lane. On the CPU the gang is the one that the cost
// model expects to be best at a size that is neither small nor large, beginning with
// `default_gang`: it depends on nothing but the program and the width of a vector.
Variant declared_variant(const Kernel& kernel, std::uint32_t default_gang,
                         const PlanDevice& device);

}  // namespace vyre
