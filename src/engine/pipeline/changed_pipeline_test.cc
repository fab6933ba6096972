// Prepared pipelines whose sizes, uniforms or memory change.
#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "vyre/engine/pipeline/prepared_pipeline_testing.h"

namespace vyre {
namespace {

using namespace prepared_pipelines;
using namespace std::chrono_literals;

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

TEST_F(PreparedPipelineTest, ADeadlineEndsPreparingAndLeavesThePipelineAsItWas) {
  const auto builder = [] {
    PipelineBuilder p("late");
    const auto x = p.input("x", "array<f32>", {70});
    const auto t = p.temporary("t", "array<f32>", {70});
    const auto y = p.output("y", "array<f32>", {70});
    const auto gain = p.uniform("gain", {{"gain", 2}, {"n", 70}});
    p.stage(wgsl()["amplify"], {{"a", x}, {"b", t}, {"gain", gain}}, {70});
    p.stage(wgsl()["amplify"], {{"a", t}, {"b", y}, {"gain", gain}}, {70});
    return p;
  };
  const RunLimits late{.deadline = 1ns};
  const auto none = session.prepare(builder(), {}, late);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::device);
  auto pipeline = session.prepare(builder(), {}, {.deadline = 1h});
  ASSERT_TRUE(pipeline) << pipeline.error().what;
  ASSERT_EQ(pipeline->launches().launches.size(), 1U);
  PipelineOptions apart;
  apart.plan.fuse = false;
  const auto again = pipeline->prepare_again(apart, late);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().what.find("deadline"), std::string::npos) << again.error().what;
  EXPECT_EQ(pipeline->launches().launches.size(), 1U);
  EXPECT_TRUE(session.run(*pipeline));
  EXPECT_TRUE(pipeline->prepare_again(apart, {.deadline = 1h}));
  EXPECT_EQ(pipeline->launches().launches.size(), 2U);
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
  EXPECT_FALSE(session.run(*pipeline, {.deadline = 1ns})) << "the stages are to be compiled";
  EXPECT_EQ(launches(), 2U);
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

}  // namespace
}  // namespace vyre
