#include <gtest/gtest.h>

#include "vyre/engine/work_internal.h"
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
)";

PriorFacts facts(std::string_view entry, TargetKind kind) {
  const ParsedModule parsed = parse_wgsl(kText);
  EXPECT_TRUE(parsed.module) << parsed.message();
  return prior_facts_of(*make_kernel(*parsed.module->find(entry)), kind, {1000, 1, 1}, 24'000);
}

TEST(Work, CountsTheBytesOfAnInvocation) {
  const PriorFacts f = facts("straight", TargetKind::nvptx);
  EXPECT_EQ(f.loaded_bytes, 4 + 16);
  EXPECT_EQ(f.stored_bytes, 16);
  EXPECT_EQ(f.traffic_bytes, 24'000);
  EXPECT_FALSE(f.loops);
}

TEST(Work, ALoadWhosePlaceIsLoadedTakesAWholeSectorOfAGpu) {
  const PriorFacts gpu = facts("looked_up", TargetKind::nvptx);
  EXPECT_EQ(gpu.loaded_bytes, 4 + 32);
  EXPECT_EQ(gpu.traffic_bytes, 0) << "it is not known";
  EXPECT_EQ(facts("looked_up", TargetKind::host).loaded_bytes, 4 + 4);
}

}  // namespace
}  // namespace vyre
