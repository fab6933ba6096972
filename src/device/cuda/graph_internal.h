// A CUDA graph of launches, which the device gets all at once.
#pragma once

#include <array>
#include <memory>
#include <type_traits>

#include "vyre/device/cuda/code_internal.h"

namespace vyre {

// Nothing runs.
inline bool is_empty(const Launch& l) {
  return l.grid[0] == 0 || l.grid[1] == 0 || l.grid[2] == 0 || l.extent[0] == 0 ||
         l.extent[1] == 0 || l.extent[2] == 0;
}

// A launch as the driver's graphs take it. It points into itself and into the launch.
struct KernelNode {
  KernelNode(const CudaCode& code, const Launch& launch, const LaunchWords& words);
  KernelNode(const KernelNode&) = delete;
  KernelNode& operator=(const KernelNode&) = delete;

  std::array<void*, kMaxParameters>
      parameters;  // as many entries are filled as the kernel has parameters
  const LaunchWords words;
  CuKernelNode node;
};

// A graph that is destroyed with its last owner.
using SharedGraph = std::shared_ptr<std::remove_pointer_t<CuGraphExec>>;

// False for drivers before CUDA 11.4, which lack some functions.
bool has_graphs(const CudaDriver& driver);

// Repeats the launch, one after the other. With the context current. The kernel's parameters are
// copied.
Result<SharedGraph> make_graph(CudaCore& core, const CudaCode& code, const Launch& launch,
                               const LaunchWords& words, std::uint32_t times);

}  // namespace vyre
