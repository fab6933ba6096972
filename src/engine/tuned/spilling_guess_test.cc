// Candidates whose code spills registers, on the fake driver: kernels compute nothing, and their
// code is what the test says.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/cuda/fake_driver_testing.h"
#include "vyre/engine/session.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = 2.0 * x[id.x]; }
}
)";
constexpr std::uint32_t kCount = 1 << 20;

// A dispatch for which the model guesses another variant than the declared one. `spills` gives the
// spilled bytes of the code that is loaded as number i, from 0.
struct FakeGpu {
  FakeGpu(TunerMode mode, std::function<int(int)> spills) {
    fake.table.function_parameter = nullptr;
    fake.kernels["vyre_kernel"] = {
        .parameter_bytes = {}, .run = {}, .local_bytes = [this, spills = std::move(spills)] {
          return spills(loads++);
        }};
    SessionOptions options;
    options.tuning.emplace();
    options.tuning->mode = mode;
    options.tuning->compile_at_once = true;
    session.emplace(*Session::open(*open_cuda(fake.table, 0, {}), std::move(options)));
    const ParsedModule parsed = parse_wgsl(kText);
    const std::vector<Binding> bindings{
        {.group = 0, .binding = 0, .buffer = *session->buffer(kCount * 4)},
        {.group = 0, .binding = 1, .buffer = *session->buffer(kCount * 4)}};
    auto made = session->prepare(*make_kernel(parsed.module->programs.front()), bindings,
                                 DispatchSize::extent({kCount, 1, 1}));
    EXPECT_TRUE(made) << describe(made.error());
    if (made) dispatch.emplace(*std::move(made));
  }
  TuningView view() const { return *dispatch->tuning(); }

  int loads = 0;
  FakeDriver fake;
  std::optional<Session> session;
  std::optional<Dispatch> dispatch;
};

TEST(SpillingGuess, TheDeclaredVariantServesInsteadWhereItDoesNotSpill) {
  const FakeGpu w(TunerMode::natural_gradient, [](int load) { return load == 0 ? 96 : 0; });
  const TuningView view = w.view();
  ASSERT_TRUE(view.declared);
  ASSERT_NE(view.start, *view.declared) << "there is a guess";
  EXPECT_EQ(view.incumbent, *view.declared);
  EXPECT_EQ(view.candidates[view.start].stage, CandidateStage::dropped);
  EXPECT_EQ(view.candidates[view.start].dropped,
            "its code keeps 96 bytes a lane in memory, and that of the declared variant none");
}

TEST(SpillingGuess, AGuessServesWhereTheDeclaredVariantSpillsAsWell) {
  const FakeGpu w(TunerMode::natural_gradient, [](int) { return 96; });
  const TuningView view = w.view();
  EXPECT_EQ(view.incumbent, view.start);
  EXPECT_NE(view.start, *view.declared);
}

TEST(SpillingGuess, ASweepTimesAll) {
  const FakeGpu w(TunerMode::sweep, [](int load) { return load == 0 ? 96 : 0; });
  const TuningView view = w.view();
  EXPECT_NE(view.candidates[view.start].stage, CandidateStage::dropped);
}

}  // namespace
}  // namespace vyre
