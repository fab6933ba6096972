#include "vyre/ir/validate/validate_testing.h"

namespace vyre {
namespace {

TEST_F(Validate, ZeroWorkgroupAxes) {
  program.workgroup = {0, 1, 0};
  EXPECT_EQ(issues().size(), 2U);
}

TEST_F(Validate, WorkgroupSizesAreIntegers) {
  program.workgroup_exprs[0] = constant(1.0F);
  expect_issue("workgroup size x is f32");
}

TEST_F(Validate, BuffersNeedDifferentBindings) {
  program.globals[1].binding = 0;
  expect_issue("'data' and 'fixed' have the same group 0 and binding 0");
}

TEST_F(Validate, MemoryHoldsWhatItCan) {
  const TypeTable& types = program.types;
  (void)types;
  add_global("a", MemoryKind::storage, Access::read_write, boolean);
  add_global("b", MemoryKind::uniform, Access::read, program.types.runtime_array(f32));
  add_global("c", MemoryKind::uniform, Access::read_write, f32);
  add_global("d", MemoryKind::workgroup, Access::read_write, program.types.runtime_array(f32));
  add_global("e", MemoryKind::private_, Access::read_write, program.types.atomic(ScalarKind::u32));
  add_global("f", MemoryKind::function, Access::read_write, f32);
  add_global("g", MemoryKind::storage, Access::read, program.types.atomic(ScalarKind::u32));
  add_global("h", MemoryKind::storage, Access::write, f32);
  add_global("i", MemoryKind::workgroup, Access::read_write, program.types.void_type());
  EXPECT_EQ(issues().size(), 9U) << testing::PrintToString(issues());
}

TEST_F(Validate, RunTimeArraysComeLastInStructs) {
  const TypeId array = program.types.runtime_array(f32);
  const TypeId good = program.types.structure("Good", {{"n", u32}, {"data", array}});
  add_global("good", MemoryKind::storage, Access::read, good);
  const TypeId bad = program.types.structure("Bad", {{"data", array}, {"n", u32}});
  add_global("bad", MemoryKind::storage, Access::read, bad);
  const TypeId nested = program.types.structure("Nested", {{"inner", good}});
  add_global("nested", MemoryKind::storage, Access::read, nested);
  const TypeId array_of = program.types.array(array, 3);
  add_global("array_of", MemoryKind::storage, Access::read, array_of);
  const auto found = issues();
  ASSERT_EQ(found.size(), 3U) << testing::PrintToString(found);
  EXPECT_NE(found[0].find("must come last"), std::string::npos);
}

TEST_F(Validate, TypesMustMakeSense) {
  add_global("a", MemoryKind::storage, Access::read, program.types.vector(ScalarKind::f32, 7));
  add_global("b", MemoryKind::storage, Access::read, program.types.matrix(ScalarKind::u32, 2, 2));
  add_global("c", MemoryKind::storage, Access::read, program.types.atomic(ScalarKind::f32));
  add_global("d", MemoryKind::storage, Access::read,
             program.types.array(program.types.void_type(), 2));
  add_global("e", MemoryKind::storage, Access::read,
             program.types.intern(StructType{"S", {{"m", f32, 2, 4, 4}}}));
  add_global("f", MemoryKind::storage, Access::read, program.types.structure("Empty", {}));
  add_global("g", MemoryKind::storage, Access::read,
             program.types.scalar(ScalarKind::abstract_int));
  add_global("h", MemoryKind::storage, Access::read,
             program.types.array(program.types.array(vec3, 65536), 65536));
  EXPECT_EQ(issues().size(), 8U) << testing::PrintToString(issues());
}

TEST_F(Validate, DeepTypesAreRefused) {
  TypeId deep = f32;
  for (int i = 0; i < 300; ++i) deep = program.types.array(deep, 1);
  add_global("deep", MemoryKind::storage, Access::read, deep);
  expect_issue("nested more than 255 deep");
}

TEST_F(Validate, OverridesMustNotDependOnThemselves) {
  program.overrides.push_back({.name = "a", .id = {}, .type = u32});
  program.overrides.push_back({.name = "b", .id = {}, .type = u32});
  program.overrides[0].initial = writer.expr(u32, OverrideExpr{OverrideId{1}});
  program.overrides[1].initial = writer.expr(u32, OverrideExpr{OverrideId{0}});
  expect_issue("depends on itself");
}

TEST_F(Validate, OverridesAreScalarsWithNamesAndIdsOfTheirOwn) {
  program.overrides.push_back({.name = "a", .id = 1, .type = vec3});
  program.overrides.push_back({.name = "a", .id = 1, .type = u32});
  program.overrides.push_back({.name = "c", .id = {}, .type = u32, .initial = constant(1.0F)});
  EXPECT_EQ(issues().size(), 4U) << testing::PrintToString(issues());
}

TEST_F(Validate, InitialValuesAreConstantAndForPrivateMemory) {
  const GlobalId p = add_global("p", MemoryKind::private_, Access::read_write, u32);
  program.globals[static_cast<std::size_t>(p)].initial =
      writer.expr(u32, InvocationIdExpr{InvocationIdKind::local_invocation_index});
  program.globals[2].initial = writer.expr(program.globals[2].type, ZeroExpr{});
  const auto found = issues();
  ASSERT_EQ(found.size(), 2U) << testing::PrintToString(found);
}

}  // namespace
}  // namespace vyre
