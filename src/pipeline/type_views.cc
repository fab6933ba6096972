#include "vyre/pipeline/type_views.h"

#include <algorithm>
#include <numeric>

#include "vyre/base/arithmetic.h"
#include "vyre/ir/buffer_layout.h"

namespace vyre {
namespace {

// If the layouts of two types repeat together only after more bytes than this, they are compared up
// to this point.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 10U;

// The scalar that begins at this byte of a type; empty: none does.
std::optional<ScalarKind> scalar_at(const TypeTable& types, TypeId type, std::uint64_t offset) {
  if (const auto* structure = types.get_if<StructType>(type)) {
    const auto after = std::ranges::upper_bound(structure->members, offset, {},
                                                [](const Member& m) { return m.offset; });
    if (after == structure->members.begin()) return std::nullopt;
    const Member& member = *std::prev(after);
    return scalar_at(types, member.type, offset - member.offset);
  }
  if (const auto* array = types.get_if<ArrayType>(type)) {
    const std::uint64_t stride = types.stride(array->element);
    const bool inside = array->count == 0 || offset / stride < array->count;
    return inside ? scalar_at(types, array->element, offset % stride) : std::nullopt;
  }
  if (const auto* matrix = types.get_if<MatrixType>(type)) {
    const TypeId column = types.component(type);
    const std::uint64_t stride = types.stride(column);
    if (offset / stride >= matrix->columns) return std::nullopt;
    return scalar_at(types, column, offset % stride);
  }
  const auto kind = types.scalar_kind(type);
  if (!kind) return std::nullopt;
  const std::uint64_t bytes = *kind == ScalarKind::f16 ? 2 : 4;
  const std::uint64_t count = std::max(types.component_count(type), 1U);
  return offset % bytes == 0 && offset / bytes < count ? kind : std::nullopt;
}

// The number of bytes after which the pairs of scalars at equal offsets repeat.
std::uint64_t common_period(const BufferLayout& a, const BufferLayout& b) {
  const std::uint64_t gcd = std::max<std::uint64_t>(std::gcd(a.stride, b.stride), 1);
  return saturating_add(std::max(a.header_bytes, b.header_bytes),
                        saturating_mul(a.stride / gcd, b.stride));
}

}  // namespace

std::optional<ScalarDifference> first_difference(const TypeTable& types, TypeId type,
                                                 const TypeTable& other_types, TypeId other,
                                                 std::uint64_t bytes) {
  const std::uint64_t period =
      common_period(buffer_layout(types, type), buffer_layout(other_types, other));
  const std::uint64_t end = std::min({bytes, period, kMostBytes});
  for (std::uint64_t offset = 0; offset < end; offset += 2) {
    const auto one = scalar_at(types, type, offset);
    const auto two = scalar_at(other_types, other, offset);
    if (!one || !two || *one == *two || (is_integer(*one) && is_integer(*two))) continue;
    return ScalarDifference{offset, *one, *two};
  }
  return std::nullopt;
}

}  // namespace vyre
