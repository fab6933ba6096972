#include "vyre/pipeline/pipeline_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "vyre/pipeline/interpret_pipeline.h"
#include "vyre/pipeline/pipeline_file.h"
#include "vyre/pipeline/pipeline_plan_text.h"

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
  // Each stage reads two elements of what the stage before wrote, which is too much to compute
  // again.
  const auto pipeline = ready(
      std::string(kHead) + stage("one", "turned", "x", "s") + stage("two", "turned", "s", "t") +
      stage("three", "turned", "t", "u") + stage("four", "turned", "u", "y"));
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  PipelinePlanOptions how;
  how.limits.recomputed_operations = 0;
  const auto plan = plan_pipeline(*pipeline, how);
  ASSERT_TRUE(plan) << plan.error().what;
  ASSERT_EQ(plan->launches.size(), 4U);
  EXPECT_EQ(plan->launches[1].boundary, LaunchBoundary::not_fusable);
  EXPECT_EQ(plan->launches[1].refusal, RefusalReason::too_much_recomputation);
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
  EXPECT_EQ(plan->launches[0].boundary, LaunchBoundary::first_launch);
  EXPECT_EQ(plan->launches[1].boundary, LaunchBoundary::host_looks);
  const auto apart = plan_pipeline(*pipeline, {.fuse = false, .memory_budget = {}, .limits = {}});
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->launches[1].begins_because, "fusion is off");
  EXPECT_EQ(apart->launches[1].boundary, LaunchBoundary::fusion_off);
}

TEST(PipelinePlan, TheBudgetCountsWhatIsAllocated) {
  const auto pipeline =
      ready(std::string(kHead) + stage("one", "twice", "x", "t") + stage("two", "twice", "t", "y"));
  ASSERT_TRUE(pipeline);
  EXPECT_FALSE(plan_pipeline(*pipeline, {.fuse = true, .memory_budget = 799, .limits = {}}));
}

TEST(PipelinePlan, AFusedLaunchKnowsItsStages) {
  const auto pipeline =
      ready(std::string(kHead) + stage("one", "twice", "x", "t") + stage("two", "twice", "t", "y"));
  ASSERT_TRUE(pipeline);
  const auto plan = plan_pipeline(*pipeline, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->launches[0].parts.size(), 2U);
  // Only the stages need 't', whose memory is not part of the fused plan.
  EXPECT_EQ(plan->memory.size(), 2U);
  EXPECT_EQ(plan->memory_apart, std::vector<std::uint64_t>{400});
  EXPECT_EQ(plan->buffers[*pipeline->find("t")].memory_apart, 2U);
  // 'twice' writes beyond no bounds, so all of it.
  EXPECT_TRUE(plan->launches[0].parts[0].cleared.empty());
}

TEST(PipelinePlan, ABudgetWithoutRoomForTheStagesLeavesNoChoice) {
  const auto pipeline =
      ready(std::string(kHead) + stage("one", "twice", "x", "s") + stage("two", "twice", "s", "t") +
            stage("three", "twice", "t", "u") + "host = true\n" + stage("four", "twice", "u", "y"));
  ASSERT_TRUE(pipeline);
  // x, t and y are in memory; s and u, of which the stages need one at a time, are not.
  for (const std::uint64_t budget : {1200U, 1599U, 1600U}) {
    const auto plan =
        plan_pipeline(*pipeline, {.fuse = true, .memory_budget = budget, .limits = {}});
    ASSERT_TRUE(plan) << plan.error().what;
    ASSERT_EQ(plan->launches.size(), 2U) << plan_text(*pipeline, *plan);
    EXPECT_EQ(plan->allocated_bytes, 1200U);
    const bool fits = budget >= 1600;
    EXPECT_EQ(plan->launches[0].parts.empty(), !fits) << budget;
    EXPECT_EQ(plan->memory_apart.size(), fits ? 1U : 0U) << budget;
    EXPECT_EQ(plan->never_apart.find("1600 bytes") != std::string::npos, !fits) << budget;
  }
}

TEST(PipelinePlan, StagesOnTheirOwnClearWhatTheyDoNotWrite) {
  const std::string head = std::string(kHead) + "[uniforms.p]\nscale = 0.5\nn = \"n - 1\"\n" +
                           "[uniforms.q]\nscale = 0.5\nn = \"n - 1\"\n";
  const auto pipeline = ready(head + stage("one", "scaled", "x", "t", ", p = \"p\"") +
                              stage("two", "scaled", "t", "y", ", p = \"q\""));
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  const auto plan = plan_pipeline(*pipeline, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->launches.size(), 1U) << plan_text(*pipeline, *plan);
  const PlannedLaunch& launch = plan->launches[0];
  ASSERT_EQ(launch.parts.size(), 2U);
  EXPECT_EQ(launch.parts[0].cleared, std::vector{*pipeline->find("t")});
  EXPECT_EQ(launch.parts[1].cleared, std::vector{*pipeline->find("y")});
  // Uniforms with equal contents are one for the fused kernel; its stages need both.
  EXPECT_TRUE(plan->buffers[*pipeline->find("p")].memory);
  EXPECT_TRUE(plan->buffers[*pipeline->find("q")].memory);
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
  EXPECT_NE(error("vyre = 1\n[loops.a]\nmost = 3\nstages = 3\n").find("p.toml:4: unknown key"),
            std::string::npos);
  EXPECT_NE(
      error(head + "[uniforms.p]\nscale = 1\n" + stage("one", "scaled", "x", "y", ", p = \"p\""))
          .find("no value for the field 'n'"),
      std::string::npos);
  std::string wide = head;
  wide.replace(wide.find("\"n\"]"), 4, "\"n / 3\"]");
  EXPECT_NE(error(wide + stage("one", "twice", "x", "y")).find("not a whole number"),
            std::string::npos);
  std::string picture = head;
  picture.replace(picture.find("y.npy"), 5, "y.png");
  EXPECT_NE(error(picture + stage("one", "twice", "x", "y"))
                .find("buffer 'y': y.png: nothing says how many of the 100 pixels"),
            std::string::npos)
      << "an image has rows";
}

constexpr const char* kLoopKernels = R"(
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> moved: atomic<u32>;
@group(0) @binding(3) var<storage, read_write> groups: array<u32>;
@compute @workgroup_size(64) fn half(@builtin(global_invocation_id) id: vec3<u32>) {
  let next = floor(a[id.x] / 2);
  b[id.x] = next;
  if (next != a[id.x]) { atomicAdd(&moved, 1u); } }
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
  b[id.x] = a[id.x] * 2; }
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  b[id.x] += a[id.x]; }
@compute @workgroup_size(1) fn choose() {
  groups[1] = u32(a[0]); groups[2] = 1; groups[3] = 1; }
)";

// Settles `x` towards 0 by halves: `s` and `t` change places in each round.
const std::string kLoopHead =
    "vyre = 1\nname = \"loops\"\n[dims]\nn = 100\n[buffers]\n"
    "x = { type = \"array<f32>\", shape = [\"n\"], source = \"fill:iota\" }\n"
    "s = { type = \"array<f32>\", shape = [\"n\"] }\n"
    "t = { type = \"array<f32>\", shape = [\"n\"] }\n"
    "moved = { type = \"atomic<u32>\" }\n"
    "y = { type = \"array<f32>\", shape = [\"n\"], sink = \"y.npy\" }\n";
const std::string kSettle = stage("begin", "twice", "x", "s") +
                            stage("settle", "half", "s", "t", ", moved = \"moved\"") +
                            "loop = \"settle\"\n" + stage("end", "twice", "s", "y");

Result<ReadyPipeline> ready_loop(const std::string& text) {
  VYRE_TRY(const Pipeline pipeline, parse_pipeline(text, "p.toml"));
  ReadyOptions how = options();
  how.read_file = [](const std::string&) -> Result<std::string> { return kLoopKernels; };
  return make_ready(pipeline, how);
}
std::string loop_error(const std::string& text) {
  const auto pipeline = ready_loop(text);
  return pipeline ? "" : pipeline.error().what;
}

TEST(PipelineLoops, RunUntilTheirConditionHolds) {
  const auto pipeline =
      ready_loop(kLoopHead + kSettle +
                 "[loops.settle]\nmost = 50\nuntil = \"moved == 0\"\nclear = [\"moved\"]\n"
                 "swap = [[\"s\", \"t\"]]\n");
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  auto memory = first_memory(*pipeline);
  ASSERT_TRUE(memory);
  ASSERT_TRUE(interpret_pipeline(*pipeline, *memory));
  std::vector<float> y(100);
  std::memcpy(y.data(), (*memory)[*pipeline->find("y")].data(), 400);
  EXPECT_EQ(std::ranges::count(y, 0.0F), 100);
  // 198 is 0 after eight rounds, and the ninth finds nothing to move.
  const auto& s = (*memory)[*pipeline->find("s")];
  EXPECT_TRUE(std::ranges::all_of(s, [](std::byte b) { return b == std::byte{0}; }));

  const auto plan = plan_pipeline(*pipeline, {});
  ASSERT_TRUE(plan) << plan.error().what;
  ASSERT_EQ(plan->loops.size(), 1U);
  EXPECT_EQ(plan->loops[0].first_launch, 1U);
  EXPECT_EQ(plan->loops[0].launch_count, 1U);
  EXPECT_EQ(bytes_bound(*pipeline, *plan), 800U + 50 * 804 + 800) << "in every round";
  EXPECT_EQ(plan->launches[1].begins_because, "the loop 'settle' begins");
  EXPECT_EQ(plan->launches[2].begins_because, "the loop 'settle' ends");
  EXPECT_EQ(plan->launches[1].boundary, LaunchBoundary::loop_begins);
  EXPECT_EQ(plan->launches[2].boundary, LaunchBoundary::loop_ends);
  EXPECT_NE(plan->buffers[*pipeline->find("s")].memory, plan->buffers[*pipeline->find("t")].memory);
  EXPECT_TRUE(plan->launches[0].cleared.empty()) << "all of s is written, and all of t in a round";
  EXPECT_TRUE(plan->loops[0].cleared.empty());
  EXPECT_NE(
      plan_text(*pipeline, *plan)
          .find("==== loop 'settle': at most 50 rounds, until moved == 0; clears 'moved'; 's' "
                "and 't' change places\n"),
      std::string::npos)
      << plan_text(*pipeline, *plan);
}

TEST(PipelineLoops, WhatARoundLeavesForTheNextStaysInMemory) {
  // `t` is a sum over the rounds; `u` is made anew in each.
  const std::string text = kLoopHead + "u = { type = \"array<f32>\", shape = [\"n\"] }\n" +
                           stage("one", "twice", "x", "u") + "loop = \"l\"\n" +
                           stage("two", "add", "u", "t") + "loop = \"l\"\n" +
                           stage("end", "twice", "t", "y") + "[loops.l]\nmost = 3\n";
  const auto pipeline = ready_loop(text);
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  const auto plan = plan_pipeline(*pipeline, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->launches.size(), 2U) << plan_text(*pipeline, *plan);
  EXPECT_FALSE(plan->buffers[*pipeline->find("u")].memory) << "dropped inside the loop";
  EXPECT_TRUE(plan->buffers[*pipeline->find("t")].memory);
  EXPECT_EQ(plan->loops[0].cleared, std::vector<std::size_t>{*pipeline->find("t")})
      << "once, before the first round";
  EXPECT_TRUE(plan->launches[0].cleared.empty());
}

TEST(PipelineLoops, MistakesNameTheirLine) {
  const std::string settle = kLoopHead + kSettle;
  const auto with = [&](const std::string& loop) { return loop_error(settle + loop); };
  EXPECT_NE(with("").find("there is no loop 'settle'"), std::string::npos);
  EXPECT_NE(with("[loops.settel]\nmost = 3\n").find("no stage is in the loop 'settel'"),
            std::string::npos);
  EXPECT_NE(with("[loops.settle]\nmost = \"n - 100\"\n").find("it must be from 1"),
            std::string::npos);
  EXPECT_NE(with("[loops.settle]\nswap = [[\"s\", \"t\"]]\n").find("has no `most`"),
            std::string::npos);
  EXPECT_NE(with("[loops.settle]\nmost = 3\nuntil = \"s2 == 0\"\n").find("no buffer 's2'"),
            std::string::npos);
  EXPECT_NE(with("[loops.settle]\nmost = 3\nuntil = \"s[100] == 0\"\n").find("no element 100"),
            std::string::npos);
  EXPECT_NE(with("[loops.settle]\nmost = 3\nswap = [[\"s\"]]\n").find("a pair of swap"),
            std::string::npos);
  EXPECT_NE(with("[loops.settle]\nmost = 3\nswap = [[\"s\", \"moved\"]]\n").find("400 bytes"),
            std::string::npos);
  EXPECT_NE(with("[loops.settle]\nmost = 3\nclear = [\"none\"]\n").find("clear: there is no"),
            std::string::npos);
  EXPECT_NE(loop_error(settle + stage("more", "half", "s", "t", ", moved = \"moved\"") +
                       "loop = \"settle\"\n[loops.settle]\nmost = 3\n")
                .find("not neighbours: 'more' is apart"),
            std::string::npos);
  EXPECT_NE(with("[loops.settle]\nmost = 3\nuntil = \"y == 0\"\n").find("no stage writes"),
            std::string::npos);
}

TEST(PipelineGrids, AreReadFromABuffer) {
  const std::string text =
      kLoopHead + "g = { type = \"array<u32>\", shape = [4] }\n" +
      "[[stage]]\nname = \"choose\"\nfile = \"k\"\nsize = [1]\nbind = { a = \"x\", groups = \"g\" "
      "}\n"
      "[[stage]]\nname = \"twice\"\nfile = \"k\"\ngroups = { from = \"g\", offset = 4 }\n"
      "bind = { a = \"x\", b = \"y\" }\n";
  const auto pipeline = ready_loop(text);
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  const auto plan = plan_pipeline(*pipeline, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->launches.size(), 2U);
  EXPECT_EQ(plan->launches[1].begins_because, "the grid of 'twice' is computed: it is in 'g'");
  EXPECT_EQ(plan->launches[1].boundary, LaunchBoundary::grid_computed);
  EXPECT_EQ(plan->launches[1].cleared.size(), 1U) << "how much is written is not known";
  EXPECT_TRUE(plan->buffers[*pipeline->find("g")].memory);

  std::string wrong = text;
  wrong.replace(wrong.find("offset = 4"), 10, "offset = 8");
  EXPECT_NE(loop_error(wrong).find("'g' has 16 bytes"), std::string::npos);
  wrong.replace(wrong.find("\"g\", offset"), 3, "\"q\"");
  EXPECT_NE(loop_error(wrong).find("there is no buffer 'q'"), std::string::npos);
}

TEST(PipelineBuffers, StructsAreThoseOfTheStages) {
  const std::string head =
      "vyre = 1\nname = \"p\"\n[buffers]\n"
      "x = { type = \"array<Body>\", shape = [5], source = \"fill:zeros\" }\n";
  const auto made = [&](const std::string& kernels) {
    const auto pipeline = parse_pipeline(
        head + "[[stage]]\nname = \"step\"\nfile = \"k\"\nsize = [5]\nbind = { bodies = \"x\" }\n",
        "p.toml");
    EXPECT_TRUE(pipeline);
    ReadyOptions how = options();
    how.read_file = [&](const std::string&) -> Result<std::string> { return kernels; };
    return make_ready(*pipeline, how);
  };
  const auto known = made(
      "struct Body { at: vec3<f32>, mass: f32, speed: vec3<f32> }\n"
      "@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;\n"
      "@compute @workgroup_size(1) fn step(@builtin(global_invocation_id) id: vec3<u32>) {\n"
      "  bodies[id.x].at += bodies[id.x].speed; }\n");
  ASSERT_TRUE(known) << known.error().what;
  EXPECT_EQ(known->buffers[0].bytes, 5U * 32);
}

TEST(PipelinePlan, ABufferThatOneLaunchNeedsInMemoryIsInMemory) {
  const auto pipeline =
      ready(std::string(kHead) + stage("one", "twice", "x", "t") + stage("two", "twice", "t", "s") +
            stage("three", "twice", "x", "t") + "host = true\n" + stage("four", "twice", "t", "y"));
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  const auto plan = plan_pipeline(*pipeline, {});
  ASSERT_TRUE(plan) << plan.error().what;
  ASSERT_EQ(plan->launches.size(), 2U);
  const PlannedBuffer& t = plan->buffers[*pipeline->find("t")];
  EXPECT_TRUE(t.memory);
  EXPECT_EQ(t.fate, BufferFate::registers) << "the last launch alone would drop it";
}

}  // namespace
}  // namespace vyre
