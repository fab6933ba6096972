#include "vyre/engine/pipeline/prepared_pipeline.h"

#include <algorithm>
#include <array>
#include <vector>

#include "vyre/base/memory/allocation_count_testing.h"
#include "vyre/device/null/null_device.h"
#include "vyre/engine/pipeline/prepared_pipeline_testing.h"
#include "vyre/ir/builder/builder.h"

namespace vyre {
namespace {

using namespace prepared_pipelines;
using namespace std::chrono_literals;

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
