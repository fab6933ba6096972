#include "vyre/ir/specialise.h"

#include <gtest/gtest.h>

#include <limits>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/builder/builder_math.h"
#include "vyre/ir/print.h"
#include "vyre/ir/validate/validate.h"

namespace vyre {
namespace {

Program built(ProgramBuilder&& b) {
  Result<Program> program = std::move(b).build();
  EXPECT_TRUE(program) << (program ? "" : program.error().what);
  return program ? *std::move(program) : Program();
}

// The lines of the functions alone.
std::string body_of(const Program& program) {
  const std::string text = print(program);
  return text.substr(text.find("\nentry fn"));
}

std::string error_of(const Program& program, std::vector<OverrideValue> values = {}) {
  const auto result = specialise(program, values);
  EXPECT_FALSE(result);
  return result ? "" : describe(result.error());
}

Program one_override(TypeId (*type)(ProgramBuilder&)) {
  ProgramBuilder b("f");
  Value o = b.override_("o", type(b));
  Ref out = b.storage("out", b.u32);
  out = b.convert(b.u32, o);
  return built(std::move(b));
}

TEST(Specialise, ReplacesOverridesByTheirValues) {
  ProgramBuilder b("f");
  Value n = b.override_("n", b.u32, 3);
  Value scale = b.override_("scale", b.f32, 0.5, 7);
  Ref out = b.storage("out", b.array(b.f32));
  out[n * 2u + 1u] = scale * b.convert(b.f32, n);
  const Program program = built(std::move(b));

  auto plain = specialise(program, {});
  ASSERT_TRUE(plain) << plain.error().what;
  EXPECT_TRUE(plain->overrides.empty());
  EXPECT_EQ(body_of(*plain), "\nentry fn f() {\n  @out[7u] = 1.5f\n}\n");

  const OverrideValue values[] = {{"n", 10}, {"7", 3}};
  auto given = specialise(program, values);
  ASSERT_TRUE(given) << given.error().what;
  EXPECT_EQ(body_of(*given), "\nentry fn f() {\n  @out[21u] = 30f\n}\n");
  EXPECT_TRUE(validate(*given).empty());
}

TEST(Specialise, InitialValuesMayDependOnOtherOverrides) {
  ProgramBuilder b("f");
  Value a = b.override_("a", b.u32, 4);
  Value c = b.override_("c", b.u32, a * a);
  Ref out = b.storage("out", b.u32);
  out = c + 1u;
  const Program program = built(std::move(b));
  EXPECT_EQ(body_of(*specialise(program, {})), "\nentry fn f() {\n  @out = 17u\n}\n");
  const OverrideValue a_is_5[] = {{"a", 5}};
  EXPECT_EQ(body_of(*specialise(program, a_is_5)), "\nentry fn f() {\n  @out = 26u\n}\n");
  const OverrideValue c_is_2[] = {{"c", 2}};
  EXPECT_EQ(body_of(*specialise(program, c_is_2)), "\nentry fn f() {\n  @out = 3u\n}\n");
}

TEST(Specialise, FoldsOnlyWhatDependsOnOverrides) {
  ProgramBuilder b("f");
  Value n = b.override_("n", b.u32, 3);
  Ref out = b.storage("out", b.array(b.u32));
  Value i = b.global_id().x();
  out[i] = i + n * 2u;
  EXPECT_EQ(body_of(*specialise(built(std::move(b)), {})),
            "\nentry fn f() {\n  let %_0: u32 = global_invocation_id.x\n  @out[%_0] = (%_0 + "
            "6u)\n}\n");
}

TEST(Specialise, SizesTheWorkgroupAndArrays) {
  ProgramBuilder b("f", {1, 2, 3});
  Value n = b.override_("n", b.i32, 8);
  b.workgroup_size(0, n);
  b.workgroup_size(2, n + 1);
  Ref tile = b.workgroup("tile", b.array(b.vec(b.f32, 3), n * 2));
  tile[b.local_index()].x() = 1.0F;
  const Program program = built(std::move(b));
  auto sized = specialise(program, {});
  ASSERT_TRUE(sized) << sized.error().what;
  EXPECT_EQ(sized->workgroup, (Extent{8, 2, 9}));
  EXPECT_EQ(sized->workgroup_exprs[0], kNoExpr);
  EXPECT_EQ(sized->types.spell(sized->globals[0].type), "array<vec3<f32>, 16>");
  EXPECT_EQ(sized->types.layout(sized->globals[0].type).size, 256U);
  EXPECT_TRUE(validate(*sized).empty());

  EXPECT_NE(error_of(program, {{"n", 0}}).find("workgroup size x is 0"), std::string::npos);
  EXPECT_NE(error_of(program, {{"n", -4}}).find("workgroup size x is -4"), std::string::npos);
}

TEST(Specialise, ArraySizesMustBePositiveAndFit) {
  ProgramBuilder b("f");
  Value n = b.override_("n", b.i32, 0);
  Ref tile = b.workgroup("tile", b.array(b.vec(b.f32, 4), n));
  tile[b.local_index()].x() = 1.0F;
  const Program program = built(std::move(b));
  EXPECT_NE(error_of(program).find("the size of an array is 0"), std::string::npos);
  EXPECT_NE(error_of(program, {{"n", -1}}).find("the size of an array is -1"), std::string::npos);
  EXPECT_NE(error_of(program, {{"n", 2147483647}}).find("bytes"), std::string::npos);
}

TEST(Specialise, OnlyNeedsValuesOfOverridesInUse) {
  ProgramBuilder b("f");
  b.override_("unused", b.u32);
  Value used = b.override_("used", b.u32);
  Ref out = b.storage("out", b.u32);
  out = used;
  const Program program = built(std::move(b));
  const OverrideValue value[] = {{"used", 1}};
  EXPECT_TRUE(specialise(program, value));
  const std::string error = error_of(program);
  EXPECT_NE(error.find("override 'used' has no value"), std::string::npos) << error;
}

TEST(Specialise, UnknownAndDoubledNamesAreErrors) {
  ProgramBuilder b("f");
  b.override_("size", b.u32, 1, 12);
  const Program program = built(std::move(b));
  EXPECT_EQ(error_of(program, {{"sise", 1}}),
            "'f' has no override 'sise'; its overrides are: size");
  EXPECT_NE(error_of(program, {{"size", 1}, {"12", 2}}).find("given twice"), std::string::npos);
  ProgramBuilder none("g");
  EXPECT_EQ(error_of(built(std::move(none)), {{"x", 1}}),
            "'g' has no override 'x'; it has no overrides");
}

TEST(Specialise, ValuesMustBeRepresentable) {
  const auto accepts = [](const Program& p, double v) {
    const OverrideValue value[] = {{"o", v}};
    return specialise(p, value).has_value();
  };
  const Program u = one_override([](ProgramBuilder& b) { return b.u32; });
  EXPECT_TRUE(accepts(u, 4294967295.0));
  EXPECT_FALSE(accepts(u, 4294967296.0));
  EXPECT_FALSE(accepts(u, -1));
  EXPECT_FALSE(accepts(u, 1.5));
  const Program i = one_override([](ProgramBuilder& b) { return b.i32; });
  EXPECT_TRUE(accepts(i, -2147483648.0));
  EXPECT_FALSE(accepts(i, 2147483648.0));
  EXPECT_FALSE(accepts(i, std::numeric_limits<double>::quiet_NaN()));
  const Program f = one_override([](ProgramBuilder& b) { return b.f32; });
  EXPECT_TRUE(accepts(f, 0.1));
  EXPECT_FALSE(accepts(f, 1e39));
  EXPECT_FALSE(accepts(f, std::numeric_limits<double>::infinity()));
  const Program h = one_override([](ProgramBuilder& b) { return b.f16; });
  EXPECT_TRUE(accepts(h, 65504));
  EXPECT_FALSE(accepts(h, 70000));
  const Program t = one_override([](ProgramBuilder& b) { return b.boolean; });
  EXPECT_TRUE(accepts(t, 17));
}

TEST(Specialise, ReportsFaultsWithTheirPosition) {
  ProgramBuilder b("f");
  Value n = b.override_("n", b.u32, 0);
  Ref out = b.storage("out", b.u32);
  const unsigned line = __LINE__ + 1;
  out = 10u / n;
  const std::string error = error_of(built(std::move(b)));
  EXPECT_NE(error.find("specialise_test.cc:" + std::to_string(line)), std::string::npos) << error;
  EXPECT_NE(error.find("'/' of u32"), std::string::npos) << error;
}

TEST(Specialise, OneConstantSideCanBeAnError) {
  const auto error_with = [](auto make) {
    ProgramBuilder b("f");
    Value n = b.override_("n", b.u32, 0);
    Ref out = b.storage("out", b.array(b.u32, 4));
    Value i = b.global_id().x();
    make(b, n, out, i);
    return error_of(built(std::move(b)));
  };
  EXPECT_NE(error_with([](auto&, Value n, Ref out, Value i) { out[0u] = i / n; }).find("'/'"),
            std::string::npos);
  EXPECT_NE(error_with([](auto&, Value n, Ref out, Value i) { out[0u] = i % n; }).find("'%'"),
            std::string::npos);
  EXPECT_NE(
      error_with([](auto&, Value n, Ref out, Value i) { out[0u] = i << (n + 32u); }).find("'<<'"),
      std::string::npos);
  EXPECT_NE(error_with([](auto&, Value n, Ref out, Value i) {
              out[n + 4u] = i;
            }).find("index 4 is outside of array<u32, 4>"),
            std::string::npos);
}

TEST(Specialise, LogicalOperatorsStopAtTheSideThatDecides) {
  ProgramBuilder b("f");
  Value n = b.override_("n", b.u32, 0);
  Ref out = b.storage("out", b.u32);
  b.if_(n != 0u && 10u / n > 2u, [&] { out = 1u; });
  b.if_(n == 0u || 10u / n > 2u, [&] { out = 2u; });
  const auto program = specialise(built(std::move(b)), {});
  ASSERT_TRUE(program) << program.error().what;
  EXPECT_EQ(
      body_of(*program),
      "\nentry fn f() {\n  if false {\n    @out = 1u\n  }\n  if true {\n    @out = 2u\n  }\n}\n");
}

TEST(Specialise, FoldsEveryKindOfExpression) {
  ProgramBuilder b("f");
  Value n = b.override_("n", b.f32, 2.0);
  const TypeId vec3 = b.vec(b.f32, 3);
  const TypeId pair = b.structure("Pair", {{"a", vec3}, {"b", b.u32}});
  Value v = b.make(vec3, {n, 1.0F, n * n});
  Value s = b.make(pair, {v, b.convert(b.u32, n)});
  Value list = b.make(b.array(b.f32, 2), {n, 7.0F});
  Value matrix = b.make(b.mat(b.f32, 2, 2), {n, 0.0F, 0.0F, n});
  Ref out = b.storage("out", b.array(b.f32));
  out[0u] = s.member("a").swizzle("zy").x();
  out[1u] = b.convert(b.f32, s.member("b"));
  out[2u] = list[1u];
  out[3u] = (matrix * b.make(b.vec(b.f32, 2), {3.0F, 4.0F})).y();
  out[4u] = b.select(1.0F, -n, n > 1.0F);
  out[5u] = b.convert(b.f32, b.bitcast(b.u32, n) >> 23u);
  out[6u] = max(n, 5.0F);
  out[7u] = dot(v, b.make(vec3, {n}));
  EXPECT_EQ(body_of(*specialise(built(std::move(b)), {})), R"(
entry fn f() {
  @out[0u] = 4f
  @out[1u] = 2f
  @out[2u] = 7f
  @out[3u] = 8f
  @out[4u] = -2f
  @out[5u] = 128f
  @out[6u] = 5f
  @out[7u] = 14f
}
)");
}

TEST(Specialise, PrivateMemoryStartsWithConstants) {
  ProgramBuilder b("f");
  Value n = b.override_("n", b.u32, 5);
  Ref seed = b.private_("seed", n * 3u);
  Ref out = b.storage("out", b.u32);
  out = seed;
  const auto program = specialise(built(std::move(b)), {});
  ASSERT_TRUE(program);
  EXPECT_NE(print(*program).find("private @seed: u32 = 15u"), std::string::npos);
}

}  // namespace
}  // namespace vyre
