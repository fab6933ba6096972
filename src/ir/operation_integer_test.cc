// Integer operators and builtin functions against arithmetic of 128 bits and bit by bit.
#include <gtest/gtest.h>

#include <functional>

#include "vyre/ir/operation_testing.h"

namespace vyre {
namespace {

SignedWide wide(ScalarKind kind, std::uint64_t bits) {
  if (kind == ScalarKind::i32) return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  if (kind == ScalarKind::u32) return static_cast<std::uint32_t>(bits);
  return static_cast<std::int64_t>(bits);
}
std::uint64_t narrow(ScalarKind kind, SignedWide v) {
  return kind == ScalarKind::abstract_int ? static_cast<std::uint64_t>(v)
                                          : static_cast<std::uint32_t>(v);
}
SignedWide lowest(ScalarKind kind) {
  if (kind == ScalarKind::u32) return 0;
  return -(SignedWide{1} << (kind == ScalarKind::i32 ? 31 : 63));
}
SignedWide highest(ScalarKind kind) {
  if (kind == ScalarKind::u32) return 0xFFFFFFFF;
  return (SignedWide{1} << (kind == ScalarKind::i32 ? 31 : 63)) - 1;
}
bool fits(ScalarKind kind, SignedWide v) { return v >= lowest(kind) && v <= highest(kind); }

std::vector<std::uint64_t> samples(ScalarKind kind, std::size_t random) {
  std::vector<std::uint64_t> out;
  for (const std::uint32_t w : word_samples(random)) {
    out.push_back(w);
    if (kind != ScalarKind::abstract_int) continue;
    out.push_back(
        static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(w))));
    out.push_back(std::uint64_t{w} << 32);
    out.push_back(std::uint64_t{w} * 0x9E3779B97F4A7C15U);
  }
  if (kind == ScalarKind::abstract_int) {
    out.push_back(narrow(kind, lowest(kind)));
    out.push_back(narrow(kind, highest(kind)));
  }
  return out;
}

constexpr ScalarKind kIntegers[] = {ScalarKind::i32, ScalarKind::u32, ScalarKind::abstract_int};

TEST(IntegerOperators, AddSubtractMultiplyWrapAroundAndOnlyAbstractOnesOverflow) {
  for (const ScalarKind kind : kIntegers) {
    for (const std::uint64_t a : samples(kind, 20)) {
      for (const std::uint64_t b : samples(kind, 20)) {
        const SignedWide x = wide(kind, a), y = wide(kind, b);
        const auto check = [&](BinaryOp op, SignedWide exact) {
          const Outcome got = call(op, {kind, a}, {kind, b});
          ASSERT_EQ(got.bits(), narrow(kind, exact)) << to_string(op) << " " << a << " " << b;
          const bool faulty = kind == ScalarKind::abstract_int && !fits(kind, exact);
          ASSERT_EQ(got.fault, faulty ? Fault::overflow : Fault::none);
        };
        check(BinaryOp::add, x + y);
        check(BinaryOp::sub, x - y);
        check(BinaryOp::mul, x * y);
      }
    }
  }
}

TEST(IntegerOperators, DivisionTruncatesAndHasDefinedResultsAtItsEdges) {
  for (const ScalarKind kind : kIntegers) {
    for (const std::uint64_t a : samples(kind, 30)) {
      for (const std::uint64_t b : samples(kind, 30)) {
        const SignedWide x = wide(kind, a), y = wide(kind, b);
        const Outcome quotient = call(BinaryOp::div, {kind, a}, {kind, b});
        const Outcome rest = call(BinaryOp::rem, {kind, a}, {kind, b});
        if (y == 0) {
          ASSERT_EQ(quotient.bits(), a);
          ASSERT_EQ(rest.bits(), 0U);
          ASSERT_EQ(quotient.fault, Fault::division_by_zero);
          ASSERT_EQ(rest.fault, Fault::division_by_zero);
        } else if (x == lowest(kind) && y == -1) {
          ASSERT_EQ(quotient.bits(), a);
          ASSERT_EQ(rest.bits(), 0U);
          ASSERT_EQ(quotient.fault, Fault::overflow);
          ASSERT_EQ(rest.fault, Fault::overflow);
        } else {
          ASSERT_EQ(wide(kind, quotient.bits()), x / y);
          ASSERT_EQ(wide(kind, rest.bits()), x - x / y * y);
          ASSERT_EQ(quotient.fault, Fault::none);
          ASSERT_EQ(rest.fault, Fault::none);
        }
      }
    }
  }
}

TEST(IntegerOperators, ComparisonsFollowTheSign) {
  for (const ScalarKind kind : kIntegers) {
    for (const std::uint64_t a : samples(kind, 15)) {
      for (const std::uint64_t b : samples(kind, 15)) {
        const SignedWide x = wide(kind, a), y = wide(kind, b);
        const auto got = [&](BinaryOp op) {
          Scalar out;
          EXPECT_EQ(apply(op, {kind, a}, {kind, b}, out), Fault::none);
          EXPECT_EQ(out.kind, ScalarKind::boolean);
          return out.as_bool();
        };
        ASSERT_EQ(got(BinaryOp::equal), x == y);
        ASSERT_EQ(got(BinaryOp::not_equal), x != y);
        ASSERT_EQ(got(BinaryOp::less), x < y);
        ASSERT_EQ(got(BinaryOp::less_equal), x <= y);
        ASSERT_EQ(got(BinaryOp::greater), x > y);
        ASSERT_EQ(got(BinaryOp::greater_equal), x >= y);
      }
    }
  }
}

TEST(IntegerOperators, BitwiseOperatorsWorkOnEveryBit) {
  for (const ScalarKind kind : kIntegers) {
    const int width = kind == ScalarKind::abstract_int ? 64 : 32;
    for (const std::uint64_t a : samples(kind, 10)) {
      for (const std::uint64_t b : samples(kind, 10)) {
        std::uint64_t both = 0, either = 0, one = 0, none = 0;
        for (int i = 0; i < width; ++i) {
          const bool x = ((a >> i) & 1) != 0, y = ((b >> i) & 1) != 0;
          both |= std::uint64_t{x && y} << i;
          either |= std::uint64_t{x || y} << i;
          one |= std::uint64_t{x != y} << i;
          none |= std::uint64_t{!x} << i;
        }
        ASSERT_EQ(call(BinaryOp::bit_and, {kind, a}, {kind, b}).bits(), both);
        ASSERT_EQ(call(BinaryOp::bit_or, {kind, a}, {kind, b}).bits(), either);
        ASSERT_EQ(call(BinaryOp::bit_xor, {kind, a}, {kind, b}).bits(), one);
        Scalar out;
        ASSERT_EQ(apply(UnaryOp::bit_not, {kind, a}, out), Fault::none);
        ASSERT_EQ(out.bits, none);
        ASSERT_EQ(out.kind, kind);
      }
    }
  }
}

TEST(IntegerOperators, NegationKeepsTheLowestValue) {
  for (const ScalarKind kind : {ScalarKind::i32, ScalarKind::abstract_int}) {
    for (const std::uint64_t a : samples(kind, 50)) {
      Scalar out;
      ASSERT_EQ(apply(UnaryOp::negate, {kind, a}, out), Fault::none);
      const SignedWide x = wide(kind, a);
      ASSERT_EQ(wide(kind, out.bits), x == lowest(kind) ? x : -x);
    }
  }
}

TEST(IntegerOperators, ShiftsOfConcreteKindsTakeTheAmountModulo32) {
  for (const ScalarKind kind : {ScalarKind::i32, ScalarKind::u32}) {
    for (const std::uint64_t a : samples(kind, 40)) {
      for (const std::uint32_t by :
           {0U, 1U, 2U, 7U, 15U, 16U, 30U, 31U, 32U, 33U, 63U, 64U, 0x80000000U, 0xFFFFFFFFU}) {
        std::uint64_t left = 0, right = 0;
        const std::uint32_t used = by - by / 32 * 32;
        const bool sign = kind == ScalarKind::i32 && ((a >> 31) & 1) != 0;
        for (std::uint32_t i = 0; i < 32; ++i) {
          if (i >= used) left |= ((a >> (i - used)) & 1) << i;
          right |= (i + used < 32 ? (a >> (i + used)) & 1 : std::uint64_t{sign}) << i;
        }
        const Outcome l = call(BinaryOp::shift_left, {kind, a}, Scalar::of(by));
        const Outcome r = call(BinaryOp::shift_right, {kind, a}, Scalar::of(by));
        ASSERT_EQ(l.bits(), left) << a << " << " << by;
        ASSERT_EQ(r.bits(), right) << a << " >> " << by;
        ASSERT_EQ(r.fault, by >= 32 ? Fault::shift_too_large : Fault::none);
        // What was shifted out, and for i32 the new sign, must equal the old sign.
        bool loses = false;
        for (std::uint32_t i = 0; i < used + (kind == ScalarKind::i32 ? 1 : 0); ++i) {
          if (((a >> (31 - i)) & 1) != std::uint64_t{sign}) loses = true;
        }
        ASSERT_EQ(l.fault, by >= 32 ? Fault::shift_too_large
                           : loses  ? Fault::shift_loses_bits
                                    : Fault::none);
      }
    }
  }
}

TEST(IntegerOperators, ShiftsOfAbstractIntegersUseThePlainAmount) {
  const auto shift = [](BinaryOp op, std::int64_t a, std::uint32_t by) {
    return call(op, Scalar::abstract(a), Scalar::of(by));
  };
  EXPECT_EQ(shift(BinaryOp::shift_left, 1, 40).bits(), std::uint64_t{1} << 40);
  EXPECT_EQ(shift(BinaryOp::shift_left, 1, 62).fault, Fault::none);
  EXPECT_EQ(shift(BinaryOp::shift_left, 1, 63).fault, Fault::shift_loses_bits);
  EXPECT_EQ(shift(BinaryOp::shift_left, -1, 63).fault, Fault::none);
  EXPECT_EQ(shift(BinaryOp::shift_left, -1, 63).bits(), std::uint64_t{1} << 63);
  EXPECT_EQ(shift(BinaryOp::shift_left, 3, 64).fault, Fault::shift_too_large);
  EXPECT_EQ(shift(BinaryOp::shift_left, 0, 64).fault, Fault::none);
  EXPECT_EQ(shift(BinaryOp::shift_right, -9, 2).bits(), static_cast<std::uint64_t>(-3));
  EXPECT_EQ(shift(BinaryOp::shift_right, -9, 64).bits(), ~std::uint64_t{0});
  EXPECT_EQ(shift(BinaryOp::shift_right, 9, 1000).bits(), 0U);
  EXPECT_EQ(shift(BinaryOp::shift_right, 9, 1000).fault, Fault::none);
}

TEST(BoolOperators, FollowTheTruthTables) {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const auto got = [&](BinaryOp op) {
        return call(op, Scalar::of(a), Scalar::of(b)).bits() == 1;
      };
      EXPECT_EQ(got(BinaryOp::logical_and), a && b);
      EXPECT_EQ(got(BinaryOp::logical_or), a || b);
      EXPECT_EQ(got(BinaryOp::bit_and), a && b);
      EXPECT_EQ(got(BinaryOp::bit_or), a || b);
      EXPECT_EQ(got(BinaryOp::equal), a == b);
      EXPECT_EQ(got(BinaryOp::not_equal), a != b);
    }
    Scalar out;
    apply(UnaryOp::logical_not, Scalar::of(a), out);
    EXPECT_EQ(out, Scalar::of(!a));
  }
}

TEST(IntegerFunctions, CountAndFindBitsAsALoopDoes) {
  for (const ScalarKind kind : {ScalarKind::i32, ScalarKind::u32}) {
    for (const std::uint32_t e : word_samples(500)) {
      std::uint32_t ones = 0, leading = 0, trailing = 0, reversed = 0;
      for (int i = 0; i < 32; ++i) {
        const bool bit = ((e >> i) & 1) != 0;
        ones += bit ? 1 : 0;
        reversed |= std::uint32_t{bit} << (31 - i);
      }
      while (leading < 32 && ((e >> (31 - leading)) & 1) == 0) ++leading;
      while (trailing < 32 && ((e >> trailing) & 1) == 0) ++trailing;
      std::int32_t first = -1;
      const std::uint32_t sign = kind == ScalarKind::i32 ? e >> 31 : 0;
      for (int i = 0; i < 32; ++i) {
        if (((e >> i) & 1) != sign) first = i;
      }
      const TestValue in{kind, {e}, 0};
      const auto got = [&](MathFn fn) { return call(fn, {in}).bits(); };
      ASSERT_EQ(got(MathFn::count_one_bits), ones) << e;
      ASSERT_EQ(got(MathFn::count_leading_zeros), leading) << e;
      ASSERT_EQ(got(MathFn::count_trailing_zeros), trailing) << e;
      ASSERT_EQ(got(MathFn::reverse_bits), reversed) << e;
      ASSERT_EQ(got(MathFn::first_leading_bit), static_cast<std::uint32_t>(first)) << e;
      ASSERT_EQ(got(MathFn::first_trailing_bit), e == 0 ? 0xFFFFFFFFU : trailing) << e;
    }
  }
}

TEST(IntegerFunctions, ExtractAndInsertBitsHoldTheFieldInsideTheWord) {
  for (const std::uint32_t e : word_samples(6)) {
    for (const std::uint32_t offset : {0U, 1U, 5U, 16U, 31U, 32U, 40U, 0xFFFFFFFFU}) {
      for (const std::uint32_t count : {0U, 1U, 2U, 8U, 15U, 31U, 32U, 50U, 0xFFFFFFFFU}) {
        std::uint32_t plain = 0, inserted = e, width = 0;
        const std::uint32_t fresh = ~e * 2654435761U;
        for (std::uint32_t i = 0; i < 32; ++i) {
          if (i < offset || i - offset >= count) continue;
          plain |= ((e >> i) & 1) << (i - offset);
          inserted &= ~(1U << i);
          inserted |= ((fresh >> (i - offset)) & 1) << i;
          width = i - offset + 1;
        }
        std::uint32_t extended = plain;
        for (std::uint32_t i = width; width != 0 && i < 32; ++i) {
          extended |= ((plain >> (width - 1)) & 1) << i;
        }
        const Fault fault = SignedWide{offset} + count > 32 ? Fault::order : Fault::none;
        const TestValue o = value_of(Scalar::of(offset)), c = value_of(Scalar::of(count));
        const auto check = [&](ScalarKind kind, std::uint32_t expected) {
          const Outcome out = call(MathFn::extract_bits, {{kind, {e}, 0}, o, c});
          ASSERT_EQ(out.bits(), expected) << e << " " << offset << " " << count;
          ASSERT_EQ(out.fault, fault);
          const Outcome in = call(MathFn::insert_bits, {{kind, {e}, 0}, {kind, {fresh}, 0}, o, c});
          ASSERT_EQ(in.bits(), inserted) << e << " " << offset << " " << count;
          ASSERT_EQ(in.fault, fault);
        };
        check(ScalarKind::u32, plain);
        check(ScalarKind::i32, extended);
      }
    }
  }
}

TEST(IntegerFunctions, MinMaxClampAbsAndSignFollowTheNumberLine) {
  for (const ScalarKind kind : kIntegers) {
    const auto all = samples(kind, 5);
    for (const std::uint64_t a : all) {
      const SignedWide x = wide(kind, a);
      const TestValue va{kind, {a}, 0};
      ASSERT_EQ(wide(kind, call(MathFn::abs, {va}).bits()), x == lowest(kind) ? x : x < 0 ? -x : x);
      ASSERT_EQ(wide(kind, call(MathFn::sign, {va}).bits()), x > 0 ? 1 : x < 0 ? -1 : 0);
      for (const std::uint64_t b : all) {
        const SignedWide y = wide(kind, b);
        const TestValue vb{kind, {b}, 0};
        ASSERT_EQ(wide(kind, call(MathFn::min, {va, vb}).bits()), x < y ? x : y);
        ASSERT_EQ(wide(kind, call(MathFn::max, {va, vb}).bits()), x > y ? x : y);
        const SignedWide c = 100;
        const Outcome clamped = call(MathFn::clamp, {va, vb, {kind, {100}, 0}});
        const SignedWide raised = x < y ? y : x;
        ASSERT_EQ(wide(kind, clamped.bits()), raised > c ? c : raised);
        ASSERT_EQ(clamped.fault, y > c ? Fault::order : Fault::none);
      }
    }
  }
}

TEST(IntegerFunctions, DotWrapsAndAbstractOnesOverflow) {
  const auto words = word_samples(40);
  for (const ScalarKind kind : {ScalarKind::i32, ScalarKind::u32}) {
    for (std::size_t i = 0; i + 8 <= words.size(); ++i) {
      for (std::size_t n = 2; n <= 4; ++n) {
        TestValue a{kind, {}, 0}, b{kind, {}, 0};
        SignedWide exact = 0;
        for (std::size_t k = 0; k < n; ++k) {
          a.bits.push_back(words[i + k]);
          b.bits.push_back(words[i + 4 + k]);
          exact += wide(kind, a.bits[k]) * wide(kind, b.bits[k]);
        }
        const Outcome got = call(MathFn::dot, kind, 1, {a, b});
        ASSERT_EQ(got.bits(), narrow(kind, exact));
        ASSERT_EQ(got.fault, Fault::none);
      }
    }
  }
  const auto abstract = [](std::int64_t x, std::int64_t y) {
    return value_of(ScalarKind::abstract_int, {x, y});
  };
  EXPECT_EQ(
      call(MathFn::dot, ScalarKind::abstract_int, 1, {abstract(3, -4), abstract(5, 6)}).bits(),
      static_cast<std::uint64_t>(-9));
  const std::int64_t big = std::int64_t{1} << 62;
  EXPECT_EQ(
      call(MathFn::dot, ScalarKind::abstract_int, 1, {abstract(big, big), abstract(1, 1)}).fault,
      Fault::overflow);
}

TEST(LogicalFunctions, AllAndAnyLookAtEveryComponent) {
  for (std::uint32_t pattern = 0; pattern < 16; ++pattern) {
    for (std::uint32_t n = 1; n <= 4; ++n) {
      TestValue v{ScalarKind::boolean, {}, 0};
      for (std::uint32_t i = 0; i < n; ++i) v.bits.push_back((pattern >> i) & 1);
      const std::uint32_t mask = (1U << n) - 1;
      EXPECT_EQ(call(MathFn::all, ScalarKind::boolean, 1, {v}).bits(), (pattern & mask) == mask);
      EXPECT_EQ(call(MathFn::any, ScalarKind::boolean, 1, {v}).bits(), (pattern & mask) != 0);
    }
  }
}

TEST(VectorOperators, WorkComponentByComponentAndReportTheFirstFault) {
  const TestValue a = value_of(ScalarKind::i32, {7, -8, 9, 10});
  const TestValue b = value_of(ScalarKind::i32, {2, 0, -4, 3});
  const Outcome got = call(BinaryOp::div, a, b, ScalarKind::i32, 4);
  EXPECT_EQ(got.out, value_of(ScalarKind::i32, {3, -8, -2, 3}).bits);
  EXPECT_EQ(got.fault, Fault::division_by_zero);
  const Outcome less = call(BinaryOp::less, a, b, ScalarKind::boolean, 4);
  EXPECT_EQ(less.out, (std::vector<std::uint64_t>{0, 1, 0, 0}));
  const Outcome shifted = call(BinaryOp::shift_left, value_of(ScalarKind::u32, {1, 2, 3}),
                               value_of(ScalarKind::u32, {4, 5, 6}), ScalarKind::u32, 3);
  EXPECT_EQ(shifted.out, (std::vector<std::uint64_t>{16, 64, 192}));
}

}  // namespace
}  // namespace vyre
