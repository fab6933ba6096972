// Any text as a pipeline's file: it is refused with an error that says something, or it can be
// planned within limits.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vyre/pipeline/pipeline_file.h"
#include "vyre/pipeline/pipeline_plan.h"
#include "vyre/pipeline/pipeline_plan_text.h"

namespace {

constexpr const char* kKernels = R"(
struct View { width: u32, at: vec2<f32> }
override GAIN: f32 = 2;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<uniform> view: View;
@group(0) @binding(3) var<storage, read_write> moved: atomic<u32>;
@compute @workgroup_size(64) fn one(@builtin(global_invocation_id) id: vec3<u32>) {
  b[id.x] = a[id.x] * GAIN; }
@compute @workgroup_size(64) fn two(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < view.width) { b[id.x] = a[id.x + 1] + view.at.x; atomicAdd(&moved, 1); } }
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto pipeline = vyre::parse_pipeline(text, "fuzz.toml");
  if (!pipeline) {
    if (pipeline.error().what.empty()) std::abort();
    return 0;
  }
  vyre::ReadyOptions options;
  options.read_file = [](const std::string&) -> vyre::Result<std::string> { return kKernels; };
  options.place = [](const std::string&) { return std::string("/nowhere/at/all"); };
  const auto ready = vyre::make_ready(*pipeline, options);
  if (!ready) {
    if (ready.error().what.empty()) std::abort();
    return 0;
  }
  if (ready->stages.size() > 64) return 0;
  const auto plan = vyre::plan_pipeline(*ready, {});
  if (!plan) return 0;
  if (vyre::plan_text(*ready, *plan).empty() || vyre::plan_json(*ready, *plan).empty()) {
    std::abort();
  }
  return 0;
}
