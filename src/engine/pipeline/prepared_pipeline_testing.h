// Kernels and a session for tests of prepared pipelines.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "vyre/engine/pipeline/prepared_pipeline.h"

namespace vyre::prepared_pipelines {

inline constexpr const char* kText = R"(
struct View { width: u32, height: u32 }
override GAIN: f32 = 2;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<uniform> view: View;
@group(0) @binding(3) var<storage, read_write> moved: atomic<u32>;
@group(0) @binding(4) var<storage, read_write> groups: array<u32>;
@compute @workgroup_size(8, 8) fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= view.width || id.y >= view.height) { return; }
  let i = id.y * view.width + id.x;
  b[i] = a[i] * GAIN; }
@compute @workgroup_size(8, 8) fn mirror(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= view.width || id.y >= view.height) { return; }
  b[id.y * view.width + id.x] = a[id.y * view.width + (view.width - 1 - id.x)] + 1; }
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  b[id.x] += a[id.x]; }
@compute @workgroup_size(64) fn half(@builtin(global_invocation_id) id: vec3<u32>) {
  b[id.x] = floor(a[id.x] / 2);
  if (b[id.x] != a[id.x]) { atomicAdd(&moved, 1u); } }
struct Gain { gain: f32, n: u32 }
@group(0) @binding(5) var<uniform> gain: Gain;
@group(0) @binding(6) var<uniform> other: View;
@compute @workgroup_size(64) fn amplify(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < gain.n) { b[id.x] = a[id.x] * gain.gain; } }
@compute @workgroup_size(8, 8) fn scale_as(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= other.width || id.y >= other.height) { return; }
  b[id.y * other.width + id.x] = a[id.y * other.width + id.x] * 10; }
@compute @workgroup_size(8) fn either(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < view.width || id.x < other.width) { b[id.x] = a[id.x]; } }
@compute @workgroup_size(1) fn wait_for() {
  var n = 0u;
  while (a[n % 4u] == 0) { n++; }
  b[0] = f32(n); }
@compute @workgroup_size(1) fn choose() { groups[0] = u32(a[0]); groups[1] = 1; groups[2] = 1; }
@compute @workgroup_size(4) fn mark(@builtin(global_invocation_id) id: vec3<u32>,
                                    @builtin(num_workgroups) n: vec3<u32>) {
  b[id.x] = f32(n.x); }
)";

inline const WgslModule& wgsl() {
  static const WgslModule module = *make_wgsl(kText, "test.wgsl");
  return module;
}
inline std::vector<float> counting(std::size_t n, float first = 0) {
  std::vector<float> out(n);
  std::iota(out.begin(), out.end(), first);
  return out;
}

class PreparedPipelineTest : public testing::Test {
 protected:
  Session session = *Session::open("cpu", {.cpu = {.threads = 2}, .code_folder = {}});
};

}  // namespace vyre::prepared_pipelines
