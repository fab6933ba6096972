#include "vyre/pipeline/pipeline_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vyre/pipeline/pipeline_file.h"

namespace vyre {
namespace {

constexpr const char* kKernels = R"(
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
struct Params { scale: f32, n: u32 }
@group(0) @binding(2) var<uniform> p: Params;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
  b[id.x] = a[id.x] * 2; }
@compute @workgroup_size(64) fn scaled(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= p.n) { return; }
  b[id.x] = a[id.x] * p.scale; }
@compute @workgroup_size(64) fn turned(@builtin(global_invocation_id) id: vec3<u32>) {
  b[id.x] = a[arrayLength(&a) - 1 - id.x] + a[id.x]; }
)";

constexpr const char* kHead =
    "vyre = 1\nname = \"test\"\n[dims]\nn = 100\n[buffers]\n"
    "x = { type = \"array<f32>\", shape = [\"n\"], source = \"fill:iota\" }\n"
    "s = { type = \"array<f32>\", shape = [\"n\"] }\n"
    "t = { type = \"array<f32>\", shape = [\"n\"] }\n"
    "u = { type = \"array<f32>\", shape = [\"n\"] }\n"
    "y = { type = \"array<f32>\", shape = [\"n\"], sink = \"y.npy\" }\n";

std::string stage(const std::string& name, const std::string& entry, const std::string& a,
                  const std::string& b, const std::string& more = "") {
  return fmt::format(
      "[[stage]]\nname = \"{}\"\nentry = \"{}\"\nfile = \"k.wgsl\"\nsize = [\"n\"]\n"
      "bind = {{ a = \"{}\", b = \"{}\"{} }}\n",
      name, entry, a, b, more);
}

ReadyOptions options() {
  ReadyOptions out;
  out.read_file = [](const std::string& file) -> Result<std::string> {
    if (file == "k.wgsl") return std::string(kKernels);
    return fail(Code::invalid_input, "no file " + file);
  };
  out.place = [](const std::string& file) { return file; };
  return out;
}
Result<ReadyPipeline> ready(const std::string& text) {
  VYRE_TRY(const Pipeline pipeline, parse_pipeline(text, "p.toml"));
  return make_ready(pipeline, options());
}
std::string error(const std::string& text) {
  const auto pipeline = ready(text);
  return pipeline ? "" : pipeline.error().what;
}

TEST(PipelinePlan, TemporariesBetweenFusedStagesNeedNoMemory) {
  const auto pipeline =
      ready(std::string(kHead) + stage("one", "twice", "x", "t") + stage("two", "twice", "t", "y"));
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  const auto plan = plan_pipeline(*pipeline, {});
  ASSERT_TRUE(plan) << plan.error().what;
  EXPECT_EQ(plan->launches.size(), 1U) << plan_text(*pipeline, *plan);
  EXPECT_EQ(plan->allocated_bytes, 800U);
  EXPECT_FALSE(plan->buffers[*pipeline->find("t")].memory);
  EXPECT_EQ(plan->buffers[*pipeline->find("t")].fate, BufferFate::dropped);
}

TEST(PipelinePlan, WhatCannotBeFusedHasItsReason) {
  // Each stage reads what the one before wrote, at two places: too much to compute again.
  const auto pipeline = ready(
      std::string(kHead) + stage("one", "turned", "x", "s") + stage("two", "turned", "s", "t") +
      stage("three", "turned", "t", "u") + stage("four", "turned", "u", "y"));
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  PipelinePlanOptions how;
  how.limits.recomputed_operations = 0;
  const auto plan = plan_pipeline(*pipeline, how);
  ASSERT_TRUE(plan) << plan.error().what;
  ASSERT_EQ(plan->launches.size(), 4U);
  EXPECT_NE(plan->launches[1].begins_because.find("computing 's' again where 'two' reads it"),
            std::string::npos)
      << plan->launches[1].begins_because;
  // s and u are never alive together.
  EXPECT_EQ(plan->buffers[*pipeline->find("s")].memory, plan->buffers[*pipeline->find("u")].memory);
  EXPECT_NE(plan->buffers[*pipeline->find("s")].memory, plan->buffers[*pipeline->find("t")].memory);
  EXPECT_EQ(plan->allocated_bytes, 1600U);
  EXPECT_TRUE(plan->launches[2].cleared.empty()) << "the stage writes all of its output";
}

TEST(PipelinePlan, TheHostAndTheSwitchDivideLaunches) {
  const std::string two = "host = true\n";
  const auto pipeline = ready(std::string(kHead) + stage("one", "twice", "x", "t") +
                              stage("two", "twice", "t", "y") + two);
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  const auto plan = plan_pipeline(*pipeline, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->launches.size(), 2U);
  EXPECT_EQ(plan->launches[1].begins_because, "the host may look at what comes before 'two'");
  const auto apart = plan_pipeline(*pipeline, {.fuse = false, .memory_budget = {}, .limits = {}});
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->launches[1].begins_because, "fusion is off");
}

TEST(PipelinePlan, TheBudgetCountsWhatIsAllocated) {
  const auto pipeline =
      ready(std::string(kHead) + stage("one", "twice", "x", "t") + stage("two", "twice", "t", "y"));
  ASSERT_TRUE(pipeline);
  EXPECT_FALSE(plan_pipeline(*pipeline, {.fuse = true, .memory_budget = 799, .limits = {}}));
}

TEST(PipelinePlan, UniformsHaveTheirFields) {
  const std::string head = std::string(kHead) + "[uniforms.p]\nscale = 0.5\nn = \"n - 1\"\n";
  const auto pipeline = ready(head + stage("one", "scaled", "x", "y", ", p = \"p\""));
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  const ReadyBuffer& p = pipeline->buffers[*pipeline->find("p")];
  ASSERT_EQ(p.bytes, 8U);
  EXPECT_EQ(static_cast<int>(p.contents[4]), 99);
  // The last element is not written, so the memory must hold zeros.
  const auto plan = plan_pipeline(*pipeline, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->launches[0].cleared.size(), 1U);
}

TEST(PipelinePlan, MistakesNameTheirLine) {
  const std::string head = kHead;
  EXPECT_NE(error(head + stage("one", "twice", "x", "z")).find("there is no buffer or uniform 'z'"),
            std::string::npos);
  EXPECT_NE(error(head + stage("one", "twice", "x", "z")).find("p.toml:11: "), std::string::npos);
  EXPECT_NE(error(head + stage("one", "typo", "x", "y")).find("typo"), std::string::npos);
  EXPECT_NE(error(head + stage("one", "twice", "t", "y")).find("neither a source nor an earlier"),
            std::string::npos);
  EXPECT_NE(error(head + stage("one", "twice", "x", "t")).find("'y' has a sink"),
            std::string::npos);
  EXPECT_NE(error(head + stage("one", "twice", "x", "x")).find("one of them is written"),
            std::string::npos);
  EXPECT_NE(error(head + stage("one", "scaled", "x", "y")).find("nothing is bound to 'p'"),
            std::string::npos);
  EXPECT_NE(error(head + stage("one", "twice", "x", "y", ", q = \"t\"")).find("no buffer 'q'"),
            std::string::npos);
  EXPECT_NE(error(head + "size = 1\n").find("is not a table"), std::string::npos);
  EXPECT_NE(error("name = 1\n").find("p.toml:1: name is not a text"), std::string::npos);
  EXPECT_NE(error("vyre = 2\n").find("version 1"), std::string::npos);
  EXPECT_NE(error("vyre = 1\n[loops.a]\nmost = 3\n").find("loops are not supported"),
            std::string::npos);
  EXPECT_NE(
      error(head + "[uniforms.p]\nscale = 1\n" + stage("one", "scaled", "x", "y", ", p = \"p\""))
          .find("no value for the field 'n'"),
      std::string::npos);
  std::string wide = head;
  wide.replace(wide.find("\"n\"]"), 4, "\"n / 3\"]");
  EXPECT_NE(error(wide + stage("one", "twice", "x", "y")).find("not a whole number"),
            std::string::npos);
}

}  // namespace
}  // namespace vyre
