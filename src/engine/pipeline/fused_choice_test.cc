// A fused launch competes with its stages: on the CPU, where the test makes one or the other slow,
// and on the fake driver, whose code spills as the test says.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/cuda/fake_driver_testing.h"
#include "vyre/engine/pipeline/prepared_pipeline.h"
#include "vyre/pipeline/pipeline_file.h"
#include "vyre/pipeline/pipeline_plan_text.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kCount = 1000;
constexpr const char* kKernels = R"(
struct Part { n: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<uniform> part: Part;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= part.n) { return; }
  b[id.x] = a[id.x] * part.scale;
}
@compute @workgroup_size(64) fn plus_one(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = a[id.x] + 1; }
}
@compute @workgroup_size(64) fn in_place(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] += f32(id.x); }
}
)";
// y = (2 x, but 0 in the last ten) + 1 + index. The fused kernel needs neither t nor two uniforms.
constexpr const char* kPipeline = R"(
vyre = 1
name = "test"
[dims]
n = 1000
[buffers]
x = { type = "array<f32>", shape = ["n"], source = "fill:iota" }
t = { type = "array<f32>", shape = ["n"] }
y = { type = "array<f32>", shape = ["n"], sink = "y.npy" }
[uniforms.most]
n = "n - 10"
scale = 2.0
[[stage]]
name = "twice"
file = "k.wgsl"
size = ["n"]
bind = { a = "x", b = "t", part = "most" }
[[stage]]
name = "plus_one"
file = "k.wgsl"
size = ["n"]
bind = { a = "t", b = "y" }
[[stage]]
name = "in_place"
file = "k.wgsl"
size = ["n"]
bind = { b = "y" }
)";

ReadyPipeline pipeline() {
  ReadyOptions options;
  options.read_file = [](const std::string&) -> Result<std::string> {
    return std::string(kKernels);
  };
  options.place = [](const std::string& file) { return file; };
  const auto parsed = parse_pipeline(kPipeline, "p.toml");
  EXPECT_TRUE(parsed) << parsed.error().what;
  auto ready = make_ready(*parsed, options);
  EXPECT_TRUE(ready) << ready.error().what;
  return *std::move(ready);
}

Result<PreparedPipeline> prepare(const Session& session, const ReadyPipeline& ready,
                                 const PipelinePlan& plan) {
  return PreparedPipeline::make(session, std::make_shared<const ReadyPipeline>(ready),
                                std::make_shared<const PipelinePlan>(plan));
}

std::vector<std::string> texts_of(const std::vector<LaunchPlan>& plans) {
  std::vector<std::string> out;
  for (const LaunchPlan& plan : plans) out.push_back(plan_json(plan));
  return out;
}

bool is_stage(std::string_view kernel) {
  return kernel == "twice" || kernel == "plus_one" || kernel == "in_place";
}

// A session whose launches take a millisecond longer if `slow` selects them.
struct World {
  explicit World(TunerMode mode, std::function<bool(std::string_view)> slow = {},
                 std::optional<std::filesystem::path> evidence = {}) {
    SessionOptions options;
    const auto device =
        CpuDevice::make({.threads = 1, .after_launch = [this, slow](const Launch& launch) {
                           ran.emplace_back(launch.kernel);
                           if (slow && slow(launch.kernel)) std::this_thread::sleep_for(1ms);
                         }});
    options.tuning.emplace();
    options.tuning->mode = mode;
    options.tuning->compile_at_once = true;
    options.tuning->evidence = std::move(evidence);
    session.emplace(*Session::open(device, std::move(options)));
    plan = *plan_pipeline(ready, {});
    EXPECT_EQ(plan.launches.size(), 1U) << plan_text(ready, plan);
    auto made = prepare(*session, ready, plan);
    EXPECT_TRUE(made) << made.error().what;
    if (made) prepared.emplace(*std::move(made));
  }
  // Whether a run gives the expected results.
  bool run() {
    ran.clear();
    const auto done = prepared->run();
    EXPECT_TRUE(done) << done.error().what;
    std::vector<float> y(kCount);
    EXPECT_TRUE(prepared->read("y", y));
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const float twice = i < kCount - 10 ? 2 * float(i) : 0;
      if (y[i] != twice + 1 + float(i)) return false;
    }
    return true;
  }
  FusionChoice choice() { return prepared->choices().at(0).value(); }

  ReadyPipeline ready = pipeline();
  PipelinePlan plan;
  std::vector<std::string> ran;
  std::optional<Session> session;
  std::optional<PreparedPipeline> prepared;
};

TEST(FusedChoice, StagesThatAreFasterTakeThePlaceOfTheFusedLaunch) {
  for (const TunerMode mode : {TunerMode::natural_gradient, TunerMode::sweep}) {
    World w(mode, [](std::string_view kernel) { return !is_stage(kernel); });
    for (int i = 0; i < 3000 && (w.choice().fused || i == 0); ++i) {
      ASSERT_TRUE(w.run()) << "run " << i;
    }
    const FusionChoice choice = w.choice();
    EXPECT_FALSE(choice.fused) << choice.reason;
    ASSERT_TRUE(choice.fused_time && choice.apart_time);
    EXPECT_GT(choice.fused_time->ns, choice.apart_time->ns);
  }
}

TEST(FusedChoice, AFusedLaunchThatIsFasterStays) {
  for (const TunerMode mode : {TunerMode::natural_gradient, TunerMode::sweep}) {
    World w(mode, is_stage);
    for (int i = 0; i < 400 && !(w.choice().settled && i != 0); ++i) {
      ASSERT_TRUE(w.run()) << "run " << i;
    }
    EXPECT_TRUE(w.choice().fused) << w.choice().reason;
    EXPECT_TRUE(w.choice().fused_time);
  }
}

TEST(FusedChoice, WhatWasDecidedServesTheNextSession) {
  const TemporaryFolder folder;
  const auto evidence = folder.path() / "evidence";
  {
    World w(TunerMode::sweep, [](std::string_view kernel) { return !is_stage(kernel); }, evidence);
    ASSERT_TRUE(w.run());
    ASSERT_FALSE(w.choice().fused) << w.choice().reason;
  }
  World later(TunerMode::frozen, {}, evidence);
  // The plan says the same before anything runs, and allocates no memory.
  const auto planned = later.session->plan(later.ready, later.plan);
  ASSERT_TRUE(planned) << planned.error().what;
  ASSERT_EQ(planned->size(), 1U);
  ASSERT_TRUE(later.run());
  EXPECT_EQ(later.ran, (std::vector<std::string>{"twice", "plus_one", "in_place"}));
  EXPECT_FALSE(later.choice().fused);
  EXPECT_EQ(texts_of(planned->front()), texts_of(later.prepared->plans().front()));
  ASSERT_EQ(planned->front().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(planned->front()[i].kernel, later.ran[i]);
    EXPECT_EQ(planned->front()[i].by, Authority::evidence);
  }
  EXPECT_EQ(later.prepared->dispatch(0).plan().kernel, "twice") << "the first launch";
  const std::string text = later.prepared->plan();
  EXPECT_NE(text.find("test: 3 stages in 3 launches on cpu, mode frozen"), std::string::npos)
      << text;
  EXPECT_NE(text.find("runs as 3 launches; evidence: "), std::string::npos) << text;
  EXPECT_NE(text.find("x1x1 workgroups\n"), std::string::npos) << text;
  EXPECT_NE(text.find("in memory while its stages run on their own"), std::string::npos) << text;
}

// In every mode, the candidate that serves first is the planned one.
TEST(FusedChoice, ThePlanIsWhatServesFirst) {
  for (const TunerMode mode : {TunerMode::natural_gradient, TunerMode::sweep, TunerMode::frozen,
                               TunerMode::cached_or_default}) {
    const World w(mode);
    const auto planned = w.session->plan(w.ready, w.plan);
    ASSERT_TRUE(planned) << planned.error().what;
    ASSERT_EQ(planned->size(), 1U);
    EXPECT_EQ(planned->front().size(), 1U) << "fused";
    EXPECT_EQ(texts_of(planned->front()), texts_of(w.prepared->plans().front()));
  }
}

TEST(FusedChoice, WhereNothingIsSearchedThereIsNoMemoryForTheStages) {
  World w(TunerMode::frozen);
  ASSERT_TRUE(w.run());
  EXPECT_EQ(w.ran.size(), 1U);
  EXPECT_FALSE(w.prepared->choices().at(0));
}

TEST(FusedChoice, MoreStagesThanAreFusedAreNoChoice) {
  World w(TunerMode::natural_gradient);
  w.plan = *plan_pipeline(w.ready, {.fuse = false, .memory_budget = {}, .limits = {}});
  auto made = prepare(*w.session, w.ready, w.plan);
  ASSERT_TRUE(made) << made.error().what;
  w.prepared.emplace(*std::move(made));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(w.run());
  for (const auto& choice : w.prepared->choices()) EXPECT_FALSE(choice);
}

// ---- On the fake driver, whose kernels compute nothing and whose code spills as the test says

struct FakeGpu {
  // The fused kernel's code is loaded first, as the model guesses it and as it is declared. It
  // spills `first_spills` bytes, and all other code `others_spill`.
  explicit FakeGpu(TunerMode mode, bool fuse = true, int first_spills = 0, int others_spill = 0) {
    fake.table.function_parameter = nullptr;
    plan = *plan_pipeline(ready, {.fuse = fuse, .memory_budget = {}, .limits = {}});
    fake.kernels["vyre_kernel"] = {
        .parameter_bytes = {}, .run = {}, .local_bytes = [this, first_spills, others_spill] {
          return loads++ < 2 ? first_spills : others_spill;
        }};
    device = *open_cuda(fake.table, 0, {});
    SessionOptions options;
    options.tuning.emplace();
    options.tuning->mode = mode;
    options.tuning->compile_at_once = true;
    auto opened = Session::open(device, std::move(options));
    EXPECT_TRUE(opened) << opened.error().what;
    session.emplace(*std::move(opened));
    auto made = prepare(*session, ready, plan);
    EXPECT_TRUE(made) << made.error().what;
    if (made) prepared.emplace(*std::move(made));
  }
  int loads = 0;
  FakeDriver fake;
  ReadyPipeline ready = pipeline();
  PipelinePlan plan;
  std::shared_ptr<CudaDevice> device;
  std::optional<Session> session;
  std::optional<PreparedPipeline> prepared;
};

TEST(FusedChoice, AFusedKernelThatSpillsIsNotTriedWhereItsStagesDoNot) {
  for (const int stages_spill : {0, 8}) {
    FakeGpu w(TunerMode::natural_gradient, true, 96, stages_spill);
    const std::size_t launched = w.prepared->plans().at(0).size();
    ASSERT_TRUE(w.prepared && w.prepared->run());
    const auto choice = w.prepared->choices().at(0);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->fused, stages_spill != 0);
    EXPECT_EQ(launched, choice->fused ? 1U : 3U);
    EXPECT_FALSE(choice->fused_time);
  }
}

TEST(FusedChoice, ASettledPipelinePlaysARecording) {
  FakeGpu w(TunerMode::frozen, false);
  ASSERT_TRUE(w.prepared && w.prepared->run());
  EXPECT_EQ(w.prepared->played(), "as a recording of 4 items");  // three launches and a clear
  const unsigned launched = w.fake.calls("cuLaunchKernel");
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(w.prepared->run());
  EXPECT_EQ(w.fake.calls("cuLaunchKernel"), launched);
  EXPECT_EQ(w.fake.calls("cuGraphLaunch"), 11U);
  EXPECT_EQ(w.fake.calls("cuGraphExecKernelNodeSetParams"), 0U);
}

TEST(FusedChoice, WithoutATunerPlaysAreNeverOpen) {
  FakeGpu w(TunerMode::frozen, false);
  ASSERT_TRUE(w.prepared);
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(w.prepared->submit());
  ASSERT_TRUE(w.session->wait());
  // Each step asks the tuner once, and then not again for thousands of plays.
  EXPECT_LE(w.fake.calls("cuLaunchKernel"), 3U * 2);
}

}  // namespace
}  // namespace vyre
