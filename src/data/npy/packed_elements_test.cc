#include "vyre/data/npy/packed_elements.h"

#include <gtest/gtest.h>

#include <cstring>

namespace vyre {
namespace {

std::vector<std::byte> floats(std::vector<float> values) {
  std::vector<std::byte> out(values.size() * 4);
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

TEST(BufferLayout, CountsElements) {
  TypeTable types;
  const TypeId vec3 = types.vector(ScalarKind::f32, 3);
  const BufferLayout runtime = buffer_layout(types, types.runtime_array(vec3));
  EXPECT_TRUE(runtime.runtime_sized);
  EXPECT_EQ(runtime.stride, 16U);
  EXPECT_EQ(runtime.bytes_for(3), 48U);
  EXPECT_EQ(runtime.elements_in(63), 3U);
  EXPECT_EQ(runtime.bytes_for(UINT64_MAX), std::nullopt);

  const BufferLayout fixed = buffer_layout(types, types.array(vec3, 5));
  EXPECT_FALSE(fixed.runtime_sized);
  EXPECT_EQ(fixed.count, 5U);

  const BufferLayout single = buffer_layout(types, vec3);
  EXPECT_EQ(single.stride, 12U);
  EXPECT_EQ(single.count, 1U);
  EXPECT_FALSE(single.is_array);
}

TEST(BufferLayout, AStructMayEndInARunTimeArray) {
  TypeTable types;
  const TypeId u32 = types.scalar(ScalarKind::u32);
  const TypeId type = types.structure(
      "List", {{"at", types.vector(ScalarKind::f32, 4)}, {"items", types.runtime_array(u32)}});
  const BufferLayout layout = buffer_layout(types, type);
  EXPECT_TRUE(layout.runtime_sized);
  EXPECT_FALSE(layout.is_array);
  EXPECT_EQ(layout.header_bytes, 16U);
  EXPECT_EQ(layout.bytes_for(3), 28U);
  EXPECT_EQ(layout.elements_in(28), 3U);
}

TEST(BufferLayout, FilesArePackedAndMemoryIsPadded) {
  TypeTable types;
  const TypeId type = types.runtime_array(types.vector(ScalarKind::f32, 3));
  const BufferLayout layout = buffer_layout(types, type);
  const auto packed = floats({1, 2, 3, 4, 5, 6});
  std::vector<std::byte> memory(32);
  unpack_elements(types, layout, packed, memory);
  EXPECT_EQ(memory, floats({1, 2, 3, 0, 4, 5, 6, 0}));
  EXPECT_EQ(pack_elements(types, layout, memory), packed);
}

TEST(BufferLayout, MatricesAreColumnsWithTheirPadding) {
  TypeTable types;
  const TypeId type = types.runtime_array(types.matrix(ScalarKind::f32, 2, 3));
  const BufferLayout layout = buffer_layout(types, type);
  const auto axes = element_axes(types, layout.element);
  ASSERT_TRUE(axes);
  EXPECT_EQ(axes->axes, (std::vector<std::uint64_t>{2, 3}));
  std::vector<std::byte> memory(32);
  unpack_elements(types, layout, floats({1, 2, 3, 4, 5, 6}), memory);
  EXPECT_EQ(memory, floats({1, 2, 3, 0, 4, 5, 6, 0}));
}

TEST(BufferLayout, DenseElementsAreCopiedWhole) {
  TypeTable types;
  const TypeId type = types.runtime_array(types.vector(ScalarKind::f16, 2));
  const BufferLayout layout = buffer_layout(types, type);
  const std::vector<std::byte> packed(12, std::byte{7});
  std::vector<std::byte> memory(12);
  unpack_elements(types, layout, packed, memory);
  EXPECT_EQ(memory, packed);
  EXPECT_EQ(pack_elements(types, layout, memory), packed);
}

TEST(BufferLayout, AxesOfAnElement) {
  TypeTable types;
  const TypeId u32 = types.scalar(ScalarKind::u32);
  EXPECT_TRUE(element_axes(types, u32)->axes.empty());
  EXPECT_TRUE(element_axes(types, types.atomic(ScalarKind::u32))->axes.empty());
  EXPECT_EQ(element_axes(types, types.array(types.vector(ScalarKind::f32, 2), 7))->axes,
            (std::vector<std::uint64_t>{7, 2}));
  EXPECT_EQ(element_axes(types, types.structure("S", {{"a", u32}})), std::nullopt);
}

}  // namespace
}  // namespace vyre
