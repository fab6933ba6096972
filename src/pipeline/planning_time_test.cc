// Planning and fusing take time in proportion to the number of stages.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/pipeline/pipeline_plan.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(64) fn next(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = a[id.x] * 1.5 + 1; } }
)";

// A chain of stages, each with a buffer of its own.
Pipeline chain(std::size_t stages) {
  static const auto module = std::make_shared<const ParsedModule>(parse_wgsl(kText, "chain"));
  Pipeline out;
  out.name = "chain";
  for (std::size_t i = 0; i <= stages; ++i) {
    PipelineBuffer& buffer = out.buffers.emplace_back();
    buffer.name = fmt::format("b{}", i);
    buffer.type = "array<f32>";
    buffer.shape = {"1000"};
    buffer.given = i == 0;
    buffer.wanted = i == stages;
  }
  for (std::size_t i = 0; i < stages; ++i) {
    PipelineStage& stage = out.stages.emplace_back();
    stage.name = fmt::format("s{}", i);
    stage.entry = "next";
    stage.module = module;
    stage.size = {"1000"};
    stage.bind = {{"a", fmt::format("b{}", i)}, {"b", fmt::format("b{}", i + 1)}};
  }
  return out;
}

// The processor time for checking, planning and fusing a chain: the least of several attempts.
double milliseconds(std::size_t stages, int attempts) {
  const Pipeline pipeline = chain(stages);
  double least = 1e9;
  for (int i = 0; i < attempts; ++i) {
    const std::clock_t begin = std::clock();
    const auto ready = make_ready(pipeline, {});
    EXPECT_TRUE(ready) << ready.error().what;
    if (!ready) return 0;
    const auto plan = plan_pipeline(*ready, {});
    EXPECT_TRUE(plan) << plan.error().what;
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    if (!plan) return 0;
    EXPECT_EQ(plan->launches.size(), (stages + 15) / 16);
  }
  return least;
}

TEST(PlanningTime, IsLinearInTheNumberOfStages) {
  const double few = milliseconds(1000, 2);
  const double many = milliseconds(10'000, 1);
  RecordProperty("per_1000_stages_ms", fmt::format("{:.1f}", few));
  EXPECT_LT(many, 20 * few) << few << " ms for 1,000 stages, " << many << " for 10,000";
}

TEST(PlanningTime, OfAHundredStagesIsShort) {
  const double most = kSanitized ? 2000 : 50;
  EXPECT_LT(milliseconds(100, 5), most);
}

}  // namespace
}  // namespace vyre
