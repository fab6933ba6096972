// Host memory for devices that compute in it.
#pragma once

#include "vyre/device/device.h"

namespace vyre {

// Filled with zeros and aligned to 64 bytes; the system provides the pages of a large allocation on
// first use. Asking for more than the machine has is an error here, so that the system does not
// kill the process later.
Result<DeviceMemory> allocate_host_memory(std::uint64_t bytes);

Result<MemoryInfo> host_memory_info();

}  // namespace vyre
