// Pipelines whose launches run in bands on the CPU.
#include "vyre/engine/pipeline/pipeline_bands.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "vyre/engine/pipeline/prepared_pipeline.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

constexpr const char* kText = R"(
struct View { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> src: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@compute @workgroup_size(8, 2) fn blur(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= view.width || id.y >= view.height) { return; }
  let below = min(id.y + 1, view.height - 1);
  let i = id.y * view.width + id.x;
  dst[i] = fract(0.7 * src[i] + 0.6 * src[below * view.width + id.x]); }
@compute @workgroup_size(8, 2) fn count(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= view.width || id.y >= view.height) { return; }
  atomicAdd(&counts[u32(src[id.y * view.width + id.x] * 8)], 1u); }
@compute @workgroup_size(8, 2) fn hang(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.y * view.width + id.x;
  var n = 0u;
  while (id.y == 20u && src[i + n % 2u] < 2.0) { n++; }
  dst[i] = src[i] + f32(n); }
)";

constexpr std::uint32_t kWidth = 24, kHeight = 60;
struct View {
  std::uint32_t width, height;
};

const WgslModule& wgsl() {
  static const WgslModule module = *make_wgsl(kText, "bands.wgsl");
  return module;
}

class PipelineBands : public testing::Test {
 protected:
  static Session open(std::uint64_t band_rows, bool tuned = false) {
    SessionOptions options{.cpu = {.threads = 3, .band_rows = band_rows}, .code_folder = {}};
    if (tuned) {
      options.tuning.emplace();
      options.tuning->mode = TunerMode::natural_gradient;
      options.tuning->compile_at_once = true;
    }
    return *Session::open("cpu", options);
  }
  // blur, blur, count; with a loop of exchanged names if wanted.
  static PreparedPipeline prepare(const Session& session, bool bands, int rounds = 0,
                                  const std::string& second = "blur") {
    PipelineBuilder p("bands");
    const auto photo = p.input("photo", "array<f32>", {kHeight, kWidth});
    const auto other = p.input("other", "array<f32>", {kHeight, kWidth});
    const auto soft = p.temporary("soft", "array<f32>", {kHeight, kWidth});
    const auto out = p.output("out", "array<f32>", {kHeight, kWidth});
    const auto counts = p.output("counts", "array<atomic<u32>>", {9});
    const auto view = p.uniform("view", {{"width", kWidth}, {"height", kHeight}});
    if (rounds != 0) {
      p.loop("again", rounds, [&] {
         p.stage(wgsl()["blur"], {{"src", photo}, {"dst", other}, {"view", view}},
                 {kWidth, kHeight});
       }).swap(photo, other);
    }
    p.stage(wgsl()["blur"], {{"src", photo}, {"dst", soft}, {"view", view}}, {kWidth, kHeight});
    p.stage(wgsl()[second], {{"src", soft}, {"dst", out}, {"view", view}}, {kWidth, kHeight});
    p.stage(wgsl()["count"], {{"src", out}, {"counts", counts}, {"view", view}}, {kWidth, kHeight});
    auto pipeline = std::move(p).finish();
    EXPECT_TRUE(pipeline) << pipeline.error().what;
    PipelineOptions options;
    options.plan.fuse = false;
    options.plan.bands = bands;
    auto prepared = session.prepare(*std::move(pipeline), options);
    EXPECT_TRUE(prepared) << prepared.error().what;
    std::vector<float> values(std::size_t{kWidth} * kHeight);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i * i % 97) / 97.0F;
    }
    EXPECT_TRUE(prepared->write("photo", values));
    return *std::move(prepared);
  }
  static std::pair<std::vector<float>, std::vector<std::uint32_t>> results(
      PreparedPipeline& pipeline) {
    std::vector<float> out(std::size_t{kWidth} * kHeight);
    std::vector<std::uint32_t> counts(9);
    const auto ran = pipeline.run();
    EXPECT_TRUE(ran) << ran.error().what;
    EXPECT_TRUE(pipeline.read("out", out));
    EXPECT_TRUE(pipeline.read("counts", counts));
    return {out, counts};
  }
};

TEST_F(PipelineBands, ThePlanSaysWhichLaunchesRunInBandsAndWhyOthersDoNot) {
  const Session tiny = open(2);
  auto pipeline = prepare(tiny, true);
  const auto bands = pipeline.bands();
  ASSERT_EQ(bands.size(), 3U);
  for (const LaunchBands& each : bands) {
    EXPECT_TRUE(each.banded);
    EXPECT_EQ(each.first, 0U);
    EXPECT_EQ(each.last, 2U);
    EXPECT_EQ(each.rows, 4U) << "two rows of workgroups of two rows";
  }
  EXPECT_NE(pipeline.plan().find("in bands of 4 rows with launches 1 to 3"), std::string::npos)
      << pipeline.plan();
  EXPECT_EQ(results(pipeline), results(pipeline));
  EXPECT_EQ(pipeline.played(), "as a recording of 4 items, in bands 1 to 4");
  auto apart = prepare(tiny, false);
  EXPECT_TRUE(apart.bands().empty());
  EXPECT_EQ(results(apart), results(pipeline));
  EXPECT_EQ(apart.played(), "launch by launch: this device runs a launch as soon as it is told");
  // A picture this small stays in the caches.
  const Session usual = open(0);
  auto small = prepare(usual, true);
  EXPECT_EQ(results(small), results(pipeline));
  EXPECT_NE(small.plan().find("not in bands: all that they touch fits into the caches"),
            std::string::npos)
      << small.plan();
  EXPECT_EQ(small.played(), "launch by launch: this device runs a launch as soon as it is told");
}

TEST_F(PipelineBands, RoundsOfALoopFollowEachOther) {
  const Session tiny = open(1);
  auto pipeline = prepare(tiny, true, 5);
  auto apart = prepare(tiny, false, 5);
  EXPECT_EQ(pipeline.bands()[0].rounds, 5U);
  for (int run = 0; run < 3; ++run) EXPECT_EQ(results(pipeline), results(apart));
  EXPECT_TRUE(pipeline.played().starts_with("as a recording of 9 items, in bands"));
}

TEST_F(PipelineBands, OtherContentsOfAUniformReachOtherRows) {
  const Session tiny = open(1);
  auto pipeline = prepare(tiny, true);
  auto apart = prepare(tiny, false);
  // Views that are narrower and wider than the launch, and the first one again.
  for (const View view : {View{kWidth / 2, kHeight}, View{1000, 30}, View{3, 17}, View{0, 0},
                          View{kWidth, kHeight}}) {
    ASSERT_TRUE(pipeline.set_uniform("view", view));
    ASSERT_TRUE(apart.set_uniform("view", view));
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(results(pipeline), results(apart)) << view.width << " x " << view.height;
    }
  }
  EXPECT_TRUE(pipeline.bands()[1].banded);
}

TEST_F(PipelineBands, ARunThatIsInterruptedLeavesTheNextOneAlone) {
  const Session tiny = open(1);
  auto pipeline = prepare(tiny, true, 3, "hang");
  ASSERT_TRUE(pipeline.bands()[2].banded);
  std::atomic<std::uint32_t> stop = 0;
  const std::uint64_t photo = pipeline.buffer("photo")->address();
  const auto late = pipeline.run({.deadline = 20ms, .stop = &stop});
  ASSERT_FALSE(late);
  // Where the machine is busy, the time is over before that kernel begins.
  EXPECT_TRUE(late.error().what.ends_with(
      "' did not end within 20 ms; its buffers hold what it had written by then"))
      << late.error().what;
  EXPECT_EQ(pipeline.buffer("photo")->address(), photo) << "names stand as before the run";
  stop = 1;
  const auto stopped = pipeline.run({.deadline = 1h, .stop = &stop});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().what, "pipeline 'bands' was interrupted");
}

TEST_F(PipelineBands, StopsAtAnyMomentLeaveTheNextRunAlone) {
  const Session tiny = open(1);
  auto pipeline = prepare(tiny, true, 300);
  auto apart = prepare(tiny, false, 300);
  std::vector<float> photo(std::size_t{kWidth} * kHeight, 0.3F), other(photo.size(), 0.6F);
  int stopped = 0;
  for (int i = 0; i < 100; ++i) {
    std::atomic<std::uint32_t> stop = 0;
    std::atomic<bool> begun = false;
    std::jthread stopper([&] {
      while (!begun) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::microseconds(i));
      stop = 1;
    });
    begun = true;
    const auto ran = pipeline.run({.deadline = 1h, .stop = &stop});
    stopper.join();
    stopped += ran ? 0 : 1;
    if (ran) continue;
    // The names may stand in another order than those of the other pipeline.
    for (PreparedPipeline* each : {&pipeline, &apart}) {
      photo[0] = static_cast<float>(i) / 100;
      ASSERT_TRUE(each->write("photo", photo));
      ASSERT_TRUE(each->write("other", other));
    }
    ASSERT_EQ(results(pipeline), results(apart)) << i;
  }
  EXPECT_GT(stopped, 0);
}

TEST_F(PipelineBands, TwoThreadsRunTwoPipelinesOfOneSession) {
  const Session tiny = open(1);
  std::vector<PreparedPipeline> pipelines;
  for (const int rounds : {0, 4, 4}) pipelines.push_back(prepare(tiny, true, rounds));
  auto apart = prepare(tiny, false);
  const auto expected = results(apart);
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (std::size_t t = 1; t < pipelines.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int run = 0; run < 100; ++run) wrong += pipelines[t].run() ? 0 : 1;
    });
  }
  for (int run = 0; run < 100; ++run) ASSERT_EQ(results(pipelines[0]), expected) << run;
  threads.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(results(pipelines[1]), results(pipelines[2]));
}

TEST_F(PipelineBands, WhileVariantsAreComparedLaunchesRunOneByOne) {
  const Session tuned = open(1, true);
  auto pipeline = prepare(tuned, true);
  const Session plain = open(1);
  auto apart = prepare(plain, false);
  const auto expected = results(apart);
  std::string first;
  for (int run = 0; run < 3000; ++run) {
    ASSERT_EQ(results(pipeline), expected) << run;
    if (run == 0) first = pipeline.played();
    if (pipeline.played().starts_with("as a recording")) break;
  }
  EXPECT_EQ(first, "launch by launch: variants are still being compared");
}

}  // namespace
}  // namespace vyre
