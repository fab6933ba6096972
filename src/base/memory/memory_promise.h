// Work that takes much memory asks beforehand, so that pieces of work at the same time do not each
// count on the same memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/base/memory/memory_headroom.h"
#include "vyre/base/process/abandonable.h"

namespace vyre {

// Waits, within the limits, while others have been promised too much, and fails with out_of_memory
// where the process could not take this many bytes even alone. The promise ends with the last copy
// of what is returned.
Result<std::shared_ptr<const void>> promise_memory(
    std::uint64_t bytes, std::string_view what, const WorkLimits& limits = {},
    const std::function<MemoryHeadroom()>& headroom = [] { return memory_headroom(); });

}  // namespace vyre
