// Whole modules: other stages, textures, samplers and derivatives are checked like the rest, and
// only what a kernel cannot run is refused when one is made.
#include <gtest/gtest.h>

#include <string>

#include "vyre/wgsl/module.h"
#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

constexpr std::string_view kResources =
    "@group(0) @binding(0) var image: texture_2d<f32>;\n"
    "@group(0) @binding(1) var layers: texture_2d_array<u32>;\n"
    "@group(0) @binding(2) var shadow: texture_depth_cube;\n"
    "@group(0) @binding(3) var smooth_one: sampler;\n"
    "@group(0) @binding(4) var compares: sampler_comparison;\n"
    "@group(0) @binding(5) var target_one: texture_storage_3d<rgba16sint, write>;\n"
    "@group(0) @binding(6) var both: texture_storage_2d<r32float, read_write>;\n"
    "@group(0) @binding(7) var samples: texture_multisampled_2d<i32>;\n"
    "@group(0) @binding(8) var line: texture_1d<f32>;\n"
    "@group(0) @binding(9) var outside: texture_external;\n";

// The errors of a fragment shader with this body.
std::string fragment_errors(std::string_view body) {
  return error_text(std::string(kResources) + "@fragment fn shade() {\n" + std::string(body) +
                    "\n}\n");
}

TEST(WholeModules, ComputeEntryPointsRunBesideOtherStages) {
  constexpr std::string_view kModule =
      "struct Vertex { @builtin(position) at: vec4f, @location(0) uv: vec2f,\n"
      "                @location(1) @interpolate(flat) id: u32 }\n"
      "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
      "@group(0) @binding(1) var image: texture_2d<f32>;\n"
      "@group(0) @binding(2) var s: sampler;\n"
      "@vertex fn place(@builtin(vertex_index) i: u32, @location(0) uv: vec2f) -> Vertex {\n"
      "  return Vertex(vec4f(uv, 0, 1), uv, i);\n"
      "}\n"
      "@fragment fn shade(v: Vertex) -> @location(0) vec4f {\n"
      "  if (v.uv.x < 0) { discard; }\n"
      "  return textureSampleLevel(image, s, v.uv, 0);\n"
      "}\n"
      "@compute @workgroup_size(1) fn main() { out[0] = 7; }\n"
      "fn texel(t: texture_2d<f32>) -> vec4f { let same = t; return textureLoad(same, vec2(0), 0); "
      "}\n"
      "@compute @workgroup_size(1) fn blur() { out[0] = u32(texel(image).x); }\n";
  EXPECT_EQ(run_module(kModule, 1), (std::vector<std::uint32_t>{7}));
  const ParsedModule parsed = parse_wgsl(std::string(kModule));
  ASSERT_TRUE(parsed.module) << parsed.message();
  ASSERT_EQ(parsed.module->programs.size(), 1U);
  EXPECT_EQ(parsed.module->programs[0].globals.size(), 1U);
  EXPECT_EQ(parsed.module->why_not_run("place"),
            "'place' is a vertex shader, which vyre checks and does not run (docs/wgsl.md)");
  EXPECT_EQ(parsed.module->why_not_run("blur"),
            "'blur' uses the texture_2d<f32> 'image', which vyre checks and does not run "
            "(docs/wgsl.md)");
  EXPECT_EQ(parsed.module->why_not_run("main"), "");
}

TEST(WholeModules, TextureBuiltinsHaveTheirOverloads) {
  EXPECT_EQ(fragment_errors(
                "let a: vec4f = textureSample(image, smooth_one, vec2f(), vec2(-8, 7));\n"
                "let b: vec4u = textureLoad(layers, vec2u(), 1u, 0i);\n"
                "let c: f32 = textureSampleCompare(shadow, compares, vec3f(), 0.5);\n"
                "let d: vec4u = textureGather(3, layers, smooth_one, vec2f(), 0);\n"
                "let e: vec4f = textureGather(shadow, smooth_one, vec3f());\n"
                "textureStore(target_one, vec3(0), vec4i());\n"
                "let f: vec4f = textureLoad(both, vec2(0));\n"
                "let g: vec2u = textureDimensions(image, 1);\n"
                "let h: u32 = textureDimensions(line);\n"
                "let i: vec3u = textureDimensions(target_one);\n"
                "let j: vec4i = textureLoad(samples, vec2(0), 3);\n"
                "let k: u32 = textureNumLayers(layers) + textureNumLevels(image) +\n"
                "             textureNumSamples(samples);\n"
                "let l: f32 = textureSampleLevel(shadow, smooth_one, vec3f(), 1);\n"
                "let m: vec4f = textureSampleBaseClampToEdge(outside, smooth_one, vec2f());\n"
                "let n: vec4f = textureSampleGrad(image, smooth_one, vec2f(), vec2f(), vec2f());\n"
                "let o: vec4f = textureSampleBias(image, smooth_one, vec2f(), 1);\n"
                "let p: vec2f = dpdx(vec2f()) + fwidthCoarse(vec2f());"),
            "");
  EXPECT_EQ(fragment_errors("_ = textureSample(layers, smooth_one, vec2f(), 0);"),
            "12:5: no overload of 'textureSample' takes (texture_2d_array<u32>, sampler, "
            "vec2<f32>, AbstractInt)\n");
  EXPECT_EQ(fragment_errors("_ = textureSample(image, compares, vec2f());"),
            "12:5: no overload of 'textureSample' takes (texture_2d<f32>, sampler_comparison, "
            "vec2<f32>)\n");
  EXPECT_EQ(fragment_errors("_ = textureSample(line, smooth_one, 0.5, 1);"),
            "12:5: no overload of 'textureSample' takes (texture_1d<f32>, sampler, AbstractFloat, "
            "AbstractInt)\n");
  EXPECT_EQ(fragment_errors("_ = textureLoad(target_one, vec3(0));"),
            "12:5: no overload of 'textureLoad' takes (texture_storage_3d<rgba16sint, write>, "
            "vec3<AbstractInt>)\n");
  EXPECT_EQ(fragment_errors("_ = textureSample(image, smooth_one, vec2f(), vec2(8));"),
            "12:47: the offset of 'textureSample' is 8; it must be -8 to 7\n");
  EXPECT_EQ(fragment_errors("let n = 1; _ = textureGather(n, image, smooth_one, vec2f());"),
            "12:30: the component of 'textureGather' must be a constant expression\n");
  EXPECT_EQ(fragment_errors("textureLoad(image, vec2(0), 0);"),
            "12:1: the result of 'textureLoad' is not used [use it, or write '_ = ' in front]\n");
}

TEST(WholeModules, TexturesAreNoPlainValues) {
  EXPECT_NE(fragment_errors("var a = image;"), "");
  EXPECT_NE(fragment_errors("let a = image + image;"), "");
  EXPECT_EQ(fragment_errors("_ = image;"), "");
  EXPECT_EQ(error_text("struct S { t: texture_2d<f32> }"),
            "1:15: a struct member cannot be of type texture_2d<f32>\n");
  EXPECT_EQ(error_text("var<private> t: sampler;"),
            "1:14: 't' cannot be a private variable of type sampler: it is not a plain value\n");
  EXPECT_EQ(error_text("var t: sampler;"), "1:5: the variable 't' needs @group and @binding\n");
  EXPECT_EQ(error_text("@group(0) @binding(0) var t: texture_2d<f16>;"),
            "1:41: f16 needs the extension 'f16' [write 'enable f16;' at the top]\n");
  EXPECT_EQ(error_text("@group(0) @binding(0) var t: texture_storage_2d<rgba8, write>;"),
            "1:49: 'rgba8' is not a texel format of storage textures\n");
  EXPECT_EQ(error_text("const r32float = 1;\n"
                       "@group(0) @binding(0) var t: texture_storage_2d<r32float, write>;"),
            "2:49: 'r32float' is a constant here; expected a texel format\n");
}

TEST(WholeModules, StagesHaveTheirOwnBuiltins) {
  EXPECT_EQ(body_errors("helper();", "fn helper() { discard; }"),
            "3:15: 'discard' exists in fragment shaders only; the compute shader 'main' uses it\n");
  EXPECT_EQ(error_text("fn unused() { _ = dpdy(1f); }"), "");
  EXPECT_EQ(fragment_errors("workgroupBarrier();"),
            "12:1: 'workgroupBarrier' exists in compute shaders only; the fragment shader 'shade' "
            "uses it\n");
  EXPECT_EQ(error_text("var<workgroup> w: i32;\n@fragment fn f() { _ = w; }"),
            "2:24: the workgroup variable 'w' exists in compute shaders only; the fragment shader "
            "'f' uses it\n");
}

TEST(WholeModules, InputsAndOutputsAreChecked) {
  EXPECT_EQ(error_text("@vertex fn v() {}"),
            "1:12: the vertex shader 'v' must return @builtin(position)\n");
  EXPECT_EQ(error_text("@fragment fn f(a: f32) {}"),
            "1:16: an input or output of a shader needs @builtin or @location\n");
  EXPECT_EQ(error_text("@fragment fn f(@location(0) a: u32) {}"),
            "1:29: integers between vertex and fragment shaders need @interpolate(flat)\n");
  EXPECT_EQ(error_text("@fragment fn f(@location(0) a: f32, @location(0) b: f32) {}"),
            "1:37: @location(0) is given twice\n");
  EXPECT_EQ(error_text("@fragment fn f(@builtin(vertex_index) a: u32) {}"),
            "1:25: 'vertex_index' is no input of fragment shaders\n");
  EXPECT_EQ(error_text("@fragment fn f() -> @builtin(frag_depth) u32 { return 1; }"),
            "1:42: @builtin(frag_depth) is f32; this is u32\n");
  EXPECT_EQ(error_text("@fragment fn f(@location(0) a: mat2x2f) {}"),
            "1:29: @location takes numbers and vectors of numbers; this is mat2x2<f32>\n");
  EXPECT_EQ(error_text("struct S { @location(0) @interpolate(flat, center) a: f32 }"),
            "1:44: 'center' is not a sampling of 'flat': first or either\n");
  EXPECT_EQ(error_text("@workgroup_size(1) @fragment fn f() {}"),
            "1:1: @workgroup_size stands on compute entry points only\n");
}

TEST(WholeModules, DerivativesNeedUniformControlFlow) {
  constexpr std::string_view kShader =
      "@fragment fn f(@location(0) x: f32) { if (x > 0) { _ = dpdx(x); } }";
  EXPECT_EQ(error_text(kShader), "1:56: dpdx must be in uniform control flow\n");
  EXPECT_EQ(error_text("diagnostic(off, derivative_uniformity);\n" + std::string(kShader)), "");
  EXPECT_EQ(error_text("diagnostic(warning, derivative_uniformity);\n" + std::string(kShader)),
            "2:56: warning: dpdx must be in uniform control flow\n");
  EXPECT_EQ(error_text("@fragment fn f(@location(0) x: f32) {\n"
                       "  if (x > 0) @diagnostic(off, derivative_uniformity) { _ = dpdx(x); }\n"
                       "}"),
            "");
  EXPECT_EQ(error_text("fn d(x: f32) -> f32 { return dpdx(x); }\n"
                       "@fragment fn f(@location(0) x: f32) { if (x > 0) { _ = d(x); } }"),
            "2:56: the call of 'd' must be in uniform control flow, since it reaches dpdx\n");
}

TEST(WholeModules, BindingsOfTexturesCountToo) {
  EXPECT_EQ(error_text("@group(0) @binding(0) var<storage> a: u32;\n"
                       "@group(0) @binding(0) var t: texture_2d<f32>;\n"
                       "@fragment fn f() { _ = a; _ = t; }"),
            "2:27: the entry point 'f' uses 'a' and 't', which are both at @group(0) "
            "@binding(0)\n");
}

TEST(WholeModules, WhatOthersAddIsRefusedByName) {
  EXPECT_EQ(body_errors("let a: i64 = 1;"),
            "1:8: 'i64' is not available: vyre has no 64-bit numbers (docs/wgsl.md)\n");
  EXPECT_EQ(body_errors("var q: ray_query;"),
            "1:8: 'ray_query' is not available: vyre has no ray queries (docs/wgsl.md)\n");
  EXPECT_EQ(body_errors("_ = textureAtomicMax(1);"),
            "1:5: 'textureAtomicMax' is not available: vyre has no atomic operations on textures "
            "(docs/wgsl.md)\n");
  EXPECT_EQ(body_errors("subgroupBarrier();"),
            "1:1: 'subgroupBarrier' is not available: vyre has no barrier for a subgroup alone "
            "(docs/wgsl.md)\n");
  EXPECT_EQ(error_text("var<push_constant> a: u32;"),
            "1:5: 'push_constant' is not available: WGSL has the address space 'immediate' instead "
            "(docs/wgsl.md)\n");
  EXPECT_EQ(error_text("fn f(p: ptr<push_constant, u32>) {}"),
            "1:13: 'push_constant' is not available: WGSL has the address space 'immediate' "
            "instead (docs/wgsl.md)\n");
  EXPECT_EQ(error_text("const a = 1li;"),
            "1:11: '1li': vyre has no 64-bit numbers (docs/wgsl.md)\n");
  EXPECT_EQ(error_text("var<workgroup> a: atomic<f32>;"),
            "1:26: atomic is made of i32 or u32; f32 is not [docs/wgsl.md lists what is "
            "supported]\n");
}

TEST(WholeModules, GraphicsExtensionsAreChecked) {
  constexpr std::string_view kEnable =
      "enable clip_distances, primitive_index, dual_source_blending;\n";
  const auto errors = [&](std::string_view text) {
    return error_text(std::string(kEnable) + std::string(text));
  };
  EXPECT_EQ(
      errors("struct V { @builtin(position) p: vec4f, @builtin(clip_distances) c: array<f32, 8> }\n"
             "@vertex fn main() -> V { return V(); }"),
      "");
  EXPECT_EQ(
      errors("struct V { @builtin(position) p: vec4f, @builtin(clip_distances) c: array<f32, 9> }\n"
             "@vertex fn main() -> V { return V(); }"),
      "2:66: @builtin(clip_distances) is an array of 1 to 8 f32; this is array<f32, 9>\n");
  EXPECT_EQ(errors("@fragment fn main(@builtin(primitive_index) i: u32) {}"), "");
  EXPECT_EQ(error_text("@fragment fn main(@builtin(primitive_index) i: u32) {}"),
            "1:28: 'primitive_index' needs the extension 'primitive_index' [write 'enable "
            "primitive_index;' at the top]\n");
  EXPECT_EQ(
      errors(
          "struct F { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f,\n"
          "           @builtin(frag_depth) d: f32 }\n"
          "@fragment fn main() -> F { return F(); }"),
      "");
  EXPECT_EQ(
      errors(
          "struct F { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(0) b: vec4f }"),
      "2:8: a struct with @blend_src has two members with @location: one with @location(0) "
      "@blend_src(0), one with @location(0) @blend_src(1)\n");
  EXPECT_EQ(
      errors(
          "struct F { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec2f }"),
      "2:49: members with @blend_src have the same type; these are vec4<f32> and vec2<f32>\n");
  EXPECT_EQ(
      errors(
          "struct F { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }\n"
          "@fragment fn main(f: F) {}"),
      "2:25: @blend_src stands on outputs of fragment shaders only\n"
      "2:62: @blend_src stands on outputs of fragment shaders only\n");
  EXPECT_EQ(errors("struct F { @blend_src(0) a: vec4f }"),
            "2:12: @blend_src needs @location beside it\n");
  EXPECT_EQ(error_text("struct F { @location(2) a: f32, @location(2) b: f32 }"),
            "1:33: 'F' has two members with @location(2)\n");
}

}  // namespace
}  // namespace vyre
