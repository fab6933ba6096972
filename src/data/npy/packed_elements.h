// The scalars inside the elements of a buffer, and their packed form in files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/program.h"

namespace vyre {

constexpr std::uint32_t scalar_bytes(ScalarKind kind) { return kind == ScalarKind::f16 ? 2 : 4; }

// Calls visit(byte offset, kind) for every scalar of a sized type, in memory order.
template <class Visit>
void for_each_scalar(const TypeTable& types, TypeId type, std::uint64_t offset, Visit&& visit) {
  if (const auto* structure = types.get_if<StructType>(type)) {
    for (const Member& member : structure->members) {
      for_each_scalar(types, member.type, offset + member.offset, visit);
    }
    return;
  }
  const std::uint32_t parts = types.component_count(type);
  if (parts == 0) {
    if (const auto kind = types.scalar_kind(type)) visit(offset, *kind);
    return;
  }
  const TypeId part = types.component(type);
  const bool vector = types.get_if<VectorType>(type) != nullptr;
  const std::uint64_t stride = vector ? types.layout(part).size : types.stride(part);
  for (std::uint32_t i = 0; i < parts; ++i) {
    for_each_scalar(types, part, offset + i * stride, visit);
  }
}

// An element as the inner axes of an array in a file: () for a scalar, (N) for a vecN, (C, R) for a
// matCxR, and one axis more for each array around it.
struct ElementAxes {
  ScalarKind kind;
  std::vector<std::uint64_t> axes;
  bool operator==(const ElementAxes&) const = default;
};
// Empty if the element contains a struct.
std::optional<ElementAxes> element_axes(const TypeTable& types, TypeId element);

// Converts between memory (with WGSL's padding: a vec3<f32> takes 16 bytes in an array) and the
// packed form. `packed` holds exactly the scalars of the elements in `memory`.
void unpack_elements(const TypeTable& types, const BufferLayout& layout,
                     std::span<const std::byte> packed, std::span<std::byte> memory);
std::vector<std::byte> pack_elements(const TypeTable& types, const BufferLayout& layout,
                                     std::span<const std::byte> memory);

// The scalar of that kind at an offset.
Scalar load_scalar(std::span<const std::byte> memory, std::uint64_t offset, ScalarKind kind);
void store_scalar(std::span<std::byte> memory, std::uint64_t offset, const Scalar& value);

}  // namespace vyre
