// The division of a buffer's bytes into elements.
#pragma once

#include <cstdint>
#include <optional>

#include "vyre/ir/type.h"

namespace vyre {

// The elements of a buffer are those of its array, or of the run-time sized array at the end of its
// struct; a buffer of any other type has one element.
struct BufferLayout {
  TypeId type;
  TypeId element;
  bool is_array = false;           // the buffer itself is an array
  bool runtime_sized = false;      // the number of elements is not part of the type
  std::uint64_t header_bytes = 0;  // before the first element: the members in front of the array
  std::uint64_t stride = 0;        // bytes from one element to the next
  std::uint64_t count = 0;         // the number of elements, where it is part of the type

  // The bytes of a buffer with this number of elements; absent if they do not fit into 64 bits.
  std::optional<std::uint64_t> bytes_for(std::uint64_t elements) const;
  // The number of whole elements in this number of bytes.
  std::uint64_t elements_in(std::uint64_t bytes) const;
  // The least bytes that a binding of this type may have: its static part, and at least one element
  // of a run-time sized array.
  std::uint64_t least_bytes() const { return header_bytes + stride * (runtime_sized ? 1 : count); }
};

BufferLayout buffer_layout(const TypeTable& types, TypeId type);

}  // namespace vyre
