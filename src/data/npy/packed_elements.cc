#include "vyre/data/npy/packed_elements.h"

#include <algorithm>
#include <cstring>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

// The number of scalars of an element if memory has no gaps, so that the packed form has the same
// bytes.
bool is_packed(const TypeTable& types, const BufferLayout& layout, ScalarKind kind) {
  return layout.stride == types.scalar_count(layout.element) * scalar_bytes(kind);
}

}  // namespace

std::optional<ElementAxes> element_axes(const TypeTable& types, TypeId element) {
  ElementAxes out{ScalarKind::u32, {}};
  while (true) {
    if (types.get_if<StructType>(element) != nullptr) return std::nullopt;
    const std::uint32_t parts = types.component_count(element);
    if (parts == 0) break;
    out.axes.push_back(parts);
    element = types.component(element);
  }
  const auto kind = types.scalar_kind(element);
  if (!kind) return std::nullopt;
  out.kind = *kind;
  return out;
}

void unpack_elements(const TypeTable& types, const BufferLayout& layout,
                     std::span<const std::byte> packed, std::span<std::byte> memory) {
  const auto axes = element_axes(types, layout.element);
  if (!axes) return;
  if (is_packed(types, layout, axes->kind)) {
    std::copy(packed.begin(), packed.end(), memory.begin());
    return;
  }
  const std::byte* from = packed.data();
  const std::uint64_t elements = layout.elements_in(memory.size());
  for (std::uint64_t i = 0; i < elements; ++i) {
    for_each_scalar(types, layout.element, i * layout.stride,
                    [&](std::uint64_t offset, ScalarKind kind) {
                      std::memcpy(memory.data() + offset, from, scalar_bytes(kind));
                      from += scalar_bytes(kind);
                    });
  }
}

std::vector<std::byte> pack_elements(const TypeTable& types, const BufferLayout& layout,
                                     std::span<const std::byte> memory) {
  const auto axes = element_axes(types, layout.element);
  if (!axes) return {};
  if (is_packed(types, layout, axes->kind)) return {memory.begin(), memory.end()};
  const std::uint64_t elements = layout.elements_in(memory.size());
  std::vector<std::byte> packed(elements * types.scalar_count(layout.element) *
                                scalar_bytes(axes->kind));
  std::byte* to = packed.data();
  for (std::uint64_t i = 0; i < elements; ++i) {
    for_each_scalar(types, layout.element, i * layout.stride,
                    [&](std::uint64_t offset, ScalarKind kind) {
                      std::memcpy(to, memory.data() + offset, scalar_bytes(kind));
                      to += scalar_bytes(kind);
                    });
  }
  return packed;
}

Scalar load_scalar(std::span<const std::byte> memory, std::uint64_t offset, ScalarKind kind) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, memory.data() + offset, scalar_bytes(kind));
  return {kind, bits};
}

void store_scalar(std::span<std::byte> memory, std::uint64_t offset, const Scalar& value) {
  std::memcpy(memory.data() + offset, &value.bits, scalar_bytes(value.kind));
}

}  // namespace vyre
