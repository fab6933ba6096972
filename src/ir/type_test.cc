#include "vyre/ir/type.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace vyre {
namespace {

class Types : public testing::Test {
 protected:
  Member member(std::string name, TypeId type, std::uint32_t align = 0, std::uint32_t size = 0) {
    return Member{std::move(name), type, 0, align, size};
  }
  void expect_layout(TypeId id, std::uint64_t size, std::uint32_t align) {
    EXPECT_EQ(types.layout(id).size, size) << types.spell(id);
    EXPECT_EQ(types.layout(id).align, align) << types.spell(id);
  }
  std::vector<std::uint32_t> offsets(TypeId id) {
    std::vector<std::uint32_t> out;
    for (const Member& m : types.get_if<StructType>(id)->members) out.push_back(m.offset);
    return out;
  }

  TypeTable types;
  TypeId f32 = types.scalar(ScalarKind::f32);
  TypeId u32 = types.scalar(ScalarKind::u32);
  TypeId i32 = types.scalar(ScalarKind::i32);
  TypeId vec2f = types.vector(ScalarKind::f32, 2);
  TypeId vec3f = types.vector(ScalarKind::f32, 3);
  TypeId vec4f = types.vector(ScalarKind::f32, 4);
};

TEST_F(Types, EqualTypesHaveOneId) {
  EXPECT_EQ(types.vector(ScalarKind::f32, 3), vec3f);
  EXPECT_EQ(types.array(f32, 4), types.array(f32, 4));
  EXPECT_NE(types.array(f32, 4), types.array(f32, 5));
  EXPECT_NE(types.array(f32, 4), types.runtime_array(f32));
  EXPECT_NE(types.pointer(MemoryKind::storage, f32, Access::read),
            types.pointer(MemoryKind::storage, f32, Access::read_write));
  EXPECT_EQ(types.structure("S", {member("a", f32)}), types.structure("S", {member("a", f32)}));
  EXPECT_NE(types.structure("S", {member("a", f32)}), types.structure("T", {member("a", f32)}));
}

TEST_F(Types, ManyTypesStayDistinct) {
  std::vector<TypeId> ids;
  for (std::uint32_t n = 1; n <= 1000; ++n) ids.push_back(types.array(f32, n));
  for (std::uint32_t n = 1; n <= 1000; ++n) {
    EXPECT_EQ(types.array(f32, n), ids[n - 1]);
    EXPECT_EQ(types.component_count(ids[n - 1]), n);
  }
  const TypeTable copy = types;
  EXPECT_EQ(copy.find(ArrayType{f32, 77}), ids[76]);
  EXPECT_EQ(copy.find(ArrayType{f32, 7777}), std::nullopt);
}

TEST_F(Types, ScalarsAndVectorsAreLaidOutAsWgslSays) {
  expect_layout(types.scalar(ScalarKind::boolean), 4, 4);
  expect_layout(types.scalar(ScalarKind::f16), 2, 2);
  expect_layout(f32, 4, 4);
  expect_layout(types.atomic(ScalarKind::i32), 4, 4);
  expect_layout(types.atomic(ScalarKind::u32, 2), 8, 8);
  expect_layout(types.intern(BufferType{.bytes = 36}), 36, 16);
  expect_layout(vec2f, 8, 8);
  expect_layout(vec3f, 12, 16);
  expect_layout(vec4f, 16, 16);
  expect_layout(types.vector(ScalarKind::f16, 2), 4, 4);
  expect_layout(types.vector(ScalarKind::f16, 3), 6, 8);
  expect_layout(types.vector(ScalarKind::f16, 4), 8, 8);
}

TEST_F(Types, MatricesAreArraysOfColumns) {
  expect_layout(types.matrix(ScalarKind::f32, 2, 2), 16, 8);
  expect_layout(types.matrix(ScalarKind::f32, 3, 2), 24, 8);
  expect_layout(types.matrix(ScalarKind::f32, 4, 2), 32, 8);
  expect_layout(types.matrix(ScalarKind::f32, 2, 3), 32, 16);
  expect_layout(types.matrix(ScalarKind::f32, 3, 3), 48, 16);
  expect_layout(types.matrix(ScalarKind::f32, 4, 4), 64, 16);
  expect_layout(types.matrix(ScalarKind::f16, 3, 3), 24, 8);
  expect_layout(types.matrix(ScalarKind::f16, 4, 2), 16, 4);
}

TEST_F(Types, ArraysRoundTheirStrideUp) {
  EXPECT_EQ(types.stride(vec3f), 16U);
  expect_layout(types.array(vec3f, 5), 80, 16);
  expect_layout(types.array(f32, 5), 20, 4);
  expect_layout(types.runtime_array(vec3f), 0, 16);
}

TEST_F(Types, NestedStructsRoundUp) {
  const TypeId a = types.structure(
      "A", {member("u", f32), member("v", f32), member("w", vec2f), member("x", f32)});
  expect_layout(a, 24, 8);
  EXPECT_EQ(offsets(a), (std::vector<std::uint32_t>{0, 4, 8, 16}));
  const TypeId b = types.structure(
      "B", {member("a", vec2f), member("b", vec3f), member("c", f32), member("d", f32),
            member("e", a), member("f", vec3f), member("g", types.array(a, 3)), member("h", i32)});
  expect_layout(b, 160, 16);
  EXPECT_EQ(offsets(b), (std::vector<std::uint32_t>{0, 16, 28, 32, 40, 64, 80, 152}));
}

TEST_F(Types, ExplicitAlignAndSizeAreHonoured) {
  const TypeId a = types.structure("A", {member("u", f32, 16), member("v", f32),
                                         member("w", vec2f, 0, 16), member("x", f32, 0, 16)});
  expect_layout(a, 48, 16);
  EXPECT_EQ(offsets(a), (std::vector<std::uint32_t>{0, 4, 8, 24}));
}

TEST_F(Types, AStructThatEndsInARunTimeArrayHasItsOffset) {
  const TypeId s =
      types.structure("S", {member("n", u32), member("data", types.runtime_array(vec4f))});
  expect_layout(s, 16, 16);
  EXPECT_TRUE(types.contains_runtime_array(s));
  EXPECT_FALSE(types.is_constructible(s));
  EXPECT_TRUE(types.is_host_shareable(s));
}

TEST_F(Types, SizesSaturateInsteadOfWrapping) {
  TypeId big = types.array(vec4f, 0xFFFFFFFF);
  for (int i = 0; i < 3; ++i) big = types.array(big, 0xFFFFFFFF);
  EXPECT_EQ(types.scalar_count(big), ~std::uint64_t{0});
  EXPECT_GE(types.layout(big).size, ~std::uint64_t{15});
  const TypeId s = types.structure("S", {member("a", big), member("b", f32)});
  EXPECT_EQ(types.get_if<StructType>(s)->members[1].offset, 0xFFFFFFFFU);
}

TEST_F(Types, PropertiesFollowTheComponents) {
  const TypeId atomics = types.array(types.atomic(ScalarKind::u32), 4);
  EXPECT_FALSE(types.is_constructible(atomics));
  EXPECT_TRUE(types.contains_atomic(atomics));
  EXPECT_TRUE(types.is_host_shareable(atomics));
  const TypeId flags = types.vector(ScalarKind::boolean, 2);
  EXPECT_TRUE(types.is_constructible(flags));
  EXPECT_FALSE(types.is_host_shareable(flags));
  const TypeId pointer = types.pointer(MemoryKind::function, f32, Access::read_write);
  EXPECT_FALSE(types.is_constructible(pointer));
  EXPECT_EQ(types.nesting(f32), 0U);
  EXPECT_EQ(types.nesting(types.array(types.array(f32, 2), 2)), 2U);
}

TEST_F(Types, ComponentsAndCounts) {
  const TypeId matrix = types.matrix(ScalarKind::f32, 4, 3);
  EXPECT_EQ(types.component(matrix), vec3f);
  EXPECT_EQ(types.component_count(matrix), 4U);
  EXPECT_EQ(types.scalar_count(matrix), 12U);
  EXPECT_EQ(types.component(vec3f), f32);
  const TypeId s = types.structure("S", {member("a", u32), member("b", matrix)});
  EXPECT_EQ(types.component(s, 1), matrix);
  EXPECT_EQ(types.scalar_count(s), 13U);
  EXPECT_EQ(types.component(s, 2), types.void_type());
  EXPECT_EQ(types.component_count(types.runtime_array(f32)), 0U);
  EXPECT_EQ(types.scalar_kind(matrix), ScalarKind::f32);
  EXPECT_EQ(types.scalar_kind(types.atomic(ScalarKind::i32)), ScalarKind::i32);
  EXPECT_EQ(types.scalar_kind(s), std::nullopt);
}

TEST_F(Types, OverrideSizedArraysGetTheirSizeInPlace) {
  const TypeId array = types.intern(ArrayType{f32, 0, ExprId{7}});
  const TypeId pointer = types.pointer(MemoryKind::workgroup, array, Access::read_write);
  expect_layout(array, 0, 4);
  EXPECT_FALSE(types.contains_runtime_array(array));
  EXPECT_EQ(types.spell(pointer), "ptr<workgroup, array<f32, override>>");
  types.resize_array(array, 12);
  expect_layout(array, 48, 4);
  EXPECT_EQ(types.scalar_count(array), 12U);
  EXPECT_EQ(types.spell(pointer), "ptr<workgroup, array<f32, 12>>");
  EXPECT_EQ(types.array(f32, 12), array);
}

TEST_F(Types, LayoutsFollowAResizedArray) {
  const TypeId array = types.intern(ArrayType{f32, 0, ExprId{1}});
  const TypeId outer = types.array(array, 2);
  const TypeId s = types.structure("S", {member("a", u32), member("b", array), member("c", u32)});
  types.resize_array(array, 3);
  expect_layout(outer, 24, 4);
  expect_layout(s, 20, 4);
  EXPECT_EQ(offsets(s), (std::vector<std::uint32_t>{0, 4, 16}));
}

TEST_F(Types, SpellingIsWgsl) {
  EXPECT_EQ(types.spell(vec3f), "vec3<f32>");
  EXPECT_EQ(types.spell(types.matrix(ScalarKind::f16, 2, 3)), "mat2x3<f16>");
  EXPECT_EQ(types.spell(types.array(u32, 4)), "array<u32, 4>");
  EXPECT_EQ(types.spell(types.runtime_array(types.atomic(ScalarKind::i32))), "array<atomic<i32>>");
  EXPECT_EQ(types.spell(types.atomic(ScalarKind::u32, 2)), "atomic<vec2<u32>>");
  EXPECT_EQ(types.spell(types.intern(BufferType{})), "buffer");
  EXPECT_EQ(types.spell(types.intern(BufferType{.bytes = 36})), "buffer<36>");
  EXPECT_EQ(types.spell(types.pointer(MemoryKind::storage, f32, Access::read)),
            "ptr<storage, f32, read>");
  EXPECT_EQ(types.spell(types.pointer(MemoryKind::function, f32, Access::read_write)),
            "ptr<function, f32>");
  EXPECT_EQ(types.spell(types.structure("Params", {member("n", u32)})), "Params");
  EXPECT_EQ(types.spell(types.void_type()), "void");
  EXPECT_EQ(types.spell(TypeId{9999}), "unknown type");
}

TEST_F(Types, UnknownComponentsBecomeVoid) {
  const TypeId bad = types.intern(ArrayType{TypeId{12345}, 4});
  EXPECT_EQ(types.component(bad), types.void_type());
  const TypeId s = types.structure("S", {member("a", TypeId{12345})});
  EXPECT_EQ(types.component(s, 0), types.void_type());
}

TEST_F(Types, DeepTypesCanBeSpelled) {
  TypeId deep = f32;
  for (int i = 0; i < 100000; ++i) deep = types.array(deep, 1);
  EXPECT_EQ(types.spell(deep), "deeply nested type");
  EXPECT_EQ(types.nesting(deep), 100000U);
}

}  // namespace
}  // namespace vyre
