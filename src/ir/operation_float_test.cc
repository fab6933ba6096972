// Float operators, rounding functions and conversions against exact arithmetic rounded bit by bit.
#include <gtest/gtest.h>

#include "vyre/ir/operation_testing.h"

namespace vyre {
namespace {

constexpr ScalarKind kFloats[] = {ScalarKind::f32, ScalarKind::f16, ScalarKind::abstract_float};

TEST(FloatOperators, ArithmeticIsCorrectlyRounded) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    const auto all = float_samples(f, 60);
    for (const std::uint64_t a : all) {
      for (const std::uint64_t b : all) {
        const Real x = real_of(f, a), y = real_of(f, b);
        const auto check = [&](BinaryOp op, std::uint64_t expected, Fault bad) {
          const Outcome got = call(op, {kind, a}, {kind, b});
          ASSERT_TRUE(same(f, got.bits(), expected))
              << to_string(kind) << " " << a << " " << to_string(op) << " " << b << " gave "
              << got.bits() << ", expected " << expected;
          ASSERT_EQ(got.fault, is_finite(f, expected) ? Fault::none : bad);
        };
        check(BinaryOp::add, rounded_sum(f, x, y), Fault::not_finite);
        check(BinaryOp::sub, rounded_sum(f, x, -y), Fault::not_finite);
        check(BinaryOp::mul, round_to(f, x * y), Fault::not_finite);
        if (y != 0) check(BinaryOp::div, round_to(f, x / y), Fault::not_finite);
        if (y == 0) {
          ASSERT_EQ(call(BinaryOp::div, {kind, a}, {kind, b}).fault, Fault::division_by_zero);
          ASSERT_EQ(call(BinaryOp::rem, {kind, a}, {kind, b}).fault, Fault::division_by_zero);
        }
      }
    }
  }
}

// x - y * trunc(x / y), by long division: subtracting y * 2^k while it goes.
Real exact_remainder(Real x, Real y) {
  Real rest = magnitude(x);
  const Real divisor = magnitude(y);
  while (rest >= divisor) {
    Real step = divisor;
    while (step + step <= rest) step += step;
    rest -= step;
  }
  return x < 0 ? -rest : rest;
}

TEST(FloatOperators, RemainderIsExact) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    for (const std::uint64_t a : float_samples(f, 40, false)) {
      for (const std::uint64_t b : float_samples(f, 40, false)) {
        const Real x = real_of(f, a), y = real_of(f, b);
        // Beyond this binary128 does not hold the steps.
        if (y == 0 || magnitude(x) / magnitude(y) > static_cast<Real>(std::uint64_t{1} << 56)) {
          continue;
        }
        const Outcome got = call(BinaryOp::rem, {kind, a}, {kind, b});
        ASSERT_TRUE(same(f, got.bits(), round_to(f, exact_remainder(x, y))))
            << to_string(kind) << " " << a << " % " << b;
        ASSERT_EQ(got.fault, Fault::none);
      }
    }
  }
}

TEST(FloatOperators, ComparisonsWithNanAreFalseExceptInequality) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    for (const std::uint64_t a : float_samples(f, 10)) {
      for (const std::uint64_t b : float_samples(f, 10)) {
        const Real x = real_of(f, a), y = real_of(f, b);
        const bool ordered = !is_nan(x) && !is_nan(y);
        const auto got = [&](BinaryOp op) { return call(op, {kind, a}, {kind, b}).bits() == 1; };
        ASSERT_EQ(got(BinaryOp::equal), ordered && x == y);
        ASSERT_EQ(got(BinaryOp::not_equal), !ordered || x != y);
        ASSERT_EQ(got(BinaryOp::less), ordered && x < y);
        ASSERT_EQ(got(BinaryOp::less_equal), ordered && x <= y);
        ASSERT_EQ(got(BinaryOp::greater), ordered && x > y);
        ASSERT_EQ(got(BinaryOp::greater_equal), ordered && x >= y);
      }
    }
  }
}

TEST(FloatOperators, NegationFlipsTheSignBitAlone) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    const std::uint64_t sign = std::uint64_t{1} << (f.digits + f.exponent_bits - 1);
    for (const std::uint64_t a : float_samples(f, 50)) {
      Scalar out;
      ASSERT_EQ(apply(UnaryOp::negate, {kind, a}, out), Fault::none);
      if (is_nan(f, a)) {
        ASSERT_TRUE(is_nan(f, out.bits));
      } else {
        ASSERT_EQ(out.bits, a ^ sign);
      }
    }
  }
}

// The whole number below, by removing the fraction's bits one at a time.
Real floor_of(Real v) {
  if (is_nan(v) || is_infinite(v)) return v;
  Real whole = 0, rest = magnitude(v), step = 1;
  while (step + step <= rest) step += step;
  for (; step >= 1; step /= 2) {
    if (rest >= step) {
      whole += step;
      rest -= step;
    }
  }
  if (v >= 0) return whole;
  return rest == 0 ? -whole : -whole - 1;
}

TEST(FloatFunctions, RoundingFunctionsGiveTheRightWholeNumber) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    std::vector<std::uint64_t> all = float_samples(f, 300);
    if (kind == ScalarKind::f16) {
      for (std::uint64_t b = 0; b < 0x10000; ++b) all.push_back(b);
    }
    for (double v = -9; v <= 9; v += 0.0625) all.push_back(round_to(f, v));
    for (const std::uint64_t a : all) {
      const Real x = real_of(f, a), below = floor_of(x), above = -floor_of(-x);
      const auto check = [&](MathFn fn, Real expected) {
        const Outcome got = call(fn, {{kind, {a}, 0}});
        ASSERT_TRUE(same(f, got.bits(), round_to(f, expected)))
            << to_string(kind) << " " << to_string(fn) << " " << a;
      };
      check(MathFn::floor, below);
      check(MathFn::ceil, above);
      check(MathFn::trunc, x < 0 ? above : below);
      check(MathFn::abs, magnitude(x));
      check(MathFn::saturate, x < 0 ? 0 : x > 1 ? 1 : x);
      check(MathFn::sign, x > 0 ? 1 : x < 0 ? -1 : 0);
      if (!is_finite(f, a)) continue;
      const Real half = (below + above) / 2, half_of_below = below / 2;
      Real nearest = x < half ? below : above;
      if (x == half && below != above)
        nearest = floor_of(half_of_below) * 2 == below ? below : above;
      check(MathFn::round, nearest);
      check(MathFn::fract, x - below);
    }
  }
}

TEST(FloatFunctions, RoundKeepsTheSignOfZero) {
  const auto rounded = [](float v) {
    return call(MathFn::round, {value_of(Scalar::of(v))}).bits();
  };
  EXPECT_EQ(rounded(-0.25F), 0x80000000U);
  EXPECT_EQ(rounded(-0.5F), 0x80000000U);
  EXPECT_EQ(rounded(0.5F), 0U);
  EXPECT_EQ(rounded(-0.0F), 0x80000000U);
}

TEST(FloatFunctions, MinMaxAndClampAreDefinedByLessThan) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    const auto all = float_samples(f, 15);
    const TestValue low{kind, {round_to(f, -2)}, 0}, high{kind, {round_to(f, 3)}, 0};
    for (const std::uint64_t a : all) {
      const Real x = real_of(f, a);
      const Outcome clamped = call(MathFn::clamp, {{kind, {a}, 0}, low, high});
      ASSERT_TRUE(same(f, clamped.bits(), round_to(f, x < -2 ? -2 : x > 3 ? 3 : x)));
      for (const std::uint64_t b : all) {
        const Real y = real_of(f, b);
        const TestValue va{kind, {a}, 0}, vb{kind, {b}, 0};
        ASSERT_TRUE(same(f, call(MathFn::min, {va, vb}).bits(), y < x ? b : a));
        ASSERT_TRUE(same(f, call(MathFn::max, {va, vb}).bits(), x < y ? b : a));
        ASSERT_TRUE(same(f, call(MathFn::step, {va, vb}).bits(), round_to(f, x <= y ? 1 : 0)));
      }
    }
    EXPECT_EQ(call(MathFn::clamp, {high, high, low}).fault, Fault::order);
    EXPECT_EQ(call(MathFn::clamp, {high, low, low}).fault, Fault::none);
  }
}

TEST(FloatFunctions, FmaRoundsOnceInF32AndAsTheF32ResultInF16) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> everyday(-50, 50);
    for (int i = 0; i < 3000; ++i) {
      // Abstract operands are short, so that binary128 holds a * b + c.
      const auto draw = [&] {
        return kind == ScalarKind::abstract_float
                   ? round_to(f, real_of(kF32, round_to(kF32, everyday(engine))))
                   : round_to(f, everyday(engine));
      };
      const std::uint64_t a = draw(), b = draw(), c = draw();
      const Real exact = real_of(f, a) * real_of(f, b) + real_of(f, c);
      std::uint64_t expected = round_to(f, exact);
      if (kind == ScalarKind::f16) expected = round_to(f, real_of(kF32, round_to(kF32, exact)));
      const Outcome got = call(MathFn::fma, {{kind, {a}, 0}, {kind, {b}, 0}, {kind, {c}, 0}});
      ASSERT_TRUE(same(f, got.bits(), expected));
    }
  }
  // The product alone would overflow or vanish.
  const float big = 3e38F;
  EXPECT_EQ(call(MathFn::fma, {value_of(Scalar::of(big)), value_of(Scalar::of(2.0F)),
                               value_of(Scalar::of(-big))})
                .bits(),
            Scalar::of(big).bits);
}

TEST(FloatFunctions, FrexpAndLdexpUndoEachOther) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    const bool abstract = kind == ScalarKind::abstract_float;
    for (const std::uint64_t a : float_samples(f, 300, false)) {
      const Real x = real_of(f, a);
      const Outcome got = call(MathFn::frexp, kind, 2, {{kind, {a}, 0}});
      const Real fraction = real_of(f, got.out[0]);
      const std::int64_t exponent =
          abstract ? static_cast<std::int64_t>(got.out[1])
                   : static_cast<std::int32_t>(static_cast<std::uint32_t>(got.out[1]));
      if (x == 0) {
        ASSERT_TRUE(fraction == 0);
        ASSERT_EQ(exponent, 0);
        continue;
      }
      ASSERT_TRUE(magnitude(fraction) >= Real(0.5) && magnitude(fraction) < 1);
      ASSERT_TRUE(fraction * power_of_two(static_cast<int>(exponent)) == x);
      const TestValue n{abstract ? ScalarKind::abstract_int : ScalarKind::i32, {got.out[1]}, 0};
      const Outcome again = call(MathFn::ldexp, {{kind, {got.out[0]}, 0}, n});
      ASSERT_EQ(again.bits(), a);
      ASSERT_EQ(again.fault, Fault::none);
    }
  }
}

TEST(FloatFunctions, LdexpRoundsIntoTheSubnormalsAndOverflows) {
  for (const ScalarKind kind : {ScalarKind::f32, ScalarKind::f16}) {
    const FloatFormat f = format_of(kind);
    for (const std::uint64_t a : float_samples(f, 60, false)) {
      for (int n = -320; n <= 320; n += 1) {
        const Real exact = real_of(f, a) * power_of_two(n);
        const Outcome got = call(MathFn::ldexp, {{kind, {a}, 0}, value_of(Scalar::of(n))});
        const std::uint64_t expected = round_to(f, exact);
        ASSERT_TRUE(same(f, got.bits(), expected)) << a << " " << n;
        ASSERT_EQ(got.fault, n > f.max_exponent + 1    ? Fault::order
                             : !is_finite(f, expected) ? Fault::not_finite
                                                       : Fault::none);
      }
    }
    for (const int n : {std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
      const Outcome got = call(MathFn::ldexp, {value_of(kind, {1.0}), value_of(Scalar::of(n))});
      EXPECT_EQ(is_finite(f, got.bits()), n < 0);
    }
  }
}

TEST(FloatFunctions, ModfSplitsExactly) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    for (const std::uint64_t a : float_samples(f, 200, false)) {
      const Real x = real_of(f, a);
      const Real whole = x < 0 ? -floor_of(-x) : floor_of(x);
      const Outcome got = call(MathFn::modf, kind, 2, {{kind, {a}, 0}});
      ASSERT_TRUE(real_of(f, got.out[0]) == x - whole);
      ASSERT_TRUE(real_of(f, got.out[1]) == whole);
    }
  }
  const Outcome vector =
      call(MathFn::modf, ScalarKind::f32, 4, {value_of(ScalarKind::f32, {1.5, -2.25})});
  EXPECT_EQ(vector.out, value_of(ScalarKind::f32, {0.5, -0.25, 1.0, -2.0}).bits);
  const Outcome parts =
      call(MathFn::frexp, ScalarKind::f32, 4, {value_of(ScalarKind::f32, {8.0, -3.0})});
  EXPECT_EQ(parts.out[0], Scalar::of(0.5F).bits);
  EXPECT_EQ(parts.out[1], Scalar::of(-0.75F).bits);
  EXPECT_EQ(parts.out[2], 4U);
  EXPECT_EQ(parts.out[3], 2U);
}

TEST(FloatFunctions, QuantizeToF16GoesThroughBinary16) {
  for (const std::uint64_t a : float_samples(kF32, 2000, false)) {
    const Real x = real_of(kF32, a);
    const Outcome got = call(MathFn::quantize_to_f16, {{ScalarKind::f32, {a}, 0}});
    ASSERT_TRUE(same(kF32, got.bits(), round_to(kF32, real_of(kF16, round_to(kF16, x)))));
    const bool inside = magnitude(x) <= 65504;
    ASSERT_EQ(got.fault, inside ? Fault::none : Fault::does_not_fit);
  }
}

TEST(FloatFunctions, FormulasAreFollowedStepByStep) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    std::mt19937_64 engine(11);
    std::uniform_real_distribution<double> everyday(-4, 4);
    // Abstract operands are short, so that binary128 holds every step before it is rounded.
    const auto draw = [&] {
      return kind == ScalarKind::abstract_float
                 ? round_to(f, real_of(kF16, round_to(kF16, everyday(engine))))
                 : round_to(f, everyday(engine));
    };
    const auto r = [&](Real v) { return real_of(f, round_to(f, v)); };
    const auto r_fma = [&](Real a, Real b, Real c) {
      const Real v = a * b + c;
      return kind == ScalarKind::f16 ? r(real_of(kF32, round_to(kF32, v))) : r(v);
    };
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t a = draw(), b = draw(), c = draw();
      const Real x = real_of(f, a), y = real_of(f, b), z = real_of(f, c);
      const TestValue va{kind, {a}, 0}, vb{kind, {b}, 0}, vc{kind, {c}, 0};
      const auto check = [&](MathFn fn, const std::vector<TestValue>& in, Real expected) {
        ASSERT_TRUE(same(f, call(fn, in).bits(), round_to(f, expected)))
            << to_string(kind) << " " << to_string(fn) << " " << a << " " << b << " " << c;
      };
      check(MathFn::mix, {va, vb, vc}, r_fma(y, z, r(x * r(1 - z))));
      const Real raw = r(r(z - x) / r(y - x));
      const Real t = raw < 0 ? 0 : raw > 1 ? 1 : raw;
      if (x != y) check(MathFn::smoothstep, {va, vb, vc}, r(r(t * t) * r(3 - 2 * t)));
      if (kind == ScalarKind::f16) continue;
      const Real degree = real_of(f, round_to(f, 57.295779513082320876798154814105));
      const Real radian = real_of(f, round_to(f, 0.017453292519943295769236907684886));
      check(MathFn::degrees, {va}, r(x * degree));
      check(MathFn::radians, {va}, r(x * radian));
    }
    EXPECT_EQ(call(MathFn::smoothstep,
                   {value_of(kind, {1.0}), value_of(kind, {1.0}), value_of(kind, {0.5})})
                  .fault,
              Fault::order);
  }
}

TEST(FloatFunctions, MixTakesAScalarFactorForVectors) {
  const Outcome got = call(MathFn::mix, {value_of(ScalarKind::f32, {0.0, 10.0, -4.0}),
                                         value_of(ScalarKind::f32, {4.0, 20.0, 4.0}),
                                         value_of(ScalarKind::f32, {0.25})});
  EXPECT_EQ(got.out, value_of(ScalarKind::f32, {1.0, 12.5, -2.0}).bits);
}

}  // namespace
}  // namespace vyre
