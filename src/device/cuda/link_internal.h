// PTX to a cubin, by the linker inside the driver.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vyre/device/cuda/context_internal.h"

namespace vyre {

// With the context current, on any thread; does not disturb running kernels. An error has the
// linker's messages.
Result<std::vector<std::byte>> link_ptx(CudaContext& context, const std::string& ptx,
                                        const std::string& name);

}  // namespace vyre
