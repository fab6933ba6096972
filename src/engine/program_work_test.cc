#include "vyre/plan/model/program_work.h"

#include <gtest/gtest.h>

#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read> index: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;

@compute @workgroup_size(64) fn straight(@builtin(global_invocation_id) id: vec3u) {
  y[id.x] = vec4f(x[id.x]) + y[id.x];
}
@compute @workgroup_size(64) fn looked_up(@builtin(global_invocation_id) id: vec3u) {
  y[id.x] = vec4f(x[index[id.x]]);
}
struct Shape { width: u32, height: u32 }
@group(0) @binding(3) var<uniform> shape: Shape;
@group(0) @binding(4) var<storage, read_write> z: array<f32>;
@compute @workgroup_size(16, 16) fn transposed(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < shape.width && id.y < shape.height) {
    let at = id.y * shape.width + id.x;
    z[id.x * shape.height + id.y] = x[at];
  }
}
@compute @workgroup_size(16, 16) fn copied(@builtin(global_invocation_id) id: vec3u) {
  let at = id.x + (id.y << 10u);
  z[at] = x[at + 1u];
}
@compute @workgroup_size(64) fn exchanged(@builtin(global_invocation_id) id: vec3u) {
  if (id.x % 2u == 0u) { z[id.x] = z[id.x + 1u]; }
}
@compute @workgroup_size(16, 16) fn unclear(@builtin(global_invocation_id) id: vec3u) {
  var at = id.x * 64u + id.y;
  at += 1u;
  z[at] = x[(id.x ^ 3u) * 64u + id.y];
}
)";

CostFacts facts(std::string_view entry, TargetKind kind) {
  const ParsedModule parsed = parse_wgsl(kText);
  EXPECT_TRUE(parsed.module) << parsed.message();
  return cost_facts_of(*make_kernel(*parsed.module->find(entry)), kind, {1000, 1, 1}, 24'000);
}

TEST(Work, CountsTheBytesOfAnInvocation) {
  const CostFacts f = facts("straight", TargetKind::nvptx);
  EXPECT_EQ(f.loaded_bytes, 4 + 16);
  EXPECT_EQ(f.stored_bytes, 16);
  EXPECT_EQ(f.traffic_bytes, 24'000);
  EXPECT_FALSE(f.loops);
}

TEST(Work, InPlaceIsWhatReadsWhatOthersWrite) {
  EXPECT_TRUE(facts("exchanged", TargetKind::nvptx).in_place);
  EXPECT_FALSE(facts("straight", TargetKind::nvptx).in_place) << "its own elements alone";
  EXPECT_FALSE(facts("copied", TargetKind::nvptx).in_place) << "from one buffer to another";
}

TEST(Work, ColumnsAreKnownByTheirIndices) {
  EXPECT_EQ(facts("transposed", TargetKind::nvptx).column_bytes, 4) << "it loads a row";
  EXPECT_EQ(facts("copied", TargetKind::nvptx).column_bytes, 0);
  EXPECT_EQ(facts("unclear", TargetKind::nvptx).column_bytes, 0);
  EXPECT_EQ(facts("straight", TargetKind::nvptx).column_bytes, 0);
}

TEST(Work, ALoadWhosePlaceIsLoadedTakesAWholeSectorOfAGpu) {
  const CostFacts gpu = facts("looked_up", TargetKind::nvptx);
  EXPECT_EQ(gpu.loaded_bytes, 4 + 32);
  EXPECT_EQ(gpu.traffic_bytes, 0) << "it is not known";
  EXPECT_EQ(facts("looked_up", TargetKind::host).loaded_bytes, 4 + 4);
}

}  // namespace
}  // namespace vyre
