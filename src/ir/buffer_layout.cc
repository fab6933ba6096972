#include "vyre/ir/buffer_layout.h"

#include "vyre/base/arithmetic.h"

namespace vyre {

std::optional<std::uint64_t> BufferLayout::bytes_for(std::uint64_t elements) const {
  const auto bytes = checked_mul(elements, stride);
  return bytes ? checked_add(*bytes, header_bytes) : std::nullopt;
}

std::uint64_t BufferLayout::elements_in(std::uint64_t bytes) const {
  return stride == 0 ? 0 : saturating_sub(bytes, header_bytes) / stride;
}

BufferLayout buffer_layout(const TypeTable& types, TypeId type) {
  BufferLayout layout{.type = type, .element = type};
  TypeId outer = type;
  if (const auto* structure = types.get_if<StructType>(type)) {
    if (types.contains_runtime_array(type)) {
      const Member& last = structure->members.back();
      outer = last.type;
      layout.header_bytes = last.offset;
    }
  }
  if (const auto* array = types.get_if<ArrayType>(outer)) {
    layout.is_array = outer == type;
    layout.element = array->element;
    layout.stride = types.stride(array->element);
    layout.count = array->count;
    layout.runtime_sized = array->count == 0;
  } else {
    layout.stride = types.layout(type).size;
    layout.count = 1;
  }
  return layout;
}

}  // namespace vyre
