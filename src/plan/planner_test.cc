#include "vyre/plan/planner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "vyre/base/files/disk_wait.h"
#include "vyre/base/files/silent_disk_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/base/golden_testing.h"
#include "vyre/plan/decision_lookup.h"
#include "vyre/plan/kernels_testing.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

// A launch of one kernel, with what its request refers to.
struct Launch {
  std::vector<KernelChoice> kernels;
  std::vector<BindingBytes> bindings{{0, 0, 4'000'000}, {0, 1, 4'000'000, false}, {0, 2, 8192}};
  std::vector<std::uint32_t> gangs;
  LaunchRequest request;

  Launch(std::string_view kernel, Extent extent) {
    kernels.push_back({kernel_named(kernel), {}});
    request.identity = std::string(kernel);
    request.size = DispatchSize::extent(extent);
  }
  const LaunchRequest& asked() {
    request.kernels = kernels;
    request.bindings = bindings;
    request.default_gangs = gangs;
    return request;
  }
  LaunchSpace space(const PlanDevice& device, const PlanMemory& memory = {}) {
    return *plan_space(asked(), device, memory);
  }
  LaunchPlan plan(const PlanDevice& device, const PlanMemory& memory = {}) {
    return *plan_launch(asked(), device, memory);
  }
};

std::vector<Extent> extents_for(const Extent& workgroup) {
  if (workgroup[2] > 1) return {{3, 4, 5}, {64, 64, 64}};
  if (workgroup[1] > 1) return {{10, 20, 1}, {2048, 1500, 1}};
  return {{100, 1, 1}, {1 << 17, 1, 1}, {50'000'000, 1, 1}};
}

// The number of candidates, the start and why, the three that the model expects to be fastest, and
// the mean of the logarithms of all expected times, in which a change of any of them shows.
std::string line_of(const LaunchSpace& space) {
  std::vector<std::size_t> order(space.candidates.size());
  double logs = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    logs += std::log(space.candidates[i].expected_ns);
  }
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return space.candidates[i].expected_ns; });
  std::string out = fmt::format("{} candidates, {:.7f}; starts with {} ({}: {});", order.size(),
                                logs / static_cast<double>(order.size()),
                                space.candidates[space.start].text, to_string(space.by), space.why);
  order.resize(std::min<std::size_t>(order.size(), 3));
  for (const std::size_t i : order) {
    out += fmt::format(" {} {:.7g}", space.candidates[i].text, space.candidates[i].expected_ns);
  }
  return out;
}

TEST(Planner, SpacesAreAsRecorded) {
  std::string text;
  for (const Kernel& kernel : kernels_of_all_kinds()) {
    const std::string& name = kernel.program->name;
    for (const PlanDevice& device :
         {large_gpu(), unknown_gpu(), processor_of_16_lanes(), processor_of_8_lanes()}) {
      for (const Extent& extent : extents_for(kernel.program->workgroup)) {
        Launch launch(name, extent);
        launch.gangs = {8};
        text += fmt::format("{} on {} {} at {}: {}\n", name, device.name,
                            device.profile.device_name, size_text(extent),
                            line_of(launch.space(device, {.mode = TunerMode::natural_gradient})));
      }
    }
  }
  expect_golden(text, "spaces.txt");
}

TEST(Planner, PlansAreAsRecorded) {
  std::string text;
  const auto add = [&](Launch& launch, const PlanDevice& device, TunerMode mode) {
    const auto plan = plan_launch(launch.asked(), device, {.mode = mode});
    text += plan ? plan_text(*plan) : describe(plan.error());
    text += '\n';
    if (plan && device.name != "cuda:0") text += plan_json(*plan) + "\n\n";
  };
  Launch streams("streams", {1'000'000, 1, 1});
  add(streams, large_gpu(), TunerMode::natural_gradient);
  add(streams, large_gpu(), TunerMode::cached_or_default);
  add(streams, processor_of_16_lanes(), TunerMode::frozen);
  add(streams, device_of_limits_alone(), TunerMode::natural_gradient);
  add(streams, device_of_limits_alone(), TunerMode::frozen);
  streams.request.fixed.items_per_lane = 4;
  streams.request.fixed.layout = ItemLayout::blocked;
  add(streams, large_gpu(), TunerMode::natural_gradient);
  streams.request.fixed = {};
  streams.request.fixed.workgroup = Extent{128, 1, 1};
  streams.request.fixed.groups_per_task = 8;
  add(streams, processor_of_16_lanes(), TunerMode::natural_gradient);
  Launch reverses("reverses_groups", {1, 1, 1});
  reverses.request.size = DispatchSize::workgroups({7, 1, 1});
  add(reverses, large_gpu(), TunerMode::natural_gradient);
  add(reverses, processor_of_8_lanes(), TunerMode::natural_gradient);
  reverses.request.size = DispatchSize::extent({1000, 1, 1});
  add(reverses, large_gpu(), TunerMode::natural_gradient);
  Launch tells("tells_groups", {1, 1, 1});
  add(tells, large_gpu(), TunerMode::natural_gradient);
  tells.request.size = DispatchSize::extent({0, 1, 1});
  add(tells, large_gpu(), TunerMode::natural_gradient);
  Launch columns("writes_columns", {100, 50, 1});
  add(columns, large_gpu(), TunerMode::natural_gradient);
  Launch calls("calls", {10, 1, 1});
  calls.bindings = {{0, 0, 47}};
  add(calls, processor_of_8_lanes(), TunerMode::natural_gradient);
  calls.bindings = {};
  add(calls, processor_of_8_lanes(), TunerMode::natural_gradient);
  Launch huge("fills_space", {0x80000000, 0x80000000, 4});
  add(huge, processor_of_8_lanes(), TunerMode::natural_gradient);
  expect_golden(text, "plans.txt");
}

// ---- Who decides

class PlanAuthority : public testing::Test {
 protected:
  PlanAuthority() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    ::chmod(folder_.path().c_str(), 0700);
  }
  ~PlanAuthority() override { ::unsetenv("XDG_CACHE_HOME"); }

  PlanMemory memory(TunerMode mode) const {
    return {.evidence = store_.get(), .decision_file = true, .mode = mode};
  }
  void tell(EventKind kind, const TuningKey& key, const std::string& candidate) const {
    const EvidenceEvent event{.kind = kind, .candidate = candidate, .reason = "a test says so"};
    ASSERT_TRUE(store_->append(key, std::span(&event, 1)));
  }
  TuningKey key_of(Launch& launch, TunerMode mode) const {
    return launch_key(launch.asked(), device_, memory(mode))->key;
  }

  TemporaryFolder folder_;
  std::shared_ptr<EvidenceStore> store_ = EvidenceStore::in_memory();
  const PlanDevice device_ = large_gpu();
};

TEST_F(PlanAuthority, ADecisionFileWhoseDiskIsSilentIsWaitedForAsLongAsAllowed) {
  Launch launch("streams", {50'000'000, 1, 1});
  ASSERT_TRUE(export_decision(adapter_of(device_), launch.kernels.front().kernel,
                              launch.request.size.value, {512, 1, 1}));
  PlanMemory hasty = memory(TunerMode::frozen);
  const auto begin = std::chrono::steady_clock::now();
  hasty.limits.deadline = begin + std::chrono::milliseconds(200);
  {
    const SilentDisk silent(adapter_of(device_).decisions.filename());
    EXPECT_EQ(launch.space(device_, hasty).by, Authority::declared);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kDiskWait);
  }
  EXPECT_EQ(launch.space(device_, memory(TunerMode::frozen)).by, Authority::decision_file);
}

TEST_F(PlanAuthority, EveryRungGivesWayToTheOneAbove) {
  Launch launch("streams", {50'000'000, 1, 1});
  const auto natural = TunerMode::natural_gradient;
  const auto by = [&](TunerMode mode) { return launch.space(device_, memory(mode)).by; };
  const auto start = [&](TunerMode mode) {
    const LaunchSpace space = launch.space(device_, memory(mode));
    return space.candidates[space.start].text;
  };
  EXPECT_EQ(by(TunerMode::frozen), Authority::declared);
  EXPECT_EQ(by(TunerMode::cached_or_default), Authority::declared);
  EXPECT_EQ(start(TunerMode::frozen), "workgroup=64x1x1 items=1 layout=strided");
  EXPECT_EQ(by(natural), Authority::model);
  EXPECT_EQ(by(TunerMode::sweep), Authority::model);

  TuningKey near = key_of(launch, natural);
  near.driver = "another driver";
  tell(EventKind::settled, near, "workgroup=32x1x1 items=8 layout=strided");
  EXPECT_EQ(by(natural), Authority::hint);
  EXPECT_EQ(start(natural), "workgroup=32x1x1 items=8 layout=strided");
  EXPECT_EQ(by(TunerMode::frozen), Authority::declared) << "a hint is a guess";

  const Extent decided{512, 1, 1};
  ASSERT_TRUE(export_decision(adapter_of(device_), launch.kernels.front().kernel,
                              launch.request.size.value, decided));
  EXPECT_EQ(by(natural), Authority::decision_file);
  EXPECT_EQ(by(TunerMode::frozen), Authority::decision_file);
  EXPECT_EQ(start(natural), "workgroup=512x1x1 items=1 layout=strided");
  PlanMemory without = memory(natural);
  without.decision_file = false;
  EXPECT_EQ(launch.space(device_, without).by, Authority::hint);

  tell(EventKind::settled, key_of(launch, natural), "workgroup=128x1x1 items=2 layout=blocked");
  EXPECT_EQ(by(TunerMode::frozen), Authority::evidence);
  EXPECT_EQ(start(natural), "workgroup=128x1x1 items=2 layout=blocked");
  tell(EventKind::pinned, key_of(launch, natural), "workgroup=256x1x1 items=2 layout=blocked");
  EXPECT_EQ(by(TunerMode::frozen), Authority::pin);
  EXPECT_EQ(start(natural), "workgroup=256x1x1 items=2 layout=blocked");
  launch.request.fixed.items_per_lane = 16;
  EXPECT_EQ(launch.plan(device_, memory(natural)).by, Authority::caller);
  EXPECT_EQ(launch.plan(device_, memory(natural)).variant.workgroup, (Extent{64, 1, 1}))
      << "what is not fixed is as declared";
}

TEST_F(PlanAuthority, WhatASearchHasDroppedIsNotGuessedAgain) {
  Launch launch("streams", {50'000'000, 1, 1});
  const auto natural = TunerMode::natural_gradient;
  const LaunchSpace guessed = launch.space(device_, memory(natural));
  ASSERT_EQ(guessed.by, Authority::model);
  const std::string guess = guessed.candidates[guessed.start].text;
  tell(EventKind::rejected, key_of(launch, natural), guess);
  const LaunchSpace declared = launch.space(device_, memory(natural));
  EXPECT_EQ(declared.by, Authority::declared);
  EXPECT_EQ(declared.start, *declared.declared);
  EXPECT_EQ(declared.why, fmt::format("as declared, not {} (model): it was dropped before: a test "
                                      "says so",
                                      guess));
  TuningKey near = key_of(launch, natural);
  near.driver = "another driver";
  tell(EventKind::settled, near, "workgroup=32x1x1 items=8 layout=strided");
  EXPECT_EQ(launch.space(device_, memory(natural)).by, Authority::hint);
  tell(EventKind::rejected, key_of(launch, natural), "workgroup=32x1x1 items=8 layout=strided");
  EXPECT_EQ(launch.space(device_, memory(natural)).by, Authority::declared);
  ASSERT_TRUE(export_decision(adapter_of(device_), launch.kernels.front().kernel,
                              launch.request.size.value, {512, 1, 1}));
  EXPECT_EQ(launch.space(device_, memory(natural)).by, Authority::decision_file);
  tell(EventKind::rejected, key_of(launch, natural), "workgroup=512x1x1 items=1 layout=strided");
  EXPECT_EQ(launch.space(device_, memory(natural)).by, Authority::declared);
  EXPECT_EQ(launch.space(device_, memory(TunerMode::frozen)).by, Authority::declared);
  tell(EventKind::pinned, key_of(launch, natural), "workgroup=512x1x1 items=1 layout=strided");
  EXPECT_EQ(launch.space(device_, memory(natural)).by, Authority::pin);
}

TEST_F(PlanAuthority, AnUntunableProgramRunsAsDeclared) {
  Launch launch("streams", {50'000'000, 1, 1});
  const auto natural = TunerMode::natural_gradient;
  ASSERT_TRUE(export_decision(adapter_of(device_), launch.kernels.front().kernel,
                              launch.request.size.value, {512, 1, 1}));
  tell(EventKind::untunable, key_of(launch, natural), "");
  const LaunchSpace space = launch.space(device_, memory(natural));
  EXPECT_EQ(space.by, Authority::declared);
  EXPECT_EQ(space.start, *space.declared);
  EXPECT_NE(space.why.find("a test says so"), std::string::npos) << space.why;
}

TEST_F(PlanAuthority, ADecisionFileSpeaksOfOneKernelAndOfInvocations) {
  Launch launch("streams", {64, 1, 1});
  ASSERT_TRUE(
      export_decision(adapter_of(device_), launch.kernels.front().kernel, {64, 1, 1}, {32, 1, 1}));
  const PlanMemory frozen = memory(TunerMode::frozen);
  EXPECT_EQ(launch.space(device_, frozen).by, Authority::decision_file);
  Launch grid = launch;
  grid.request.size = DispatchSize::workgroups({64, 1, 1});
  EXPECT_EQ(grid.space(device_, frozen).by, Authority::declared);
  Launch two = launch;
  two.kernels.push_back({kernel_named("shifts"), {{"N", "1"}}});
  EXPECT_EQ(two.space(device_, frozen).by, Authority::declared);
  Launch other = launch;
  other.request.size = DispatchSize::extent({65, 1, 1});
  EXPECT_EQ(other.space(device_, frozen).by, Authority::declared);
  // A decision with a workgroup that is not a candidate is ignored.
  ASSERT_TRUE(
      export_decision(adapter_of(device_), launch.kernels.front().kernel, {64, 1, 1}, {96, 1, 1}));
  EXPECT_EQ(launch.space(device_, frozen).by, Authority::declared);
}

TEST_F(PlanAuthority, WhereOnlyLimitsAreKnownTheColdStartDecides) {
  const PlanDevice limits_alone = device_of_limits_alone();
  Launch launch("streams", {1'000'000, 1, 1});
  const auto natural = TunerMode::natural_gradient;
  const LaunchPlan cold = launch.plan(limits_alone, memory(natural));
  EXPECT_EQ(cold.by, Authority::cold_start);
  EXPECT_EQ(cold.why, "cheapest by the specification's cost table");
  EXPECT_EQ(cold.variant.workgroup, (Extent{1024, 1, 1}));
  EXPECT_EQ(launch.plan(limits_alone, memory(TunerMode::frozen)).by, Authority::declared)
      << "a cold start is a guess";
  EXPECT_EQ(launch.plan(limits_alone, memory(TunerMode::cached_or_default)).by,
            Authority::declared);
  // A kernel whose invocations share memory, or have subgroup operations, keeps its workgroup.
  for (const char* name : {"reverses_groups", "elects"}) {
    Launch together(name, {1'000'000, 1, 1});
    EXPECT_EQ(together.plan(limits_alone, memory(natural)).by, Authority::declared) << name;
  }
  // The decision file and the caller have more authority than the cold start.
  ASSERT_TRUE(export_decision(adapter_of(limits_alone), launch.kernels.front().kernel,
                              launch.request.size.value, {128, 1, 1}));
  EXPECT_EQ(launch.plan(limits_alone, memory(natural)).by, Authority::decision_file);
  EXPECT_EQ(launch.plan(limits_alone, memory(natural)).variant.workgroup, (Extent{128, 1, 1}));
  launch.request.fixed.workgroup = Extent{32, 1, 1};
  EXPECT_EQ(launch.plan(limits_alone, memory(natural)).by, Authority::caller);
}

TEST(Planner, AGridInABufferHasNoExtent) {
  Launch launch("streams", {1, 1, 1});
  launch.request.size = DispatchSize::workgroups({1, 1, 1});
  launch.request.grid_in_buffer = true;
  const LaunchPlan plan = launch.plan(large_gpu(), {.mode = TunerMode::natural_gradient});
  EXPECT_TRUE(plan.grid_in_buffer);
  EXPECT_EQ(plan.by, Authority::declared);
  EXPECT_EQ(plan.extent, (Extent{0, 0, 0}));
  EXPECT_FALSE(plan.logical);
  const std::string text = plan_text(plan);
  EXPECT_EQ(text.find("extent"), std::string::npos) << text;
  EXPECT_NE(text.find("grid            from a buffer     read when the launch begins"),
            std::string::npos)
      << text;
  launch.request.fixed.items_per_lane = 2;
  EXPECT_EQ(launch.plan(large_gpu()).by, Authority::caller);
}

TEST(Planner, TheModelDecidesOnlyWhereItIsSure) {
  const auto by = [](std::string_view kernel) {
    Launch launch(kernel, {50'000'000, 1, 1});
    return launch.space(large_gpu(), {.mode = TunerMode::natural_gradient}).by;
  };
  EXPECT_EQ(by("streams"), Authority::model);
  for (const char* unsure : {"sums_rows", "counts", "looks_up", "exchanges"}) {
    EXPECT_EQ(by(unsure), Authority::declared) << unsure;
  }
}

// ---- Keys

TEST(Planner, SizesOfABucketShareAKey) {
  const PlanDevice gpu = large_gpu();
  const auto key = [&](Extent extent, const PlanMemory& memory = {}) {
    Launch launch("streams", extent);
    return *launch_key(launch.asked(), gpu, memory);
  };
  EXPECT_EQ(key({1000, 1, 1}).key, key({1024, 1, 1}).key);
  EXPECT_NE(key({1000, 1, 1}).key, key({1025, 1, 1}).key);
  EXPECT_FALSE(key({1000, 1, 1}).exact);
  EXPECT_TRUE(key({1000, 1, 1}, {.exact_size = true}).exact);
  EXPECT_NE(key({1000, 1, 1}, {.exact_size = true}).key,
            key({1024, 1, 1}, {.exact_size = true}).key);

  // A decision for exactly this size keeps its own key.
  const auto store = EvidenceStore::in_memory();
  const auto tell = [&](EventKind kind, const LaunchKey& about) {
    const EvidenceEvent event{.kind = kind,
                              .candidate = "workgroup=64x1x1 items=1 layout=strided",
                              .times_ns = {1},
                              .reason = "a test says so"};
    ASSERT_TRUE(store->append(about.key, std::span(&event, 1)));
  };
  const PlanMemory with{.evidence = store.get()};
  tell(EventKind::measured, key({1000, 1, 1}, {.exact_size = true}));
  EXPECT_FALSE(key({1000, 1, 1}, with).exact) << "nothing is decided";
  tell(EventKind::settled, key({1000, 1, 1}, {.exact_size = true}));
  EXPECT_TRUE(key({1000, 1, 1}, with).exact);
  EXPECT_FALSE(key({1001, 1, 1}, with).exact);
  tell(EventKind::untunable, key({1001, 1, 1}, {.exact_size = true}));
  EXPECT_TRUE(key({1001, 1, 1}, with).exact);
}

TEST(Planner, AKeyNamesProgramSizeAndDevice) {
  Launch launch("streams", {1000, 1, 1});
  const auto key = [&](const PlanDevice& device) {
    return launch_key(launch.asked(), device, {.exact_size = true})->key;
  };
  EXPECT_EQ(key(large_gpu()), (TuningKey{.program = "streams",
                                         .name = "streams",
                                         .size = "1000x1x1",
                                         .device = "NVIDIA H200",
                                         .driver = "580.65",
                                         .generator = "LLVM 19"}));
  EXPECT_EQ(key(unknown_gpu()).device, "cuda:0") << "the name is all that is known";
  EXPECT_EQ(key(processor_of_8_lanes()).device, "a processor of 8 lanes x1");
  EXPECT_EQ(key(processor_of_16_lanes()).device, "a processor of 16 lanes x8");
  EXPECT_EQ(key(large_gpu()).overrides, "");
  launch.request.size = DispatchSize::workgroups({10, 1, 1});
  EXPECT_EQ(key(large_gpu()).overrides, "counted in workgroups");
  EXPECT_EQ(key(large_gpu()).size, "640x1x1");
}

TEST(Planner, ASpaceServesTheLargestExtentOfItsBucket) {
  const auto largest = [](Extent extent, bool exact) {
    Launch launch("fills_space", extent);
    return launch.space(processor_of_8_lanes(), {.exact_size = exact}).largest;
  };
  EXPECT_EQ(largest({1, 2, 3}, false), (Extent{1, 2, 4}));
  EXPECT_EQ(largest({1, 2, 3}, true), (Extent{1, 2, 3}));
  EXPECT_EQ(largest({0, 5, 65}, false), (Extent{1, 8, 128}));
  EXPECT_EQ(largest({0x80000000, 1, 1}, false), (Extent{0x80000000, 1, 1}));
  EXPECT_EQ(largest({0x80000001, 1, 1}, false), (Extent{0x80000001, 1, 1}))
      << "there is no larger power of two";
}

// ---- Several settings of overrides

Launch with_settings(std::size_t count) {
  Launch launch("streams", {1 << 20, 1, 1});
  for (std::size_t i = 1; i < count; ++i) {
    launch.kernels.push_back({kernel_named("streams"), {{"N", std::to_string(i)}}});
  }
  return launch;
}

TEST(Planner, FewSettingsOfOverridesAreCombinedWithAllVariants) {
  const PlanMemory natural{.mode = TunerMode::natural_gradient};
  const std::size_t one = with_settings(1).space(large_gpu(), natural).candidates.size();
  EXPECT_EQ(one, 54U);
  const LaunchSpace few = with_settings(32).space(large_gpu(), natural);
  EXPECT_EQ(few.candidates.size(), 32 * one);
  EXPECT_EQ(few.left_out, "");
  EXPECT_EQ(few.candidates.back().kernel, 31U);
  EXPECT_EQ(few.candidates.back().variant.overrides, (std::vector<OverrideSetting>{{"N", "31"}}));
  EXPECT_EQ(few.declared, 0U) << "that of the first kernel";

  const LaunchSpace many = with_settings(33).space(large_gpu(), natural);
  EXPECT_EQ(many.candidates.size(), 33U) << "only the declared variants";
  EXPECT_EQ(many.left_out,
            "1749 of 1782 candidates: with this many settings of overrides only the declared "
            "variants, and at most 4096, are tried while a program runs");
  EXPECT_EQ(with_settings(33).space(large_gpu(), {.mode = TunerMode::sweep}).candidates.size(),
            33 * one);
}

TEST(Planner, CandidatesAreLimited) {
  PlanMemory sweep{.mode = TunerMode::sweep};
  sweep.most_candidates = 2 * 54;
  EXPECT_EQ(with_settings(2).space(large_gpu(), sweep).candidates.size(), 2U * 54);
  sweep.most_candidates = 2 * 54 - 1;
  const LaunchSpace cut = with_settings(2).space(large_gpu(), sweep);
  EXPECT_EQ(cut.candidates.size(), 2U);
  EXPECT_EQ(cut.left_out,
            "106 of 108 candidates: with this many settings of overrides only the declared "
            "variants, and at most 107, are tried");
  sweep.most_candidates = 10;
  EXPECT_EQ(with_settings(1).space(large_gpu(), sweep).candidates.size(), 10U);
  EXPECT_EQ(with_settings(20).space(large_gpu(), sweep).candidates.size(), 10U);
}

TEST(Planner, WhatWasDecidedIsNeverLeftOut) {
  Launch launch = with_settings(40);
  const auto store = EvidenceStore::in_memory();
  const PlanMemory memory{.evidence = store.get(), .mode = TunerMode::natural_gradient};
  const std::string decided = "workgroup=256x1x1 items=4 layout=blocked N=7";
  const EvidenceEvent event{
      .kind = EventKind::settled, .candidate = decided, .reason = "a test says so"};
  ASSERT_TRUE(
      store->append(launch_key(launch.asked(), large_gpu(), memory)->key, std::span(&event, 1)));
  const LaunchSpace space = launch.space(large_gpu(), memory);
  EXPECT_EQ(space.candidates.size(), 41U);
  EXPECT_EQ(space.candidates[space.start].text, decided);
  EXPECT_EQ(space.by, Authority::evidence);
}

TEST(Planner, SettingsThatCannotRunAreLeftOut) {
  PlanDevice gpu = large_gpu();
  gpu.limits.max_workgroup_bytes = 512;
  Launch launch("reverses_groups", {1024, 1, 1});
  const auto refused = plan_space(launch.asked(), gpu, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "kernel 'reverses_groups' cannot run as 256x1x1: the program has 1024 bytes of "
            "workgroup memory; cuda allows 512");
  launch.kernels.push_back({kernel_named("reverses_groups"), {{"N", "1"}}});
  const auto none = plan_space(launch.asked(), gpu, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what,
            "no setting of the overrides gives a kernel 'reverses_groups' that cuda:0 can run");
  launch.kernels.push_back({kernel_named("shifts"), {{"N", "2"}}});
  for (const LaunchCandidate& c : launch.space(gpu).candidates) EXPECT_EQ(c.kernel, 2U);
  // Neither is one that binds other buffers.
  launch.kernels[2] = {kernel_named("looks_up"), {{"N", "2"}}};
  EXPECT_FALSE(plan_space(launch.asked(), gpu, {}));
}

TEST(Planner, AGridNeedsOneShapeForAllSettings) {
  Launch launch("streams", {1, 1, 1});
  launch.kernels.push_back({kernel_named("shifts"), {{"N", "1"}}});
  EXPECT_TRUE(plan_space(launch.asked(), large_gpu(), {})) << "an extent has no shape";
  launch.request.size = DispatchSize::workgroups({10, 1, 1});
  const auto refused = plan_space(launch.asked(), large_gpu(), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "the overrides change the workgroup, so a number of workgroups is no size");
}

TEST(Planner, AGridKeepsTheDeclaredShape) {
  Launch launch("streams", {1, 1, 1});
  launch.request.size = DispatchSize::workgroups({1000, 1, 1});
  for (const PlanDevice& device : {large_gpu(), processor_of_16_lanes()}) {
    for (const LaunchCandidate& c : launch.space(device).candidates) {
      EXPECT_EQ(c.variant.workgroup, (Extent{64, 1, 1})) << c.text;
    }
  }
  launch.request.size = DispatchSize::workgroups({1 << 26, 1, 1});
  const auto refused = plan_launch(launch.asked(), large_gpu(), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "axis 0 has 67108864 workgroups of 64 invocations, which are more than 4294967295");
}

}  // namespace
}  // namespace vyre
