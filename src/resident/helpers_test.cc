#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "vyre/resident/autotune.h"
#include "vyre/resident/priority.h"

namespace vyre {
namespace {

using Numbers = std::vector<double>;
using Candidates = std::vector<std::uint32_t>;
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(CheapestCandidate, TakesTheFirstOfEqualCosts) {
  EXPECT_EQ(cheapest_candidate(Candidates{1, 2, 4}, Numbers{3.0, 1.5, 1.5}, 9), 2u);
}

TEST(CheapestCandidate, NeverTakesANan) {
  EXPECT_EQ(cheapest_candidate(Candidates{1, 2, 4}, Numbers{3.0, -kNan, 1.5}, 9), 4u);
  EXPECT_EQ(cheapest_candidate(Candidates{1, 2}, Numbers{kNan, -kNan}, 9), 9u);
}

TEST(CheapestCandidate, OrdersMinusZeroBelowZero) {
  EXPECT_EQ(cheapest_candidate(Candidates{1, 2}, Numbers{0.0, -0.0}, 9), 2u);
}

TEST(CheapestCandidate, LooksAtTheCommonLengthOnly) {
  EXPECT_EQ(cheapest_candidate(Candidates{1, 2}, Numbers{3.0, 2.0, 1.0}, 9), 2u);
  EXPECT_EQ(cheapest_candidate(Candidates{}, Numbers{1.0}, 9), 9u);
  EXPECT_EQ(cheapest_candidate(Candidates{1}, Numbers{}, 9), 9u);
}

TEST(NaturalGradientDelta, IsTheNegatedRateTimesTheProduct) {
  EXPECT_EQ(*natural_gradient_delta(Numbers{2, 0.5, 0, 1}, Numbers{4, -2}, 2, 0.25),
            (Numbers{-1.75, 0.5}));
}

TEST(NaturalGradientDelta, IgnoresWhatIsBeyondItsSize) {
  EXPECT_EQ(*natural_gradient_delta(Numbers{2, 7}, Numbers{3, 9, 9}, 1, 1), (Numbers{-6}));
  EXPECT_EQ(*natural_gradient_delta({}, {}, 0, 1), Numbers{});
}

TEST(NaturalGradientDelta, RefusesShortInputs) {
  EXPECT_EQ(natural_gradient_delta(Numbers{1, 2, 3}, Numbers{1, 2}, 2, 1).error(),
            ResidentError(InputTooShort{2, 3, 2}));
  EXPECT_EQ(natural_gradient_delta(Numbers{1, 2, 3, 4}, Numbers{1}, 2, 1).error(),
            ResidentError(InputTooShort{2, 4, 1}));
  EXPECT_FALSE(natural_gradient_delta(Numbers{1}, Numbers{1}, 0xffffffff, 1));
}

TEST(PriorityAccounting, CountsAndKeepsTheHighestAge) {
  PriorityAccounting accounting;
  EXPECT_TRUE(accounting.record_requeue(5));
  EXPECT_TRUE(accounting.record_aged_promotion(3));
  EXPECT_EQ(accounting, (PriorityAccounting{1, 1, 5}));
}

TEST(PriorityAccounting, AFullCounterIsAnErrorThatChangesNothing) {
  PriorityAccounting accounting{std::numeric_limits<std::uint64_t>::max(), 7, 1};
  EXPECT_EQ(accounting.record_requeue(9).error(),
            ResidentError(CounterOverflow{ResidentCounter::requeue_count}));
  EXPECT_EQ(accounting, (PriorityAccounting{std::numeric_limits<std::uint64_t>::max(), 7, 1}));
}

TEST(Diffusion, MovesEachTowardTheMeanOfTheOthers) {
  const Numbers restrictions{1, 0.5, 1};
  Numbers priorities{8, 4, 0};
  EXPECT_TRUE(diffuse_priorities(priorities, restrictions, 0.5, 1));
  EXPECT_EQ(priorities, (Numbers{5, 4, 3}));
  EXPECT_TRUE(diffuse_priorities(priorities, restrictions, 0.5, 1));
  EXPECT_EQ(priorities, (Numbers{4.25, 4, 3.75}));
}

TEST(Diffusion, LeavesASingleItemAndZeroIterationsAlone) {
  Numbers one{8};
  EXPECT_TRUE(diffuse_priorities(one, Numbers{1}, 0.5, 9));
  EXPECT_EQ(one, (Numbers{8}));
  Numbers several{8, 4};
  EXPECT_TRUE(diffuse_priorities(several, Numbers{1, 1}, 0.5, 0));
  EXPECT_EQ(several, (Numbers{8, 4}));
}

TEST(Diffusion, RefusesDifferentLengths) {
  Numbers priorities{8, 4};
  EXPECT_EQ(diffuse_priorities(priorities, Numbers{1}, 0.5, 1).error(),
            ResidentError(LengthMismatch{2, 1}));
  EXPECT_EQ(priorities, (Numbers{8, 4}));
}

}  // namespace
}  // namespace vyre
