// WGSL's requirements on views of buffers, for the front end and for programs whose overrides have
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vyre/ir/type.h"

namespace vyre {

// What a view of a type needs of its buffer.
struct ViewShape {
  std::uint32_t align = 1;
  std::uint32_t least = 0;                   // bytes, with one element of a run-time sized array
  std::uint32_t array_offset = 0;            // where the run-time sized array begins
  std::optional<std::uint32_t> stride = {};  // of that array; absent if the type has none
};
ViewShape view_shape(const TypeTable& types, TypeId type);

// What is known of a view before it runs.
struct KnownView {
  std::uint64_t buffer_bytes = 0;  // 0 if unknown
  std::optional<std::int64_t> offset = {};
  std::optional<std::int64_t> size = {};
};
// Why what is known is wrong; empty if it is not.
std::string view_issue(const ViewShape& shape, const KnownView& known);
// The least size of a buffer with such a view, by what is known.
std::uint64_t least_buffer(const ViewShape& shape, const KnownView& known);

}  // namespace vyre
