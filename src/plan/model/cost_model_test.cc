#include "vyre/plan/model/cost_model.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

// A processor with vectors of eight lanes, and a program that computes and hardly uses memory.
class HostCostModel : public testing::Test {
 protected:
  HostCostModel() {
    facts_.extent = {1U << 20U, 1, 1};
    facts_.usual.workgroup = {256, 1, 1};
    facts_.usual.gang_width = 8;
    facts_.stored_bytes = 4;
    facts_.operations = 20;
    facts_.pointwise = true;
    profile_.multiprocessors = 4;
    profile_.warp_size = 8;
    profile_.memory_bytes_per_second = 1'000'000'000'000;
    profile_.last_level_cache_bytes = 32U << 20U;
  }

  double cost(const Variant& variant) const {
    return expected_ns_of(facts_, profile_, std::span(&variant, 1)).front();
  }
  double cost_of_gang(std::uint32_t width) const {
    Variant variant = facts_.usual;
    variant.gang_width = width;
    return cost(variant);
  }

  CostFacts facts_;
  Profile profile_;
};

TEST_F(HostCostModel, NarrowVectorsCostMoreTheNarrowerTheyAre) {
  EXPECT_GT(cost_of_gang(4), 1.2 * cost_of_gang(8));
  EXPECT_GT(cost_of_gang(2), 1.2 * cost_of_gang(4));
}

TEST_F(HostCostModel, ASecondVectorHelpsALittleAndMoreDoNot) {
  EXPECT_LT(cost_of_gang(16), cost_of_gang(8));
  EXPECT_GT(cost_of_gang(16), 0.8 * cost_of_gang(8));
  EXPECT_GT(cost_of_gang(32), cost_of_gang(16));
  EXPECT_GT(cost_of_gang(64), cost_of_gang(32));
}

TEST_F(HostCostModel, VectorsDoNotHelpAtomics) {
  facts_.atomics = true;
  for (const std::uint32_t width : {2U, 8U, 16U}) {
    EXPECT_GT(cost_of_gang(width), cost_of_gang(1)) << width;
  }
}

TEST_F(HostCostModel, MoreCoresAndLessWorkTakeLessTime) {
  const double before = cost(facts_.usual);
  facts_.operations *= 2;
  EXPECT_GT(cost(facts_.usual), 1.5 * before);
  profile_.multiprocessors *= 2;
  EXPECT_LT(cost(facts_.usual), 1.2 * before);
}

TEST_F(HostCostModel, AnotherShapeNeedsAReason) {
  Variant other = facts_.usual;
  other.workgroup = {128, 1, 1};
  EXPECT_GT(cost(other), cost(facts_.usual));
}

}  // namespace
}  // namespace vyre
