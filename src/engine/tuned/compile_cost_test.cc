#include <gtest/gtest.h>

#include "vyre/engine/tuned/compile_cost_internal.h"

namespace vyre {
namespace {

TEST(CompileCost, ExpectsTheLongestCompilationUntilCallsShowThatTheyLoseLess) {
  CompileCost cost;
  EXPECT_EQ(cost.most_ns(), 15e6) << "a guess";
  cost.compiled(4e6);
  EXPECT_EQ(cost.most_ns(), 4e6);
  cost.compiled(6e6);
  cost.compiled(5e6);
  EXPECT_EQ(cost.most_ns(), 6e6);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(cost.take_lost(5e6), 0);
  EXPECT_NEAR(cost.most_ns(), 0.6e6, 1) << "a tenth is always held back";
}

TEST(CompileCost, OneBusyMomentRaisesWhatTheNextOneMayCost) {
  CompileCost cost;
  cost.compiled(5e6);
  for (int i = 0; i < 20; ++i) cost.take_lost(5e6);
  for (int call = 0; call < 40; ++call) cost.add_call(100e3, 200e3);
  EXPECT_NEAR(cost.take_lost(5e6), 4e6, 1);
  EXPECT_NEAR(cost.most_ns(), 4e6, 1);
}

TEST(CompileCost, ACallLosesNoMoreToTheCompilerThanItsOwnTime) {
  CompileCost cost;
  cost.compiled(5e6);
  cost.add_call(100e3, 10e6);   // the machine stood still
  cost.add_call(100e3, 105e3);  // as usual
  EXPECT_NEAR(cost.take_lost(5e6), 100e3, 1);
  for (int call = 0; call < 100; ++call) cost.add_call(1e6, 2e6);
  EXPECT_EQ(cost.take_lost(5e6), 5e6) << "all calls together lose no more than the compiler takes";
}

TEST(CompileCost, CodeThatWasFoundInTheCacheTellsNothing) {
  CompileCost cost;
  cost.compiled(5e6);
  cost.take_lost(1e4);
  EXPECT_EQ(cost.most_ns(), 5e6);
}

}  // namespace
}  // namespace vyre
