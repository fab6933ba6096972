// Whether the same bytes can be seen as two types.
#pragma once

#include <cstdint>
#include <optional>

#include "vyre/ir/type.h"

namespace vyre {

// The first byte at which two types have numbers that cannot stand for each other.
struct ScalarDifference {
  std::uint64_t offset = 0;
  ScalarKind first{};
  ScalarKind second{};
};

// Compares the scalars at equal offsets of a buffer of this number of bytes, whatever structs,
// vectors and arrays they are parts of; padding may stand beside anything. Signed and unsigned
// integers may stand for each other, and so may atomics and plain integers. The types are of
// buffers: arrays may be sized at run time.
std::optional<ScalarDifference> first_difference(const TypeTable& types, TypeId type,
                                                 const TypeTable& other_types, TypeId other,
                                                 std::uint64_t bytes);

}  // namespace vyre
