#include "vyre/ir/views/view_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace vyre {
namespace {

std::uint32_t narrow(std::uint64_t n) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(n, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

ViewShape view_shape(const TypeTable& types, TypeId type) {
  const Layout& layout = types.layout(type);
  ViewShape shape{.align = layout.align, .least = narrow(layout.size)};
  if (!types.contains_runtime_array(type)) return shape;
  TypeId array = type;
  if (const auto* structure = types.get_if<StructType>(type)) {
    array = structure->members.back().type;
    shape.array_offset = structure->members.back().offset;
  }
  shape.stride = narrow(types.stride(types.component(array)));
  shape.least = narrow(std::uint64_t{shape.array_offset} + *shape.stride);
  return shape;
}

std::uint64_t least_buffer(const ViewShape& shape, const KnownView& known) {
  const auto offset = static_cast<std::uint64_t>(known.offset.value_or(0));
  const auto size = static_cast<std::uint64_t>(known.size.value_or(0));
  return offset + std::max<std::uint64_t>(shape.least, size);
}

std::string view_issue(const ViewShape& shape, const KnownView& known) {
  if (known.offset && *known.offset < 0) {
    return fmt::format("the offset of a view is {}; it must not be negative", *known.offset);
  }
  if (known.offset && *known.offset % shape.align != 0) {
    return fmt::format("the offset of this view is {}; its type needs a multiple of {}",
                       *known.offset, shape.align);
  }
  if (known.size && *known.size < 0) {
    return fmt::format("the size of a view is {}; it must not be negative", *known.size);
  }
  if (known.size && *known.size < shape.least) {
    return fmt::format("the size of this view is {}; its type needs {} bytes", *known.size,
                       shape.least);
  }
  if (known.size && shape.stride && (*known.size - shape.array_offset) % *shape.stride != 0) {
    return fmt::format("the size of this view is {}, which is no whole number of elements",
                       *known.size);
  }
  const std::uint64_t least = least_buffer(shape, known);
  if (known.buffer_bytes != 0 && least > known.buffer_bytes) {
    return fmt::format("this view needs a buffer of {} bytes; this one has {}", least,
                       known.buffer_bytes);
  }
  return {};
}

}  // namespace vyre
