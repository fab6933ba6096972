// Module scope: order, structs and layout, variables, overrides, entry points, directives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vyre/wgsl/module.h"
#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

constexpr std::string_view kMain = "@compute @workgroup_size(1) fn main() {}\n";

TEST(ModuleScope, DeclarationsStandInAnyOrder) {
  EXPECT_EQ(run_module("@compute @workgroup_size(size) fn main() { out[0] = f(); }\n"
                       "fn f() -> i32 { return g(S(k, 2)); }\n"
                       "fn g(s: S) -> i32 { return s.a + s.b * T(10); }\n"
                       "struct S { a: T, b: T }\n"
                       "alias T = i32;\n"
                       "const k = size * 3;\n"
                       "const size = 1;\n"
                       "@group(0) @binding(0) var<storage, read_write> out: array<T>;\n",
                       1),
            (std::vector<std::uint32_t>{23}));
}

TEST(ModuleScope, CyclesAreNamed) {
  EXPECT_EQ(error_text("const a = b; const b = c + 1; const c = a;"),
            "1:41: declarations depend on themselves: 'a' uses 'b' uses 'c' uses 'a'\n");
  EXPECT_EQ(error_text("struct A { b: B } struct B { a: A }"),
            "1:33: declarations depend on themselves: 'A' uses 'B' uses 'A'\n");
  EXPECT_EQ(error_text("fn f() { g(); } fn g() { f(); }"),
            "1:26: recursion is not possible: 'f' uses 'g' uses 'f'\n");
  EXPECT_EQ(error_text("fn f() { let g = 1; let f = g; } fn g() { f(); }"), "");
}

TEST(ModuleScope, NamesAreUnique) {
  EXPECT_EQ(error_text("const a = 1; fn a() {}"), "1:17: 'a' is declared twice\n");
}

TEST(ModuleScope, StructsAreLaidOutByWgsl) {
  EXPECT_EQ(program_text("struct Inner { a: f32, b: vec3<f32>, c: f32 }\n"
                         "struct Outer { x: Inner, @size(32) y: u32, @align(64) z: u32, m: "
                         "mat3x3<f32>, rest: array<vec2<u32>> }\n"
                         "@group(1) @binding(2) var<storage> o: Outer;\n"
                         "@compute @workgroup_size(1) fn main() { _ = &o; }"),
            "program main\n"
            "workgroup 1, 1, 1\n"
            "\n"
            "struct Inner {  // size 32, align 16\n"
            "  a: f32  // offset 0, size 4\n"
            "  b: vec3<f32>  // offset 16, size 12\n"
            "  c: f32  // offset 28, size 4\n"
            "}\n"
            "\n"
            "struct Outer {  // size 128, align 64\n"
            "  x: Inner  // offset 0, size 32\n"
            "  y: u32  // offset 32, size 32\n"
            "  z: u32  // offset 64, size 4\n"
            "  m: mat3x3<f32>  // offset 80, size 48\n"
            "  rest: array<vec2<u32>>  // offset 128, size 0\n"
            "}\n"
            "\n"
            "@group(1) @binding(2) storage read @o: Outer\n"
            "\n"
            "entry fn main() {\n"
            "}\n");
}

TEST(ModuleScope, StructErrors) {
  EXPECT_EQ(error_text("struct S { a: i32, a: f32 }"), "1:20: 'S' has two members 'a'\n");
  EXPECT_EQ(error_text("struct S { @align(3) a: i32 }"),
            "1:19: @align is 3; it must be a power of two\n");
  EXPECT_EQ(error_text("struct S { @align(2) a: i32 }"),
            "1:19: @align is 2; i32 needs a multiple of 4\n");
  EXPECT_EQ(error_text("struct S { @size(2) a: i32 }"), "1:18: @size is 2; i32 has 4 bytes\n");
  EXPECT_EQ(error_text("struct S { a: array<i32>, b: i32 }"),
            "1:15: only the last member of a struct can be a run-time sized array\n");
  EXPECT_EQ(error_text("struct S { a: ptr<function, i32> }"),
            "1:15: a struct member cannot be of type ptr<function, i32>\n");
  EXPECT_EQ(error_text("struct A { a: array<i32> } struct B { a: A }"),
            "1:42: a struct that ends in a run-time sized array cannot be a struct member\n");
  EXPECT_EQ(error_text("struct S { @id(1) a: i32 }"),
            "1:12: @id cannot stand on a struct member\n");
}

TEST(ModuleScope, ArraysHaveASize) {
  EXPECT_EQ(error_text("var<private> a: array<i32, 0>;"),
            "1:28: an array has at least 1 element; this size is 0\n");
  EXPECT_EQ(error_text("var<private> a: array<i32, 1.5>;"),
            "1:28: the size of an array is an i32 or u32; this is f32\n");
  EXPECT_EQ(error_text("var<private> a: array<i32, 2147483647>;"),
            "1:28: an array of 2147483647 elements of 4 bytes is too large; types are limited to "
            "4294967295 bytes\n");
  EXPECT_EQ(error_text("var<private> a: array<array<i32>, 2>;"),
            "1:23: array<i32> cannot be the element of an array\n");
  EXPECT_EQ(error_text("var<private> a: array;"),
            "1:17: 'array' takes 1 or 2 template arguments; 0 given\n");
  EXPECT_EQ(error_text("var<private> a: vec3<vec2f>;"),
            "1:22: vec3 is made of bool, i32, u32, f32 or f16; vec2<f32> is not\n");
  EXPECT_EQ(error_text("var<private> a: i32<f32>;"), "1:17: 'i32' takes no template arguments\n");
}

TEST(ModuleScope, VariablesLiveInAnAddressSpace) {
  EXPECT_EQ(error_text("var a: i32;"),
            "1:5: the variable 'a' has no address space [write var<storage>, var<uniform>, "
            "var<workgroup> or var<private>]\n");
  EXPECT_EQ(error_text("var<handle> a: i32;"),
            "1:5: 'handle' is not an address space for variables outside of functions; there are "
            "storage, uniform, workgroup, private and immediate\n");
  EXPECT_EQ(error_text("var<storage> a: i32;"),
            "1:14: the storage variable 'a' needs @group and @binding\n");
  EXPECT_EQ(error_text("@group(0) @binding(0) var<private> a: i32;"),
            "1:1: @group stands on storage and uniform variables only\n");
  EXPECT_EQ(error_text("@group(0) @binding(0) var<storage> a: bool;"),
            "1:36: 'a' cannot be a storage variable of type bool: it cannot be shared with the "
            "host\n");
  EXPECT_EQ(error_text("@group(0) @binding(0) var<storage> a: atomic<u32>;"),
            "1:36: 'a' cannot be a storage variable of type atomic<u32>: atomics need var<storage, "
            "read_write>\n");
  EXPECT_EQ(error_text("@group(0) @binding(0) var<uniform> a: array<u32>;"),
            "1:36: 'a' cannot be a uniform variable of type array<u32>: its size must be known\n");
  EXPECT_EQ(error_text("@group(0) @binding(0) var<storage, write> a: u32;"),
            "1:36: storage memory is read or read_write, not 'write'\n");
  EXPECT_EQ(error_text("var<workgroup> a: i32 = 1;"),
            "1:25: a workgroup variable takes no initial value\n");
  EXPECT_EQ(
      error_text("var<private> a: atomic<i32>;"),
      "1:14: 'a' cannot be a private variable of type atomic<i32>: it is not a plain value\n");
  EXPECT_EQ(error_text("@group(-1) @binding(0) var<storage> a: u32;"),
            "1:8: @group is -1; it must be 0 to 2147483647\n");
  EXPECT_EQ(error_text("var<private> a = 1; var<private> b = a;"),
            "1:38: the variable 'a' cannot be used outside of functions\n");
}

TEST(ModuleScope, UniformBuffersHaveTheStandardLayout) {
  EXPECT_EQ(
      error_text("struct S { a: array<f32, 4>, b: vec2<u32> } @group(0) @binding(0) var<uniform> "
                 "a: S;"),
      "");
}

TEST(ModuleScope, OverridesAreParameters) {
  constexpr std::string_view kModule =
      "override n: u32 = 2;\n"
      "override m = n * 2 + 1;\n"
      "@id(7) override scale: f32 = 1.5;\n"
      "override unused = 1;\n"
      "var<workgroup> w: array<u32, n>;\n"
      "var<private> p = m + 10;\n"
      "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
      "@compute @workgroup_size(n, 1) fn main(@builtin(local_invocation_index) i: u32) {\n"
      "  w[i] = i + 1;\n"
      "  workgroupBarrier();\n"
      "  if (i == 0) { var sum = 0u; for (var k = 0u; k < n; k++) { sum += w[k]; }\n"
      "    out[0] = sum; out[1] = m; out[2] = u32(scale * 2); out[3] = p; }\n"
      "}\n";
  EXPECT_EQ(run_module(kModule, 4), (std::vector<std::uint32_t>{3, 5, 3, 15}));
  EXPECT_EQ(run_module(kModule, 4, {{"n", 4}, {"7", 2.5}}),
            (std::vector<std::uint32_t>{10, 9, 5, 19}));
  const std::string text = program_text(kModule);
  EXPECT_NE(text.find("override n: u32 = 2u\n"
                      "override m: u32 = ((n * 2u) + 1u)\n"
                      "@id(7) override scale: f32 = 1.5f\n"
                      "\n"),
            std::string::npos)
      << text;
}

TEST(ModuleScope, ArraysSizedByOneOverrideAreOneType) {
  EXPECT_EQ(error_text(
                "override n = 4; var<workgroup> a: array<i32, n>; var<workgroup> b: array<i32, n + "
                "1>;\n"
                "fn f(p: ptr<workgroup, array<i32, n>>) { p[0] = 1; }\n"
                "@compute @workgroup_size(1) fn main() { f(&a); }"),
            "");
  EXPECT_EQ(error_text("override n = 4; var<workgroup> b: array<i32, n + 1>;\n"
                       "fn f(p: ptr<workgroup, array<i32, n>>) { p[0] = 1; }\n"
                       "@compute @workgroup_size(1) fn main() { f(&b); }"),
            "3:43: argument 1 of 'f' is ptr<workgroup, array<i32, override>>; it must be "
            "ptr<workgroup, array<i32, override>>\n");
  EXPECT_EQ(error_text("override n = 4; var<private> a: array<i32, n>;"),
            "1:30: 'a' cannot be a private variable of type array<i32, override>: only workgroup "
            "variables are sized by overrides\n");
}

TEST(ModuleScope, OverrideErrors) {
  EXPECT_EQ(error_text("override a: vec2f;"),
            "1:10: an override is a bool, i32, u32, f32 or f16; 'a' is vec2<f32>\n");
  EXPECT_EQ(error_text("@id(1) override a = 1; @id(1) override b = 2;"),
            "1:24: the override 'a' has @id(1) too\n");
  EXPECT_EQ(error_text("@id(70000) override a = 1;"), "1:5: @id is 70000; it must be 0 to 65535\n");
  EXPECT_EQ(error_text("override a = 1; override b = a / 0;"), "1:30: '... / 0' divides by zero\n");
}

TEST(EntryPoints, TakeBuiltinInputs) {
  constexpr std::string_view kModule =
      "struct In { @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) count: "
      "vec3<u32> }\n"
      "@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;\n"
      "@compute @workgroup_size(4, 2)\n"
      "fn main(@builtin(global_invocation_id) g: vec3<u32>, in: In, @builtin(local_invocation_id) "
      "l: vec3<u32>, @builtin(local_invocation_index) i: u32) {\n"
      "  out[i] = vec4(g.x + in.group.x, l.y, in.count.z, i);\n"
      "}\n";
  const auto out = run_module(kModule, 32);
  EXPECT_EQ(std::vector(out.begin() + 20, out.begin() + 24),
            (std::vector<std::uint32_t>{1, 1, 1, 5}));
  const std::string text = program_text(kModule);
  EXPECT_NE(text.find("@out[local_invocation_index] = vec4<u32>((global_invocation_id.x + "
                      "workgroup_id.x), local_invocation_id.y, num_workgroups.z, "
                      "local_invocation_index)"),
            std::string::npos)
      << text;
}

TEST(EntryPoints, LinearIndicesAreComputed) {
  const auto out = run_module(
      "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
      "@compute @workgroup_size(2, 3, 2) fn main(@builtin(global_invocation_index) i: "
      "u32, @builtin(workgroup_index) w: u32) { out[i] = i + w + 1; }",
      12);
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(out[i], i + 1);
}

TEST(EntryPoints, Errors) {
  EXPECT_EQ(error_text("@compute fn main() {}"),
            "1:13: the compute entry point 'main' has no @workgroup_size\n");
  EXPECT_EQ(error_text("@compute @workgroup_size(0) fn main() {}"),
            "1:26: @workgroup_size is 0; it must be at least 1\n");
  EXPECT_EQ(error_text("@compute @workgroup_size(1u, 2i) fn main() {}"),
            "1:30: @workgroup_size takes constant or override expressions, all i32 or all u32\n");
  EXPECT_EQ(error_text("@workgroup_size(1) fn f() {}"),
            "1:1: @workgroup_size stands on compute entry points only; 'f' is none [write @compute "
            "in front]\n");
  EXPECT_EQ(error_text("@compute @workgroup_size(1) fn main(a: u32) {}"),
            "1:37: the input 'a' of a compute entry point needs @builtin\n");
  EXPECT_EQ(error_text("@compute @workgroup_size(1) fn main(@builtin(position) a: vec4f) {}"),
            "1:46: 'position' is no input of compute shaders\n");
  EXPECT_EQ(
      error_text("@compute @workgroup_size(1) fn main(@builtin(global_invocation_ix) a: vec3u) {}"),
      "1:46: 'global_invocation_ix' is no builtin value; did you mean 'global_invocation_id'?\n");
  EXPECT_EQ(error_text("@compute @workgroup_size(1) fn main(@builtin(subgroup_size) a: u32) {}"),
            "1:46: 'subgroup_size' needs the extension 'subgroups' [write 'enable subgroups;' at "
            "the top]\n");
  EXPECT_EQ(error_text("@compute @workgroup_size(1) fn main(@builtin(workgroup_id) a: u32) {}"),
            "1:60: @builtin(workgroup_id) is vec3<u32>; 'a' is u32\n");
  EXPECT_EQ(error_text("@compute @workgroup_size(1) fn main() -> i32 { return 1; }"),
            "1:42: the compute entry point 'main' cannot return a value\n");
  EXPECT_EQ(error_text("fn f(@builtin(workgroup_id) a: vec3u) {}"),
            "1:6: @builtin cannot stand on a parameter of a function that is no entry point\n");
}

TEST(EntryPoints, BindingsAreUniqueWithinOne) {
  EXPECT_EQ(error_text("@group(0) @binding(0) var<storage> a: u32;\n"
                       "@group(0) @binding(0) var<uniform> b: u32;\n"
                       "@compute @workgroup_size(1) fn one() { _ = a; }\n"
                       "@compute @workgroup_size(1) fn two() { _ = b; }\n"),
            "");
  EXPECT_EQ(error_text("@group(0) @binding(0) var<storage> a: u32;\n"
                       "@group(0) @binding(0) var<uniform> b: u32;\n"
                       "fn f() -> u32 { return b; }\n"
                       "@compute @workgroup_size(1) fn one() { _ = a + f(); }\n"),
            "2:36: the entry point 'one' uses 'a' and 'b', which are both at @group(0) "
            "@binding(0)\n");
}

constexpr std::string_view kExtensions =
    "vyre has atomic_vec2u_min_max, clip_distances, dual_source_blending, f16, primitive_index, "
    "subgroup_size_control, subgroups [docs/wgsl.md lists what is supported]\n";

TEST(Directives, ExtensionsAreNamed) {
  EXPECT_EQ(error_text("enable f16; enable f16;"), "");
  EXPECT_EQ(error_text("enable warp_speed;"),
            "1:8: unknown extension 'warp_speed'; " + std::string(kExtensions));
  EXPECT_EQ(error_text("requires unrestricted_pointer_parameters, pointer_composite_access;"), "");
  EXPECT_EQ(error_text("requires pointer_composit_access;"),
            "1:10: unknown language feature 'pointer_composit_access'; did you mean "
            "'pointer_composite_access'? [docs/wgsl.md lists what is supported]\n");
}

TEST(Directives, ThoseOfOthersAreRefusedWithTheReason) {
  const auto enable = [](std::string_view name) {
    return error_text(fmt::format("enable {};", name));
  };
  const auto refused = [](std::string_view name, std::string_view why) {
    return fmt::format("1:8: the extension '{}' is not supported: {}; {}", name, why, kExtensions);
  };
  EXPECT_EQ(enable("wgpu_ray_query"), refused("wgpu_ray_query", "vyre has no ray queries"));
  EXPECT_EQ(enable("wgpu_cooperative_matrix"),
            refused("wgpu_cooperative_matrix", "vyre has no cooperative matrices"));
  EXPECT_EQ(enable("wgpu_binding_array"),
            refused("wgpu_binding_array", "vyre has no arrays of bindings"));
  EXPECT_EQ(enable("wgpu_other"), refused("wgpu_other", "only wgpu has it"));
  EXPECT_EQ(enable("naga_ext_atomics"), refused("naga_ext_atomics", "only naga has it"));
  EXPECT_EQ(enable("chromium_experimental_pixel_local"),
            refused("chromium_experimental_pixel_local", "only Chromium has it"));
  EXPECT_EQ(error_text("requires sized_binding_arrays;"),
            "1:10: the language feature 'sized_binding_arrays' is not supported: vyre has no "
            "arrays of bindings [docs/wgsl.md lists what is supported]\n");
}

TEST(Directives, DiagnosticControls) {
  EXPECT_EQ(error_text("diagnostic(off, derivative_uniformity); diagnostic(warning, my.rule);"),
            "");
  EXPECT_EQ(error_text("diagnostic(loud, derivative_uniformity);"),
            "1:12: 'loud' is not a severity; there are error, warning, info and off\n");
  EXPECT_EQ(error_text("diagnostic(off, unheard_of);"),
            "1:17: warning: unknown diagnostic rule 'unheard_of'\n");
  EXPECT_EQ(error_text("diagnostic(off, derivative_uniformity); diagnostic(error, "
                       "derivative_uniformity);"),
            "1:59: 'derivative_uniformity' is set to 'off' and to 'error'\n");
  EXPECT_EQ(error_text("@diagnostic(off, derivative_uniformity) fn f() { @diagnostic(off, "
                       "derivative_uniformity) if (true) {} }"),
            "");
}

TEST(ParsedModules, HoldOneProgramPerEntryPointWithWhatItReaches) {
  const ParsedModule parsed = parse_wgsl(
      "@group(0) @binding(1) var<storage, read_write> b: array<u32>;\n"
      "@group(0) @binding(0) var<storage> a: array<u32>;\n"
      "override n = 1u;\n"
      "override m = 2u;\n"
      "fn f() -> u32 { return a[n]; }\n"
      "fn g() -> u32 { return m; }\n"
      "@compute @workgroup_size(1) fn two() { b[0] = g(); }\n"
      "@compute @workgroup_size(1) fn one() { b[0] = f(); }\n",
      "test.wgsl");
  ASSERT_TRUE(parsed.module) << parsed.message();
  ASSERT_EQ(parsed.module->programs.size(), 2U);
  const Program& two = parsed.module->programs[0];
  EXPECT_EQ(two.name, "two");
  EXPECT_EQ(two.source_name, "test.wgsl");
  ASSERT_EQ(two.globals.size(), 1U);
  EXPECT_EQ(two.globals[0].name, "b");
  ASSERT_EQ(two.overrides.size(), 1U);
  EXPECT_EQ(two.overrides[0].name, "m");
  ASSERT_EQ(two.functions.size(), 2U);
  EXPECT_EQ(two.functions[0].name, "g");
  EXPECT_EQ(two[two.entry].name, "two");
  const Program* one = parsed.module->find("one");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->globals.size(), 2U);
  EXPECT_EQ(one->overrides[0].name, "n");
  EXPECT_EQ(parsed.module->find("three"), nullptr);
}

TEST(ParsedModules, KnowEveryOverrideOfTheText) {
  const ParsedModule parsed = parse_wgsl("@id(12) override unused: f32; override other = 1u;\n");
  ASSERT_TRUE(parsed.module) << parsed.message();
  const std::vector<ModuleOverride>& overrides = parsed.module->overrides;
  ASSERT_EQ(overrides.size(), 2U);
  EXPECT_TRUE(overrides[0].is_called("unused"));
  EXPECT_TRUE(overrides[0].is_called("12"));
  EXPECT_FALSE(overrides[0].is_called("2"));
  EXPECT_TRUE(overrides[1].is_called("other"));
  EXPECT_FALSE(overrides[1].is_called(""));
}

TEST(ParsedModules, ShowErrorsWithTheirLines) {
  const ParsedModule parsed = parse_wgsl("const a = 1;\nconst b = a + 1.5f + true;\n", "k.wgsl");
  EXPECT_FALSE(parsed.module);
  EXPECT_EQ(parsed.message(),
            "k.wgsl:2:11: error: no operator '+' takes (f32, bool)\n"
            "    2 | const b = a + 1.5f + true;\n"
            "      |           ^~~~~~~~~~~~~~~\n"
            "fix: convert one side, for example with f32(...)\n");
}

TEST(ParsedModules, StopAfterTwentyErrors) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "const a" + std::to_string(i) + " = nothing;\n";
  const ParsedModule parsed = parse_wgsl(text, "k.wgsl");
  EXPECT_EQ(parsed.diagnostics.error_count(), 20U);
}

TEST(ParsedModules, MayHaveNoEntryPoint) {
  const ParsedModule parsed = parse_wgsl("const a = 1;");
  ASSERT_TRUE(parsed.module);
  EXPECT_TRUE(parsed.module->programs.empty());
  EXPECT_EQ(parsed.message(), "");
  EXPECT_EQ(error_text(kMain), "");
}

TEST(Directives, ADiagnosticRuleIsSetOnceOnAnItem) {
  constexpr std::string_view kOff = "diagnostic(off, derivative_uniformity)";
  const std::string twice = fmt::format("@{} @{} ", kOff, kOff);
  EXPECT_EQ(error_text(twice + "fn f() {}"), "1:58: 'derivative_uniformity' is set twice\n");
  EXPECT_EQ(error_text("fn f() { " + twice + "if true {} }"),
            "1:67: 'derivative_uniformity' is set twice\n");
  EXPECT_EQ(error_text(fmt::format("{};{};", kOff, kOff)), "");
}

TEST(Directives, RequireOnlyWhatThereIs) {
  EXPECT_EQ(error_text("requires buffer_view;"), "");
  EXPECT_EQ(error_text("requires texel_buffers;"),
            "1:10: the language feature 'texel_buffers' is not supported: vyre has no texel "
            "buffers [docs/wgsl.md lists what is supported]\n");
}

TEST(EntryPoints, HaveOneStage) {
  EXPECT_EQ(error_text("@compute @vertex @workgroup_size(1) fn main() {}"),
            "1:10: 'main' cannot be both a compute and a vertex shader\n");
}

TEST(ModuleScope, DeclarationsHideEnumerants) {
  EXPECT_EQ(error_text("var<private> read: i32;\n"
                       "@group(0) @binding(0) var<storage, read> a: i32;"),
            "2:36: 'read' is a variable here; expected an access mode\n");
  EXPECT_EQ(error_text("const storage = 1;\n@group(0) @binding(0) var<storage> a: i32;"),
            "2:27: 'storage' is a constant here; expected an address space\n");
  EXPECT_EQ(error_text("const function = 1; fn f(p: ptr<function, i32>) {}"),
            "1:33: 'function' is a constant here; expected an address space\n");
}

TEST(ModuleScope, InvariantBelongsToThePosition) {
  EXPECT_EQ(error_text("struct A { @invariant a: vec4f }"),
            "1:12: @invariant stands beside @builtin(position) only\n");
  EXPECT_EQ(error_text("struct A { @invariant @builtin(position) a: vec4f }"), "");
}

TEST(ModuleScope, AByteOrderMarkIsAnError) {
  EXPECT_EQ(error_text("\xEF\xBB\xBF"
                       "const a = 1;"),
            "1:1: a byte order mark is no part of WGSL [save the text as UTF-8 without one]\n");
}

}  // namespace
}  // namespace vyre
