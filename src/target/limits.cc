#include "vyre/target/limits.h"

#include <fmt/format.h>

namespace vyre {

std::string to_string(const Limits& limits) {
  const auto& block = limits.max_block_dim;
  const auto& grid = limits.max_grid_dim;
  return fmt::format("{}: {} threads per block, block {}x{}x{}, grid {}x{}x{}", limits.backend,
                     limits.max_threads_per_block, block[0], block[1], block[2], grid[0], grid[1],
                     grid[2]);
}

}  // namespace vyre
