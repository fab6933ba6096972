// Expressions: operators, overloads, constructors, accesses.
#include <gtest/gtest.h>

#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

TEST(Expressions, ScalarsMixWithVectorsBySplat) {
  EXPECT_EQ(body_text("var v = vec3f(1, 2, 3); v = v * 2; v = 1 - v; let s = v.x; v += s;"),
            "var %v: vec3<f32> = vec3<f32>(1f, 2f, 3f)\n"
            "%v = (load %v * vec3<f32>(2f, 2f, 2f))\n"
            "%v = (vec3<f32>(1f, 1f, 1f) - load %v)\n"
            "let %s: f32 = load %v[0u]\n"
            "%v = (load %v + splat<vec3<f32>>(%s))\n");
}

TEST(Expressions, MatricesMultiply) {
  EXPECT_EQ(body_text("var m = mat2x3f(); var v = vec2f(); var w = vec3f();\n"
                      "let a = m * v; let b = w * m; let c = m * 2; let d = transpose(m) * m;"),
            "var %m: mat2x3<f32> = mat2x3<f32>()\n"
            "var %v: vec2<f32> = vec2<f32>(0f, 0f)\n"
            "var %w: vec3<f32> = vec3<f32>(0f, 0f, 0f)\n"
            "let %a: vec3<f32> = (load %m * load %v)\n"
            "let %b: vec2<f32> = (load %w * load %m)\n"
            "let %c: mat2x3<f32> = (load %m * 2f)\n"
            "let %d: mat2x2<f32> = (transpose(load %m) * load %m)\n");
}

TEST(Expressions, ShiftsTakeU32OfTheSameShape) {
  EXPECT_EQ(body_text("var a = vec2i(1, 2); a = a << vec2(3, 4); a >>= vec2<u32>(1);"),
            "var %a: vec2<i32> = vec2<i32>(1i, 2i)\n"
            "%a = (load %a << vec2<u32>(3u, 4u))\n"
            "%a = (load %a >> vec2<u32>(1u, 1u))\n");
  EXPECT_EQ(body_errors("var a = 1; let b = a << 1i;"),
            "1:20: no operator '<<' takes (i32, i32) [the right side of a shift is u32, or a "
            "vector of u32 of the same size]\n");
}

TEST(Expressions, OperandsOfDifferentKindsDoNotMix) {
  EXPECT_EQ(body_errors("var a = 1; var b = 1.0; let c = a + b;"),
            "1:33: no operator '+' takes (i32, f32) [convert one side, for example with "
            "i32(...)]\n");
  EXPECT_EQ(body_errors("let c = vec2(1, 2) + vec3(1, 2, 3);"),
            "1:9: no operator '+' takes (vec2<AbstractInt>, vec3<AbstractInt>)\n");
  EXPECT_EQ(body_errors("let c = true + true;"), "1:9: no operator '+' takes (bool, bool)\n");
  EXPECT_EQ(body_errors("let c = 1.0 & 2;"),
            "1:9: no operator '&' takes (AbstractFloat, AbstractInt)\n");
  EXPECT_EQ(body_errors("let c = -1u;"), "1:9: no operator '-' takes u32\n");
  EXPECT_EQ(body_errors("let c = !1;"), "1:9: no operator '!' takes AbstractInt\n");
  EXPECT_EQ(body_errors("let c = 1 && true;"),
            "1:9: '&&' takes two values of type bool; this is AbstractInt\n");
}

TEST(Expressions, LetsAndVarsAreConcrete) {
  EXPECT_EQ(body_text("let a = 1; let b = 1.5; var c = vec2(1, 2); var d = array(1, 2.5);"),
            "let %a: i32 = 1i\n"
            "let %b: f32 = 1.5f\n"
            "var %c: vec2<i32> = vec2<i32>(1i, 2i)\n"
            "var %d: array<f32, 2> = array<f32, 2>(1f, 2.5f)\n");
}

TEST(Expressions, AbstractCompositesBecomeConcreteUnderARunTimeIndex) {
  EXPECT_EQ(body_text("var i = 0; let a = array(1, 2, 3)[i]; let b = vec2(1.5, 2)[i];"),
            "var %i: i32 = 0i\n"
            "let %a: i32 = array<i32, 3>(1i, 2i, 3i)[load %i]\n"
            "let %b: f32 = vec2<f32>(1.5f, 2f)[load %i]\n");
}

TEST(Expressions, ConstructorsConvertComponentsOnlyWhereWgslDoes) {
  EXPECT_EQ(body_text("var v = vec2<i32>(1, 2); let a = vec2<f32>(v); let b = vec3(v, 3); let c = "
                      "f32(v.x); let d = vec4<u32>(vec2<u32>(v), vec2(5));"),
            "var %v: vec2<i32> = vec2<i32>(1i, 2i)\n"
            "let %a: vec2<f32> = convert<vec2<f32>>(load %v)\n"
            "let %b: vec3<i32> = vec3<i32>(load %v, 3i)\n"
            "let %c: f32 = convert<f32>(load %v[0u])\n"
            "let %d: vec4<u32> = vec4<u32>(convert<vec2<u32>>(load %v), vec2<u32>(5u, 5u))\n");
  EXPECT_EQ(body_errors("let a = vec2<f32>(1i, 2i);"),
            "1:19: a component of vec2<f32> is i32; it must be f32\n");
  EXPECT_EQ(body_errors("let a = vec3f(1, 2);"),
            "1:9: vec3<f32> cannot be made of (AbstractInt, AbstractInt)\n");
  EXPECT_EQ(body_errors("let a = vec3(1u, 2i, 3);"),
            "1:9: vec3 cannot be made of (u32, i32, AbstractInt)\n");
  EXPECT_EQ(body_errors("let a = array<i32, 2>(1, 2, 3);"),
            "1:9: array<i32, 2> has 2 elements; 3 given\n");
  EXPECT_EQ(body_errors("let a = array(1, 2u, 3i);"),
            "1:22: the elements of an array have one type; this is i32, those before are u32\n");
  EXPECT_EQ(body_errors("let a = S(1);", "struct S { a: i32, b: i32 }"),
            "1:9: S has 2 members; 1 given\n");
  EXPECT_EQ(body_errors("let a = S(1, 2.5);", "struct S { a: i32, b: i32 }"),
            "1:14: member 'b' of S is AbstractFloat; it must be i32\n");
  EXPECT_EQ(body_errors("let a = array<u32>();"),
            "1:9: a value of type array<u32> cannot be made\n");
}

TEST(Expressions, MembersAndSwizzles) {
  EXPECT_EQ(body_text("var v = vec4f(); let a = v.wzyx; let b = v.r; let c = a.xx; v.y = c.x;"),
            "var %v: vec4<f32> = vec4<f32>(0f, 0f, 0f, 0f)\n"
            "let %a: vec4<f32> = (load %v).wzyx\n"
            "let %b: f32 = load %v[0u]\n"
            "let %c: vec2<f32> = %a.xx\n"
            "%v[1u] = %c.x\n");
  EXPECT_EQ(body_errors("let a = vec2(1, 2).xyzw;"),
            "1:20: 'xyzw' is no component of vec2<AbstractInt>: it has 2 components\n");
  EXPECT_EQ(body_errors("let a = vec2(1, 2).xg;"),
            "1:20: 'xg' is no component of vec2<AbstractInt>: xyzw and rgba cannot be mixed\n");
  EXPECT_EQ(body_errors("var s: S; s.positon = 1;", "struct S { position: i32 }"),
            "1:13: S has no member 'positon'; did you mean 'position'?\n");
  EXPECT_EQ(body_errors("let a = 1i.x;"), "1:12: i32 has no members\n");
  EXPECT_EQ(body_errors("let a = 1; let b = a[0];"), "1:20: i32 cannot be indexed\n");
  EXPECT_EQ(body_errors("let a = vec2(1, 2)[1.5];"),
            "1:20: an index is i32 or u32; this is AbstractFloat\n");
}

TEST(Expressions, BuiltinsAreChosenByTheirArguments) {
  EXPECT_EQ(body_text("var f = 1.5f; var u = 2u; let a = max(f, 2); let b = max(u, 2); let c = "
                      "mix(vec2(f), vec2(2), 0.5); let d = select(f, 2, u > 1); let e = "
                      "frexp(vec2(f)).exp;"),
            "var %f: f32 = 1.5f\n"
            "var %u: u32 = 2u\n"
            "let %a: f32 = max(load %f, 2f)\n"
            "let %b: u32 = max(load %u, 2u)\n"
            "let %c: vec2<f32> = mix(splat<vec2<f32>>(load %f), vec2<f32>(2f, 2f), "
            "vec2<f32>(0.5f, 0.5f))\n"
            "let %d: f32 = select(load %f, 2f, (load %u > 1u))\n"
            "let %e: vec2<i32> = frexp(splat<vec2<f32>>(load %f)).exp\n");
  EXPECT_EQ(body_errors("let a = max(1i, 2f);"),
            "1:9: no overload of 'max' takes (i32, f32) [there is max(T, T) -> T, T is i32, u32, "
            "f32, f16 or a vector of one]\n");
  EXPECT_EQ(body_errors("let a = dot(1, 2);"),
            "1:9: no overload of 'dot' takes (AbstractInt, AbstractInt) [there is dot(vecN<S>, "
            "vecN<S>) -> S, S is i32, u32, f32, f16]\n");
  EXPECT_EQ(body_errors("let a = sqrt();"),
            "1:9: no overload of 'sqrt' takes () [there is sqrt(T) -> T, T is f32, f16 or a "
            "vector of one]\n");
  EXPECT_EQ(body_errors("let a = countOneBits(1.5);"),
            "1:9: no overload of 'countOneBits' takes (AbstractFloat) [there is countOneBits(T) -> "
            "T, T is i32, u32 or a vector of one]\n");
}

TEST(Expressions, AnErrorSilencesWhatDependsOnIt) {
  EXPECT_EQ(body_errors("let a = foo + 1; let b = a * 2; var c = max(b, a); c = vec2(c, b).x;"),
            "1:9: unknown name 'foo'\n");
  EXPECT_EQ(error_text("const a = 1 / 0; const b = a + 1; var<private> c: array<i32, b>;"),
            "1:11: '1 / 0' divides by zero\n");
  EXPECT_EQ(error_text("fn f(a: Nothing) -> i32 { return a; } fn g() { let x = f(1) + 1; }"),
            "1:9: unknown name 'Nothing'\n");
}

TEST(Expressions, UnknownNamesAreReportedWithANeighbour) {
  EXPECT_EQ(body_errors("var count = 1; count = coutn;"),
            "1:24: unknown name 'coutn'; did you mean 'count'?\n");
  EXPECT_EQ(body_errors("let a = sqroot(2.0);"),
            "1:9: unknown name 'sqroot'; did you mean 'sqrt'?\n");
  EXPECT_EQ(body_errors("let a: f33 = 1;"), "1:8: unknown name 'f33'; did you mean 'f32'?\n");
  EXPECT_EQ(body_errors("let a = zzzzzzzzz;"), "1:9: unknown name 'zzzzzzzzz'\n");
}

TEST(Expressions, NamesOfTheWrongKindAreRefused) {
  EXPECT_EQ(body_errors("let a = f32;"), "1:9: 'f32' is a type; a value is needed here\n");
  EXPECT_EQ(body_errors("let a = max;"),
            "1:9: 'max' is a builtin function; a value is needed here\n");
  EXPECT_EQ(body_errors("let a = S;", "struct S { a: i32 }"),
            "1:9: 'S' is a type; a value is needed here\n");
  EXPECT_EQ(body_errors("let a = f;", "fn f() {}"),
            "1:9: 'f' is a function; a value is needed here\n");
  EXPECT_EQ(body_errors("let a: x = 1;", "const x = 1;"), "1:8: 'x' is a constant, not a type\n");
  EXPECT_EQ(body_errors("let x = 1; let y = x();"), "1:20: 'x' is a value, not a function\n");
  EXPECT_EQ(body_errors("let a = f() + 1;", "fn f() {}"),
            "1:9: this function returns nothing; a value is needed here\n");
}

TEST(Expressions, WhatIsNotComputeIsRefusedByName) {
  EXPECT_EQ(body_errors("let a = dpdx(1.0);"),
            "1:9: 'dpdx' exists in fragment shaders only; the compute shader 'main' uses it\n");
  EXPECT_EQ(body_errors("let a = textureLoad(1);"),
            "1:9: no overload of 'textureLoad' takes (AbstractInt)\n");
}

TEST(Expressions, UserNamesShadowBuiltins) {
  EXPECT_EQ(run_body_i32("let max = 3; out[0] = max; out[1] = min(4); out[2] = i32(f32(2));", 3,
                         "fn min(a: i32) -> i32 { return a * 2; } alias f32 = i32;"),
            (std::vector<std::int32_t>{3, 8, 2}));
}

TEST(Expressions, F16NeedsTheExtension) {
  EXPECT_EQ(body_errors("let a = 1h;"),
            "1:9: f16 needs the extension 'f16' [write 'enable f16;' at the top]\n");
  EXPECT_EQ(body_errors("var a: vec2<f16>;"),
            "1:13: f16 needs the extension 'f16' [write 'enable f16;' at the top]\n");
  EXPECT_EQ(error_text("enable f16; const a = 1h; const b: vec2h = vec2(1, 2.5); const c = a + b;"),
            "");
}

}  // namespace
}  // namespace vyre
