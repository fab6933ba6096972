// A CUDA graph of launches, which the device gets all at once.
#pragma once

#include <memory>
#include <type_traits>

#include "vyre/device/cuda/code_internal.h"

namespace vyre {

// Destroyed with it.
using SharedGraph = std::shared_ptr<std::remove_pointer_t<CuGraphExec>>;

// False for drivers before CUDA 11.4, which lack some functions.
bool has_graphs(const CudaDriver& driver);

// Repeats the launch, one after the other. With the context current. The kernel's parameters are
// copied.
Result<SharedGraph> make_graph(CudaCore& core, const CudaCode& code, const Launch& launch,
                               const LaunchWords& words, std::uint32_t times);

}  // namespace vyre
