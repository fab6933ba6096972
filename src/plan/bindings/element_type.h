// Element types of the launch ABI: the bytes and bits of one element.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vyre {

// The innermost type of an element, inside all wrappers.
enum class ElementKind : std::uint8_t {
  bits_4,    // 4-bit integer or float
  bits_8,    // 8-bit integer or float
  bits_16,   // 16-bit integer, half, bfloat16
  bits_32,   // bool, 32-bit integer or float, handle
  bits_64,   // 64-bit integer or float, pair of u32
  bits_128,  // four u32
  raw_bytes,
  array,   // elements of `bytes` bytes
  mesh,    // device mesh of `extents`
  opaque,  // an extension whose size is unknown
  wgsl,    // a WGSL type with a stride of `bytes` bytes and the alignment `alignment`
};

enum class ElementWrapperKind : std::uint8_t {
  vector,     // `count` lanes
  quantized,  // in groups of `count`; the inner type is the storage
  tensor,     // of `extents`
  sparse,     // in square blocks of side `count`
};

struct ElementWrapper {
  ElementWrapperKind kind;
  std::uint32_t count = 0;
  std::vector<std::uint32_t> extents;
  bool operator==(const ElementWrapper&) const = default;
};

// A wrapper holds one inner type, so a nested type is a list: the outermost wrapper first.
struct ElementType {
  ElementKind kind = ElementKind::bits_32;
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 0;
  std::vector<std::uint32_t> extents;
  std::vector<ElementWrapper> wrappers;
  bool operator==(const ElementType&) const = default;
};

struct ElementSize {
  std::uint64_t min_bytes = 0;         // saturating
  std::uint64_t alignment = 0;         // the natural alignment of the elements
  std::optional<std::uint64_t> bytes;  // absent: known only at run time
  std::optional<std::uint64_t> bits;
  bool overflow = false;  // bytes or bits do not fit into 64 bits, and are absent
};
ElementSize element_size(const ElementType& type);

// Checks that lanes, sizes, extents, block sides and groups are not zero, and that quantized
// storage is a scalar of at most 32 bits.
bool is_well_formed(const ElementType& type);

// The bytes of `count` densely packed elements.
enum class PackedLengthFault : std::uint8_t { unknown, overflow };
struct PackedLength {
  std::optional<std::uint64_t> bytes;
  PackedLengthFault fault = PackedLengthFault::unknown;  // when there are no bytes
};
PackedLength packed_length(const ElementSize& size, std::uint64_t count);

}  // namespace vyre
