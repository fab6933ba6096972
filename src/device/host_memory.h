// Memory of the host for devices that compute there.
#pragma once

#include "vyre/device/device.h"

namespace vyre {

// Zero, aligned to 64 bytes, from the system page by page when it is large. More than the machine
// has is an error, not a process that the system ends later.
Result<DeviceMemory> allocate_host_memory(std::uint64_t bytes);

Result<MemoryInfo> host_memory_info();

}  // namespace vyre
