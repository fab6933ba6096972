// The limits of a device for one launch.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "vyre/base/extent.h"

namespace vyre {

// The limits of generated GPU code: the workgroup memory that a kernel may declare statically, and
// the number of bindings whose addresses and lengths fit into 4,096 bytes of kernel parameters.
inline constexpr std::uint64_t kGpuWorkgroupBytes = std::uint64_t{48} * 1024;
inline constexpr std::uint32_t kGpuBindings = 180;

struct Limits {
  std::string backend{};  // the device family: "cpu", "cuda", "null", ...
  std::uint32_t max_threads_per_block = 0;
  Extent max_block_dim{};
  Extent max_grid_dim{};
  std::uint32_t binding_alignment = 4;  // of the addresses of bindings, in bytes
  std::uint64_t max_workgroup_bytes =
      kGpuWorkgroupBytes;                     // workgroup memory that a kernel declares
  std::uint32_t max_bindings = kGpuBindings;  // storage and uniform bindings of a kernel

  auto operator<=>(const Limits&) const = default;
};

// "cuda: 1024 threads per block, block 1024x1024x64, grid 2147483647x65535x65535"
std::string to_string(const Limits& limits);

}  // namespace vyre
