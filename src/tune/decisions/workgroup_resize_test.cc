#include "vyre/tune/decisions/workgroup_resize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vyre {
namespace {

std::optional<std::uint32_t> resized(std::uint32_t width, std::uint64_t idle_us, double throughput,
                                     const ResizePolicy& policy = {}) {
  return suggest_resize(policy, {.opcode_counts = {},
                                 .wall_time_us = 0,
                                 .idle_us = idle_us,
                                 .observed_workgroup_x = width,
                                 .observed_throughput_per_us = throughput});
}

TEST(Resize, HalvesOnLongIdlingAndDoublesBelowSaturation) {
  EXPECT_EQ(resized(256, 100'001, 0.5), 128u);
  EXPECT_EQ(resized(256, 100'000, 0.5), 512u);
  EXPECT_EQ(resized(0, 0, 0.5), 2u);
}

TEST(Resize, SuggestsNothingAtTheEdges) {
  EXPECT_EQ(resized(32, 200'000, 0.1), std::nullopt);
  EXPECT_EQ(resized(1024, 0, 0.5), std::nullopt);
  EXPECT_EQ(resized(512, 0, 1.0), std::nullopt);
  EXPECT_EQ(resized(64, 0, std::nan("")), std::nullopt);
}

TEST(Resize, DoublingThatOverflowsSuggestsNothing) {
  const ResizePolicy wide{.adapter_max_workgroup_x = std::numeric_limits<std::uint32_t>::max()};
  EXPECT_EQ(resized(0x8000'0000, 0, 0.0, wide), std::nullopt);
  EXPECT_EQ(resized(0x7fff'ffff, 0, 0.0, wide), 0xffff'fffeu);
}

}  // namespace
}  // namespace vyre
