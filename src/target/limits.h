// What a device allows of one launch.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "vyre/base/extent.h"

namespace vyre {

struct Limits {
  std::string backend{};  // the device family the limits belong to: "cpu", "cuda", "null", ...
  std::uint32_t max_threads_per_block = 0;
  Extent max_block_dim{};
  Extent max_grid_dim{};
  std::uint32_t binding_alignment = 4;  // of the address that a kernel is given

  auto operator<=>(const Limits&) const = default;
};

// "cuda: 1024 threads per block, block 1024x1024x64, grid 2147483647x65535x65535"
std::string to_string(const Limits& limits);

}  // namespace vyre
