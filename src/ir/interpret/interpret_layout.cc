// Flattened values and their bytes.
#include <cstring>

#include "vyre/ir/interpret/interpret_compiler.h"

namespace vyre {
namespace {

// f(offset, kind) for every scalar in memory order.
template <class Fn>
void for_each_scalar(const TypeTable& types, TypeId type, std::uint64_t offset, Fn&& fn) {
  const auto* atomic = types.get_if<AtomicType>(type);
  if (types.get_if<ScalarType>(type) != nullptr || atomic != nullptr) {
    const std::uint32_t words = atomic != nullptr ? atomic->size : 1;
    for (std::uint32_t i = 0; i < words; ++i) fn(offset + i * 4, *types.scalar_kind(type));
    return;
  }
  if (const auto* structure = types.get_if<StructType>(type)) {
    for (const Member& m : structure->members)
      for_each_scalar(types, m.type, offset + m.offset, fn);
    return;
  }
  const TypeId part = types.component(type);
  const std::uint64_t stride = types.stride(part);
  for (std::uint64_t i = 0; i < types.component_count(type); ++i) {
    for_each_scalar(types, part, offset + i * stride, fn);
  }
}

}  // namespace

std::vector<ScalarPlace> scalar_places(const TypeTable& types, TypeId type) {
  std::vector<ScalarPlace> out;
  for_each_scalar(types, type, 0, [&](std::uint64_t offset, ScalarKind kind) {
    out.push_back({static_cast<std::uint32_t>(offset), kind});
  });
  return out;
}

void write_value(const TypeTable& types, TypeId type, std::span<const std::uint64_t> scalars,
                 std::byte* out) {
  std::size_t next = 0;
  for_each_scalar(types, type, 0, [&](std::uint64_t offset, ScalarKind kind) {
    if (next >= scalars.size()) return;
    const std::uint64_t bits = scalars[next++];
    std::memcpy(out + offset, &bits, kind == ScalarKind::f16 ? 2 : 4);
  });
}

}  // namespace vyre
