// Element types as the launch ABI sees them: how many bytes and bits one element takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vyre {

// What an element is in the end, under all wrappers.
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
  opaque,  // an extension: nothing is known
  wgsl,    // of a WGSL type: a stride of `bytes` bytes, aligned to `alignment`
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
  std::uint64_t alignment = 0;         // what the elements themselves ask for
  std::optional<std::uint64_t> bytes;  // absent: only the run knows
  std::optional<std::uint64_t> bits;
  bool overflow = false;  // bytes or bits left 64 bits; they are absent then
};
ElementSize element_size(const ElementType& type);

// No zero lanes, sizes, extents, block sides or groups; quantized storage is a scalar of at most
// 32 bits.
bool is_well_formed(const ElementType& type);

// Bytes of `count` elements packed densely.
enum class PackedLengthFault : std::uint8_t { unknown, overflow };
struct PackedLength {
  std::optional<std::uint64_t> bytes;
  PackedLengthFault fault = PackedLengthFault::unknown;  // when there are no bytes
};
PackedLength packed_length(const ElementSize& size, std::uint64_t count);

}  // namespace vyre
