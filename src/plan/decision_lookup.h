// The specification's file of launch decisions, read as imported evidence: one workgroup for each
// program, declared workgroup, element count and set of limits.
#pragma once

#include <optional>
#include <string>

#include "vyre/ir/kernel.h"
#include "vyre/plan/adapter.h"
#include "vyre/tune/decisions/decision_keys.h"

namespace vyre {

// Why the file can hold no decision about such a launch; empty: it can.
std::string why_undecidable(const Kernel& kernel, const Extent& extent);

// The key of the launch in the file; absent where the file can hold no decision about it.
std::optional<FeedbackKey> decision_key(const Adapter& adapter, const Kernel& kernel,
                                        const Extent& extent);

// The workgroup that the adapter's file holds for the launch, within the adapter's limits.
std::optional<Extent> decided_workgroup(const Adapter& adapter, const Kernel& kernel,
                                        const Extent& extent);

// Writes a decision about the launch into the adapter's file, for other readers of such files.
Result<void> export_decision(const Adapter& adapter, const Kernel& kernel, const Extent& extent,
                             const Extent& workgroup);

}  // namespace vyre
