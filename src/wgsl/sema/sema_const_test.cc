// Constant expressions: values, types and errors.
#include <gtest/gtest.h>

#include <string>

#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

// All of these are true.
void expect_true(std::initializer_list<std::string_view> assertions, std::string_view module = {}) {
  for (const std::string_view assertion : assertions) {
    std::string text(module);
    text += "\nconst_assert ";
    text += assertion;
    text += ";\n";
    EXPECT_EQ(error_text(text), "") << assertion;
  }
}

TEST(Constants, ArithmeticFollowsWgsl) {
  expect_true({"1 + 2 * 3 == 7",
               "7 / 2 == 3",
               "-7 / 2 == -3",
               "-7 % 3 == -1",
               "7.0 / 2 == 3.5",
               "5.5 % 2.0 == 1.5",
               "-5.5 % 2.0 == -1.5",
               "1u - 1u == 0u",
               "~0u == 4294967295u",
               "~0 == -1",
               "(5 & 3) == 1",
               "(5 | 3) == 7",
               "(5 ^ 3) == 6",
               "1 << 4 == 16",
               "-16 >> 2 == -4",
               "0xF0u >> 4u == 15u",
               "!(1 > 2)",
               "(true & false) == false",
               "(true | false) == true",
               "0x1p4 == 16.0",
               "1e3 == 1000.0"});
}

TEST(Constants, ConcreteIntegersWrap) {
  expect_true(
      {"2147483647i + 1i == -2147483648", "0u - 1u == 4294967295u", "65536u * 65536u == 0u"});
}

TEST(Constants, AbstractNumbersConvertWhereTheyAreUsed) {
  expect_true({"1 + 1u == 2u", "1.5 + 1 == 2.5", "2 * 1.5f == 3f", "vec2(1, 2.5).x == 1.0",
               "u32(3.9) == 3u", "i32(-3.9) == -3", "f32(1u) == 1.0", "bool(2) == true",
               "u32(true) == 1u", "u32(-1i) == 4294967295u", "i32(4294967295u) == -1"});
}

TEST(Constants, CompositesAreValues) {
  expect_true({"array(1, 2, 3)[1] == 2", "vec3(1, 2, 3).zy.x == 3", "mat2x2(1, 2, 3, 4)[1].x == 3",
               "all(mat2x2(1, 2, 3, 4) * vec2(1, 1) == vec2(4.0, 6.0))",
               "all(vec2(1, 2) + 1 == vec2(2, 3))", "all(2 * vec2(1, 2) == vec2(2, 4))",
               "all(vec3(1) == vec3(1, 1, 1))", "all(vec4(vec2(1, 2), 3, 4).wx == vec2(4, 1))",
               "array<i32, 3>()[2] == 0", "S(1, 2.5).b == 2.5", "S().a == 0",
               "array(S(1, 2), S(3, 4))[1].a == 3", "mat2x3<f32>()[1].z == 0.0", "vec3().x == 0",
               "transpose(mat2x3(1, 2, 3, 4, 5, 6))[2].y == 6",
               "all(vec2<bool>(vec2(0, 2)) == vec2(false, true))"},
              "struct S { a: i32, b: f32 }");
}

TEST(Constants, BuiltinsAreEvaluated) {
  expect_true({"max(1, 2.5) == 2.5",
               "clamp(5, 1, 3) == 3",
               "abs(-3) == 3",
               "sign(-2.0) == -1.0",
               "countOneBits(7u) == 3u",
               "firstLeadingBit(8u) == 3u",
               "reverseBits(1u) == 2147483648u",
               "dot(vec3(1, 2, 3), vec3(1, 1, 1)) == 6",
               "length(vec2(3.0, 4.0)) == 5.0",
               "select(1, 2, true) == 2",
               "all(select(vec2(1), vec2(2), vec2(true, false)) == vec2(2, 1))",
               "bitcast<u32>(1f) == 0x3f800000u",
               "bitcast<f32>(0x3f800000) == 1.0",
               "bitcast<u32>(0xFFFFFFFF) == 4294967295u",
               "bitcast<i32>(4294967295u) == -1",
               "frexp(1.5).fract == 0.75",
               "frexp(1.5).exp == 1",
               "modf(2.5).whole == 2.0",
               "modf(vec2(2.5, -1.5)).fract.y == -0.5",
               "pack4x8unorm(vec4(1, 0, 0, 1)) == 0xFF0000FFu",
               "unpack4xU8(0x04030201u).z == 3u",
               "dot4U8Packed(0x01010101u, 0x02020202u) == 8u",
               "extractBits(0xF0u, 4, 4) == 15u",
               "ldexp(1.0, 3) == 8.0",
               "mix(1.0, 3.0, 0.5) == 2.0",
               "all(mix(vec2(0.0), vec2(2.0), 0.5) == vec2(1.0))",
               "determinant(mat2x2(1, 2, 3, 4)) == -2",
               "quantizeToF16(1.0) == 1.0",
               "fma(2.0, 3.0, 1.0) == 7.0",
               "any(vec2(false, true))",
               "all(true)",
               "all(cross(vec3(1, 0, 0), vec3(0, 1, 0)) == vec3(0.0, 0.0, 1.0))"});
}

TEST(Constants, TheSkippedSideOfAShortCircuitIsNotEvaluated) {
  expect_true({"!(false && 1 / 0 == 1)", "true || 1 / 0 == 1",
               "!(false && (10i < i32(5 * 1000 * 1000 * 1000)))", "true || array(1, 2)[5] == 0",
               "!(false && array<u32, 1 + 2>(0, 1, 2)[0] == 0)", "true || sqrt(-1.0) == 0"});
  EXPECT_EQ(constant_errors("true && 1 / 0 == 1"), "1:9: '1 / 0' divides by zero\n");
}

TEST(Constants, FaultsAreErrorsWithTheirValues) {
  EXPECT_EQ(constant_errors("9223372036854775807 + 1"),
            "1:1: '9223372036854775807 + 1' overflows AbstractInt\n");
  EXPECT_EQ(constant_errors("1u / 0u"), "1:1: '1 / 0' divides by zero\n");
  EXPECT_EQ(constant_errors("vec2(1, 2) % vec2(1, 0)"),
            "1:1: 'vec2(1, 2) % vec2(1, 0)' divides by zero\n");
  EXPECT_EQ(constant_errors("1u << 32u"), "1:1: '1 << 32' shifts by the width of u32 or more\n");
  EXPECT_EQ(constant_errors("1i << 31u"), "1:1: '1 << 31' shifts significant bits out of i32\n");
  EXPECT_EQ(constant_errors("3e38f * 10f"),
            "1:1: '3e+38 * 10' is not a finite number of type f32\n");
  EXPECT_EQ(constant_errors("sqrt(-1.0)"), "1:1: 'sqrt(-1)' is undefined for this argument\n");
  EXPECT_EQ(constant_errors("acos(2.0)"), "1:1: 'acos(2)' is undefined for this argument\n");
  EXPECT_EQ(constant_errors("clamp(1, 3, 2)"),
            "1:1: 'clamp(1, 3, 2)' has arguments in the wrong order or out of range\n");
  EXPECT_EQ(constant_errors("i32(5000000000)"),
            "1:5: the value 5000000000 cannot be represented as i32\n");
  EXPECT_EQ(constant_errors("u32(-1)"), "1:5: the value -1 cannot be represented as u32\n");
  EXPECT_EQ(constant_errors("1u + 4294967296"),
            "1:6: the value 4294967296 cannot be represented as u32\n");
  EXPECT_EQ(constant_errors("array(1, 2, 3)[3]"),
            "1:16: index 3 is outside array<AbstractInt, 3>: the last is 2\n");
  EXPECT_EQ(constant_errors("vec2(1, 2)[-1]"),
            "1:12: index -1 is outside vec2<AbstractInt>: the last is 1\n");
  EXPECT_EQ(constant_errors("bitcast<f32>(0x7F800000)"),
            "1:1: 'bitcast(2139095040)' is not a finite number of type f32\n");
}

TEST(Constants, BuiltinsCheckTheStepsOfTheirFormula) {
  EXPECT_EQ(constant_errors("pow(0f, 0f)"), "1:1: 'pow(0, 0)' is undefined for this argument\n");
  EXPECT_EQ(constant_errors("pow(0f, -1f)"), "1:1: 'pow(0, -1)' is undefined for this argument\n");
  EXPECT_EQ(constant_errors("pow(0f, 1f)"), "");
  EXPECT_NE(constant_errors("normalize(vec2(3.4e38f, 3.4e38f))"), "");
  EXPECT_NE(constant_errors("faceForward(vec2(1f), vec2(3.4e38f), vec2(3.4e38f))"), "");
  EXPECT_EQ(constant_errors("faceForward(vec2(1f), vec2(3.4e38f), vec2(0f))"), "");
  EXPECT_NE(constant_errors("refract(vec2(1f), vec2(0f), 3.4e38f)"), "");
  EXPECT_EQ(constant_errors("refract(vec2(1f), vec2(0f), 3f)"), "");
}

TEST(Constants, LdexpKeepsItsFirstArgumentAbstract) {
  EXPECT_EQ(body_errors("const v = ldexp(1.0, i32(511)); const_assert ldexp(v, -511i) == 1.0;"),
            "");
  EXPECT_EQ(constant_errors("ldexp(1.0, 1025i)"),
            "1:1: 'ldexp(1, 1025)' has arguments in the wrong order or out of range\n");
  EXPECT_NE(constant_errors("ldexp(1f, 200i)"), "");
  EXPECT_EQ(constant_errors("ldexp(1f, 2f)"),
            "1:1: no overload of 'ldexp' takes (f32, f32) [there is ldexp(T, i32 shaped as T) -> "
            "T, T is f32, f16 or a vector of one]\n");
}

TEST(Constants, TheLargestFloatMayBeWrittenShort) {
  EXPECT_EQ(error_text("const a: f32 = 3.4028235e38; const b: f32 = -3.40282347e+38;"), "");
  EXPECT_EQ(error_text("const a: f32 = 3.5e38;"),
            "1:16: the value 3.5e+38 cannot be represented as f32\n");
}

TEST(Constants, OperandsThatAreConstantAreCheckedEvenWhenOthersAreNot) {
  EXPECT_EQ(body_errors("var a = 1; let b = a / 0;"), "1:20: '... / 0' divides by zero\n");
  EXPECT_EQ(body_errors("var a = 1; a %= 0;"), "1:12: '... % 0' divides by zero\n");
  EXPECT_EQ(body_errors("var a = 1u; let b = a << 32;"),
            "1:21: '... << 32' shifts by the width of u32 or more\n");
  EXPECT_EQ(body_errors("var a = 1; let b = clamp(a, 5, 1);"),
            "1:20: 'clamp(..., 5, 1)' has arguments in the wrong order or out of range\n");
  EXPECT_EQ(body_errors("var a = 1u; let b = extractBits(a, 30, 4);"),
            "1:21: 'extractBits(..., 30, 4)' has arguments in the wrong order or out of range\n");
  EXPECT_EQ(body_errors("var a = 1f; let b = ldexp(a, 200);"),
            "1:21: 'ldexp(..., 200)' has arguments in the wrong order or out of range\n");
  EXPECT_EQ(body_errors("var a = array(1, 2); a[2] = 1;"),
            "1:24: index 2 is outside array<i32, 2>: the last is 1\n");
  EXPECT_EQ(body_errors("var a = vec3f(); let b = a[3];"),
            "1:28: index 3 is outside vec3<f32>: the last is 2\n");
}

TEST(Constants, AssertionsNeedAConstantBool) {
  EXPECT_EQ(error_text("const_assert 1 > 2;"), "1:14: this assertion is false\n");
  EXPECT_EQ(error_text("const_assert 1;"),
            "1:14: const_assert takes a constant bool; this is AbstractInt\n");
  EXPECT_EQ(error_text("override n = 1; const_assert n == 1;"),
            "1:30: const_assert takes a constant bool; this is not a constant, bool\n");
}

TEST(Constants, AreLimitedInSize) {
  std::string text = "const a0 = array(1, 1);\n";
  for (int i = 1; i < 24; ++i) {
    text += "const a" + std::to_string(i) + " = array(a" + std::to_string(i - 1) + ", a" +
            std::to_string(i - 1) + ");\n";
  }
  EXPECT_EQ(error_text(text),
            "21:13: a constant of 2097152 numbers is too large; the limit is 1048576\n");
}

TEST(Constants, OnlyConstantsMayBeConst) {
  EXPECT_EQ(body_errors("let a = 1; const b = a;"),
            "1:22: 'b' is const; its value must be a constant expression\n");
  EXPECT_EQ(error_text("override a = 1; const b = a;"),
            "1:27: 'b' is const; its value must be a constant expression\n");
  EXPECT_EQ(body_errors("const a = vec2(1, 2); const b: vec2<f32> = a; const_assert b.y == 2;"),
            "");
}

}  // namespace
}  // namespace vyre
