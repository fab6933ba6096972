// What a module uses, collected while it is checked.
#include "vyre/wgsl/features.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vyre/wgsl/module.h"
#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

using Names = std::vector<std::string>;

ModuleFeatures features_of(std::string text) {
  const ParsedModule parsed = parse_wgsl(std::move(text));
  EXPECT_TRUE(parsed.module) << parsed.message();
  const auto features = wgsl_features(*parsed.source);
  EXPECT_EQ(features.has_value(), parsed.module.has_value());
  return features.value_or(ModuleFeatures{});
}

std::string builtins_of(const EntryFeatures& entry) {
  std::string out;
  for (const BuiltinGroup& group : entry.builtins) {
    out += group.name + ":";
    for (const std::string& name : group.functions) out += " " + name;
    out += "\n";
  }
  return out;
}

TEST(Features, SubgroupUniformityIsUsedWhereTheWorkgroupMayDiverge) {
  const auto used = [](std::string_view body) {
    return features_of(
               "enable subgroups;\n"
               "@compute @workgroup_size(64) fn main(@builtin(subgroup_id) s: u32,\n"
               "    @builtin(workgroup_id) w: vec3u) {\n" +
               std::string(body) + "\n}")
        .language_features;
  };
  EXPECT_EQ(used("if (s == 0) { _ = subgroupAdd(1u); }"),
            (Names{"subgroup_id", "subgroup_uniformity"}));
  EXPECT_EQ(used("if (w.x == 0) { _ = subgroupAdd(1u); }"), (Names{"subgroup_id"}));
  EXPECT_EQ(used("@diagnostic(off, subgroup_uniformity) if (s == 0) { _ = subgroupAdd(1u); }"),
            (Names{"subgroup_id"}));
}

TEST(Features, BelongToTheEntryPointsThatReachThem) {
  const ModuleFeatures features = features_of(
      "enable f16, subgroups;\n"
      "requires linear_indexing;\n"
      "@group(1) @binding(2) var<storage, read_write> out: array<f32>;\n"
      "@group(0) @binding(3) var<uniform> scale: f32;\n"
      "@group(0) @binding(1) var image: texture_2d<f32>;\n"
      "var<workgroup> part: array<vec3f, 4>;\n"
      "struct Pair { a: f16, b: f16 }\n"
      "fn total(x: f32) -> f32 { return subgroupAdd(abs(x)) * quadSwapX(scale); }\n"
      "@compute @workgroup_size(4) fn sums(@builtin(local_invocation_index) i: u32) {\n"
      "  part[i] = vec3f(out[i]); workgroupBarrier(); out[i] = total(part[3 - i].x);\n"
      "}\n"
      "@compute @workgroup_size(1) fn halves(@builtin(global_invocation_index) i: u32) {\n"
      "  var p = Pair(1h, 2h); out[i] = f32(p.a) + unpack2x16unorm(pack4xU8(vec4u(i))).x;\n"
      "}\n"
      "@fragment fn shade() -> @location(0) vec4f {\n"
      "  return textureLoad(image, vec2u(), 0) + dpdx(1f);\n"
      "}\n"
      "@compute @workgroup_size(1) fn nothing() {}\n");
  EXPECT_EQ(features.enabled, (Names{"f16", "subgroups"}));
  EXPECT_EQ(features.required, (Names{"linear_indexing"}));
  EXPECT_EQ(features.extensions, (Names{"f16", "subgroups"}));
  EXPECT_EQ(features.language_features,
            (Names{"linear_indexing", "packed_4x8_integer_dot_product"}));
  ASSERT_EQ(features.entries.size(), 4U);
  const EntryFeatures& sums = features.entries[0];
  EXPECT_EQ(sums.name, "sums");
  EXPECT_EQ(sums.stage, "compute");
  EXPECT_EQ(sums.extensions, (Names{"subgroups"}));
  EXPECT_EQ(builtins_of(sums),
            "numeric: abs\nquad: quadSwapX\nsubgroup: subgroupAdd\n"
            "synchronization: workgroupBarrier\n");
  EXPECT_EQ(sums.workgroup_bytes, 64U);
  ASSERT_EQ(sums.bindings.size(), 2U);
  EXPECT_EQ(sums.bindings[0].name, "scale");
  EXPECT_EQ(sums.bindings[0].space, "uniform");
  EXPECT_EQ(sums.bindings[1].space, "storage, read_write");
  EXPECT_EQ(sums.bindings[1].type, "array<f32>");
  const EntryFeatures& halves = features.entries[1];
  EXPECT_EQ(halves.extensions, (Names{"f16"}));
  EXPECT_EQ(builtins_of(halves), "data packing: pack4xU8\ndata unpacking: unpack2x16unorm\n");
  const EntryFeatures& shade = features.entries[2];
  EXPECT_EQ(shade.stage, "fragment");
  EXPECT_EQ(builtins_of(shade), "derivative: dpdx\ntexture: textureLoad\n");
  ASSERT_EQ(shade.bindings.size(), 1U);
  EXPECT_EQ(shade.bindings[0].space, "handle");
  EXPECT_EQ(shade.bindings[0].type, "texture_2d<f32>");
  EXPECT_TRUE(features.entries[3].bindings.empty());
  EXPECT_TRUE(features.entries[3].builtins.empty());
}

TEST(Features, LanguageFeaturesAreFoundWhereTheyAreUsed) {
  const auto used = [](const std::string& text) { return features_of(text).language_features; };
  EXPECT_EQ(used("fn f(p: ptr<function, vec2f>) -> f32 { return (*p).x; }"), Names{});
  EXPECT_EQ(used("fn f(p: ptr<function, vec2f>) -> f32 { return p.x; }"),
            Names{"pointer_composite_access"});
  EXPECT_EQ(used("fn f(p: ptr<workgroup, f32>) {}"), Names{"unrestricted_pointer_parameters"});
  EXPECT_EQ(used("fn f(p: ptr<function, f32>) {} fn g() { var a: f32; f(&a); }"), Names{});
  EXPECT_EQ(used("fn f(p: ptr<function, f32>) {} fn g() { var a: array<f32, 2>; f(&a[1]); }"),
            Names{"unrestricted_pointer_parameters"});
  EXPECT_EQ(used("@group(0) @binding(0) var<uniform> a: array<vec4f, 2>;"), Names{});
  EXPECT_EQ(used("@group(0) @binding(0) var<uniform> a: array<vec2f, 2>;"),
            Names{"uniform_buffer_standard_layout"});
  EXPECT_EQ(used("struct A { x: f32 } struct B { a: f32, b: A }\n"
                 "@group(0) @binding(0) var<uniform> a: B;"),
            Names{"uniform_buffer_standard_layout"});
  EXPECT_EQ(used("struct A { x: f32 } struct B { @align(16) a: A, @align(16) b: f32 }\n"
                 "@group(0) @binding(0) var<uniform> a: B;"),
            Names{});
  EXPECT_EQ(used("@group(0) @binding(0) var t: texture_storage_2d<r8unorm, read>;"),
            (Names{"readonly_and_readwrite_storage_textures", "texture_formats_tier1"}));
  EXPECT_EQ(used("@group(0) @binding(0) var t: texture_storage_2d<r32float, write>;\n"
                 "fn f() { let u = t; }"),
            Names{"texture_and_sampler_let"});
  EXPECT_EQ(used("@fragment fn f() -> @builtin(frag_depth, less) f32 { return 0; }"),
            Names{"fragment_depth"});
  EXPECT_EQ(used("var<immediate> a: f32;"), Names{"immediate_address_space"});
  EXPECT_EQ(used("fn f() { var v: vec2f; v.y = 1; _ = v.yx; _ = v.yx.y; }"), Names{});
  EXPECT_EQ(used("fn f() { var v: vec2f; v.yx = vec2f(1); }"), Names{"swizzle_assignment"});
  EXPECT_EQ(used("fn f() { var v: vec2f; v.yx *= 2; }"), Names{"swizzle_assignment"});
  EXPECT_EQ(used("fn f() { var v: vec2f; v.yx.x = 1; }"), Names{"swizzle_assignment"});
}

TEST(Immediates, AreCheckedAndNotRun) {
  constexpr std::string_view kMain = "@compute @workgroup_size(1) fn main() { _ = a; }";
  const auto with = [&](std::string_view declarations) {
    return error_text(std::string(declarations) + std::string(kMain));
  };
  const ParsedModule parsed = parse_wgsl(
      "struct S { x: mat2x2f, y: vec3u } var<immediate> a: S; var<immediate> b: u32;\n"
      "fn y(p: ptr<immediate, vec3u>) -> u32 { return p.y; }\n"
      "@compute @workgroup_size(1) fn one() { _ = y(&a.y); }\n"
      "@compute @workgroup_size(1) fn two() { _ = b; }\n"
      "@compute @workgroup_size(1) fn none() {}\n");
  ASSERT_TRUE(parsed.module) << parsed.message();
  EXPECT_EQ(parsed.module->why_not_run("one"),
            "'one' uses the immediate variable 'a', which vyre checks and does not run "
            "(docs/wgsl.md)");
  EXPECT_EQ(parsed.module->programs.size(), 1U);
  EXPECT_EQ(with("var<immediate> a: array<u32, 4>;"),
            "1:16: 'a' cannot be an immediate variable of type array<u32, 4>: it is made of "
            "numbers, vectors, matrices and structs without arrays\n");
  EXPECT_EQ(with("var<immediate, read> a: u32;"),
            "1:16: only storage variables take an access mode, and only one\n");
  EXPECT_EQ(with("@group(0) var<immediate> a: u32;"),
            "1:1: @group stands on storage and uniform variables only\n");
  EXPECT_EQ(with("alias P = ptr<immediate, array<f32, 2>>; const a = 1;\n"),
            "1:26: array<f32, 2> cannot live in immediate memory\n");
  EXPECT_EQ(error_text("var<immediate> a: u32; var<immediate> b: u32; fn f() -> u32 { return b; }\n"
                       "@compute @workgroup_size(1) fn main() { _ = a + f(); }"),
            "1:39: the entry point 'main' uses the immediate variables 'a' and 'b'; it can use "
            "one\n");
  EXPECT_EQ(error_text("var<immediate> a: u32; fn f() { a = 1; }"),
            "1:33: this immediate memory is read-only\n");
}

TEST(SubgroupSize, IsThatOfTheDevices) {
  constexpr std::string_view kEnable = "enable subgroup_size_control;\n";
  const auto errors = [&](std::string_view text) {
    return error_text(std::string(kEnable) + std::string(text));
  };
  EXPECT_EQ(errors("@compute @workgroup_size(32) @subgroup_size(32) fn main() {\n"
                   "  _ = subgroupAdd(1);\n}"),
            "");
  EXPECT_EQ(error_text("@compute @workgroup_size(32) @subgroup_size(32) fn main() {}"),
            "1:30: @subgroup_size needs the extension 'subgroup_size_control' [write 'enable "
            "subgroup_size_control;' at the top]\n");
  EXPECT_EQ(errors("@compute @workgroup_size(32) @subgroup_size(24) fn main() {}"),
            "2:45: @subgroup_size is 24; it must be a power of two\n");
  EXPECT_EQ(errors("@compute @workgroup_size(32) @subgroup_size(4.0) fn main() {}"),
            "2:45: @subgroup_size takes a constant or override expression, i32 or u32\n");
  EXPECT_EQ(errors("@subgroup_size(4) fn main() {}"),
            "2:1: @subgroup_size stands on compute entry points only; 'main' is none [write "
            "@compute in front]\n");
  const auto made = [&](std::string_view text, std::vector<OverrideValue> values) {
    const auto kernel = parse_wgsl(std::string(kEnable) + std::string(text)).kernel("main", values);
    return kernel ? std::string() : describe(kernel.error());
  };
  constexpr std::string_view kSized =
      "override W = 64u; override S: u32;\n"
      "@compute @workgroup_size(W) @subgroup_size(S) fn main() {}";
  EXPECT_EQ(made(kSized, {{"S", 32}}), "");
  EXPECT_EQ(made(kSized, {{"S", 48}}), "3:44: the subgroup size is 48; it must be a power of two");
  EXPECT_EQ(made(kSized, {{"S", 16}}),
            "3:44: the subgroup size is 16; all devices have subgroups of 32");
  EXPECT_EQ(made(kSized, {{"S", 32}, {"W", 40}}),
            "3:44: the workgroup has 40 invocations along x, which is no multiple of the subgroup "
            "size 32");
  EXPECT_EQ(made("@compute @workgroup_size(8) @subgroup_size(8) fn main() {}", {}),
            "2:44: the subgroup size is 8; all devices have subgroups of 32");
}

}  // namespace
}  // namespace vyre
