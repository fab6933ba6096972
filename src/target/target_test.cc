#include "vyre/target/target.h"

#include <gtest/gtest.h>

#include "vyre/target/limits.h"
#include "vyre/target/profile.h"
#include "vyre/target/variant.h"

namespace vyre {
namespace {

TEST(Target, Prints) {
  EXPECT_EQ(to_string(Target{TargetKind::host, "znver4"}), "host:znver4");
  EXPECT_EQ(to_string(Target{TargetKind::nvptx, "sm_90"}), "nvptx:sm_90");
}

TEST(Limits, PrintAndCompare) {
  const Limits limits{.backend = "cuda",
                      .max_threads_per_block = 1024,
                      .max_block_dim = {1024, 1024, 64},
                      .max_grid_dim = {2147483647, 65535, 65535}};
  EXPECT_EQ(to_string(limits),
            "cuda: 1024 threads per block, block 1024x1024x64, grid 2147483647x65535x65535");
  Limits other = limits;
  EXPECT_EQ(limits, other);
  other.max_block_dim[2] = 65;
  EXPECT_LT(limits, other);
}

TEST(Profile, PrintsWhatIsKnownAndNothingElse) {
  EXPECT_EQ(to_string(Profile{}), "unnamed device");
  Profile profile;
  profile.device_name = "NVIDIA H200";
  profile.driver = "580.65";
  profile.multiprocessors = 132;
  profile.max_threads_per_multiprocessor = 2048;
  EXPECT_EQ(to_string(profile),
            "NVIDIA H200 (driver 580.65): 132 multiprocessors, 2048 threads each");
}

TEST(Variant, PrintsWhatDiffersFromTheDefault) {
  EXPECT_EQ(to_string(Variant{}), "1x1x1");
  EXPECT_EQ(to_string(Variant{.workgroup = {64, 2, 1}, .items_per_lane = 4}), "64x2x1 items=4");
  const Variant full{.workgroup = {64, 1, 1},
                     .items_per_lane = 4,
                     .layout = ItemLayout::blocked,
                     .gang_width = 16,
                     .groups_per_task = 8,
                     .bounds = BoundsMode::checked,
                     .overrides = {{"DEPTH", "3"}, {"TILE", "32"}}};
  EXPECT_EQ(to_string(full), "64x1x1 items=4 blocked gang=16 groups=8 checked DEPTH=3 TILE=32");
}

TEST(Variant, ComparesByTheWorkgroupFirst) {
  const Variant narrow{.workgroup = {32, 1, 1}, .items_per_lane = 8};
  const Variant wide{.workgroup = {64, 1, 1}, .items_per_lane = 1};
  EXPECT_LT(narrow, wide);
  EXPECT_NE(narrow, (Variant{.workgroup = {32, 1, 1}}));
}

}  // namespace
}  // namespace vyre
