#include "vyre/plan/fused_space.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "vyre/plan/kernels_testing.h"

namespace vyre {
namespace {

// "streams" stands for a fused kernel whose stages are "shifts" and "sums_rows".
struct Group {
  std::vector<KernelChoice> kernels{
      {kernel_named("streams")}, {kernel_named("shifts")}, {kernel_named("sums_rows")}};
  std::vector<LaunchRequest> requests;

  Group() {
    for (const KernelChoice& kernel : kernels) {
      requests.push_back({.identity = kernel.kernel.program->name,
                          .kernels = std::span(&kernel, 1),
                          .size = DispatchSize::extent({1 << 20, 1, 1})});
    }
    requests.front().identity = "the group";
  }
  FusedSpace space(const PlanDevice& device, const PlanMemory& memory) {
    return *plan_fused_space(requests.front(), std::span(requests).subspan(1), device, memory);
  }
};

TEST(FusedSpace, HoldsTheFusedKernelsVariantsAndThenItsStages) {
  Group group;
  const PlanMemory frozen{.mode = TunerMode::frozen};
  for (const PlanDevice& device : {large_gpu(), processor_of_8_lanes()}) {
    const FusedSpace all = group.space(device, frozen);
    PlanMemory exact = frozen;
    exact.exact_size = true;
    const LaunchSpace alone = *plan_space(group.requests.front(), device, exact);
    ASSERT_EQ(all.fused(), alone.candidates.size());
    ASSERT_FALSE(all.apart.empty());
    EXPECT_TRUE(all.space.exact);
    for (std::size_t c = 0; c < all.space.candidates.size(); ++c) {
      const LaunchCandidate& candidate = all.space.candidates[c];
      EXPECT_EQ(all.is_apart(c), runs_apart(candidate.text)) << candidate.text;
      EXPECT_EQ(all.is_apart(c), candidate.kernel == kOtherKernels);
      if (!all.is_apart(c)) {
        EXPECT_EQ(candidate.text, alone.candidates[c].text);
      }
    }
    // The first way to run the stages is what the planner chooses for each of them.
    for (std::size_t s = 0; s < 2; ++s) {
      const LaunchSpace stage = *plan_space(group.requests[s + 1], device, frozen);
      EXPECT_EQ(all.apart.front()[s], stage.candidates[stage.start].variant);
    }
    EXPECT_EQ(all.space.by, Authority::declared);
    EXPECT_EQ(all.space.start, alone.start);
    EXPECT_EQ(all.space.candidates[all.fused()].expected_ns,
              all.space.candidates[all.space.start].expected_ns);
  }
}

TEST(FusedSpace, TheOrderOfAuthorityDecidesAmongAllOfThem) {
  Group group;
  const auto store = EvidenceStore::in_memory();
  const PlanMemory memory{.evidence = store.get(), .mode = TunerMode::natural_gradient};
  const FusedSpace before = group.space(large_gpu(), memory);
  EXPECT_EQ(before.space.by, Authority::model);
  EXPECT_FALSE(before.is_apart(before.space.start)) << "the model knows the fused kernel alone";
  const auto tell = [&](EventKind kind, const TuningKey& key, const std::string& candidate) {
    const EvidenceEvent event{.kind = kind, .candidate = candidate, .reason = "a test says so"};
    ASSERT_TRUE(store->append(key, std::span(&event, 1)));
  };
  TuningKey near = before.space.key;
  near.driver = "another driver";
  tell(EventKind::settled, near, before.space.candidates.back().text);
  const FusedSpace hinted = group.space(large_gpu(), memory);
  EXPECT_EQ(hinted.space.by, Authority::hint);
  EXPECT_EQ(hinted.space.start, before.space.candidates.size() - 1);
  tell(EventKind::settled, before.space.key, before.space.candidates.front().text);
  EXPECT_EQ(group.space(large_gpu(), memory).space.start, 0U);
  tell(EventKind::pinned, before.space.key, before.space.candidates[before.fused()].text);
  const FusedSpace pinned = group.space(large_gpu(), memory);
  EXPECT_EQ(pinned.space.by, Authority::pin);
  EXPECT_EQ(pinned.space.start, before.fused());
}

}  // namespace
}  // namespace vyre
