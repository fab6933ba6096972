// Variants whose code spills registers, on the fake driver: kernels compute nothing, and their code
// is what the test says. What is planned is what serves.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <functional>
#include <optional>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/cuda/fake_driver_testing.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/engine/session.h"
#include "vyre/plan/decision_lookup.h"
#include "vyre/plan/variants/variant_space.h"
#include "vyre/tune/evidence/evidence.h"
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
constexpr const char* kSpills =
    "its code keeps 96 bytes a lane in memory, and that of the declared variant none";

// The device is a fake one, and `spills` gives the spilled bytes of the code that is loaded as
// number i, from 0.
class SpillingGuess : public testing::Test {
 protected:
  SpillingGuess() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    ::chmod(folder_.path().c_str(), 0700);
  }
  ~SpillingGuess() override { ::unsetenv("XDG_CACHE_HOME"); }

  void open(TunerMode mode, std::function<int(int)> spills, int registers = 32) {
    session_.reset();
    fake_.reset();
    loads_ = 0;
    fake_.emplace();
    fake_->table.function_parameter = nullptr;
    fake_->kernels["vyre_kernel"] = {
        .parameter_bytes = {},
        .run = {},
        .registers = registers,
        .local_bytes = [this, spills = std::move(spills)] { return spills(loads_++); }};
    SessionOptions options;
    options.tuning.emplace();
    options.tuning->mode = mode;
    options.tuning->compile_at_once = true;
    options.tuning->evidence = evidence_file();
    session_.emplace(*Session::open(*open_cuda(fake_->table, 0, {}), std::move(options)));
  }
  std::filesystem::path evidence_file() const { return folder_.path() / "evidence.jsonl"; }

  Result<Dispatch> prepare() const {
    const std::vector<Binding> bindings{
        {.group = 0, .binding = 0, .buffer = *session_->buffer(kCount * 4)},
        {.group = 0, .binding = 1, .buffer = *session_->buffer(kCount * 4)}};
    return session_->prepare(kernel_, bindings, kSize);
  }
  // Plans the launch, and checks that the prepared dispatch serves what is planned.
  LaunchPlan plan() const {
    const std::vector<BindingBytes> bytes{{0, 0, kCount * 4}, {0, 1, kCount * 4}};
    const auto planned = session_->plan(kernel_, bytes, kSize);
    EXPECT_TRUE(planned) << describe(planned.error());
    const auto prepared = prepare();
    EXPECT_TRUE(prepared) << describe(prepared.error());
    EXPECT_EQ(plan_json(*planned), plan_json(prepared->plan()));
    EXPECT_EQ(planned->variant, prepared->variant());
    return *planned;
  }
  void remember(EventKind kind, const Extent& workgroup, std::string driver = {}) const {
    Variant variant = session_->default_variant(kernel_);
    variant.workgroup = workgroup;
    TuningKey key = tuning_key_of(plan_device_of(session_->device()), to_hex(kernel_.fingerprint),
                                  "scale", kSize.value, false);
    if (!driver.empty()) key.driver = std::move(driver);
    const EvidenceEvent event{.kind = kind,
                              .candidate = to_string(configuration_of(variant, TargetKind::nvptx)),
                              .reason = "a test says so"};
    ASSERT_TRUE((*EvidenceStore::open(evidence_file()))->append(key, std::span(&event, 1)));
  }

  const DispatchSize kSize = DispatchSize::extent({kCount, 1, 1});
  TemporaryFolder folder_;
  const Kernel kernel_ = *make_kernel(parse_wgsl(kText).module->programs.front());
  int loads_ = 0;
  std::optional<FakeDriver> fake_;
  std::optional<Session> session_;
};

constexpr auto kNatural = TunerMode::natural_gradient;
// A guess is loaded first, and then the declared variant.
int all_but_declared(int load) { return load == 1 ? 0 : 96; }
int all(int) { return 96; }

TEST_F(SpillingGuess, OfTheModelServesOnlyWhereTheDeclaredVariantSpillsAsWell) {
  open(kNatural, all_but_declared);
  const LaunchPlan declared = plan();
  EXPECT_EQ(declared.by, Authority::declared);
  EXPECT_EQ(declared.variant, session_->default_variant(kernel_));
  EXPECT_TRUE(declared.why.starts_with("as declared, not ")) << declared.why;
  EXPECT_TRUE(declared.why.ends_with(std::string(" (model): ") + kSpills)) << declared.why;
  open(kNatural, all);
  EXPECT_EQ(plan().by, Authority::model);
}

TEST_F(SpillingGuess, OfAHintServesOnlyWhereTheDeclaredVariantSpillsAsWell) {
  open(kNatural, all_but_declared);
  remember(EventKind::settled, {512, 1, 1}, "another driver");
  open(kNatural, all_but_declared);
  EXPECT_EQ(plan().by, Authority::declared);
  open(kNatural, all);
  const LaunchPlan hint = plan();
  EXPECT_EQ(hint.by, Authority::hint);
  EXPECT_EQ(hint.variant.workgroup, (Extent{512, 1, 1}));
}

TEST_F(SpillingGuess, OfTheDecisionFileServesOnlyWhereTheDeclaredVariantSpillsAsWell) {
  for (const TunerMode mode : {TunerMode::frozen, kNatural}) {
    open(mode, all_but_declared);
    ASSERT_TRUE(export_decision(adapter_of(plan_device_of(session_->device())), kernel_,
                                kSize.value, {512, 1, 1}));
    const LaunchPlan declared = plan();
    EXPECT_EQ(declared.by, Authority::declared);
    EXPECT_EQ(declared.variant, session_->default_variant(kernel_)) << declared.why;
    open(mode, all);
    EXPECT_EQ(plan().by, Authority::decision_file);
  }
}

TEST_F(SpillingGuess, APinAndEvidenceServeAlthoughTheySpill) {
  for (const EventKind kind : {EventKind::settled, EventKind::pinned}) {
    open(kNatural, all_but_declared);
    remember(kind, {512, 1, 1});
    for (const TunerMode mode : {kNatural, TunerMode::frozen, TunerMode::cached_or_default}) {
      open(mode, all_but_declared);
      const LaunchPlan planned = plan();
      EXPECT_EQ(planned.by, kind == EventKind::pinned ? Authority::pin : Authority::evidence);
      EXPECT_EQ(planned.variant.workgroup, (Extent{512, 1, 1}));
    }
  }
}

TEST_F(SpillingGuess, APinThatTheDeviceCannotLaunchIsNamedInThePlan) {
  constexpr int kRegisters = 128;  // which leaves 512 lanes for a workgroup
  open(kNatural, all, kRegisters);
  remember(EventKind::pinned, {1024, 1, 1});
  for (const TunerMode mode : {kNatural, TunerMode::frozen}) {
    open(mode, all, kRegisters);
    const LaunchPlan planned = plan();
    EXPECT_EQ(planned.by, Authority::declared);
    EXPECT_EQ(
        planned.why,
        "as declared, not workgroup=1024x1x1 items=1 layout=strided (pin): its code takes 128 "
        "registers a lane, which leaves 512 lanes for a workgroup");
  }
}

TEST_F(SpillingGuess, EvidenceThatTheDeviceCannotLaunchAnyMoreGivesWayToTheDeclaredVariant) {
  for (const TunerMode mode : {TunerMode::frozen, kNatural}) {
    open(mode, all, 128);
    if (mode == TunerMode::frozen) remember(EventKind::settled, {1024, 1, 1});
    open(mode, all, 128);
    const auto dispatch = prepare();
    ASSERT_TRUE(dispatch) << describe(dispatch.error());
    const LaunchPlan served = dispatch->plan();
    EXPECT_EQ(served.variant, session_->default_variant(kernel_));
    EXPECT_EQ(served.by, Authority::declared) << served.why;
    EXPECT_TRUE(served.why.starts_with("workgroup=1024x1x1 items=1 layout=strided was dropped: "))
        << served.why;
  }
}

TEST_F(SpillingGuess, ASweepTimesAll) {
  open(TunerMode::sweep, all_but_declared);
  const auto dispatch = prepare();
  ASSERT_TRUE(dispatch && session_->measure(*dispatch));
  for (const CandidateView& c : dispatch->tuning()->candidates) {
    EXPECT_FALSE(c.dropped.contains("its code keeps")) << c.text << ": " << c.dropped;
  }
}

}  // namespace
}  // namespace vyre
