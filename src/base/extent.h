// Three-axis sizes: workgroup shapes, grids and logical extents.
#pragma once

#include <array>
#include <cstdint>

namespace vyre {

// x, y, z. Compared as a triple, x first.
using Extent = std::array<std::uint32_t, 3>;

}  // namespace vyre
