// Who decides a launch, rung by rung, from the top.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/device/null/null_device.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/engine/session.h"
#include "vyre/plan/decision_lookup.h"
#include "vyre/plan/specification/launch_feedback.h"
#include "vyre/plan/variants/variant_space.h"
#include "vyre/tune/decisions/decision_file.h"
#include "vyre/tune/evidence/evidence.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = 2u * id.x; }
}
@compute @workgroup_size(64) fn local(@builtin(local_invocation_id) id: vec3<u32>) {
  y[id.x] = id.x;
}
)";

Kernel kernel_of(std::string_view entry) {
  static const ParsedModule parsed = parse_wgsl(kText);
  return *make_kernel(*parsed.module->find(entry));
}

constexpr Extent kSize{3000, 1, 1};

class LaunchAuthority : public testing::Test {
 protected:
  LaunchAuthority() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    ::chmod(folder_.path().c_str(), 0700);
  }
  ~LaunchAuthority() override { ::unsetenv("XDG_CACHE_HOME"); }

  Session session(TunerMode mode, std::string_view device = "cpu") const {
    SessionOptions out;
    out.cpu.threads = 1;
    out.tuning = TuningOptions{};
    out.tuning->mode = mode;
    out.tuning->evidence = evidence_file();
    return *Session::open(device, std::move(out));
  }
  std::filesystem::path evidence_file() const { return folder_.path() / "evidence.jsonl"; }

  static Result<Dispatch> prepare(const Session& session, const Kernel& kernel,
                                  const FixedChoices& fixed = {},
                                  DispatchSize size = DispatchSize::extent(kSize)) {
    const std::vector<Binding> bindings{
        {.group = 0, .binding = 0, .buffer = *session.buffer(kSize[0] * 4)}};
    return session.prepare(kernel, bindings, size, fixed);
  }
  // Plans the launch, and checks that the prepared dispatch has the same plan.
  static LaunchPlan plan(const Session& session, const Kernel& kernel,
                         const FixedChoices& fixed = {},
                         DispatchSize size = DispatchSize::extent(kSize)) {
    const BindingBytes bytes{0, 0, kSize[0] * 4};
    const LaunchPlan planned = *session.plan(kernel, std::span(&bytes, 1), size, fixed);
    const LaunchPlan prepared = prepare(session, kernel, fixed, size)->plan();
    EXPECT_EQ(plan_json(planned), plan_json(prepared));
    return planned;
  }

  TuningKey key(const Session& session, const Extent& size = kSize) const {
    return tuning_key_of(plan_device_of(session.device()), to_hex(kernel_of("twice").fingerprint),
                         "twice", size, false);
  }
  void remember(const TuningKey& key, EventKind kind, const Variant& variant) const {
    const auto store = *EvidenceStore::open(evidence_file());
    EvidenceEvent event{.kind = kind,
                        .candidate = to_string(configuration_of(variant, TargetKind::host)),
                        .reason = "a test says so"};
    ASSERT_TRUE(store->append(key, std::span(&event, 1)));
  }
  void decide_in_file(const Session& session, const Extent& workgroup) const {
    const Adapter adapter = adapter_of(plan_device_of(session.device()));
    const auto at = decision_key(adapter, kernel_of("twice"), kSize);
    ASSERT_TRUE(at);
    ASSERT_TRUE(make_folders(adapter.decisions.parent_path()));
    ASSERT_TRUE(save_decisions(adapter.decisions, {{std::string(at->view()), workgroup}},
                               {.max_entries = kMaxFeedbackEntries, .last_use = {}}));
  }
  static Variant with(const Session& session, std::uint32_t width) {
    Variant out = session.default_variant(kernel_of("twice"));
    out.workgroup = {width, 1, 1};
    return out;
  }

  TemporaryFolder folder_;
};

TEST_F(LaunchAuthority, EveryRungGivesWayToTheOneAbove) {
  const Kernel kernel = kernel_of("twice");
  for (const std::string_view device : {"cpu", "null"}) {
    std::filesystem::remove_all(folder_.path() / "vyre");
    std::filesystem::remove(evidence_file());
    const TunerMode mode = TunerMode::frozen;
    Session now = session(mode, device);
    LaunchPlan launch = plan(now, kernel);
    EXPECT_EQ(launch.by, Authority::declared);
    EXPECT_EQ(launch.variant, now.default_variant(kernel));

    decide_in_file(now, {256, 1, 1});
    now = session(mode, device);
    launch = plan(now, kernel);
    EXPECT_EQ(launch.by, Authority::decision_file);
    EXPECT_EQ(launch.variant, with(now, 256));
    EXPECT_EQ(launch.grid, (Extent{12, 1, 1}));

    remember(key(now), EventKind::settled, with(now, 1024));
    now = session(mode, device);
    launch = plan(now, kernel);
    EXPECT_EQ(launch.by, Authority::evidence);
    EXPECT_EQ(launch.variant, with(now, 1024));

    remember(key(now), EventKind::pinned, with(now, 256));
    now = session(mode, device);
    launch = plan(now, kernel);
    EXPECT_EQ(launch.by, Authority::pin);
    EXPECT_EQ(launch.variant, with(now, 256));

    FixedChoices fixed;
    fixed.gang_width = 1;
    launch = plan(now, kernel, fixed);
    EXPECT_EQ(launch.by, Authority::caller);
    EXPECT_EQ(launch.variant.workgroup, (Extent{64, 1, 1}));
    EXPECT_EQ(launch.choices[0].by, Authority::declared);  // the workgroup, which nobody fixed
    EXPECT_EQ(launch.choices[1].by, Authority::caller);
  }
}

TEST_F(LaunchAuthority, AHintServesOnlyWhereTheModeSearches) {
  const Kernel kernel = kernel_of("twice");
  const Session before = session(TunerMode::frozen);
  remember(key(before, {1 << 20, 1, 1}), EventKind::settled, with(before, 1024));
  EXPECT_EQ(plan(session(TunerMode::frozen), kernel).by, Authority::declared);
  EXPECT_EQ(plan(session(TunerMode::cached_or_default), kernel).by, Authority::declared);
  const Session natural = session(TunerMode::natural_gradient);
  const LaunchPlan hinted = plan(natural, kernel);
  EXPECT_EQ(hinted.by, Authority::hint);
  EXPECT_EQ(hinted.variant, with(natural, 1024));
}

TEST_F(LaunchAuthority, WhatIsNotAmongTheCandidatesDecidesNothing) {
  const Kernel kernel = kernel_of("twice");
  const Session now = session(TunerMode::frozen);
  remember(key(now), EventKind::settled, with(now, 768));
  decide_in_file(now, {4096, 1, 1});  // beyond the limits
  EXPECT_EQ(plan(session(TunerMode::frozen), kernel).by, Authority::declared);
}

TEST_F(LaunchAuthority, AProgramThatReadsLocalIdsKeepsItsWorkgroup) {
  const Session now = session(TunerMode::natural_gradient);
  const LaunchPlan launch = plan(now, kernel_of("local"));
  EXPECT_EQ(launch.variant.workgroup, (Extent{64, 1, 1}));
  EXPECT_NE(why_undecidable(kernel_of("local"), kSize), "");
  EXPECT_NE(why_undecidable(kernel_of("twice"), {1U << 20, 1U << 20, 1}), "");
}

TEST_F(LaunchAuthority, ALaunchCountedInWorkgroupsIsServedWhatWasDecidedForIt) {
  const Kernel kernel = kernel_of("twice");
  const DispatchSize groups = DispatchSize::workgroups({40, 1, 1});
  Session now = session(TunerMode::frozen);
  Variant chosen = now.default_variant(kernel);
  chosen.gang_width = chosen.gang_width == 1 ? 8 : 1;
  remember(tuning_key_of(plan_device_of(now.device()), to_hex(kernel.fingerprint), "twice",
                         {40 * 64, 1, 1}, true),
           EventKind::settled, chosen);
  now = session(TunerMode::frozen);
  const LaunchPlan launch = plan(now, kernel, {}, groups);
  EXPECT_EQ(launch.by, Authority::evidence);
  EXPECT_EQ(launch.variant, chosen);
  EXPECT_EQ(plan(now, kernel).by, Authority::declared);
}

// A launch is tuned and then run again, counted in invocations and in workgroups.
TEST_F(LaunchAuthority, WhatASweepFindsServesTheSameLaunchLater) {
  const Kernel kernel = kernel_of("twice");
  for (const DispatchSize size :
       {DispatchSize::workgroups({47, 1, 1}), DispatchSize::extent(kSize)}) {
    Variant found;
    {
      const Session tunes = session(TunerMode::sweep);
      const auto dispatch = prepare(tunes, kernel, {}, size);
      ASSERT_TRUE(dispatch) << describe(dispatch.error());
      EXPECT_EQ(dispatch->plan().by, Authority::declared);
      ASSERT_TRUE(tunes.measure(*dispatch));
      EXPECT_TRUE(dispatch->tuning()->settled);
      EXPECT_EQ(dispatch->plan().by, Authority::evidence);
      EXPECT_EQ(dispatch->plan().why, dispatch->tuning()->reason);
      ASSERT_TRUE(tunes.run(*dispatch));
      found = dispatch->variant();
    }
    const LaunchPlan later = plan(session(TunerMode::frozen), kernel, {}, size);
    EXPECT_EQ(later.by, Authority::evidence) << size.in_workgroups;
    EXPECT_EQ(later.variant, found);
  }
}

TEST_F(LaunchAuthority, BuffersMayBeLongerThanTheirTypes) {
  const auto parsed = parse_wgsl(R"(
struct Wide { a: vec4<u32>, b: vec4<u32>, c: vec4<u32> }
@group(0) @binding(0) var<uniform> given: Wide;
@group(0) @binding(1) var<storage, read> fixed: array<u32, 3>;
@group(0) @binding(2) var<storage, read_write> y: array<vec2<u32>>;
@compute @workgroup_size(1) fn f() { y[0] = given.c.xy + fixed[2]; })");
  const Session now = session(TunerMode::frozen);
  const std::vector<Binding> bindings{{.group = 0, .binding = 0, .buffer = *now.buffer(64)},
                                      {.group = 0, .binding = 1, .buffer = *now.buffer(20)},
                                      {.group = 0, .binding = 2, .buffer = *now.buffer(21)}};
  const auto made = now.prepare(*make_kernel(*parsed.module->find("f")), bindings,
                                DispatchSize::extent({1, 1, 1}));
  ASSERT_TRUE(made) << describe(made.error());
  EXPECT_EQ(made->plan().bindings[1].planned.element_count, 3U);
  EXPECT_EQ(made->plan().bindings[2].planned.element_count, 2U);
  EXPECT_EQ(made->plan().bindings[2].bytes, 21U);
}

TEST_F(LaunchAuthority, LimitsAreEnforcedOnEveryDevice) {
  const Kernel kernel = kernel_of("twice");
  for (const std::string_view device : {"cpu", "null"}) {
    const Session now = session(TunerMode::frozen, device);
    FixedChoices fixed;
    fixed.workgroup = {1024, 2, 1};
    EXPECT_FALSE(prepare(now, kernel, fixed));
    const auto large = parse_wgsl(R"(
var<workgroup> tile: array<u32, 1000000>;
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn large(@builtin(local_invocation_index) i: u32) {
  tile[i] = i;
  workgroupBarrier();
  y[i] = tile[63u - i];
})");
    const auto made = prepare(now, *make_kernel(*large.module->find("large")));
    ASSERT_FALSE(made);
    EXPECT_TRUE(made.error().what.contains("4000000 bytes of workgroup memory"))
        << made.error().what;
  }
}

}  // namespace
}  // namespace vyre
