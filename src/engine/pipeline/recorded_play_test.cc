// Steps of a pipeline are submitted in their order, and wait for the right earlier steps.
#include "vyre/engine/pipeline/recorded_play.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/cuda/fake_driver_testing.h"
#include "vyre/device/null/null_device.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
struct Part { scale: u32 }
@group(0) @binding(2) var<uniform> part: Part;
@compute @workgroup_size(64) fn scaled(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = part.scale * a[id.x]; }
}
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = 2u * a[id.x]; }
}
@compute @workgroup_size(64) fn plus_one(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = a[id.x] + 1u; }
}
)";

class RecordedPlayTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Session::open(device, {});
    ASSERT_TRUE(opened) << opened.error().what;
    session.emplace(*std::move(opened));
    for (auto& buffer : buffers) buffer = *session->buffer(4000);
  }
  PlayStep step(std::string_view entry, std::size_t from, std::size_t to) {
    static const ParsedModule parsed = parse_wgsl(kText);
    const Kernel kernel = *make_kernel(*parsed.module->find(entry));
    PlayStep out;
    auto dispatch =
        session->prepare(kernel, std::vector<Binding>{{0, 0, buffers[from]}, {0, 1, buffers[to]}},
                         DispatchSize::extent({1000, 1, 1}));
    EXPECT_TRUE(dispatch) << dispatch.error().what;
    if (dispatch) out.dispatch = *std::move(dispatch);
    return out;
  }

  std::shared_ptr<NullDevice> device = NullDevice::make();
  std::optional<Session> session;
  std::array<Buffer, 4> buffers;
};

// The CPU takes 1,024 bindings, a GPU 180.
TEST_F(RecordedPlayTest, ARecordedLaunchMayHaveMoreBindingsThanAGpuTakes) {
  constexpr std::uint32_t kBindings = 600;
  std::string text = "@compute @workgroup_size(64) fn wide() {\n";
  for (std::uint32_t i = 0; i < kBindings; ++i) {
    text = fmt::format("@group(0) @binding({}) var<storage, read> b{}: u32;\n", i, i) + text +
           fmt::format("_ = b{};\n", i);
  }
  const ParsedModule parsed = parse_wgsl(text + "}");
  ASSERT_TRUE(parsed.module);
  const Kernel kernel = *make_kernel(*parsed.module->find("wide"));
  std::vector<Binding> bindings;
  for (std::uint32_t i = 0; i < kBindings; ++i) {
    bindings.push_back({0, i, buffers[0], std::uint64_t{4} * i, 4});
  }
  std::vector<PlayStep> steps;
  steps.push_back(step("twice", 1, 2));
  auto wide = session->prepare(kernel, bindings, DispatchSize::extent({1, 1, 1}));
  ASSERT_TRUE(wide) << wide.error().what;
  steps.push_back({.cleared = {}, .dispatch = *std::move(wide)});
  RecordedPlay play(*session, "p", std::move(steps));
  ASSERT_TRUE(play.submit({}));
  EXPECT_EQ(play.how(), "launch by launch: this device takes them in their order");
  const auto records = device->records();
  const auto launched = std::ranges::find(records, "wide", &NullRecord::kernel);
  ASSERT_NE(launched, records.end());
  ASSERT_EQ(launched->bindings.size(), kBindings);
  for (std::uint32_t i = 0; i < kBindings; ++i) {
    EXPECT_EQ(launched->bindings[i].address, buffers[0].address() + 4 * i);
  }
}

TEST_F(RecordedPlayTest, ARecordingHoldsClearsAndLaunchesInTheirOrder) {
  std::vector<PlayStep> steps;
  steps.push_back(step("twice", 0, 1));
  steps.push_back(step("plus_one", 1, 2));
  steps[1].cleared.push_back(buffers[2]);
  RecordedPlay play(*session, "play", steps);
  for (int i = 0; i < 3; ++i) {
    device->forget();
    ASSERT_TRUE(play.submit({}));
    const auto records = device->records();
    ASSERT_EQ(records.size(), 3U);
    EXPECT_EQ(records[0].kernel, "twice");
    EXPECT_EQ(records[1].kind, NullRecord::Kind::clear);
    EXPECT_EQ(records[1].bindings[0].address, buffers[2].address());
    EXPECT_EQ(records[2].kernel, "plus_one");
    EXPECT_EQ(records[2].bindings[0].address, buffers[1].address());
    EXPECT_EQ(records[2].extent, (Extent{1000, 1, 1}));
  }
}

TEST_F(RecordedPlayTest, ADeadlineThatHasPassedIsNoInterruption) {
  std::vector<PlayStep> steps;
  steps.push_back(step("twice", 0, 1));
  RecordedPlay play(*session, "play", steps);
  std::atomic<std::uint32_t> stop = 0;
  const auto late = play.submit({.deadline = 1ns, .stop = &stop, .asked = 20ms});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().what, "pipeline 'play' did not end within 20 ms");
  stop = 1;
  const auto stopped = play.submit({.deadline = 1h, .stop = &stop});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().what, "pipeline 'play' was interrupted");
  EXPECT_EQ(device->records().size(), 0U) << "nothing began";
}

TEST_F(RecordedPlayTest, OneLaunchAloneIsNotRecorded) {
  std::vector<PlayStep> steps;
  steps.push_back(step("twice", 0, 1));
  RecordedPlay play(*session, "play", steps);
  ASSERT_TRUE(play.submit({}));
  EXPECT_EQ(play.how(), "launch by launch: there is one launch");
  EXPECT_EQ(device->records().size(), 1U);
}

// ---- On the fake driver, where uniforms go with launches by value

class RecordedPlayOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    fake.table.function_parameter = nullptr;
    fake.kernels["vyre_kernel"] = {};
    session.emplace(*Session::open(*open_cuda(fake.table, 0, {}), {}));
    for (auto& buffer : buffers) buffer = *session->buffer(4000);
    uniform = *session->buffer(4);
  }
  PlayStep step(std::string_view entry, const Buffer& from, const Buffer& to) {
    static const ParsedModule parsed = parse_wgsl(kText);
    std::vector<Binding> bindings{{0, 0, from}, {0, 1, to}};
    if (entry == "scaled") bindings.push_back({0, 2, uniform});
    auto dispatch = session->prepare(*make_kernel(*parsed.module->find(entry)), bindings,
                                     DispatchSize::extent({to.size() == 4 ? 1U : 1000U, 1, 1}));
    EXPECT_TRUE(dispatch) << dispatch.error().what;
    return {.cleared = {}, .dispatch = *std::move(dispatch)};
  }

  FakeDriver fake;
  std::optional<Session> session;
  std::array<Buffer, 3> buffers;
  Buffer uniform;
};

TEST_F(RecordedPlayOnGpu, AUniformWithOtherContentsIsReplacedInTheRecording) {
  std::vector<PlayStep> steps;
  steps.push_back(step("scaled", buffers[0], buffers[1]));
  steps.push_back(step("twice", buffers[1], buffers[2]));
  RecordedPlay play(*session, "play", steps);
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(session->write(uniform, 0, std::as_bytes(std::span(&i, 1))));
    for (int again = 0; again < 3; ++again) ASSERT_TRUE(play.submit({}));
    EXPECT_EQ(fake.calls("cuGraphExecKernelNodeSetParams"), i);
  }
  EXPECT_EQ(play.how(), "as a recording of 2 items");
  EXPECT_EQ(fake.calls("cuGraphInstantiateWithFlags"), 1U);
  EXPECT_EQ(fake.calls("cuGraphLaunch"), 9U);
}

TEST_F(RecordedPlayOnGpu, AUniformThatALaunchWritesIsReadBetweenTheLaunches) {
  std::vector<PlayStep> steps;
  steps.push_back(step("twice", buffers[0], uniform));
  steps.push_back(step("scaled", buffers[0], buffers[1]));
  RecordedPlay play(*session, "play", steps);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(play.submit({}));
  EXPECT_EQ(play.how(), "launch by launch: 'scaled' takes a uniform by value that a launch writes");
  EXPECT_EQ(fake.calls("cuGraphLaunch"), 0U);
}

TEST_F(RecordedPlayOnGpu, AGraphThatCannotBeMadeIsDoneWithout) {
  std::vector<PlayStep> steps;
  steps.push_back(step("twice", buffers[0], buffers[1]));
  steps.push_back(step("twice", buffers[1], buffers[2]));
  RecordedPlay play(*session, "play", steps);
  fake.fail_next("cuGraphInstantiateWithFlags", cu::kOutOfMemory);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(play.submit({}));
  EXPECT_NE(play.how().find("cuGraphInstantiate"), std::string::npos) << play.how();
  EXPECT_EQ(fake.calls("cuGraphLaunch"), 0U);
}

}  // namespace
}  // namespace vyre
