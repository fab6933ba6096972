#include "vyre/plan/bindings/element_type.h"

#include <algorithm>
#include <ranges>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

ElementSize plain(std::uint64_t bytes, std::uint64_t bits) { return {bytes, bytes, bytes, bits}; }

ElementSize innermost_size(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::bits_4: return plain(1, 4);
    case ElementKind::bits_8: return plain(1, 8);
    case ElementKind::bits_16: return plain(2, 16);
    case ElementKind::bits_32: return plain(4, 32);
    case ElementKind::bits_64: return plain(8, 64);
    case ElementKind::bits_128: return plain(16, 128);
    case ElementKind::raw_bytes: return {0, 0, 1, 8};
    case ElementKind::array: return {0, 0, type.bytes, std::nullopt};
    case ElementKind::mesh: return {0, 0, 4, 32};
    case ElementKind::opaque: return {};
    case ElementKind::wgsl: return {type.bytes, type.alignment, type.bytes, std::nullopt};
  }
  return {};
}

ElementSize vector_of(std::uint64_t lanes, const ElementSize& element) {
  ElementSize out;
  out.min_bytes = saturating_mul(lanes, element.min_bytes);
  out.alignment = out.min_bytes;
  if (element.bytes) out.bytes = checked_mul(lanes, *element.bytes);
  if (element.bits) out.bits = checked_mul(lanes, *element.bits);
  out.overflow = element.overflow || element.bytes.has_value() != out.bytes.has_value() ||
                 element.bits.has_value() != out.bits.has_value();
  return out;
}

bool has_zero(const std::vector<std::uint32_t>& extents) {
  return std::ranges::find(extents, 0u) != extents.end();
}

bool innermost_is_well_formed(const ElementType& type) {
  if (type.kind == ElementKind::array || type.kind == ElementKind::wgsl) return type.bytes != 0;
  if (type.kind == ElementKind::mesh) return !type.extents.empty() && !has_zero(type.extents);
  return true;
}

bool is_packed_storage(ElementKind kind) { return kind <= ElementKind::bits_32; }

}  // namespace

ElementSize element_size(const ElementType& type) {
  ElementSize size = innermost_size(type);
  for (const ElementWrapper& wrapper : type.wrappers | std::views::reverse) {
    switch (wrapper.kind) {
      case ElementWrapperKind::vector: size = vector_of(wrapper.count, size); break;
      case ElementWrapperKind::quantized: break;
      case ElementWrapperKind::tensor:
      case ElementWrapperKind::sparse: size = {}; break;
    }
  }
  return size;
}

bool is_well_formed(const ElementType& type) {
  for (std::size_t i = 0; i < type.wrappers.size(); ++i) {
    const ElementWrapper& wrapper = type.wrappers[i];
    switch (wrapper.kind) {
      case ElementWrapperKind::vector:
      case ElementWrapperKind::sparse:
        if (wrapper.count == 0) return false;
        break;
      case ElementWrapperKind::quantized:
        if (wrapper.count == 0 || i + 1 != type.wrappers.size() || !is_packed_storage(type.kind))
          return false;
        break;
      case ElementWrapperKind::tensor:
        if (has_zero(wrapper.extents)) return false;
        break;
    }
  }
  return innermost_is_well_formed(type);
}

PackedLength packed_length(const ElementSize& size, std::uint64_t count) {
  const PackedLength overflow{std::nullopt, PackedLengthFault::overflow};
  if (size.overflow) return overflow;
  if (size.bits) {
    const auto bits = checked_mul(*size.bits, count);
    return bits ? PackedLength{ceil_div<std::uint64_t>(*bits, 8)} : overflow;
  }
  if (size.bytes) {
    const auto bytes = checked_mul(*size.bytes, count);
    return bytes ? PackedLength{bytes} : overflow;
  }
  return {};
}

}  // namespace vyre
