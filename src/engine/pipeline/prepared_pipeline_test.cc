#include "vyre/engine/pipeline/prepared_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "vyre/base/memory/allocation_count_testing.h"
#include "vyre/device/null/null_device.h"
#include "vyre/ir/builder/builder.h"
#include "vyre/pipeline/interpret_pipeline.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

constexpr const char* kText = R"(
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

const WgslModule& wgsl() {
  static const WgslModule module = *make_wgsl(kText, "test.wgsl");
  return module;
}
std::vector<float> counting(std::size_t n, float first = 0) {
  std::vector<float> out(n);
  std::iota(out.begin(), out.end(), first);
  return out;
}

class PreparedPipelineTest : public testing::Test {
 protected:
  Session session = *Session::open("cpu", {.cpu = {.threads = 2}, .code_folder = {}});
};

TEST_F(PreparedPipelineTest, RunsAgainAndAgainWithOtherInputs) {
  PipelineBuilder p("pair");
  const Dim w = p.dim("width"), h = p.dim("height", 3);
  const auto image = p.input("photo", "array<f32>", {h, w});
  const auto soft = p.temporary("soft", "array<f32>", {h, w});
  const auto out = p.output("out", "array<f32>", {h, w});
  const auto view = p.uniform("view", {{"width", w}, {"height", h}});
  p.stage(wgsl()["scale"].with("GAIN", 3), {{"a", image}, {"b", soft}, {"view", view}}, {w, h});
  p.stage(wgsl()["mirror"], {{"a", soft}, {"b", out}, {"view", view}}, {w, h});
  auto pipeline = session.prepare(std::move(p), {{w, 5}});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  EXPECT_NE(pipeline->plan().find("pair: 2 stages in 1 launch"), std::string::npos)
      << pipeline->plan();
  for (const float first : {0.0F, 100.0F}) {
    ASSERT_TRUE(pipeline->write(image, counting(15, first)));
    ASSERT_TRUE(session.run(*pipeline));
    std::vector<float> result(15);
    ASSERT_TRUE(pipeline->read(out, result));
    for (std::size_t i = 0; i < 15; ++i) {
      EXPECT_EQ(result[i], 3 * (first + static_cast<float>(i / 5 * 5 + 4 - i % 5)) + 1);
    }
  }
  const std::uint64_t before = allocation_count();
  ASSERT_TRUE(session.run(*pipeline));
  EXPECT_EQ(allocation_count(), before);
}

TEST_F(PreparedPipelineTest, ResizesAndKeepsWhatHasItsSizeStill) {
  PipelineBuilder p("sizes");
  const Dim n = p.dim("n");
  const auto x = p.input("x", "array<f32>", {n});
  const auto sum = p.input("sum", "array<f32>", {4});
  p.stage(wgsl()["add"], {{"a", x}, {"b", sum}}, {min(n, 4)});
  auto pipeline = session.prepare(std::move(p), {{n, 4}});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_TRUE(pipeline->write("x", std::array{1.0F, 2.0F, 3.0F, 4.0F}));
  ASSERT_TRUE(session.run(*pipeline));
  ASSERT_TRUE(session.run(*pipeline));
  std::array<float, 4> total{};
  ASSERT_TRUE(pipeline->read("sum", total));
  EXPECT_EQ(total, (std::array{2.0F, 4.0F, 6.0F, 8.0F})) << "the input kept its contents";
  ASSERT_TRUE(pipeline->resize({{n, 2}}));
  ASSERT_TRUE(session.run(*pipeline));
  ASSERT_TRUE(pipeline->read("sum", total));
  EXPECT_EQ(total, (std::array{2.0F, 4.0F, 6.0F, 8.0F})) << "x is new, and holds zeros";
  EXPECT_FALSE(pipeline->resize({{n, 0}}));
  EXPECT_FALSE(pipeline->resize({{Dim("m"), 3}}));
  ASSERT_TRUE(pipeline->write("x", std::array{1.0F, 1.0F})) << "a failed resize changes nothing";
}

TEST_F(PreparedPipelineTest, OutputsBeginWithZerosAndInputsDoNot) {
  PipelineBuilder p("zeros");
  const auto x = p.input("x", "array<f32>", {4});
  const auto part = p.output("part", "array<f32>", {4});
  p.stage(wgsl()["add"], {{"a", x}, {"b", part}}, {3});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_TRUE(pipeline->write(x, std::array{1.0F, 2.0F, 3.0F, 4.0F}));
  for (int run = 0; run < 3; ++run) {
    ASSERT_TRUE(session.run(*pipeline));
    std::array<float, 4> out{};
    ASSERT_TRUE(pipeline->read(part, out));
    EXPECT_EQ(out, (std::array{1.0F, 2.0F, 3.0F, 0.0F}));
  }
}

TEST_F(PreparedPipelineTest, LoopsExchangeNamesAndNotContents) {
  for (const std::uint64_t rounds : {1U, 2U, 5U}) {
    PipelineBuilder p("loop");
    const auto x = p.input("x", "array<f32>", {100});
    const auto s = p.temporary("s", "array<f32>", {100});
    const auto t = p.temporary("t", "array<f32>", {100});
    const auto moved = p.output("moved", "atomic<u32>");
    const auto y = p.output("y", "array<f32>", {100});
    p.stage(wgsl()["add"], {{"a", x}, {"b", s}}, {100});
    p.loop("settle", rounds,
           [&] { p.stage(wgsl()["half"], {{"a", s}, {"b", t}, {"moved", moved}}, {100}); })
        .until("moved == 0")
        .clear(moved)
        .swap(s, t);
    p.stage(wgsl()["add"], {{"a", s}, {"b", y}}, {100});
    auto pipeline = session.prepare(std::move(p), {});
    ASSERT_TRUE(pipeline) << pipeline.error().what;
    const std::vector<float> values = counting(100);
    ASSERT_TRUE(pipeline->write(x, values));
    for (int run = 0; run < 3; ++run) {
      ASSERT_TRUE(session.run(*pipeline));
      std::vector<float> result(100);
      ASSERT_TRUE(pipeline->read(y, result));
      for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(result[i], static_cast<float>(i >> rounds)) << rounds << " rounds, " << i;
      }
    }
    const std::uint64_t before = allocation_count();
    ASSERT_TRUE(session.run(*pipeline));
    EXPECT_EQ(allocation_count(), before);
  }
}

TEST_F(PreparedPipelineTest, AConditionEndsALoop) {
  PipelineBuilder p("until");
  const auto x = p.input("x", "array<f32>", {10});
  const auto t = p.temporary("t", "array<f32>", {10});
  const auto moved = p.output("moved", "atomic<u32>");
  const auto rounds = p.output("rounds", "array<f32>", {1});
  const auto one = p.data("one", "array<f32>", {1}, "fill:const=1");
  p.loop("settle", 1000,
         [&] {
           p.stage(wgsl()["half"], {{"a", x}, {"b", t}, {"moved", moved}}, {10});
           p.stage(wgsl()["add"], {{"a", one}, {"b", rounds}}, {1});
         })
      .until("moved == 0")
      .clear(moved)
      .swap(x, t);
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  const auto rounds_for = [&](float largest) {
    EXPECT_TRUE(pipeline->write(x, std::vector<float>(10, largest)));
    EXPECT_TRUE(session.run(*pipeline));
    std::array<float, 1> out{};
    EXPECT_TRUE(pipeline->read(rounds, out));
    std::vector<float> left(10, 1);
    EXPECT_TRUE(pipeline->read(x, left)) << "by its name, wherever it is";
    EXPECT_EQ(std::ranges::count(left, 0.0F), 10);
    return out[0];
  };
  EXPECT_EQ(rounds_for(0), 1);
  EXPECT_EQ(rounds_for(1), 2);
  EXPECT_EQ(rounds_for(100), 8);
}

TEST_F(PreparedPipelineTest, AnInputThatChangesPlacesKeepsItsContentsFromRunToRun) {
  PipelineBuilder p("state");
  const auto state = p.input("state", "array<f32>", {8});
  const auto next = p.temporary("next", "array<f32>", {8});
  const auto moved = p.temporary("moved", "atomic<u32>");
  p.loop("step", 3, [&] {
     p.stage(wgsl()["half"], {{"a", state}, {"b", next}, {"moved", moved}}, {8});
   }).swap(state, next);
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_TRUE(pipeline->write(state, std::vector<float>(8, 1024)));
  for (const float expected : {128.0F, 16.0F, 2.0F}) {
    ASSERT_TRUE(session.run(*pipeline));
    std::vector<float> now(8);
    ASSERT_TRUE(pipeline->read(state, now));
    EXPECT_EQ(now, std::vector<float>(8, expected));
  }
  const Buffer memory = *session.buffer(32);
  const auto bound = pipeline->bind(state, memory);
  ASSERT_FALSE(bound);
  EXPECT_NE(bound.error().what.find("changes places"), std::string::npos);
}

TEST_F(PreparedPipelineTest, GridsComeFromBuffers) {
  PipelineBuilder p("grid");
  const auto count = p.input("count", "array<f32>", {1});
  const auto groups = p.temporary("groups", "array<u32>", {3});
  const auto out = p.output("out", "array<f32>", {12});
  p.stage(wgsl()["choose"], {{"a", count}, {"groups", groups}}, {1});
  p.stage(wgsl()["mark"], {{"b", out}}, StageSize::from(groups));
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  for (const std::size_t n : {2U, 0U, 3U, 1U}) {
    ASSERT_TRUE(pipeline->write(count, std::array{static_cast<float>(n)}));
    ASSERT_TRUE(session.run(*pipeline));
    std::vector<float> result(12);
    ASSERT_TRUE(pipeline->read(out, result));
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(result[i], i < 4 * n ? static_cast<float>(n) : 0.0F);
    }
  }
  ASSERT_TRUE(pipeline->write(count, std::array{3e9F}));
  const auto beyond = session.run(*pipeline);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, Code::limit);
  EXPECT_NE(beyond.error().what.find("3000000000x1x1 workgroups"), std::string::npos)
      << beyond.error().what;
}

TEST_F(PreparedPipelineTest, UsesTheCallersMemory) {
  PipelineBuilder p("own");
  const auto x = p.input("x", "array<f32>", {4});
  const auto y = p.output("y", "array<f32>", {4});
  p.stage(wgsl()["add"], {{"a", x}, {"b", y}}, {4});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  std::vector<float> values{1, 2, 3, 4};
  const auto own = session.adopt(std::as_writable_bytes(std::span(values)));
  ASSERT_TRUE(own);
  ASSERT_TRUE(pipeline->bind(x, *own));
  values[2] = 30;
  ASSERT_TRUE(session.run(*pipeline));
  std::vector<float> out(4);
  ASSERT_TRUE(pipeline->read(y, out));
  EXPECT_EQ(out, (std::vector<float>{1, 2, 30, 4}));
  EXPECT_FALSE(pipeline->bind(x, *session.buffer(12)));
  ASSERT_TRUE(session.run(*pipeline)) << "what failed changed nothing";
}

TEST_F(PreparedPipelineTest, AUniformThatChangesIsReadByTheNextRun) {
  PipelineBuilder p("gain");
  const Dim n = p.dim("n", 70);
  const auto x = p.input("x", "array<f32>", {n});
  const auto t = p.temporary("t", "array<f32>", {n});
  const auto y = p.output("y", "array<f32>", {n});
  const auto gain = p.uniform("gain", {{"gain", 2}, {"n", n}});
  p.stage(wgsl()["amplify"], {{"a", x}, {"b", t}, {"gain", gain}}, {n});
  p.stage(wgsl()["amplify"], {{"a", t}, {"b", y}, {"gain", gain}}, {n});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_TRUE(pipeline->write(x, counting(70)));
  struct Gain {
    float gain;
    std::uint32_t n;
  };
  const auto last = [&](Gain now) {
    EXPECT_TRUE(pipeline->set_uniform("gain", now));
    const auto ran = session.run(*pipeline);
    EXPECT_TRUE(ran) << ran.error().what;
    std::vector<float> out(70);
    EXPECT_TRUE(pipeline->read(y, out));
    return out[69];
  };
  EXPECT_EQ(last({3, 70}), 9 * 69);
  EXPECT_EQ(last({0.5F, 70}), 0.25F * 69);
  EXPECT_EQ(last({3, 69}), 0) << "y was not cleared where all of it was written";
  EXPECT_EQ(last({3, 70}), 9 * 69);
  ASSERT_TRUE(pipeline->resize({{n, 71}}));
  ASSERT_TRUE(pipeline->resize({{n, 70}}));
  ASSERT_TRUE(pipeline->write(x, counting(70)));
  ASSERT_TRUE(session.run(*pipeline));
  std::vector<float> out(70);
  ASSERT_TRUE(pipeline->read(y, out));
  EXPECT_EQ(out[69], 4 * 69) << "sizes compute uniforms again";
  const auto says = [](const Result<void>& result, std::string_view text) {
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().what.find(text), std::string::npos) << result.error().what;
  };
  says(pipeline->set_uniform("gain", 1.0F), "'gain' has 8 bytes (Gain), and 4 are given");
  says(pipeline->set_uniform("x", 1.0F), "no uniform 'x'");
}

TEST_F(PreparedPipelineTest, ThePlanIsMadeAgainWhereItReliedOnAUniform) {
  PipelineBuilder p("views");
  const auto x = p.input("x", "array<f32>", {15});
  const auto sum = p.input("sum", "array<f32>", {15});
  const auto t = p.output("t", "array<f32>", {15});
  const auto y = p.output("y", "array<f32>", {15});
  const auto view = p.uniform("view", {{"width", 5}, {"height", 3}});
  const auto other = p.uniform("other", {{"width", 5}, {"height", 3}});
  p.stage(wgsl()["scale"], {{"a", x}, {"b", t}, {"view", view}}, {5, 3});
  p.stage(wgsl()["scale_as"], {{"a", t}, {"b", y}, {"other", other}}, {5, 3});
  p.stage(wgsl()["add"], {{"a", y}, {"b", sum}}, {15});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_TRUE(pipeline->write(x, counting(15)));
  struct View {
    std::uint32_t width, height;
  };
  const auto launches = [&] { return pipeline->launches().launches.size(); };
  const auto out = [&](std::string_view name) {
    std::vector<float> values(15);
    EXPECT_TRUE(pipeline->read(name, values));
    return values;
  };
  ASSERT_TRUE(session.run(*pipeline));
  EXPECT_EQ(launches(), 2U) << pipeline->plan();
  EXPECT_EQ(out("y")[14], 20 * 14);
  ASSERT_TRUE(pipeline->set_uniform("other", View{3, 3}));
  ASSERT_TRUE(session.run(*pipeline));
  EXPECT_EQ(launches(), 3U) << "the strides differ: " << pipeline->plan();
  EXPECT_EQ(out("y")[8], 20 * 8);
  EXPECT_EQ(out("y")[9], 0) << "rows of 3 end there";
  EXPECT_EQ(out("sum")[8], 2 * 20 * 8) << "it kept what the run before left";
  EXPECT_EQ(out("sum")[14], 20 * 14);
  ASSERT_TRUE(pipeline->set_uniform("other", std::array{5U, 3U}));
  ASSERT_TRUE(session.run(*pipeline));
  EXPECT_EQ(launches(), 2U);
  EXPECT_EQ(out("sum")[14], 2 * 20 * 14);
}

TEST_F(PreparedPipelineTest, ThePlanIsMadeAgainWhereItReliedOnEitherOfTwoUniforms) {
  PipelineBuilder p("either");
  const auto x = p.input("x", "array<f32>", {15});
  const auto y = p.output("y", "array<f32>", {15});
  const auto view = p.uniform("view", {{"width", 15}, {"height", 1}});
  const auto other = p.uniform("other", {{"width", 15}, {"height", 1}});
  p.stage(wgsl()["either"], {{"a", x}, {"b", y}, {"view", view}, {"other", other}}, {15});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_TRUE(pipeline->write(x, counting(15, 1)));
  const auto element = [&](std::size_t i) {
    std::vector<float> values(15);
    EXPECT_TRUE(session.run(*pipeline));
    EXPECT_TRUE(pipeline->read("y", values));
    return values[i];
  };
  EXPECT_EQ(element(14), 15);
  EXPECT_TRUE(pipeline->launches().launches[0].cleared.empty()) << "all of it is written";
  ASSERT_TRUE(pipeline->set_uniform("view", std::array{3U, 1U}));
  EXPECT_EQ(element(14), 15) << "the other uniform suffices";
  ASSERT_TRUE(pipeline->set_uniform("other", std::array{3U, 1U}));
  EXPECT_EQ(element(2), 3);
  EXPECT_EQ(element(14), 0) << "nobody writes it now";
}

TEST_F(PreparedPipelineTest, BuffersThatAreWrittenHaveNoMemoryInCommon) {
  PipelineBuilder p("own");
  const auto x = p.input("x", "array<f32>", {4});
  const auto w = p.input("w", "array<f32>", {4});
  const auto y = p.output("y", "array<f32>", {4});
  p.stage(wgsl()["add"], {{"a", x}, {"b", y}}, {4});
  p.stage(wgsl()["add"], {{"a", w}, {"b", y}}, {4});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  std::vector<float> values{1, 2, 3, 4};
  const auto own = session.adopt(std::as_writable_bytes(std::span(values)));
  ASSERT_TRUE(pipeline->bind(x, *own));
  ASSERT_TRUE(pipeline->bind(w, *own)) << "both are only read";
  const auto refused = pipeline->bind(y, *own);
  ASSERT_FALSE(refused) << "y is cleared, and x with it";
  EXPECT_NE(refused.error().what.find("'y' would have memory in common with 'x'"),
            std::string::npos)
      << refused.error().what;
  EXPECT_FALSE(pipeline->bind(y, *pipeline->buffer("x")));
  ASSERT_TRUE(session.run(*pipeline));
  std::vector<float> out(4);
  ASSERT_TRUE(pipeline->read(y, out));
  EXPECT_EQ(out, (std::vector<float>{2, 4, 6, 8}));
}

TEST_F(PreparedPipelineTest, ResizingStaysWithinTheBudget) {
  PipelineBuilder p("budget");
  const Dim n = p.dim("n", 1000);
  const auto x = p.input("x", "array<f32>", {n});
  const auto t = p.temporary("t", "array<f32>", {n});
  const auto y = p.output("y", "array<f32>", {n});
  p.stage(wgsl()["add"], {{"a", x}, {"b", t}}, {n});
  p.stage(wgsl()["add"], {{"a", t}, {"b", y}}, {n});
  auto made = std::move(p).finish();
  ASSERT_TRUE(made);
  PipelineOptions options;
  options.plan.fuse = false;
  options.plan.memory_budget = 21000;  // 12,000 for now, and 8,000 of them are seen outside
  auto pipeline = session.prepare(*made, options);
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_TRUE(pipeline->write(x, counting(1000)));
  const auto beyond = pipeline->resize({{n, 1100}});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().what,
            "pipeline 'budget' keeps 8000 bytes until they are copied, and needs 13200 more to be "
            "planned again; the budget is 21000");
  ASSERT_TRUE(pipeline->resize({{n, 1080}})) << "the temporary is freed first";
  ASSERT_TRUE(pipeline->write(x, counting(1080)));
  ASSERT_TRUE(session.run(*pipeline));
  std::vector<float> out(1080);
  ASSERT_TRUE(pipeline->read(y, out));
  EXPECT_EQ(out[1079], 1079);
}

TEST_F(PreparedPipelineTest, NothingIsAllocatedWhereThereIsNoRoom) {
  PipelineBuilder p("huge");
  const auto x = p.input("x", "array<f32>", {std::uint64_t{1} << 39U});
  const auto y = p.output("y", "array<f32>", {4});
  p.stage(wgsl()["add"], {{"a", x}, {"b", y}}, {4});
  const auto pipeline = session.prepare(std::move(p), {});
  ASSERT_FALSE(pipeline);
  EXPECT_EQ(pipeline.error().code, Code::out_of_memory);
  EXPECT_NE(pipeline.error().what.find("left: x 2199023255552, y 16"), std::string::npos)
      << pipeline.error().what;
}

TEST_F(PreparedPipelineTest, AfterAnInterruptionNamesStandAsAfterTheLastWholeRound) {
  PipelineBuilder p("state");
  const auto state = p.input("state", "array<f32>", {4});
  const auto next = p.input("next", "array<f32>", {4});
  const auto moved = p.temporary("moved", "atomic<u32>");
  const auto y = p.output("y", "array<f32>", {4});
  p.loop("step", 9, [&] {
     p.stage(wgsl()["half"], {{"a", state}, {"b", next}, {"moved", moved}}, {4});
     p.stage(wgsl()["wait_for"], {{"a", next}, {"b", y}}, {1});  // endless when all of it is 0
   }).swap(state, next);
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_TRUE(pipeline->write(state, std::vector<float>(4, 4)));
  EXPECT_FALSE(session.run(*pipeline, {.deadline = 50ms}));
  std::array<float, 4> now{};
  ASSERT_TRUE(pipeline->read(state, now));
  EXPECT_EQ(now[0], 1) << "4, 2, 1: the third round did not end";
  ASSERT_TRUE(pipeline->read(next, now));
  EXPECT_EQ(now[0], 0) << "what it had written by then";
  ASSERT_TRUE(pipeline->write(state, std::vector<float>(4, 4096)));
  ASSERT_TRUE(session.run(*pipeline)) << "the next run goes on";
  ASSERT_TRUE(pipeline->read(state, now));
  EXPECT_EQ(now[0], 8);
}

TEST(TunedPipeline, IsResizedAndInterruptedWhileItTunes) {
  SessionOptions options{.cpu = {.threads = 2}, .code_folder = {}};
  options.tuning.emplace();
  options.tuning->mode = TunerMode::natural_gradient;
  options.tuning->compile_at_once = true;
  options.tuning->share = 1;  // it tries something else as often as it can
  const Session session = *Session::open("cpu", std::move(options));
  PipelineBuilder p("tuned");
  const Dim n = p.dim("n", 3000);
  const auto x = p.input("x", "array<f32>", {n});
  const auto t = p.temporary("t", "array<f32>", {n});
  const auto y = p.output("y", "array<f32>", {n});
  const auto sum = p.input("sum", "array<f32>", {4});
  const auto gain = p.uniform("gain", {{"gain", 2}, {"n", n}});
  p.stage(wgsl()["amplify"], {{"a", x}, {"b", t}, {"gain", gain}}, {n});
  p.stage(wgsl()["amplify"], {{"a", t}, {"b", y}, {"gain", gain}}, {n});
  p.stage(wgsl()["add"], {{"a", y}, {"b", sum}}, {4});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  float total = 0;  // of sum[3], which every run adds 4 * 3 to
  for (const std::uint64_t size : {3000U, 3100U, 300U, 3000U}) {
    ASSERT_TRUE(pipeline->resize({{n, size}}));
    ASSERT_TRUE(pipeline->write(x, counting(size)));
    for (int run = 0; run < 30; ++run) {
      std::atomic<std::uint32_t> stop = run % 10 == 9 ? 1 : 0;
      const bool late = run % 10 == 4;
      RunLimits limits{.deadline = std::chrono::nanoseconds(late ? 1ns : 1h), .stop = &stop};
      const auto ran = session.run(*pipeline, limits);
      ASSERT_EQ(ran.has_value(), stop == 0 && !late) << "run " << run;
      if (!ran) {
        EXPECT_NE(ran.error().what.find(late ? "did not end within" : "interrupted"),
                  std::string::npos)
            << ran.error().what;
        continue;
      }
      total += 12;
      std::vector<float> out(size);
      ASSERT_TRUE(pipeline->read(y, out));
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(out[i], 4 * static_cast<float>(i)) << "size " << size << ", run " << run;
      }
      std::array<float, 4> sums{};
      ASSERT_TRUE(pipeline->read(sum, sums));
      ASSERT_EQ(sums[3], total) << "size " << size << ", run " << run;
    }
  }
}

// A device that takes recordings, and notes what it is asked to do.
class WholePlays : public testing::Test {
 protected:
  Result<PreparedPipeline> loop(const std::string& until) {
    PipelineBuilder p("rounds");
    const auto state = p.input("state", "array<f32>", {8});
    const auto next = p.temporary("next", "array<f32>", {8});
    const auto moved = p.output("moved", "atomic<u32>");
    const auto y = p.output("y", "array<f32>", {8});
    p.loop("step", 3,
           [&] { p.stage(wgsl()["half"], {{"a", state}, {"b", next}, {"moved", moved}}, {8}); })
        .clear(moved)
        .swap(state, next);
    p.stage(wgsl()["add"], {{"a", state}, {"b", y}}, {4});
    VYRE_TRY(Pipeline made, std::move(p).finish());
    made.loops.front().until = until;
    return session.prepare(made, {});
  }

  std::shared_ptr<NullDevice> device = NullDevice::make();
  Session session = *Session::open(device, {});
};

TEST_F(WholePlays, TheRoundsOfALoopAreRecordedInTheirOrder) {
  auto pipeline = loop("");
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  EXPECT_EQ(pipeline->played(), "not yet");
  std::uint64_t state = pipeline->buffer("state")->address();
  for (int run = 0; run < 5; ++run) {
    device->forget();
    ASSERT_TRUE(session.run(*pipeline));
    EXPECT_EQ(pipeline->played(), "launch by launch: this device takes them in their order");
    std::vector<NullRecord> halves;
    std::size_t clears = 0;
    for (const NullRecord& r : device->records()) {
      if (r.kernel == "half") halves.push_back(r);
      clears += r.kind == NullRecord::Kind::clear ? 1 : 0;
    }
    const PipelinePlan& plan = pipeline->launches();
    ASSERT_EQ(plan.launches.size(), 2U);
    EXPECT_EQ(clears, 3 * (1 + plan.launches[0].cleared.size()) + plan.loops[0].cleared.size() +
                          plan.launches[1].cleared.size())
        << "`moved` in each round, and what the plan says";
    ASSERT_EQ(halves.size(), 3U);
    EXPECT_EQ(halves[0].bindings[0].address, state) << "run " << run;
    EXPECT_EQ(halves[1].bindings[0].address, halves[0].bindings[1].address);
    EXPECT_EQ(halves[1].bindings[1].address, state);
    EXPECT_EQ(halves[2].bindings[0].address, state);
    EXPECT_EQ(device->records().back().kernel, "add");
    EXPECT_EQ(device->records().back().bindings[0].address, halves[2].bindings[1].address);
    EXPECT_NE(pipeline->buffer("state")->address(), state) << "three rounds change places";
    state = pipeline->buffer("state")->address();
  }
}

TEST_F(WholePlays, AConditionIsLookedAtBetweenTheRounds) {
  auto pipeline = loop("moved == 0");
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  EXPECT_EQ(pipeline->played(),
            "launch by launch: the condition of the loop 'step' is looked at after each round");
}

TEST_F(PreparedPipelineTest, ADeadlineThatPassesIsNamedAndLeavesTheNextRunAlone) {
  PipelineBuilder p("slow");
  const auto x = p.input("x", "array<f32>", {4});
  const auto y = p.output("y", "array<f32>", {4});
  const auto end = p.input("end", "array<f32>", {4});
  p.stage(wgsl()["wait_for"], {{"a", end}, {"b", y}}, {1});
  p.stage(wgsl()["add"], {{"a", x}, {"b", y}}, {4});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  std::atomic<std::uint32_t> stop = 0;
  const auto late = session.run(*pipeline, {.deadline = 20ms, .stop = &stop});
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().what.find("did not end within 20 ms"), std::string::npos)
      << late.error().what;
  ASSERT_TRUE(pipeline->write(end, std::array{1.0F, 1.0F, 1.0F, 1.0F}));
  const auto again = session.run(*pipeline, {.deadline = 1h, .stop = &stop});
  EXPECT_TRUE(again) << again.error().what;
  stop = 1;
  const auto stopped = session.run(*pipeline, {.deadline = 1h, .stop = &stop});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().what, "pipeline 'slow' was interrupted");
}

TEST_F(PreparedPipelineTest, ProgramsAreStagesToo) {
  ProgramBuilder square("square", {64, 1, 1});
  const Ref x = square.storage("x", square.array(square.f32));
  const Value i = square.global_id().x();
  square.if_(i < x.length(), [&] { x[i] = x[i] * x[i]; });
  auto program = std::move(square).build();
  ASSERT_TRUE(program) << program.error().what;
  PipelineBuilder p("program");
  const auto values = p.input("values", "array<f32>", {5});
  p.stage(*std::move(program), {{"x", values}}, {5});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_TRUE(pipeline->write(values, counting(5)));
  ASSERT_TRUE(session.run(*pipeline));
  std::vector<float> out(5);
  ASSERT_TRUE(pipeline->read(values, out));
  EXPECT_EQ(out, (std::vector<float>{0, 1, 4, 9, 16}));
}

TEST_F(PreparedPipelineTest, MistakesNameTheStageAndTheBuffer) {
  const auto error = [&](const std::function<void(PipelineBuilder&)>& add) {
    PipelineBuilder p("wrong");
    add(p);
    const auto pipeline = session.prepare(std::move(p), {});
    return pipeline ? std::string() : describe(pipeline.error());
  };
  EXPECT_EQ(error([](PipelineBuilder&) {}), "pipeline 'wrong' has no stages");
  const std::string unknown = error([](PipelineBuilder& p) {
    const auto x = p.input("x", "array<f32>", {4});
    p.stage(wgsl()["add"], {{"a", x}, {"c", x}}, {4});
  });
  EXPECT_NE(unknown.find("pipeline 'wrong': stage 'add': 'add' uses no buffer 'c'"),
            std::string::npos)
      << unknown;
  EXPECT_NE(error([](PipelineBuilder& p) {
              const auto x = p.input("x", "array<f32>", {4});
              p.stage(wgsl()["ad"], {{"a", x}}, {4});
            }).find("'ad'"),
            std::string::npos);
  EXPECT_NE(error([](PipelineBuilder& p) {
              const auto x = p.input("x", "array<f32>", {4});
              p.stage(wgsl()["add"], {{"a", x}, {"b", {"y"}}}, {4});
            }).find("no buffer or uniform 'y'"),
            std::string::npos);
  EXPECT_NE(error([](PipelineBuilder& p) {
              const Dim n = p.dim("n");
              const auto x = p.input("x", "array<f32>", {n});
              p.stage(wgsl()["add"], {{"a", x}, {"b", x}}, {n});
            }).find("dim 'n' has no value"),
            std::string::npos);
  EXPECT_NE(error([](PipelineBuilder& p) {
              const auto x = p.input("x", "array<f32>", {4});
              const auto y = p.output("y", "array<f32>", {4});
              p.loop("a", 2, [&] {
                p.loop("b", 2, [&] { p.stage(wgsl()["add"], {{"a", x}, {"b", y}}, {4}); });
              });
            }).find("the loop 'b' is inside the loop 'a'"),
            std::string::npos);
}

TEST_F(PreparedPipelineTest, ValuesMustFitTheirBuffer) {
  PipelineBuilder p("fit");
  const auto x = p.input("x", "array<f32>", {4});
  const auto t = p.temporary("t", "array<f32>", {4});
  const auto y = p.output("y", "array<f32>", {4});
  p.stage(wgsl()["add"], {{"a", x}, {"b", t}}, {4});
  p.stage(wgsl()["add"], {{"a", t}, {"b", y}}, {4});
  auto pipeline = session.prepare(std::move(p), {});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  const auto says = [](const Result<void>& result, std::string_view text) {
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().what.find(text), std::string::npos) << result.error().what;
  };
  says(pipeline->write(x, std::vector<float>(5)), "'x' has 16 bytes (array<f32>), and 20");
  says(pipeline->write(x, std::vector<std::uint32_t>(4)), "and the values are u32");
  says(pipeline->write(y, std::vector<float>(4)), "'y' is an output");
  says(pipeline->write("z", std::vector<float>(4)), "no buffer 'z'");
  std::vector<float> out(4);
  says(pipeline->read(t, out), "'t' is a temporary");
}

TEST_F(PreparedPipelineTest, OneExpressionRunsAKernelOnVectors) {
  const std::vector<float> a = counting(100);
  std::vector<float> b(100, 1);
  ASSERT_TRUE(session.run(wgsl()["add"], {{"a", a}, {"b", b}}, DispatchSize::extent({100, 1, 1})));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(b[i], static_cast<float>(i) + 1);
  struct View {
    std::uint32_t width, height;
  };
  ASSERT_TRUE(session.run(wgsl()["scale"].with("GAIN", 10),
                          {{"a", a}, {"b", b}, {"view", View{10, 10}}},
                          DispatchSize::extent({10, 10, 1})));
  EXPECT_EQ(b[99], 990);
  const auto says = [](const Result<void>& result, std::string_view text) {
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().what.find(text), std::string::npos) << result.error().what;
  };
  says(session.run(wgsl()["add"], {{"a", a}, {"b", a}}, DispatchSize::extent({1, 1, 1})),
       "writes 'b', and its values are const");
  says(session.run(wgsl()["add"], {{"a", a}, {"c", b}}, DispatchSize::extent({1, 1, 1})),
       "uses no buffer 'c'");
  std::vector<std::uint32_t> words(100);
  says(session.run(wgsl()["add"], {{"a", a}, {"b", words}}, DispatchSize::extent({1, 1, 1})),
       "and the values are u32");
}

}  // namespace
}  // namespace vyre
