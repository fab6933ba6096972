// Which bytes of its buffers each invocation of a launch can touch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vyre/ir/access/accesses.h"

namespace vyre {

// Bytes of a buffer by the invocation's place r along the slowest axis of the extent: from
// factor * r + low up to, not including, factor * r + high. An index that leaves its buffer touches
// nothing, so bytes outside of the buffer do not count.
struct BufferReach {
  GlobalId global{};
  bool writes = false;
  // Accesses with the same number, other than 0, leave the same bytes in any order.
  std::uint8_t commutes = 0;
  std::int64_t factor = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool operator==(const BufferReach&) const = default;
};

// The whole of a buffer.
constexpr std::int64_t kWholeBuffer = std::int64_t{1} << 60;

// Of all buffers of the program, storage and uniform. Absent: the program was too large to look at
// all of it.
std::optional<std::vector<BufferReach>> find_reach(const Program& program,
                                                   const LaunchFacts& facts);

// A number for atomics that give the same memory in any order; 0: there is no such order. Two of
// different classes do not commute.
int order_class(AtomicOp op);

}  // namespace vyre
