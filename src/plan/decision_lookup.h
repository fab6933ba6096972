// The decision file of the specification, read as imported evidence. It has one workgroup for each
// program, declared workgroup, element count and set of limits.
#pragma once

#include <optional>
#include <string>

#include "vyre/base/process/abandonable.h"
#include "vyre/ir/kernel.h"
#include "vyre/plan/adapter.h"
#include "vyre/tune/decisions/decision_keys.h"

namespace vyre {

// Why the file cannot hold a decision for this launch; empty if it can.
std::string why_undecidable(const Kernel& kernel, const Extent& extent);

// The key of the launch in the file; absent if the file cannot hold a decision for it.
std::optional<FeedbackKey> decision_key(const Adapter& adapter, const Kernel& kernel,
                                        const Extent& extent);

// The workgroup that the adapter's file has for the launch, if it is within the adapter's limits.
// Absent where the limits end the wait for the file's disk.
std::optional<Extent> decided_workgroup(const Adapter& adapter, const Kernel& kernel,
                                        const Extent& extent, const WorkLimits& limits = {});

// Writes a decision for the launch to the adapter's file, for other programs that read such files.
Result<void> export_decision(const Adapter& adapter, const Kernel& kernel, const Extent& extent,
                             const Extent& workgroup);

}  // namespace vyre
