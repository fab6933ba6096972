#include "vyre/ir/validate/validate_testing.h"

namespace vyre {
namespace {

TEST_F(Validate, ExpressionsHaveTheTypeOfTheirOperands) {
  const auto a = [&] { return constant(1.0F); };
  const auto u = [&] { return constant(1U); };
  keep(f32, BinaryExpr{BinaryOp::add, a(), u()});
  keep(u32, BinaryExpr{BinaryOp::add, a(), a()});
  keep(boolean, BinaryExpr{BinaryOp::less, constant(true), constant(true)});
  keep(f32, BinaryExpr{BinaryOp::less, a(), a()});
  keep(f32, BinaryExpr{BinaryOp::shift_left, a(), u()});
  keep(u32, UnaryExpr{UnaryOp::negate, u()});
  keep(f32, UnaryExpr{UnaryOp::bit_not, a()});
  keep(f32, UnaryExpr{UnaryOp::logical_not, a()});
  keep(boolean, BinaryExpr{BinaryOp::logical_and, u(), u()});
  keep(boolean, BinaryExpr{BinaryOp::bit_xor, constant(true), constant(true)});
  keep(f32, SelectExpr{a(), a(), u()});
  keep(f32, SelectExpr{a(), u(), constant(true)});
  keep(vec3, SplatExpr{u()});
  keep(vec3, ConvertExpr{u()});
  keep(f16, BitcastExpr{u()});
  keep(f32, SwizzleExpr{a(), 1, {0}});
  keep(f32, MemberExpr{a(), 0});
  keep(f32, IndexExpr{a(), u()});
  keep(f32, LoadExpr{a()});
  keep(u32, ArrayLengthExpr{global(1)});
  keep(u32, InvocationIdExpr{InvocationIdKind::workgroup});
  EXPECT_EQ(issues().size(), 21U) << testing::PrintToString(issues());
}

TEST_F(Validate, ProductsOfMatrices) {
  const auto m = [&](std::uint32_t columns, std::uint32_t rows) {
    return writer.expr(program.types.matrix(ScalarKind::f32, columns, rows), ZeroExpr{});
  };
  const auto v = [&](std::uint32_t n) {
    return writer.expr(program.types.vector(ScalarKind::f32, n), ZeroExpr{});
  };
  keep(program.types.matrix(ScalarKind::f32, 4, 3), BinaryExpr{BinaryOp::mul, m(2, 3), m(4, 2)});
  keep(vec3, BinaryExpr{BinaryOp::mul, m(2, 3), v(2)});
  keep(vec2, BinaryExpr{BinaryOp::mul, v(3), m(2, 3)});
  keep(mat2x3, BinaryExpr{BinaryOp::mul, m(2, 3), constant(2.0F)});
  keep(mat2x3, BinaryExpr{BinaryOp::mul, constant(2.0F), m(2, 3)});
  keep(mat2x3, BinaryExpr{BinaryOp::add, m(2, 3), m(2, 3)});
  expect_valid();
}

TEST_F(Validate, ProductsThatDoNotFit) {
  const auto m = [&] { return writer.expr(mat2x3, ZeroExpr{}); };
  keep(mat2x3, BinaryExpr{BinaryOp::mul, m(), m()});
  keep(vec3, BinaryExpr{BinaryOp::mul, m(), writer.expr(vec3, ZeroExpr{})});
  keep(mat2x3, BinaryExpr{BinaryOp::div, m(), m()});
  keep(boolean, BinaryExpr{BinaryOp::equal, m(), m()});
  EXPECT_EQ(issues().size(), 4U) << testing::PrintToString(issues());
}

TEST_F(Validate, PartsMustFillWhatTheyMake) {
  const auto list = [&](std::vector<ExprId> ids) { return ConstructExpr{writer.list(ids)}; };
  keep(vec3, list({constant(1.0F), writer.expr(vec2, ZeroExpr{})}));  // fine
  keep(vec3, list({constant(1.0F), constant(1.0F)}));
  keep(vec3, list({constant(1.0F), constant(1U), constant(1.0F)}));
  keep(mat2x3, list({writer.expr(vec3, ZeroExpr{}), writer.expr(vec3, ZeroExpr{})}));  // fine
  keep(mat2x3, list({writer.expr(vec3, ZeroExpr{})}));
  keep(program.types.array(f32, 2), list({constant(1.0F)}));
  const TypeId pair = program.types.structure("Pair", {{"a", f32}, {"b", u32}});
  keep(pair, list({constant(1.0F), constant(1U)}));  // fine
  keep(pair, list({constant(1U), constant(1.0F)}));
  keep(f32, list({constant(1.0F)}));
  EXPECT_EQ(issues().size(), 6U) << testing::PrintToString(issues());
}

TEST_F(Validate, ConstantsFitTheirType) {
  program.constants.push_back({u32, {1, 2}});
  keep(u32, ConstantExpr{ConstantId{0}});
  program.constants.push_back({boolean, {2}});
  keep(boolean, ConstantExpr{ConstantId{1}});
  program.constants.push_back({f16, {0x10000}});
  keep(f16, ConstantExpr{ConstantId{2}});
  program.constants.push_back({u32, {1}});
  keep(f32, ConstantExpr{ConstantId{3}});
  EXPECT_EQ(issues().size(), 4U) << testing::PrintToString(issues());
}

TEST_F(Validate, OnlyTheInnermostErrorIsReported) {
  ExprId value = writer.expr(f32, BinaryExpr{BinaryOp::add, constant(1.0F), constant(1U)});
  for (int i = 0; i < 10; ++i) value = writer.expr(f32, UnaryExpr{UnaryOp::negate, value});
  writer.stmt(LetStmt{local(LocalKind::let, f32), value});
  expect_issue("'+' of f32 and u32");
}

TEST_F(Validate, BuiltinsTakeWhatTheyTake) {
  struct Row {
    MathFn fn;
    std::vector<TypeId> arguments;
    TypeId result;
    bool good;
  };
  const TypeId u4 = program.types.vector(ScalarKind::u32, 4);
  const TypeId frexp = program.types.structure("R", {{"fract", f32}, {"exp", i32}});
  const TypeId modf = program.types.structure("M", {{"fract", f32}, {"whole", f32}});
  const TypeId mat3x2 = program.types.matrix(ScalarKind::f32, 3, 2);
  const TypeId mat2x2 = program.types.matrix(ScalarKind::f32, 2, 2);
  const std::vector<Row> rows = {
      {MathFn::sqrt, {f32}, f32, true},
      {MathFn::sqrt, {u32}, u32, false},
      {MathFn::sqrt, {f32}, vec3, false},
      {MathFn::sqrt, {f32, f32}, f32, false},
      {MathFn::abs, {u32}, u32, true},
      {MathFn::sign, {u32}, u32, false},
      {MathFn::clamp, {vec3, vec3, vec3}, vec3, true},
      {MathFn::clamp, {vec3, f32, f32}, vec3, false},
      {MathFn::mix, {vec3, vec3, f32}, vec3, true},
      {MathFn::mix, {vec3, f32, vec3}, vec3, false},
      {MathFn::all, {bool3}, boolean, true},
      {MathFn::any, {vec3}, boolean, false},
      {MathFn::cross, {vec3, vec3}, vec3, true},
      {MathFn::cross, {vec2, vec2}, vec2, false},
      {MathFn::dot, {vec3, vec3}, f32, true},
      {MathFn::dot, {f32, f32}, f32, false},
      {MathFn::length, {f32}, f32, true},
      {MathFn::normalize, {f32}, f32, false},
      {MathFn::determinant, {mat2x2}, f32, true},
      {MathFn::determinant, {mat2x3}, f32, false},
      {MathFn::transpose, {mat2x3}, mat3x2, true},
      {MathFn::transpose, {mat2x3}, mat2x3, false},
      {MathFn::ldexp, {f32, i32}, f32, true},
      {MathFn::ldexp, {f32, u32}, f32, false},
      {MathFn::frexp, {f32}, frexp, true},
      {MathFn::frexp, {f32}, modf, false},
      {MathFn::modf, {f32}, modf, true},
      {MathFn::modf, {f32}, f32, false},
      {MathFn::extract_bits, {i32, u32, u32}, i32, true},
      {MathFn::extract_bits, {i32, i32, u32}, i32, false},
      {MathFn::insert_bits, {u32, u32, u32, u32}, u32, true},
      {MathFn::dot4_i8_packed, {u32, u32}, i32, true},
      {MathFn::dot4_u8_packed, {u32, u32}, i32, false},
      {MathFn::pack4x_u8, {u4}, u32, true},
      {MathFn::unpack4x_u8, {u32}, u4, true},
      {MathFn::unpack2x16_float, {u32}, vec2, true},
      {MathFn::unpack2x16_float, {u32}, vec3, false},
      {MathFn::quantize_to_f16, {f16}, f16, false},
      {MathFn::fma, {}, f32, false},
      {static_cast<MathFn>(250), {f32}, f32, false},
  };
  std::size_t bad = 0;
  for (const Row& row : rows) {
    std::vector<ExprId> ids;
    for (const TypeId t : row.arguments) ids.push_back(writer.expr(t, ZeroExpr{}));
    keep(row.result, MathExpr{row.fn, writer.list(ids)});
    bad += row.good ? 0 : 1;
  }
  EXPECT_EQ(issues().size(), bad) << testing::PrintToString(issues());
}

}  // namespace
}  // namespace vyre
