// What the tuner knows, and what the plans of src/plan resolve, about the same launch. A plan's
// decision is a workgroup, kept in the device's file under a hash of program, declared workgroup,
// element count and limits; the tuner's is a whole variant, kept as evidence.
#pragma once

#include <optional>
#include <string>

#include "vyre/base/error.h"
#include "vyre/device/device.h"
#include "vyre/engine/tuning.h"
#include "vyre/ir/kernel.h"
#include "vyre/plan/adapter.h"

namespace vyre {

// The device as plans know it.
Adapter adapter_of(const Device& device, const Profile& profile);

// That this process may run on.
unsigned processors_here();

// The tuner's key of a program on a device. `identity` is the program's fingerprint in hex, or what
// stands for all of its overrides.
TuningKey tuning_key_of(const Device& device, const Profile& profile, std::string identity,
                        std::string name, const Extent& extent);

// Why plans keep the declared workgroup of such a launch; empty: they may choose.
std::string why_plans_keep_it(const Kernel& kernel, const Extent& extent);

// What plans have decided for the launch; nothing where they have not, or may not.
std::optional<Extent> planned_workgroup(const Adapter& adapter, const Kernel& kernel,
                                        const Extent& extent);

// The part of the tuner's choice that is a plan's to decide; nothing where that has several axes.
std::optional<Extent> workgroup_for_plans(const TuningView& view);

// Makes it what plans resolve from now on, on this device.
Result<void> decide_for_plans(const Adapter& adapter, const Kernel& kernel, const Extent& extent,
                              const Extent& workgroup);

}  // namespace vyre
