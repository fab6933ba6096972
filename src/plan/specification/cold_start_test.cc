#include "vyre/plan/specification/cold_start.h"

#include <gtest/gtest.h>

#include <random>

namespace vyre {
namespace {

const Limits kLimits{"cuda", 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}};

TEST(ColdStart, ComparesTheStatedCosts) {
  const CostTable table = cost_table({96, 1, 1}, 1000, kLimits, {});
  const std::uint32_t widths[] = {32, 64, 128, 256, 512, 1024, 96};
  const std::uint64_t costs[] = {32960, 16576, 8384, 4288, 2240, 1216, 11712};
  const std::uint32_t weights[] = {11, 610, 4508, 12255, 20206, 25945, 2001};
  ASSERT_EQ(table.rows.size(), std::size(widths));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_EQ(table.rows[i], (CostRow{widths[i], costs[i], false, weights[i]}));
  }
  EXPECT_EQ(table.selected, 1024u);
}

TEST(ColdStart, SelectsTheNarrowWorkgroupForFewElements) {
  EXPECT_EQ(select_workgroup({96, 1, 1}, 100, kLimits, {}), (Extent{128, 1, 1}));
  EXPECT_EQ(select_workgroup({96, 1, 1}, 5000, kLimits, {}), (Extent{1024, 1, 1}));
}

TEST(ColdStart, NeedsTwoWidthsToChooseFrom) {
  Limits narrow = kLimits;
  narrow.max_threads_per_block = 32;
  EXPECT_EQ(select_workgroup({64, 1, 1}, 1000, narrow, {}), std::nullopt);
  EXPECT_EQ(select_workgroup({16, 1, 1}, 1000, narrow, {}), (Extent{32, 1, 1}));
}

TEST(ColdStart, TakesMeasuredTimesAsTheyStand) {
  const std::vector<Measurement> measured{
      {{192, 1, 1}, 4000}, {{256, 1, 1}, 5200},  {{300, 2, 1}, 1}, {{512, 1, 1}, 5500},
      {{700, 1, 1}, 0},    {{1024, 1, 1}, 6000}, {{4096, 1, 1}, 1}};
  const CostTable table = cost_table({64, 1, 1}, 1000, kLimits, measured);
  ASSERT_EQ(table.rows.size(), 7u);
  EXPECT_EQ(table.rows[6].width, 192u);
  EXPECT_TRUE(table.rows[6].measured);
  EXPECT_TRUE(table.rows[5].measured);
  EXPECT_FALSE(table.rows[2].measured);
  EXPECT_EQ(table.selected, 192u);
}

TEST(ColdStart, EstimatesTheLargestLaunches) {
  EXPECT_EQ(estimated_ns(0xffffffff, 1), 0xffffffffull * 1024);
  EXPECT_EQ(estimated_ns(1, 0xffffffff), 1024 + 0xfffffffeull * 8);
}

TEST(ColdStart, NeverLeavesTheLimits) {
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    const auto number = [&] { return static_cast<std::uint32_t>(random() >> random() % 32); };
    const Limits limits{"any", number(), {number(), 1, 1}, {1, 1, 1}};
    const auto chosen = select_workgroup({number(), 1, 1}, number(), limits, {});
    if (chosen) {
      EXPECT_TRUE(fits_limits((*chosen)[0], limits));
    }
  }
}

}  // namespace
}  // namespace vyre
