// Kernels of many kinds, and devices, for tests of planning.
#pragma once

#include <string>
#include <vector>

#include "vyre/ir/kernel.h"
#include "vyre/plan/plan_device.h"

namespace vyre {

// One kernel of each kind that planning treats differently; the name of the program says which.
std::vector<Kernel> kernels_of_all_kinds();
// The one with this name.
Kernel kernel_named(std::string_view name);

PlanDevice large_gpu();               // an H200
PlanDevice unknown_gpu();             // one whose limits and generator are known, and little else
PlanDevice processor_of_16_lanes();   // eight cores
PlanDevice processor_of_8_lanes();    // one core
PlanDevice device_of_limits_alone();  // "null"

}  // namespace vyre
