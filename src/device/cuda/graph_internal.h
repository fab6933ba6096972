// Launches that the device is given all at once.
#pragma once

#include <memory>
#include <type_traits>

#include "vyre/device/cuda/code_internal.h"

namespace vyre {

// Destroyed with it.
using SharedGraph = std::shared_ptr<std::remove_pointer_t<CuGraphExec>>;

// Drivers before CUDA 11.4 lack some of what it takes.
bool has_graphs(const CudaDriver& driver);

// The same launch this many times, each after the one before. With the context current. The
// kernel's parameters are copied.
Result<SharedGraph> make_graph(CudaCore& core, const CudaCode& code, const Launch& launch,
                               const LaunchWords& words, std::uint32_t times);

}  // namespace vyre
