// Pairs and chains of kernels, one for each rule of what may be fused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fused_expectations.h"
#include "vyre/ir/builder/builder.h"
#include "vyre/ir/print.h"

namespace vyre {
namespace {

using enum BufferFate;

// `in` to `out`, element by element, in one dimension. `guard` and `body` are statements.
std::string map(const std::string& in, const std::string& out, const std::string& expression,
                const std::string& guard = "if (i >= arrayLength(&OUT)) { return; }") {
  std::string text = fmt::format(
      "@group(0) @binding(0) var<storage> {0}: array<f32>;\n"
      "@group(0) @binding(1) var<storage, read_write> {1}: array<f32>;\n"
      "@compute @workgroup_size(64) fn map(@builtin(global_invocation_id) id: vec3<u32>) {{\n"
      "  let i = id.x;\n  GUARD\n  let v = {0}[i];\n  {1}[i] = {2};\n}}\n",
      in, out, expression);
  text.replace(text.find("GUARD"), 5, guard);
  for (auto at = text.find("OUT"); at != std::string::npos; at = text.find("OUT")) {
    text.replace(at, 3, out);
  }
  return text;
}

// ---- Two pairs that look as if they could be fused

TEST(FusionCases, AnElementThatTwoInvocationsReadCannotBeOverwritten) {
  Staged s;
  s.floats("t", 100);
  s.floats("y", 200);
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  let i = id.x; y[i] = t[i / 2]; }",
      {200, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage, read_write> t: array<f32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  let i = id.x; if (i % 2 == 0) { t[i / 2] = -1; } }",
      {200, 1, 1});
  expect_refused(s, RefusalReason::key_not_injective);
}

TEST(FusionCases, AnElementThatOneInvocationWritesForTwoCannotStayInARegister) {
  Staged s;
  s.floats("x", 200);
  s.temporary("t", 400);
  s.floats("y", 200);
  s.stage(
      "@group(0) @binding(0) var<storage> x: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> t: array<f32>;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  let i = id.x; if (i % 2 == 0) { t[i / 2] = x[i]; } }",
      {200, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  let i = id.x; y[i] = t[i / 2]; }",
      {200, 1, 1});
  expect_refused(s, RefusalReason::key_not_injective);
}

// ---- Through a register

TEST(FusionCases, AChainLoadsAndStoresEachElementOnce) {
  Staged s;
  s.floats("x", 1000);
  for (const char* t : {"t1", "t2", "t3"}) s.temporary(t, 4000);
  s.floats("y", 1000);
  s.stage(map("x", "t1", "v * 2 + 1"), {1000, 1, 1});
  s.stage(map("t1", "t2", "v * v"), {1000, 1, 1});
  s.stage(map("t2", "t3", "floor(v) - 3"), {1000, 1, 1});
  s.stage(map("t3", "y", "max(v, 0.5)"), {1000, 1, 1});
  const auto fused = s.fuse();
  ASSERT_TRUE(fused) << s.describe(fused.error());
  expect_fused(s);
  EXPECT_EQ(fused->kernel.stats.loads, 1U) << print(*fused->kernel.program);
  EXPECT_EQ(fused->kernel.stats.stores, 1U);
  EXPECT_EQ(s.fate(*fused, "t2"), dropped);
  EXPECT_EQ(fused->bindings.size(), 2U);
  EXPECT_TRUE(fused->kernel.stats.pointwise);
  // One guard around everything.
  const std::string text = print(*fused->kernel.program);
  std::size_t ifs = 0;
  for (auto at = text.find("if "); at != std::string::npos; at = text.find("if ", at + 1)) ++ifs;
  EXPECT_EQ(ifs, 1U) << text;
}

TEST(FusionCases, AProductAndASumInTwoStagesAreNotContracted) {
  Staged s;
  s.floats("x", 512);
  s.temporary("t", 2048);
  s.floats("y", 512);
  s.stage(map("x", "t", "v * 1.0000001"), {512, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  let i = id.x; y[i] = t[i] + y[i]; }",
      {512, 1, 1});
  expect_fused(s);
  const std::string text = print(*s.fuse()->kernel.program);
  EXPECT_EQ(text.find("fma"), std::string::npos) << text;
}

TEST(FusionCases, AnIntermediateOfHalfFloatsRoundsAsInMemory) {
  Staged s;
  s.floats("x", 300);
  s.temporary("t", 600);
  s.floats("y", 300);
  s.stage(
      "enable f16; @group(0) @binding(0) var<storage> x: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> t: array<f16>;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  t[id.x] = f16(x[id.x] * 0.01); }",
      {300, 1, 1});
  s.stage(
      "enable f16; @group(0) @binding(0) var<storage> t: array<f16>;"
      "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  y[id.x] = f32(t[id.x] * t[id.x]); }",
      {300, 1, 1});
  expect_fused(s);
  EXPECT_EQ(s.fate(*s.fuse(), "t"), dropped);
}

// A stage over an image, with the width and the height in a uniform of its own.
std::string image_map(const std::string& view, const std::string& in, const std::string& out,
                      const std::string& value) {
  return fmt::format(
      "struct View {{ width: u32, height: u32 }}\n"
      "@group(0) @binding(0) var<uniform> {0}: View;\n"
      "@group(0) @binding(1) var<storage> {1}: array<f32>;\n"
      "@group(0) @binding(2) var<storage, read_write> {2}: array<f32>;\n"
      "fn at(x: u32, y: u32) -> u32 {{ return y * {0}.width + x; }}\n"
      "fn edge(v: i32, n: u32) -> u32 {{ return u32(clamp(v, 0, i32(n) - 1)); }}\n"
      "fn pixel(x: i32, y: i32) -> f32 {{\n"
      "  return {1}[at(edge(x, {0}.width), edge(y, {0}.height))]; }}\n"
      "@compute @workgroup_size(8, 8) fn image(@builtin(global_invocation_id) id: vec3<u32>) {{\n"
      "  if (id.x >= {0}.width || id.y >= {0}.height) {{ return; }}\n"
      "  let p = vec2<i32>(id.xy);\n  let v = {1}[at(id.x, id.y)];\n"
      "  {2}[at(id.x, id.y)] = {3};\n}}\n",
      view, in, out, value);
}
constexpr const char* kBlur =
    "(pixel(p.x - 1, p.y) + pixel(p.x + 1, p.y) + pixel(p.x, p.y - 1) + pixel(p.x, p.y + 1)) * "
    "0.25 + v";

TEST(FusionCases, ImagesFuseWithTheWidthFromOneUniform) {
  Staged s;
  s.uniform("view", {37, 23});
  s.floats("a", 37 * 23);
  s.temporary("t", 37 * 23 * 4);
  s.floats("b", 37 * 23);
  s.stage(image_map("view", "a", "t", "v * 0.5"), {37, 23, 1});
  s.stage(image_map("view", "t", "b", "v + 1"), {37, 23, 1});
  expect_fused(s);
  EXPECT_EQ(s.fate(*s.fuse(), "t"), dropped);
}

TEST(FusionCases, UniformsAreComparedByTheirContents) {
  for (const std::uint32_t other : {37U, 38U}) {
    Staged s;
    s.uniform("view", {37, 23});
    s.uniform("again", {other, 23});
    s.floats("a", 40 * 23);
    s.floats("t", 40 * 23);
    s.floats("b", 40 * 23);
    s.stage(image_map("view", "a", "t", "v * 0.5"), {40, 23, 1});
    s.stage(image_map("again", "t", "b", "v + 1"), {40, 23, 1});
    if (other == 37) {
      expect_fused(s);
    } else {
      expect_refused(s, RefusalReason::other_element_read);
    }
  }
}

TEST(FusionCases, ABlurIsFollowedByAThresholdInARegister) {
  Staged s;
  s.uniform("view", {37, 23});
  s.floats("a", 37 * 23);
  s.temporary("t", 37 * 23 * 4);
  s.floats("b", 37 * 23);
  s.stage(image_map("view", "a", "t", kBlur), {40, 24, 1});
  s.stage(image_map("view", "t", "b", "select(0.0, 1.0, v > 10)"), {40, 24, 1});
  expect_fused(s);
  EXPECT_EQ(s.fate(*s.fuse(), "t"), dropped);
}

// ---- Through recomputation

TEST(FusionCases, ABlurComputesItsInputWhereItReadsIt) {
  Staged s;
  s.uniform("view", {37, 23});
  s.floats("a", 37 * 23);
  s.temporary("t", 37 * 23 * 4);
  s.floats("b", 37 * 23);
  s.stage(image_map("view", "a", "t", "v * 0.3 + 7"), {37, 23, 1});
  s.stage(image_map("view", "t", "b", kBlur), {37, 23, 1});
  expect_fused(s, {.recomputed_operations = 1e6});
  EXPECT_EQ(s.fate(*s.fuse({.recomputed_operations = 1e6}), "t"), recomputed);
  expect_refused(s, RefusalReason::too_much_recomputation, {.recomputed_operations = 10});
}

TEST(FusionCases, WhatTheProducerDoesNotWriteIsZero) {
  // Every third element, behind an offset, of a buffer that is longer than what is covered.
  Staged s;
  s.floats("x", 64);
  s.temporary("t", 4 * 300);
  s.floats("y", 400);
  s.stage(
      "@group(0) @binding(0) var<storage> x: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> t: array<f32>;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  if (x[id.x] > 0) { t[id.x * 3 + 5] = x[id.x]; } }",
      {64, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  y[id.x] = t[id.x - 2] + f32(arrayLength(&t)); }",
      {400, 1, 1});
  expect_fused(s, {.recomputed_operations = 1e6});
}

TEST(FusionCases, AProducerWithPrivateVariablesIsNotRecomputed) {
  // Each invocation begins with 1; a second element computed by one of them would begin elsewhere.
  Staged s;
  s.floats("x", 200);
  s.temporary("t", 4 * 200);
  s.floats("y", 200);
  s.stage(
      "var<private> sum: f32 = 1;"
      "@group(0) @binding(0) var<storage> x: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> t: array<f32>;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  sum += x[id.x]; t[id.x] = sum; }",
      {200, 1, 1});
  s.stage(map("t", "y", "v + t[i + 1]"), {200, 1, 1});
  expect_refused(s, RefusalReason::other_element_read, {.recomputed_operations = 1e6});
}

TEST(FusionCases, AnIndexThatDoesNotLeadBackIsNotRecomputed) {
  // Columns 1 to 10 of rows of 10: dividing by 10 gives another row for the last column.
  Staged s;
  s.temporary("t", 4 * 100);
  s.floats("y", 100);
  s.stage(
      "@group(0) @binding(0) var<storage, read_write> t: array<f32>;"
      "@compute @workgroup_size(4, 4) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  if (id.x >= 1) { t[id.y * 10 + id.x] = f32(id.x) + 0.5; } }",
      {11, 8, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  y[id.x] = t[id.x]; }",
      {100, 1, 1});
  expect_refused(s, RefusalReason::extents_differ);
}

// In WGSL only the entry point has ids, but a built function can read them itself.
TEST(FusionCases, AFunctionThatReadsTheIdIsRecomputedForTheElementThatIsRead) {
  ProgramBuilder b("place", {64, 1, 1});
  Ref t = b.storage("t", b.array(b.f32));
  const FunctionId own = b.function("own", b.f32, {}, [&](std::span<const Value>) {
    b.return_(b.convert(b.f32, b.global_id().x()) * 0.5F);
  });
  t[b.global_id().x()] = b.call(own, {});
  auto program = std::move(b).build();
  ASSERT_TRUE(program) << describe(program.error());
  const auto kernel = make_kernel(*std::move(program));
  ASSERT_TRUE(kernel) << describe(kernel.error());
  Staged s;
  s.temporary("t", 4 * 300);
  s.floats("y", 300);
  s.stage(*kernel, print(*kernel->program), {300, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  y[id.x] = t[id.x] - t[id.x + 3] * 10; }",
      {300, 1, 1});
  expect_fused(s);
  EXPECT_EQ(s.fate(*s.fuse(), "t"), recomputed);
}

TEST(FusionCases, AMapGoesIntoABlockReductionWithAGridStrideLoop) {
  Staged s;
  s.floats("x", 5000);
  s.temporary("t", 20000);
  s.floats("sums", 4);
  s.stage(map("x", "t", "v * v"), {5000, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> sums: array<f32>;"
      "var<workgroup> part: array<f32, 64>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>,"
      "  @builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>) {"
      "  var sum = 0.0;"
      "  for (var k = id.x; k < arrayLength(&t); k += 256) { sum += t[k]; }"
      "  part[l] = sum; workgroupBarrier();"
      "  for (var n = 32u; n > 0; n /= 2) {"
      "    if (l < n) { part[l] += part[l + n]; } workgroupBarrier(); }"
      "  if (l == 0) { sums[w.x] = part[0]; } }",
      {256, 1, 1});
  expect_fused(s);
  EXPECT_EQ(s.fate(*s.fuse(), "t"), recomputed);
}

// ---- In order

TEST(FusionCases, AStageInPlaceFollowsInOrder) {
  Staged s;
  s.floats("x", 300);
  s.floats("y", 300);
  s.stage(map("x", "y", "v + 1"), {300, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  x[id.x] = x[id.x] * 2; }",
      {300, 1, 1});
  expect_fused(s);
}

TEST(FusionCases, ALiveIntermediateIsStoredAndPassedOn) {
  Staged s;
  s.floats("x", 300);
  s.floats("t", 300);
  s.floats("y", 300);
  s.stage(map("x", "t", "v + 1"), {300, 1, 1});
  s.stage(map("t", "y", "v * 2"), {300, 1, 1});
  expect_fused(s);
  const auto fused = s.fuse();
  EXPECT_EQ(s.fate(*fused, "t"), registers);
  EXPECT_EQ(fused->kernel.stats.loads, 1U) << print(*fused->kernel.program);
  EXPECT_EQ(fused->kernel.stats.stores, 2U);
}

TEST(FusionCases, AStencilWhoseInputIsOverwrittenIsNotFused) {
  Staged s;
  s.floats("x", 300);
  s.floats("y", 300);
  s.stage(
      "@group(0) @binding(0) var<storage> x: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  y[id.x] = x[id.x] + x[id.x + 1]; }",
      {300, 1, 1});
  s.stage(map("y", "x", "v * 2"), {300, 1, 1});
  expect_refused(s, RefusalReason::neighbour_overwritten);
}

TEST(FusionCases, AnIntermediateShorterThanTheExtentReadsZeroBeyondItsEnd) {
  for (const bool with_guard : {true, false}) {
    Staged s;
    s.floats("x", 300);
    s.temporary("t", 4 * 200);
    s.floats("y", 300);
    const std::string guard = with_guard ? "if (i >= arrayLength(&OUT)) { return; }" : "";
    s.stage(map("x", "t", "v + 1", guard), {300, 1, 1});
    s.stage(map("t", "y", "v * 2 - 1", guard), {300, 1, 1});
    expect_fused(s);
    EXPECT_EQ(s.fate(*s.fuse(), "t"), dropped);
  }
}

TEST(FusionCases, AProducerMayWriteEverySecondElement) {
  for (const bool temporary : {true, false}) {
    Staged s;
    s.floats("x", 300);
    if (temporary) {
      s.temporary("t", 1200);
    } else {
      s.floats("t", 300);
    }
    s.floats("y", 300);
    s.stage(map("x", "t", "v + 1", "if (i % 2 == 1) { return; }"), {300, 1, 1});
    s.stage(map("t", "y", "v * 2 - 1"), {300, 1, 1});
    expect_fused(s);
  }
}

TEST(FusionCases, InteriorStencilsKeepTheirBorders) {
  Staged s;
  s.floats("x", 300);
  s.floats("t", 300);
  s.floats("y", 300);
  s.stage(
      "@group(0) @binding(0) var<storage> x: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> t: array<f32>;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  let i = id.x; if (i == 0 || i + 1 >= arrayLength(&t)) { return; }"
      "  t[i] = x[i - 1] + x[i + 1]; }",
      {300, 1, 1});
  s.stage(map("t", "y", "v * 2 - 1"), {300, 1, 1});
  expect_fused(s);
  const auto fused = s.fuse();
  EXPECT_EQ(s.fate(*fused, "t"), registers);
}

// ---- Side by side

TEST(FusionCases, IndependentStagesRunSideBySide) {
  Staged s;
  s.floats("x", 300);
  s.floats("y", 300);
  s.floats("z", 300);
  s.stage(map("x", "y", "v + 1"), {300, 1, 1});
  s.stage(map("x", "z", "v * 2"), {300, 1, 1});
  expect_fused(s);
  EXPECT_EQ(s.fuse()->bindings.size(), 3U);
}

// ---- Atomics

constexpr const char* kThreshold = "select(0.0, 1.0, v > 3)";

TEST(FusionCases, AHistogramTakesWhatAThresholdGives) {
  Staged s;
  s.floats("x", 300);
  s.temporary("t", 1200);
  s.words("counts", {5, 6, 7});
  s.stage(map("x", "t", kThreshold), {300, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  atomicAdd(&counts[u32(t[id.x])], 1); }",
      {300, 1, 1});
  expect_fused(s);
  EXPECT_EQ(s.fate(*s.fuse(), "t"), dropped);
}

TEST(FusionCases, AnAppendByTheResultOfAnAtomicIsNotFused) {
  Staged s;
  s.floats("x", 300);
  s.temporary("t", 1200);
  s.words("count", {0});
  s.words("list", std::vector<std::uint32_t>(300));
  s.stage(map("x", "t", kThreshold), {300, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;"
      "@group(0) @binding(2) var<storage, read_write> list: array<u32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  if (t[id.x] > 0) { let at = atomicAdd(&count, 1); list[at] = id.x; } }",
      {300, 1, 1});
  expect_refused(s, RefusalReason::atomic_result_used);
}

TEST(FusionCases, ScatterWithAtomicsBetweenGathersIsNotFused) {
  Staged s;
  s.words("to", {3, 1, 2, 0});
  s.words("sum", {0, 0, 0, 0});
  s.words("y", {0, 0, 0, 0});
  s.stage(
      "@group(0) @binding(0) var<storage> to: array<u32>;"
      "@group(0) @binding(1) var<storage, read_write> sum: array<atomic<u32>>;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  atomicAdd(&sum[to[id.x]], id.x); }",
      {4, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage, read_write> sum: array<atomic<u32>>;"
      "@group(0) @binding(1) var<storage, read_write> y: array<u32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  y[id.x] = atomicLoad(&sum[id.x]); }",
      {4, 1, 1});
  const auto fused = s.fuse();
  ASSERT_FALSE(fused);
}

TEST(FusionCases, TwoStagesMayAddToTheSameCounters) {
  Staged s;
  s.words("x", {3, 1, 2, 0, 1, 1, 2});
  s.words("sum", {0, 9, 0, 0});
  const char* add =
      "@group(0) @binding(0) var<storage> x: array<u32>;"
      "@group(0) @binding(1) var<storage, read_write> sum: array<atomic<u32>>;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  atomicAdd(&sum[x[id.x]], id.x); }";
  s.stage(add, {7, 1, 1});
  s.stage(add, {7, 1, 1});
  expect_fused(s);
  std::string max = add;
  max.replace(max.find("atomicAdd"), 9, "atomicMax");
  s.stage(max, {7, 1, 1});
  expect_refused(s, RefusalReason::atomics_mixed);
}

// ---- Workgroups that work together

// Each row divided by about the root of the sum of its squares. Integers approximate the root,
// because the last bits of inverseSqrt differ from device to device.
std::string normalise(const std::string& in, const std::string& out) {
  return fmt::format(
      "@group(0) @binding(0) var<storage> {0}: array<f32>;"
      "@group(0) @binding(1) var<storage, read_write> {1}: array<f32>;"
      "var<workgroup> part: array<f32, 64>;"
      "@compute @workgroup_size(64) fn rows(@builtin(workgroup_id) row: vec3<u32>,"
      "  @builtin(local_invocation_index) l: u32) {{"
      "  var sum = 0.0;"
      "  for (var k = l; k < 200; k += 64) {{ let v = {0}[row.x * 200 + k]; sum += v * v; }}"
      "  part[l] = sum; workgroupBarrier();"
      "  for (var n = 32u; n > 0; n /= 2) {{"
      "    if (l < n) {{ part[l] += part[l + n]; }} workgroupBarrier(); }}"
      "  let scale = bitcast<f32>(0x5f3759dfu - (bitcast<u32>(part[0] + 1) >> 1u));"
      "  for (var k = l; k < 200; k += 64) {{"
      "    {1}[row.x * 200 + k] = {0}[row.x * 200 + k] * scale; }} }}",
      in, out);
}

TEST(FusionCases, RowsAreNormalisedAndThenMultipliedInOneLaunch) {
  Staged s;
  s.floats("x", 7 * 200);
  s.floats("weights", 200);
  s.temporary("t", 7 * 200 * 4);
  s.floats("y", 7 * 200);
  s.stage(normalise("x", "t"), {7 * 64, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<f32>;"
      "@group(0) @binding(1) var<storage> weights: array<f32>;"
      "@group(0) @binding(2) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(64) fn weigh(@builtin(workgroup_id) row: vec3<u32>,"
      "  @builtin(local_invocation_index) l: u32) {"
      "  for (var k = l; k < 200; k += 64) {"
      "    y[row.x * 200 + k] = t[row.x * 200 + k] * weights[k]; } }",
      {7 * 64, 1, 1});
  expect_fused(s);
  EXPECT_EQ(s.fate(*s.fuse(), "t"), dropped);
}

TEST(FusionCases, AResidualSumGoesInFrontOfANormalisation) {
  Staged s;
  s.floats("x", 7 * 200);
  s.temporary("t", 7 * 200 * 4);
  s.floats("y", 7 * 200);
  s.stage(map("x", "t", "v + 2"), {7 * 200, 1, 1});
  s.stage(normalise("t", "y"), {7 * 64, 1, 1});
  expect_fused(s);
  EXPECT_EQ(s.fate(*s.fuse(), "t"), recomputed);
}

TEST(FusionCases, RowsOfAnotherLengthAreNotFused) {
  Staged s;
  s.floats("x", 7 * 200);
  s.temporary("t", 7 * 200 * 4);
  s.floats("y", 7 * 200);
  s.stage(normalise("x", "t"), {7 * 64, 1, 1});
  std::string other = normalise("t", "y");
  for (auto at = other.find("200"); at != std::string::npos; at = other.find("200", at + 1)) {
    other.replace(at, 3, "190");
  }
  s.stage(other, {7 * 64, 1, 1});
  const auto fused = s.fuse();
  ASSERT_FALSE(fused);
  EXPECT_EQ(to_string(fused.error().reason), to_string(RefusalReason::other_element_read));
}

TEST(FusionCases, ABarrierInAProducerOfAnotherWorkgroupIsNotFused) {
  Staged s;
  s.floats("x", 7 * 200);
  s.temporary("t", 7 * 200 * 4);
  s.floats("y", 7 * 200);
  s.stage(normalise("x", "t"), {7 * 64, 1, 1});
  std::string other = map("t", "y", "v");
  other.replace(other.find("size(64)"), 8, "size(32)");
  s.stage(other, {7 * 64, 1, 1});
  expect_refused(s, RefusalReason::workgroup_differs);
}

// ---- Refused by name

TEST(FusionCases, OtherExtentsAreNotFused) {
  Staged s;
  s.floats("x", 300);
  s.floats("y", 300);
  s.floats("z", 300);
  s.stage(map("x", "y", "v + 1"), {300, 1, 1});
  s.stage(map("y", "z", "v * 2"), {299, 1, 1});
  expect_refused(s, RefusalReason::extents_differ);
}

TEST(FusionCases, OtherTypesAreNotFused) {
  Staged s;
  s.floats("x", 300);
  s.temporary("t", 1200);
  s.words("z", std::vector<std::uint32_t>(300));
  s.stage(map("x", "t", "v + 1"), {300, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> t: array<u32>;"
      "@group(0) @binding(1) var<storage, read_write> z: array<u32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  z[id.x] = t[id.x]; }",
      {300, 1, 1});
  expect_refused(s, RefusalReason::seen_as_two_types);
}

TEST(FusionCases, MembersOfOtherNamesAreAnotherType) {
  Staged s;
  s.floats("t", 64);
  for (const char* member : {"a", "b"}) {
    s.stage(fmt::format("struct P {{ {0}: f32 }}"
                        "@group(0) @binding(0) var<storage, read_write> t: array<P>;"
                        "@compute @workgroup_size(64) fn k("
                        "  @builtin(global_invocation_id) id: vec3<u32>) {{ t[id.x].{0} *= 2; }}",
                        member),
            {64, 1, 1});
  }
  expect_refused(s, RefusalReason::seen_as_two_types);
}

TEST(FusionCases, StructsWithOtherDistancesAreAnotherType) {
  for (const char* room : {"@size(16)", "@align(16)"}) {
    Staged s;
    s.floats("x", 64);
    s.floats("t", 256);
    s.floats("y", 64);
    s.stage(
        "struct P { a: f32 }"
        "@group(0) @binding(0) var<storage> x: array<f32>;"
        "@group(0) @binding(1) var<storage, read_write> t: array<P>;"
        "@compute @workgroup_size(64) fn k(@builtin(global_invocation_id) id: vec3<u32>) {"
        "  t[id.x].a = x[id.x]; }",
        {64, 1, 1});
    s.stage(fmt::format(
                "struct P {{ {} a: f32 }}"
                "@group(0) @binding(0) var<storage> t: array<P>;"
                "@group(0) @binding(1) var<storage, read_write> y: array<f32>;"
                "@compute @workgroup_size(64) fn k(@builtin(global_invocation_id) id: vec3<u32>) {{"
                "  y[id.x] = t[id.x].a; }}",
                room),
            {64, 1, 1});
    expect_refused(s, RefusalReason::seen_as_two_types);
  }
}

TEST(FusionCases, AGuardOnTheSameMemoryInOtherDistancesIsAnotherGuard) {
  // `t` keeps its contents, so what was stored under one guard is not what is read under the other.
  Staged s;
  s.words("g", {1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0});
  s.floats("t", 4);
  s.floats("y", 4);
  s.stage(
      "struct P { a: u32 }"
      "@group(0) @binding(0) var<storage> g: array<P>;"
      "@group(0) @binding(1) var<storage, read_write> t: array<f32>;"
      "@compute @workgroup_size(4) fn k(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  if (g[id.x].a == 1) { t[id.x] = 5; } }",
      {4, 1, 1});
  s.stage(
      "struct P { @size(16) a: u32 }"
      "@group(0) @binding(0) var<storage> g: array<P>;"
      "@group(0) @binding(1) var<storage> t: array<f32>;"
      "@group(0) @binding(2) var<storage, read_write> y: array<f32>;"
      "@compute @workgroup_size(4) fn k(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  if (g[id.x].a == 1) { y[id.x] = t[id.x]; } }",
      {4, 1, 1});
  expect_fused(s);
}

TEST(FusionCases, TooMuchWorkgroupMemoryIsNotFused) {
  Staged s;
  s.floats("x", 7 * 200);
  s.floats("t", 7 * 200);
  s.floats("y", 7 * 200);
  s.stage(normalise("x", "t"), {7 * 64, 1, 1});
  s.stage(normalise("x", "y"), {7 * 64, 1, 1});
  expect_fused(s);
  expect_refused(s, RefusalReason::too_much_workgroup_memory, {.workgroup_bytes = 511});
}

TEST(FusionCases, ABufferWithoutElementsIsNotFused) {
  Staged s;
  s.words("flag", {0});
  s.words("z", std::vector<std::uint32_t>(300));
  s.stage(
      "@group(0) @binding(0) var<storage, read_write> flag: u32;"
      "@compute @workgroup_size(64) fn a(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  if (id.x == 299) { flag = 1; } }",
      {300, 1, 1});
  s.stage(
      "@group(0) @binding(0) var<storage> flag: u32;"
      "@group(0) @binding(1) var<storage, read_write> z: array<u32>;"
      "@compute @workgroup_size(64) fn b(@builtin(global_invocation_id) id: vec3<u32>) {"
      "  z[id.x] = flag; }",
      {300, 1, 1});
  expect_refused(s, RefusalReason::accessed_as_a_whole);
}

TEST(FusionCases, TooManyBindingsAreNotFused) {
  Staged s;
  s.floats("x", 300);
  s.floats("y", 300);
  s.floats("z", 300);
  s.stage(map("x", "y", "v + 1"), {300, 1, 1});
  s.stage(map("x", "z", "v * 2"), {300, 1, 1});
  expect_fused(s, {.bindings = 3});
  expect_refused(s, RefusalReason::too_many_bindings, {.bindings = 2});
}

}  // namespace
}  // namespace vyre
