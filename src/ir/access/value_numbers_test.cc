#include "vyre/ir/access/value_numbers.h"

#include <gtest/gtest.h>

#include <utility>

namespace vyre {
namespace {

constexpr Extent kExtent{100, 30, 1};
constexpr Extent kGroup{8, 8, 1};
constexpr ScalarKind kU32 = ScalarKind::u32;

struct Numbers : ValueNumbers {
  ValueNumber x = global_id(0, kExtent, kGroup);
  ValueNumber y = global_id(1, kExtent, kGroup);
  ValueNumber add(ValueNumber a, ValueNumber b) { return binary(BinaryOp::add, kU32, a, b); }
  ValueNumber mul(ValueNumber a, ValueNumber b) { return binary(BinaryOp::mul, kU32, a, b); }
  bool tells_apart(ValueNumber n) {
    const auto parts = key_parts(n, kExtent, kGroup);
    return parts && tells_invocations_apart(*parts);
  }
};

TEST(ValueNumbers, ASumHasOneNumberHoweverItIsWritten) {
  Numbers n;
  const ValueNumber w = n.constant(100);
  const ValueNumber index = n.add(n.mul(n.y, w), n.x);
  EXPECT_EQ(index, n.add(n.x, n.mul(w, n.y)));
  EXPECT_EQ(n.binary(BinaryOp::sub, kU32, n.add(index, n.x), n.x), index);
  EXPECT_NE(index, n.add(index, n.constant(1)));
  EXPECT_EQ(n.range(index), (ValueRange{0, 2999}));
  // The same id by workgroup and place in it.
  const ValueNumber by_parts = n.add(n.mul(n.workgroup_id(0, kExtent, kGroup), n.constant(8)),
                                     n.local_id(0, kExtent, kGroup));
  EXPECT_EQ(by_parts, n.x);
  EXPECT_EQ(n.range(by_parts), (ValueRange{0, 99}));
}

TEST(ValueNumbers, ConditionsThatShareTheirPartsAreAssumedOnce) {
  Numbers n;
  ValueNumber before = n.binary(BinaryOp::less, kU32, n.x, n.constant(10));
  ValueNumber last = n.binary(BinaryOp::less, kU32, n.y, n.constant(5));
  for (int i = 0; i < 60; ++i) {  // about 10^12 paths
    const ValueNumber next = n.binary(BinaryOp::logical_and, ScalarKind::boolean, last, before);
    before = std::exchange(last, next);
  }
  n.assume(last, true);
  EXPECT_EQ(n.holding().size(), 2U);
  EXPECT_EQ(n.range(n.x), (ValueRange{0, 9}));
  EXPECT_EQ(n.range(n.y), (ValueRange{0, 4}));
}

TEST(ValueNumbers, WhatMayWrapIsNoSum) {
  Numbers n;
  const ValueNumber large = n.mul(n.x, n.constant(4'000'000'000));
  EXPECT_EQ(n.as_linear(large).terms.size(), 1U);
  EXPECT_EQ(n.as_linear(large).terms[0].value, large);
  EXPECT_FALSE(n.tells_apart(large));
  const ValueNumber below = n.binary(BinaryOp::sub, kU32, n.x, n.constant(1));
  EXPECT_EQ(n.range(below), range_of(kU32));
}

TEST(ValueNumbers, AKeyTellsInvocationsApartWhenRowsDoNotOverlap) {
  Numbers n;
  EXPECT_TRUE(n.tells_apart(n.add(n.mul(n.y, n.constant(100)), n.x)));
  EXPECT_TRUE(n.tells_apart(n.add(n.mul(n.x, n.constant(30)), n.y)));
  const ValueNumber narrow = n.add(n.mul(n.y, n.constant(99)), n.x);
  EXPECT_FALSE(n.tells_apart(narrow));
  EXPECT_FALSE(n.tells_apart(n.x)) << "rows share it";
  EXPECT_FALSE(n.tells_apart(n.binary(BinaryOp::div, kU32, narrow, n.constant(2))));
  const std::size_t mark = n.mark();
  n.assume(n.binary(BinaryOp::less, kU32, n.x, n.constant(99)), true);
  EXPECT_TRUE(n.tells_apart(narrow));
  n.forget(mark);
  EXPECT_FALSE(n.tells_apart(narrow));
  n.assume(n.binary(BinaryOp::equal, kU32, n.y, n.constant(3)), true);
  EXPECT_TRUE(n.tells_apart(n.x));
}

TEST(ValueNumbers, WhatIsKnownOfASumCounts) {
  Numbers n;
  const ValueNumber lane = n.local_id(0, kExtent, kGroup);
  const ValueNumber k = n.plus(lane, 8, n.loop_round());
  n.assume(n.binary(BinaryOp::less, kU32, k, n.constant(20)), true);
  const ValueNumber row = n.plus(n.mul(n.workgroup_id(0, kExtent, kGroup), n.constant(20)), 1, k);
  const ValueNumber key = n.plus(row, 1000, n.y);
  EXPECT_TRUE(n.tells_apart(key));
  EXPECT_FALSE(n.tells_apart(n.plus(row, 100, n.y)));
}

TEST(ValueNumbers, ConditionsAreComparedByMeaning) {
  Numbers n;
  const ValueNumber limit = n.unknown(kU32);
  const ValueNumber less = n.binary(BinaryOp::less, kU32, n.x, limit);
  EXPECT_EQ(n.negated(n.binary(BinaryOp::greater_equal, kU32, n.x, limit)), less);
  EXPECT_EQ(n.binary(BinaryOp::greater, kU32, limit, n.x), less);
  EXPECT_TRUE(n.is_bool_true(n.binary(BinaryOp::less, kU32, n.x, n.constant(100))));
  // A NaN is neither less nor not less.
  const ValueNumber f = n.unknown(ScalarKind::f32);
  const ValueNumber g = n.unknown(ScalarKind::f32);
  EXPECT_NE(n.negated(n.binary(BinaryOp::greater_equal, ScalarKind::f32, f, g)),
            n.binary(BinaryOp::less, ScalarKind::f32, f, g));
}

TEST(ValueNumbers, ConversionsKeepWhatFits) {
  Numbers n;
  EXPECT_EQ(n.convert(kU32, ScalarKind::i32, n.x), n.x);
  const ValueNumber any = n.unknown(kU32);
  EXPECT_NE(n.convert(kU32, ScalarKind::i32, any), any);
}

// A store in a loop of no rounds must not count as done.
TEST(ValueNumbers, NothingImpliesWhatIsNeverReached) {
  ValueNumbers numbers;
  const std::size_t mark = numbers.mark();
  numbers.assume(numbers.constant(1), true);
  EXPECT_TRUE(numbers.holding().empty());
  numbers.assume(numbers.constant(0), true);
  EXPECT_EQ(numbers.holding().size(), 1U);
  numbers.forget(mark);
  EXPECT_TRUE(numbers.holding().empty());
}

}  // namespace
}  // namespace vyre
