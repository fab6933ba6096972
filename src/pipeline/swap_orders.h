// Buffers that change places in loops. Nothing is copied: each name has a place (a piece of
// memory), and the names move from place to place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vyre/base/error.h"

namespace vyre {

// Buffers that change places with each other, in one loop or in several, and every order in which
// they can stand. Order 0 is the one at the beginning: each buffer is in its own place.
struct SwapGroup {
  std::vector<std::size_t> members;  // buffers
  // orders[o][m]: the place of member m in order o is the own place of member orders[o][m].
  std::vector<std::vector<std::uint32_t>> orders;
  // after[loop][o]: the order after one round of that loop.
  std::vector<std::vector<std::uint32_t>> after;

  std::size_t position(std::size_t buffer) const;  // of a member; members.size(): it is none
};

// `swaps`: for each loop the pairs of buffers, exchanged one after the other at the end of a round.
// Fails where a group has more orders than `most`.
Result<std::vector<SwapGroup>> find_swap_groups(
    std::span<const std::vector<std::pair<std::size_t, std::size_t>>> swaps, std::size_t most);

}  // namespace vyre
