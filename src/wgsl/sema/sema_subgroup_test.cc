// Subgroups: what is accepted, what it means, and which invocations act together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vyre/ir/kernel.h"
#include "vyre/wgsl/module.h"
#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

// What `main` leaves in `out`, one word an invocation; `lane` and `i` are its lane and local index.
Words run(std::string_view body, std::uint32_t invocations, std::string_view size = {},
          std::string_view module = {}) {
  return run_module(
      fmt::format("enable subgroups;\n"
                  "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                  "{}\n"
                  "@compute @workgroup_size({})\n"
                  "fn main(@builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_id) id: "
                  "u32,\n"
                  "        @builtin(subgroup_size) size: u32, @builtin(num_subgroups) count: u32,\n"
                  "        @builtin(local_invocation_index) i: u32) {{\n{}\n}}\n",
                  module, size.empty() ? std::to_string(invocations) : std::string(size), body),
      invocations);
}

TEST(SubgroupModules, AddWithinThirtyTwoInvocations) {
  const Words out = run("out[i] = subgroupAdd(i);", 64);
  EXPECT_EQ(out[0], 496U);
  EXPECT_EQ(out[31], 496U);
  EXPECT_EQ(out[32], 496U + 32 * 32);
}

TEST(SubgroupModules, FollowTheLinearLocalIndex) {
  const Words out = run("out[i] = id * 1000 + lane * 10 + count;", 64, "8, 8");
  EXPECT_EQ(out[33], 1012U);
  EXPECT_EQ(run("out[i] = subgroupAdd(1u) * 100 + count;", 40)[39], 802U);
  EXPECT_EQ(run("out[i] = size;", 1)[0], 32U);
}

// What would be an error in a constant or override expression.
TEST(SubgroupModules, SizesAreValuesOfTheRunTime) {
  constexpr std::string_view kModule =
      "override o = 32u; override w = 20u; var<workgroup> b: buffer<64>;";
  EXPECT_EQ(run("out[i] = 8u / (size - o) + 10 * (7u / (count - 1));", 20, "w", kModule)[0], 78U);
  EXPECT_EQ(run("out[i] = extractBits(0xf0u, 4, size) + (o << size);", 20, "w", kModule)[0], 47U);
  EXPECT_EQ(run("out[i] = arrayLength(bufferArrayView<array<vec4u>>(&b, 0, size + 8));", 20, "w",
                kModule)[0],
            2U);
}

TEST(SubgroupModules, VectorsWorkComponentByComponent) {
  const Words out =
      run("let v = subgroupAdd(vec3(i, 1u, 2u)); out[i] = v.x + v.y * 1000 + v.z * 100000;", 32);
  EXPECT_EQ(out[7], 496U + 32'000 + 6'400'000);
}

TEST(SubgroupModules, BranchesDecideWhoIsActive) {
  const Words out =
      run("@diagnostic(off, subgroup_uniformity)\n"
          "if (i % 2 == 0) { out[i] = subgroupAdd(1u); }\n"
          "else { out[i] = subgroupAdd(100u); }\n"
          "out[i] += select(0u, 1u, subgroupElect());",
          32);
  EXPECT_EQ(out[0], 17U);
  EXPECT_EQ(out[2], 16U);
  EXPECT_EQ(out[1], 1600U);
}

TEST(SubgroupModules, LoopsRunInStep) {
  // Lane i runs i + 1 times; each round counts who is still there.
  const Words out =
      run("var sum = 0u;\n"
          "@diagnostic(off, subgroup_uniformity)\n"
          "for (var k = 0u; k <= i; k++) { if (k == 1) { continue; } "
          "sum = sum * 10 + subgroupAdd(1u); }\n"
          "out[i] = sum;",
          4);
  EXPECT_EQ(out, (Words{4, 4, 42, 421}));
}

TEST(SubgroupModules, CallsOfDifferentPlacesAreNotTogether) {
  const Words out =
      run("@diagnostic(off, subgroup_uniformity)\n"
          "if (i < 3) { out[i] = count_here(); } else { out[i] = count_here(); }",
          8, {},
          "@diagnostic(off, subgroup_uniformity)\n"
          "fn count_here() -> u32 { return subgroupAdd(1u); }");
  EXPECT_EQ(out, (Words{3, 3, 3, 5, 5, 5, 5, 5}));
}

TEST(SubgroupModules, ShortCircuitsTakePart) {
  const Words out =
      run("@diagnostic(off, subgroup_uniformity)\n"
          "{ let both = i > 1 && subgroupAdd(1u) == 2; out[i] = u32(both); }",
          4);
  EXPECT_EQ(out, (Words{0, 0, 1, 1}));
}

TEST(SubgroupModules, BarriersAndSubgroupsMix) {
  const Words out =
      run("let mine = subgroupAdd(i);\n"
          "if (subgroupElect()) { sums[id] = mine; }\n"
          "workgroupBarrier();\n"
          "out[i] = sums[0] + sums[1];",
          64, {}, "var<workgroup> sums: array<u32, 2>;");
  EXPECT_EQ(out[0], 2016U);
  EXPECT_EQ(out[63], 2016U);
}

TEST(SubgroupModules, NeedTheExtension) {
  EXPECT_EQ(body_errors("_ = subgroupAdd(1);"),
            "1:5: 'subgroupAdd' needs the extension 'subgroups' [write 'enable subgroups;' at the "
            "top]\n");
  EXPECT_EQ(error_text("requires subgroup_id, subgroup_uniformity; enable subgroups;"), "");
}

std::string errors(std::string_view body) {
  return error_text(fmt::format(
      "enable subgroups;\n@group(0) @binding(0) var<storage, read_write> m: array<u32>;\n"
      "override o = 1u;\n"
      "@compute @workgroup_size(64)\n"
      "fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_id) id: u32) "
      "{{\n{}\n}}\n",
      body));
}

TEST(SubgroupModules, ArgumentsAreChecked) {
  EXPECT_EQ(errors("_ = subgroupAdd(true);"),
            "6:5: no overload of 'subgroupAdd' takes (bool) [there is subgroupAdd(T) -> T, T is "
            "i32, u32, f32, f16 or a vector of one]\n");
  EXPECT_NE(errors("_ = subgroupAnd(1.5f);"), "");
  EXPECT_NE(errors("_ = subgroupBallot(1u);"), "");
  EXPECT_NE(errors("_ = subgroupAdd(mat2x2f());"), "");
  EXPECT_EQ(errors("_ = subgroupBroadcast(1f, i);"),
            "6:27: the lane of 'subgroupBroadcast' must be a constant expression [use "
            "subgroupShuffle]\n");
  EXPECT_EQ(errors("_ = subgroupBroadcast(1f, 128);"),
            "6:27: 'subgroupBroadcast' takes numbers from 0 to 127; this is 128\n");
  EXPECT_EQ(errors("_ = quadBroadcast(1f, 4u);"),
            "6:23: 'quadBroadcast' takes numbers from 0 to 3; this is 4\n");
  EXPECT_EQ(errors("_ = subgroupShuffle(1f, -1);"),
            "6:25: 'subgroupShuffle' takes numbers from 0 to 127; this is -1\n");
  EXPECT_EQ(errors("subgroupAdd(1);"),
            "6:1: the result of 'subgroupAdd' is not used [use it, or write '_ = ' in front]\n");
  EXPECT_EQ(errors("_ = subgroupShuffle(vec2f(), i); _ = subgroupShuffleUp(1i, o);\n"
                   "_ = subgroupBallot(true).x; _ = subgroupElect(); _ = quadSwapX(1u);"),
            "");
}

TEST(SubgroupModules, NeedUniformControlFlow) {
  EXPECT_EQ(errors("if (i > 3) { _ = subgroupAdd(1u); }"),
            "6:18: subgroupAdd must be in subgroup-uniform control flow\n");
  EXPECT_EQ(errors("if (id > 3) { _ = subgroupAdd(1u); }"), "");
  EXPECT_EQ(errors("if (subgroupAny(i > 3)) { _ = subgroupAdd(1u); }"), "");
  EXPECT_EQ(errors("if (subgroupElect()) { _ = subgroupAdd(1u); }"),
            "6:28: subgroupAdd must be in subgroup-uniform control flow\n");
  EXPECT_EQ(errors("_ = subgroupShuffleXor(1u, i);"),
            "6:5: subgroupShuffleXor takes the same mask in all lanes\n");
  EXPECT_EQ(errors("_ = subgroupShuffle(1u, i);"), "");
  EXPECT_EQ(errors("if (id > 0) { workgroupBarrier(); }"),
            "6:15: workgroupBarrier must be in uniform control flow\n");
  EXPECT_EQ(errors("if (subgroupAny(true)) { workgroupBarrier(); }"),
            "6:26: workgroupBarrier must be in uniform control flow\n");
  EXPECT_EQ(errors("@diagnostic(warning, subgroup_uniformity) if (i > 3) { _ = subgroupAdd(1u); }"),
            "6:60: warning: subgroupAdd must be in subgroup-uniform control flow\n");
}

// Both the directive and the attribute, and both severities that are shown as warnings.
TEST(SubgroupModules, AKernelIsMadeOfWhatIsOnlyWarnedAbout) {
  constexpr std::string_view kText =
      "enable subgroups; {}\n"
      "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
      "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {{\n"
      "  {} if (i > 3) {{ out[i] = subgroupAdd(1u); }}\n"
      "}}";
  for (const std::string_view severity : {"warning", "info", "off"}) {
    const std::string control = fmt::format("diagnostic({}, subgroup_uniformity)", severity);
    for (const bool directive : {true, false}) {
      const std::string text =
          fmt::format(kText, directive ? control + ";" : "", directive ? "" : "@" + control);
      const ParsedModule module = parse_wgsl(text);
      ASSERT_TRUE(module.module) << module.message();
      EXPECT_EQ(module.diagnostics.all().size(), severity == "off" ? 0U : 1U) << text;
      EXPECT_EQ(run_module(text, 8), (std::vector<std::uint32_t>{0, 0, 0, 0, 4, 4, 4, 4})) << text;
    }
  }
}

TEST(SubgroupModules, LanesGivenByOverridesAreCheckedWithThem) {
  const auto module = parse_wgsl(
      "enable subgroups; override o = 200u;\n"
      "@compute @workgroup_size(1) fn main() { _ = subgroupShuffleUp(1u, o); }");
  ASSERT_TRUE(module.module) << module.message();
  const auto wrong = make_kernel(module.module->programs[0]);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "2:45: subgroupShuffleUp takes numbers below 128; this is 200");
  const OverrideValue fine[] = {{"o", 3}};
  EXPECT_TRUE(make_kernel(module.module->programs[0], fine));
}

}  // namespace
}  // namespace vyre
