// Candidates of several launches: a kernel that fuses two others competes with them for one call.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "vyre/engine/call_internal.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

// `wrong` leaves out the last element only, so that a comparison of less than all would miss it.
constexpr const char* kText = R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = 2u * a[id.x]; }
}
@compute @workgroup_size(64) fn plus_one(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = a[id.x] + 1u; }
}
@compute @workgroup_size(64) fn fused(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&b)) { b[id.x] = 2u * a[id.x] + 1u; }
}
@compute @workgroup_size(64) fn wrong(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x + 1u < arrayLength(&b)) { b[id.x] = 2u * a[id.x] + 1u; }
}
)";

constexpr std::uint32_t kCount = 1000;
enum Slot : std::uint32_t { x, between_parts, z };

// A call that launches twice and plus_one, or one kernel in their place. The test makes the parts
// slow.
class PartsOrOne {
 public:
  PartsOrOne(std::string_view one, TunerMode mode) {
    device_ = CpuDevice::make({.threads = 1, .after_launch = [](const Launch& launch) {
                                 const bool part =
                                     launch.kernel == "twice" || launch.kernel == "plus_one";
                                 if (part) std::this_thread::sleep_for(1ms);
                               }});
    queue_ = *device_->make_queue();
    codes_ = std::make_shared<CodeStore>(device_, std::nullopt);
    TuningOptions options;
    options.mode = mode;
    options.compile_at_once = true;
    tuning_ = std::make_unique<Tuning>(options, device_, nullptr, queue_, codes_,
                                       EvidenceStore::in_memory());
    costs_ = device_->launch_costs();
    std::iota(values_[x].begin(), values_[x].end(), 1U);

    LaunchSpace space;
    space.key.program = space.key.name = "parts or one";
    space.exact = true;
    space.largest = {kCount, 1, 1};
    space.candidates = {{.variant = {}, .text = "parts", .expected_ns = 1e6},
                        {.variant = {}, .text = "one", .expected_ns = 1e6}};
    std::deque<TunedCandidate> candidates;
    candidates.emplace_back().text = "parts";
    add(candidates[0], "twice", {x, between_parts});
    add(candidates[0], "plus_one", {between_parts, z});
    candidates.emplace_back().text = "one";
    add(candidates[1], one, {x, z});
    step_.tuned = *tuning_->tune(space, std::move(candidates));
    step_.device = device_;
    step_.plan.kernel = "parts or one";
    step_.plan.kind = TargetKind::host;
    step_.plan.extent = {kCount, 1, 1};
    for (auto& values : values_) {
      step_.bindings.push_back({reinterpret_cast<std::uintptr_t>(values.data()), kCount * 4});
    }
    step_.served = std::make_shared<ServedLaunches>();
  }

  // Whether a call gives the expected results.
  bool call() {
    std::ranges::fill(values_[z], 0U);
    const CallContext cx{*device_, queue_, *codes_, tuning_.get(), costs_};
    EXPECT_TRUE(submit_step(cx, step_, {}));
    for (std::uint32_t i = 0; i < kCount; ++i) {
      if (values_[z][i] != 2 * (i + 1) + 1) return false;
    }
    return true;
  }
  std::chrono::nanoseconds time() {
    const CallContext cx{*device_, queue_, *codes_, tuning_.get(), costs_};
    return *time_step(cx, step_, 3);
  }
  TunedKernel& tuned() { return *step_.tuned; }

 private:
  static void add(TunedCandidate& candidate, std::string_view entry,
                  std::vector<std::uint32_t> slots) {
    static const ParsedModule parsed = parse_wgsl(kText);
    CandidateLaunch& launch = candidate.launches.emplace_back();
    launch.kernel = *make_kernel(*parsed.module->find(entry));
    launch.variant.workgroup = {64, 1, 1};
    launch.slots = std::move(slots);
  }

  std::array<std::vector<std::uint32_t>, 3> values_{std::vector<std::uint32_t>(kCount),
                                                    std::vector<std::uint32_t>(kCount),
                                                    std::vector<std::uint32_t>(kCount)};
  std::shared_ptr<CpuDevice> device_;
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<CodeStore> codes_;
  std::unique_ptr<Tuning> tuning_;
  LaunchCosts costs_;
  LaunchStep step_;
};

TEST(CandidateLaunchesTest, WhatOneCandidateLeavesOutIsNoResult) {
  PartsOrOne work("fused", TunerMode::frozen);
  const auto& written = work.tuned().written;
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[0].slot, between_parts);
  EXPECT_FALSE(written[0].is_result);
  EXPECT_EQ(written[1].slot, z);
  EXPECT_TRUE(written[1].is_result);
}

TEST(CandidateLaunchesTest, AllLaunchesOfACandidateServeAndAreTimed) {
  PartsOrOne work("fused", TunerMode::frozen);
  EXPECT_TRUE(work.call());
  EXPECT_GE(work.time(), 2ms);  // each of the two parts sleeps for one
}

TEST(CandidateLaunchesTest, AFusedKernelWinsAgainstItsParts) {
  for (const TunerMode mode : {TunerMode::natural_gradient, TunerMode::sweep}) {
    PartsOrOne work("fused", mode);
    for (int i = 0; i < 3000 && work.tuned().incumbent().text != "one"; ++i) {
      ASSERT_TRUE(work.call()) << "call " << i;
    }
    EXPECT_EQ(work.tuned().incumbent().text, "one") << work.tuned().tuner.reason();
    EXPECT_TRUE(work.call());
  }
}

TEST(CandidateLaunchesTest, AWrongFusedKernelNeverServes) {
  for (const TunerMode mode : {TunerMode::natural_gradient, TunerMode::sweep}) {
    PartsOrOne work("wrong", mode);
    const auto dropped = [&] {
      return work.tuned().tuner.view()[1].stage == CandidateStage::dropped;
    };
    for (int i = 0; i < 3000 && !dropped(); ++i) ASSERT_TRUE(work.call()) << "call " << i;
    EXPECT_TRUE(dropped());
    EXPECT_TRUE(work.call());
  }
}

}  // namespace
}  // namespace vyre
