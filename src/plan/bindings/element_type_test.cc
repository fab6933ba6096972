#include "vyre/plan/bindings/element_type.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

using Wrap = ElementWrapperKind;

ElementType plain(ElementKind kind, std::uint64_t bytes = 0) { return {kind, bytes, 0, {}, {}}; }
ElementType vector_of(std::uint32_t lanes, ElementType type) {
  type.wrappers.insert(type.wrappers.begin(), {Wrap::vector, lanes, {}});
  return type;
}

TEST(ElementTypes, ScalarsHaveTheirBytesAndBits) {
  struct {
    ElementKind kind;
    std::uint64_t bytes, bits;
  } const scalars[] = {{ElementKind::bits_4, 1, 4},   {ElementKind::bits_8, 1, 8},
                       {ElementKind::bits_16, 2, 16}, {ElementKind::bits_32, 4, 32},
                       {ElementKind::bits_64, 8, 64}, {ElementKind::bits_128, 16, 128}};
  for (const auto& s : scalars) {
    const ElementSize size = element_size(plain(s.kind));
    EXPECT_EQ(size.min_bytes, s.bytes);
    EXPECT_EQ(size.alignment, s.bytes);
    EXPECT_EQ(size.bytes, s.bytes);
    EXPECT_EQ(size.bits, s.bits);
    EXPECT_FALSE(size.overflow);
    const ElementSize three = element_size(vector_of(3, plain(s.kind)));
    EXPECT_EQ(three.min_bytes, 3 * s.bytes);
    EXPECT_EQ(three.alignment, 3 * s.bytes);
    EXPECT_EQ(three.bytes, 3 * s.bytes);
    EXPECT_EQ(three.bits, 3 * s.bits);
  }
}

TEST(ElementTypes, OthersHaveWhatIsKnownOfThem) {
  const ElementSize raw = element_size(plain(ElementKind::raw_bytes));
  EXPECT_EQ(raw.min_bytes, 0U);
  EXPECT_EQ(raw.alignment, 0U);
  EXPECT_EQ(raw.bytes, 1U);
  EXPECT_EQ(raw.bits, 8U);
  const ElementSize mesh = element_size({ElementKind::mesh, 0, 0, {2}, {}});
  EXPECT_EQ(mesh.min_bytes, 0U);
  EXPECT_EQ(mesh.bytes, 4U);
  EXPECT_EQ(mesh.bits, 32U);
  const ElementSize opaque = element_size(plain(ElementKind::opaque));
  EXPECT_FALSE(opaque.bytes || opaque.bits || opaque.overflow);
  const ElementSize wgsl = element_size({ElementKind::wgsl, 48, 16, {}, {}});
  EXPECT_EQ(wgsl.min_bytes, 48U);
  EXPECT_EQ(wgsl.alignment, 16U);
  EXPECT_EQ(wgsl.bytes, 48U);
  EXPECT_FALSE(wgsl.bits);
  const ElementSize sparse =
      element_size({ElementKind::bits_32, 0, 0, {}, {{Wrap::sparse, 4, {}}}});
  EXPECT_FALSE(sparse.bytes || sparse.bits);
  const ElementSize quantized =
      element_size({ElementKind::bits_8, 0, 0, {}, {{Wrap::quantized, 32, {}}}});
  EXPECT_EQ(quantized.bytes, 1U);
  const ElementSize arrays = element_size(vector_of(4, plain(ElementKind::array, 12)));
  EXPECT_EQ(arrays.bytes, 48U);
  EXPECT_FALSE(arrays.overflow);
}

TEST(ElementTypes, AreWellFormedWithoutZeros) {
  const auto wrapped = [](ElementKind kind, ElementWrapper wrapper) {
    return is_well_formed({kind, 0, 0, {}, {std::move(wrapper)}});
  };
  EXPECT_TRUE(wrapped(ElementKind::bits_32, {Wrap::vector, 1, {}}));
  EXPECT_FALSE(wrapped(ElementKind::bits_32, {Wrap::vector, 0, {}}));
  EXPECT_TRUE(wrapped(ElementKind::bits_32, {Wrap::sparse, 1, {}}));
  EXPECT_TRUE(wrapped(ElementKind::bits_32, {Wrap::tensor, 0, {1, 2}}));
  EXPECT_TRUE(wrapped(ElementKind::bits_32, {Wrap::tensor, 0, {}}));
  EXPECT_FALSE(wrapped(ElementKind::bits_32, {Wrap::tensor, 0, {1, 0}}));
  EXPECT_TRUE(wrapped(ElementKind::bits_32, {Wrap::quantized, 1, {}}));
  EXPECT_FALSE(wrapped(ElementKind::bits_64, {Wrap::quantized, 1, {}}));
  EXPECT_TRUE(is_well_formed(plain(ElementKind::bits_4)));
  EXPECT_TRUE(is_well_formed(plain(ElementKind::array, 1)));
  EXPECT_TRUE(is_well_formed(plain(ElementKind::wgsl, 1)));
  EXPECT_FALSE(is_well_formed(plain(ElementKind::wgsl)));
  EXPECT_FALSE(is_well_formed(plain(ElementKind::mesh)));
}

TEST(ElementTypes, PackDensely) {
  const auto packed = [](const ElementType& type, std::uint64_t count) {
    return packed_length(element_size(type), count).bytes;
  };
  EXPECT_EQ(packed(plain(ElementKind::bits_4), 1), 1U);
  EXPECT_EQ(packed(plain(ElementKind::bits_4), 2), 1U);
  EXPECT_EQ(packed(plain(ElementKind::bits_4), 3), 2U);
  EXPECT_EQ(packed(plain(ElementKind::bits_32), 5), 20U);
  EXPECT_EQ(packed(plain(ElementKind::wgsl, 12), 5), 60U);
  EXPECT_EQ(packed_length(element_size(plain(ElementKind::opaque)), 1).fault,
            PackedLengthFault::unknown);
  EXPECT_EQ(packed_length(element_size(plain(ElementKind::bits_32)), 1ull << 59).fault,
            PackedLengthFault::overflow);
  EXPECT_EQ(packed(plain(ElementKind::bits_32), (1ull << 59) - 1), (1ull << 61) - 4);
  EXPECT_EQ(packed_length(element_size(plain(ElementKind::array, 1ull << 32)), 1ull << 32).fault,
            PackedLengthFault::overflow);
  // Bits overflow where bytes do not, and either is an overflow.
  const ElementType wide = vector_of(0x80000000, vector_of(0x40000000, plain(ElementKind::bits_8)));
  EXPECT_TRUE(element_size(wide).overflow);
  EXPECT_EQ(element_size(wide).bytes, 1ull << 61);
  EXPECT_EQ(packed_length(element_size(wide), 1).fault, PackedLengthFault::overflow);
}

}  // namespace
}  // namespace vyre
