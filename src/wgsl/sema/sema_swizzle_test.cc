// Swizzles of vectors in memory: loaded, assigned and refused.
#include <gtest/gtest.h>

#include <vector>

#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

// The components of v, which begins as vec4u(1, 2, 3, 4), after `body`.
Words after(std::string_view body, std::string_view module = {}) {
  return run_body("var v = vec4u(1, 2, 3, 4);\n" + std::string(body) +
                      "\nout[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w;",
                  4, module);
}

TEST(Swizzles, AreAssigned) {
  EXPECT_EQ(after("v.xy = vec2(6, 7);"), (Words{6, 7, 3, 4}));
  EXPECT_EQ(after("v.zx = vec2(8, 9);"), (Words{9, 2, 8, 4}));
  EXPECT_EQ(after("v.bgr = vec3(5u);"), (Words{5, 5, 5, 4}));
  EXPECT_EQ(after("v.wzyx = v;"), (Words{4, 3, 2, 1}));
  EXPECT_EQ(after("v.yzwx = v;"), (Words{4, 1, 2, 3}));
  EXPECT_EQ(after("v.xyzw = v.wwxx;"), (Words{4, 4, 1, 1}));
  EXPECT_EQ(after("v.xy = v.yx;"), (Words{2, 1, 3, 4}));
  EXPECT_EQ(after("(v.xw) = v.wx + 10;"), (Words{14, 2, 3, 11}));
}

TEST(Swizzles, OfSwizzlesNameComponentsOfTheVector) {
  EXPECT_EQ(after("v.xy.x = 5;"), (Words{5, 2, 3, 4}));
  EXPECT_EQ(after("v.zyx.yz = vec2(5, 6);"), (Words{6, 5, 3, 4}));
  EXPECT_EQ(after("v.wzyx.wzyx = v.yyzz.xyzw;"), (Words{2, 2, 3, 3}));
  EXPECT_EQ(after("v.zzw.yz = vec2(5, 6);"), (Words{1, 2, 5, 6}));
  EXPECT_EQ(after("v.wz.y++; v.wz.x -= 1;"), (Words{1, 2, 4, 3}));
}

TEST(Swizzles, TakeCompoundAssignments) {
  EXPECT_EQ(after("v.xy *= vec2(6, 7);"), (Words{6, 14, 3, 4}));
  EXPECT_EQ(after("v.wy += 10;"), (Words{1, 12, 3, 14}));
  EXPECT_EQ(after("v.wzyx -= v.wwww - 4;"), (Words{1, 2, 3, 4}));
  EXPECT_EQ(after("v.yz <<= vec2(1, 2);"), (Words{1, 4, 12, 4}));
}

TEST(Swizzles, AreAssignedThroughPointersAndInAllMemory) {
  EXPECT_EQ(after("let p = &v; p.xy = vec2(6, 7); (*p).zw += 1;"), (Words{6, 7, 4, 5}));
  EXPECT_EQ(after("f(&v);", "fn f(p: ptr<function, vec4u>) { p.yw = p.wy; }"), (Words{1, 4, 3, 2}));
  EXPECT_EQ(after("w = v; w.zw = vec2(7); p[1].w = 9; p[1].wx = p[1].xw; v = vec4(w.zx, p[1].wx);",
                  "var<workgroup> w: vec4u; var<private> p: array<vec4u, 2>;"),
            (Words{7, 1, 0, 9}));
  EXPECT_EQ(run_body("out[1] = vec3u(1, 2, 3); out[1].zx = vec2(5, 6);", 8, {}, "vec3u"),
            (Words{0, 0, 0, 0, 6, 2, 5, 0}));
}

// The index is evaluated first and once, then the right side; the components that are not named
// keep what the right side left in them.
TEST(Swizzles, AreEvaluatedInOrder) {
  constexpr std::string_view kModule =
      "var<private> a: array<vec4u, 2>; var<private> calls: u32;\n"
      "fn at() -> u32 { calls += 1; a[0].x = 6; a[0].z = 7; a[0].w = 8; return 0; }\n"
      "fn right() -> vec2u { a[0].x = 2; a[0].z = 3; return vec2(4, 5); }";
  EXPECT_EQ(after("a[0] = vec4(1); a[at()].xy = right(); v = a[0]; v.w += calls;", kModule),
            (Words{4, 5, 3, 9}));
  EXPECT_EQ(after("a[0] = vec4(1); a[at()].xy += right(); v = a[0]; v.w += calls;", kModule),
            (Words{10, 6, 3, 9}));
  EXPECT_EQ(after("a[1] = v; var i = 1; a[i].xy = bump(&i); v = vec4(a[1].xyz, u32(i));",
                  "var<private> a: array<vec4u, 2>;\n"
                  "fn bump(i: ptr<function, i32>) -> vec2u { *i = 0; return vec2(8); }"),
            (Words{8, 8, 3, 0}));
  // The first component that is stored is the index.
  EXPECT_EQ(after("a[a[0].x].xy = vec2(1, 7); v = vec4(a[0].xy, a[1].xy);",
                  "var<private> a: array<vec4u, 2>;"),
            (Words{1, 7, 0, 0}));
}

TEST(Swizzles, StoreEachComponentOrTheWholeVector) {
  EXPECT_EQ(body_text("var v = vec3f(); v.zx = vec2f(1, 2);"),
            "var %v: vec3<f32> = vec3<f32>(0f, 0f, 0f)\n"
            "%v[2u] = 1f\n"
            "%v[0u] = 2f\n");
  EXPECT_EQ(body_text("var v = vec2f(); let u = v; v.yx = u;"),
            "var %v: vec2<f32> = vec2<f32>(0f, 0f)\n"
            "let %u: vec2<f32> = load %v\n"
            "%v = %u.yx\n");
}

// All components are assigned, so that what the variable held before does not matter.
TEST(Swizzles, OfAllComponentsMakeAVariableUniform) {
  const auto errors = [](std::string_view assignment) {
    return error_text(
        "@compute @workgroup_size(4) fn main(@builtin(local_invocation_id) i: vec3u) {\n"
        "var v = i.xy; " +
        std::string(assignment) + " if (v.x > 1) { workgroupBarrier(); } }");
  };
  EXPECT_EQ(errors("v.yx = vec2(1, 2);"), "");
  EXPECT_NE(errors("v.x = 1;"), "");
  EXPECT_NE(errors("v.yx = i.yx;"), "");
}

TEST(Swizzles, AreRefusedWhereTheyCannotBeAssigned) {
  EXPECT_EQ(body_errors("var v: vec4f; v.xx = vec2f();"),
            "1:15: a component is named twice; an assignment can name it once\n");
  EXPECT_EQ(body_errors("var v: vec4f; v.xyx.xz += vec2f();"),
            "1:15: a component is named twice; an assignment can name it once\n");
  EXPECT_EQ(body_errors("var v: vec4f; v.xy = vec3f();"),
            "1:22: the assigned value is vec3<f32>; it must be vec2<f32>\n");
  EXPECT_EQ(body_errors("var v: vec4f; v.xy = 1;"),
            "1:22: the assigned value is AbstractInt; it must be vec2<f32>\n");
  EXPECT_EQ(body_errors("var v: vec3f; v.xyzw = vec4f();"),
            "1:17: 'xyzw' is no component of vec3<f32>: it has 3 components\n");
  EXPECT_EQ(body_errors("var v: vec4f; v.xr = vec2f();"),
            "1:17: 'xr' is no component of vec4<f32>: xyzw and rgba cannot be mixed\n");
  EXPECT_EQ(body_errors("var v: vec4f; v.xy.z = 1;"),
            "1:20: 'z' is no component of vec2<f32>: it has 2 components\n");
  EXPECT_EQ(body_errors("var v: vec4f; let p = &v.xy;"),
            "1:23: '&' needs a variable or a part of one; this is a value of type vec2<f32>\n");
  EXPECT_EQ(body_errors("var v: vec2u; v.xy[0] = 1;"),
            "1:15: this is a value and cannot be assigned; only variables can\n");
  EXPECT_EQ(body_errors("var v: vec2u; v.xy++;"),
            "1:15: '++' takes a variable of type i32 or u32; this is vec2<u32>\n");
  EXPECT_EQ(body_errors("let v = vec4f(); v.xy = vec2f();"),
            "1:18: 'v' is a value and cannot be assigned; only variables can\n");
  EXPECT_EQ(body_errors("vec4f().xyz = vec3f();"),
            "1:1: this is a value and cannot be assigned; only variables can\n");
  EXPECT_EQ(body_errors("v.xy = vec2f();", "@group(0) @binding(0) var<storage> v: vec4f;"),
            "1:1: this storage memory is read-only [declare it var<storage, read_write>]\n");
}

}  // namespace
}  // namespace vyre
