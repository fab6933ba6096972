// Override expressions: what is an error only once overrides have values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "vyre/ir/kernel.h"
#include "vyre/wgsl/module.h"
#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

// What making a kernel of `main` with this body says; empty when it is made. The overrides are
// y, z and w, by default 3, 0 and 200, and `big`, 1e30.
std::string kernel_error(std::string_view body, std::vector<OverrideValue> values = {}) {
  const ParsedModule parsed =
      parse_wgsl(fmt::format("override y = 3i; override z = 0i; override w = 200i;\n"
                             "override big = 1e30f; override n = 30u;\n"
                             "@group(0) @binding(0) var<storage, read_write> o: array<i32>;\n"
                             "@group(0) @binding(1) var<storage, read_write> f: array<f32>;\n"
                             "struct S {{ x: f32, y: f32 }}\n"
                             "@compute @workgroup_size(1) fn main() {{\n{}\n}}\n",
                             body));
  if (!parsed.module) return parsed.message();
  const Result<Kernel> kernel = make_kernel(parsed.module->programs[0], values);
  return kernel ? "" : kernel.error().what;
}

TEST(Overrides, AreEvaluatedInPhonyAssignments) {
  EXPECT_EQ(kernel_error("_ = 1 / z;"), "7:5: '/' of i32: division by zero");
  EXPECT_EQ(kernel_error("_ = 1 / z;", {{"z", 2}}), "");
  EXPECT_EQ(kernel_error("_ = o[0] / z;"), "7:5: '/' of i32: division by zero");
  EXPECT_EQ(kernel_error("_ = big * big;"),
            "7:5: '*' of f32: the result is infinite or not a number");
  EXPECT_EQ(kernel_error("var a = array(1, 2); _ = a[y];"),
            "7:26: index 3 is outside of array<i32, 2>");
  EXPECT_EQ(kernel_error("var a = array(1, 2); _ = &a[y];"),
            "7:26: index 3 is outside of array<i32, 2>");
  EXPECT_EQ(kernel_error("var a = array(1, 2); let p = &a[y];"),
            "7:30: index 3 is outside of array<i32, 2>");
  EXPECT_EQ(kernel_error("_ = false && (1 / z == 1);"), "");
}

TEST(Overrides, ArgumentRulesHoldBesideRunTimeValues) {
  const auto rule = [](std::string_view fn, std::string_view type, int column) {
    return fmt::format("7:{}: '{}' of {}: the bounds are out of order or out of range", column, fn,
                       type);
  };
  EXPECT_EQ(kernel_error("let a = clamp(o[1], y, z);"), rule("clamp", "i32", 9));
  EXPECT_EQ(kernel_error("let a = clamp(o[1], z, y);"), "");
  EXPECT_EQ(kernel_error("let a = clamp(o[1], 4, y);"), rule("clamp", "i32", 9));
  EXPECT_EQ(kernel_error("let a = clamp(o[1], o[2], z);"), "");
  EXPECT_EQ(kernel_error("_ = smoothstep(f32(z), f32(z), f[1]);"), rule("smoothstep", "f32", 5));
  EXPECT_EQ(kernel_error("_ = ldexp(f[1], w);"), rule("ldexp", "f32", 5));
  EXPECT_EQ(kernel_error("_ = ldexp(f[1], w);", {{"w", 128}}), "");
  EXPECT_EQ(kernel_error("_ = ldexp(vec2(f[1]), vec2(0, w));"), rule("ldexp", "vec2<f32>", 5));
  EXPECT_EQ(kernel_error("_ = extractBits(o[1], 5, n);"), rule("extractBits", "i32", 5));
  EXPECT_EQ(kernel_error("_ = insertBits(o[1], o[2], 5, n);"), rule("insertBits", "i32", 5));
  EXPECT_EQ(kernel_error("_ = insertBits(o[1], o[2], 2, n);"), "");
}

TEST(Overrides, AStructWithARunTimeValueIsNotEvaluatedEarly) {
  EXPECT_EQ(kernel_error("let l = f32(1e30); let t = S(big, big).x * S(big, l).x;"), "");
  EXPECT_EQ(kernel_error("let t = S(big, big).x * S(big, 1).x;"),
            "7:9: '*' of f32: the result is infinite or not a number");
}

TEST(Overrides, ConstantIndicesAreCheckedOnceTheArrayHasItsSize) {
  const auto error = [](std::string_view body, double size) {
    const ParsedModule parsed =
        parse_wgsl(fmt::format("override z = 2u;\n"
                               "var<workgroup> a: array<u32, z>;\n"
                               "var<workgroup> m: array<array<u32, 4>, z + 1>;\n"
                               "@compute @workgroup_size(1) fn main() {{\n{}\n}}\n",
                               body));
    if (!parsed.module) return parsed.message();
    const OverrideValue values[] = {{"z", size}};
    const Result<Kernel> kernel = parsed.module->programs[0].overrides.empty()
                                      ? make_kernel(parsed.module->programs[0])
                                      : make_kernel(parsed.module->programs[0], values);
    return kernel ? "" : kernel.error().what;
  };
  EXPECT_EQ(error("a[5] = 3;", 5), "5:1: index 5 is outside of array<u32, 5>");
  EXPECT_EQ(error("a[5] = 3;", 6), "");
  EXPECT_EQ(error("let x = a[5];", 2), "5:9: index 5 is outside of array<u32, 2>");
  EXPECT_EQ(error("let p = &a[5];", 2), "5:9: index 5 is outside of array<u32, 2>");
  EXPECT_EQ(error("m[3][1] = 3;", 2), "5:1: index 3 is outside of array<array<u32, 4>, 3>");
  EXPECT_EQ(error("m[2][3] = 3;", 2), "");
  EXPECT_EQ(error("let i = 5; a[i] = 3;", 2), "");
}

}  // namespace
}  // namespace vyre
