// Transcendental functions against long double, and the domains of all of them.
#include <gtest/gtest.h>

#include "vyre/ir/operation_testing.h"

namespace vyre {
namespace {

using Reference = long double (*)(long double);

struct Case {
  MathFn fn;
  Reference reference;
  double low, high;  // where samples are taken
};

const Case kCases[] = {
    {MathFn::acos, [](long double v) { return std::acos(v); }, -1, 1},
    {MathFn::asin, [](long double v) { return std::asin(v); }, -1, 1},
    {MathFn::atan, [](long double v) { return std::atan(v); }, -50, 50},
    {MathFn::acosh, [](long double v) { return std::acosh(v); }, 1, 500},
    {MathFn::asinh, [](long double v) { return std::asinh(v); }, -500, 500},
    {MathFn::atanh, [](long double v) { return std::atanh(v); }, -1, 1},
    {MathFn::cos, [](long double v) { return std::cos(v); }, -100, 100},
    {MathFn::sin, [](long double v) { return std::sin(v); }, -100, 100},
    {MathFn::tan, [](long double v) { return std::tan(v); }, -100, 100},
    {MathFn::cosh, [](long double v) { return std::cosh(v); }, -11, 11},
    {MathFn::sinh, [](long double v) { return std::sinh(v); }, -11, 11},
    {MathFn::tanh, [](long double v) { return std::tanh(v); }, -11, 11},
    {MathFn::exp, [](long double v) { return std::exp(v); }, -11, 11},
    {MathFn::exp2, [](long double v) { return std::exp2(v); }, -15.9, 15.9},
    {MathFn::log, [](long double v) { return std::log(v); }, 0, 60000},
    {MathFn::log2, [](long double v) { return std::log2(v); }, 0, 60000},
    {MathFn::sqrt, [](long double v) { return std::sqrt(v); }, 0, 60000},
    {MathFn::inverse_sqrt, [](long double v) { return 1 / std::sqrt(v); }, 0, 60000},
};

// How many units in the last place lie between a result and the true value.
double error_in_ulps(FloatFormat f, std::uint64_t bits, long double exact) {
  const Real result = real_of(f, bits), truth = exact;
  int exponent = 0;
  std::frexp(exact, &exponent);
  exponent = std::max(exponent - 1, f.min_exponent());
  return static_cast<double>(magnitude(result - truth) / power_of_two(exponent - f.digits + 1));
}

// Rounded once from a double that is itself right to an ulp or two.
double allowed_ulps(ScalarKind kind) { return kind == ScalarKind::abstract_float ? 2.0 : 0.500001; }

constexpr ScalarKind kFloats[] = {ScalarKind::f32, ScalarKind::f16, ScalarKind::abstract_float};

TEST(Transcendental, IsTheTrueValueRoundedOnce) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    for (const Case& c : kCases) {
      std::mt19937_64 engine(5);
      std::uniform_real_distribution<double> uniform(c.low, c.high);
      for (int i = 0; i < 2000; ++i) {
        // Half of the samples crowd around zero or the lower end.
        const double spread = i % 2 == 0 ? 1.0 : std::exp2(-(i % 24));
        const double middle = c.low < 0 && c.high > 0 ? 0 : c.low;
        const std::uint64_t in = round_to(f, middle + (uniform(engine) - middle) * spread);
        const auto x = static_cast<long double>(real_of(f, in));
        const long double exact = c.reference(x);
        const Outcome got = call(c.fn, {{kind, {in}, 0}});
        if (!std::isfinite(exact)) {
          ASSERT_EQ(got.fault, Fault::not_finite);
          continue;
        }
        if (got.fault == Fault::not_finite) {  // beyond the format
          ASSERT_FALSE(is_finite(f, round_to(f, exact)));
          continue;
        }
        ASSERT_EQ(got.fault, Fault::none);
        ASSERT_LE(error_in_ulps(f, got.bits(), exact), allowed_ulps(kind))
            << to_string(c.fn) << " of " << to_string(kind) << " " << static_cast<double>(x);
      }
    }
  }
}

TEST(Transcendental, OfF16IsRightForEveryInput) {
  for (const Case& c : kCases) {
    for (std::uint64_t in = 0; in < 0x10000; in += 3) {
      const auto x = static_cast<long double>(real_of(kF16, in));
      const long double exact = c.reference(x);
      const Outcome got = call(c.fn, {{ScalarKind::f16, {in}, 0}});
      if (std::isnan(exact)) {
        ASSERT_TRUE(is_nan(kF16, got.bits())) << to_string(c.fn) << " " << in;
        continue;
      }
      if (!is_finite(kF16, round_to(kF16, exact))) {
        ASSERT_TRUE(same(kF16, got.bits(), round_to(kF16, exact))) << to_string(c.fn) << " " << in;
        continue;
      }
      ASSERT_LE(error_in_ulps(kF16, got.bits(), exact), 0.500001) << to_string(c.fn) << " " << in;
    }
  }
}

TEST(Transcendental, Atan2ChoosesTheQuadrant) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    std::mt19937_64 engine(9);
    std::uniform_real_distribution<double> uniform(-8, 8);
    const long double pi = 3.14159265358979323846264338327950288L;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t a = round_to(f, uniform(engine)), b = round_to(f, uniform(engine));
      const auto y = static_cast<long double>(real_of(f, a));
      const auto x = static_cast<long double>(real_of(f, b));
      if (x == 0) continue;
      long double exact = std::atan(y / x);
      if (x < 0) exact += y < 0 ? -pi : pi;
      const Outcome got = call(MathFn::atan2, {{kind, {a}, 0}, {kind, {b}, 0}});
      ASSERT_LE(error_in_ulps(f, got.bits(), exact), allowed_ulps(kind) + 0.001);
    }
    const auto at = [&](double y, double x) {
      const Outcome got = call(MathFn::atan2, {value_of(kind, {y}), value_of(kind, {x})});
      return static_cast<double>(real_of(f, got.bits()));
    };
    EXPECT_EQ(at(0, 1), 0);
    EXPECT_NEAR(at(1, 0), 1.5707963, 1e-3);
    EXPECT_NEAR(at(-1, 0), -1.5707963, 1e-3);
    EXPECT_NEAR(at(0, -1), 3.1415926, 2e-3);
  }
}

TEST(Transcendental, PowIsTheTrueValueRoundedOnce) {
  for (const ScalarKind kind : kFloats) {
    const FloatFormat f = format_of(kind);
    std::mt19937_64 engine(13);
    std::uniform_real_distribution<double> base(0, 8), exponent(-5, 5);
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t a = round_to(f, base(engine)), b = round_to(f, exponent(engine));
      const auto x = static_cast<long double>(real_of(f, a));
      const auto y = static_cast<long double>(real_of(f, b));
      if (x == 0) continue;
      const long double exact = std::exp2(y * std::log2(x));
      const Outcome got = call(MathFn::pow, {{kind, {a}, 0}, {kind, {b}, 0}});
      if (got.fault == Fault::not_finite) continue;
      // The reference itself loses a few bits of its 64.
      ASSERT_LE(error_in_ulps(f, got.bits(), exact),
                kind == ScalarKind::abstract_float ? 3 : 0.501);
    }
    const auto pow_of = [&](double x, double y) {
      return call(MathFn::pow, {value_of(kind, {x}), value_of(kind, {y})});
    };
    EXPECT_EQ(pow_of(2, 10).bits(), round_to(f, 1024));
    EXPECT_EQ(pow_of(0, 2).bits(), 0U);
    EXPECT_EQ(pow_of(0, 0).bits(), round_to(f, 1));
    EXPECT_EQ(pow_of(0, 0).fault, Fault::domain);
    EXPECT_EQ(pow_of(0, -1).fault, Fault::domain);
    EXPECT_EQ(pow_of(-2, 2).fault, Fault::domain);
    EXPECT_EQ(pow_of(-2, 2).bits(), round_to(f, 4));
    EXPECT_EQ(pow_of(-2, 3).bits(), round_to(f, -8));
    EXPECT_EQ(pow_of(-2, -1).bits(), round_to(f, -0.5));
    EXPECT_EQ(pow_of(-2, 0.5).fault, Fault::domain);
    EXPECT_TRUE(is_nan(f, pow_of(-2, 0.5).bits()));
    EXPECT_EQ(pow_of(1000, 1000).fault, Fault::not_finite);
  }
}

TEST(Transcendental, ArgumentsOutsideTheDomainAreFaultsOfConstants) {
  struct Edge {
    MathFn fn;
    double value;
    Fault fault;
  };
  const Edge edges[] = {
      {MathFn::acos, 1.5, Fault::domain},
      {MathFn::acos, -1.5, Fault::domain},
      {MathFn::acos, 1, Fault::none},
      {MathFn::acos, -1, Fault::none},
      {MathFn::asin, 1.5, Fault::domain},
      {MathFn::asin, -1, Fault::none},
      {MathFn::acosh, 0.5, Fault::domain},
      {MathFn::acosh, 1, Fault::none},
      {MathFn::atanh, 1.5, Fault::domain},
      {MathFn::atanh, 1, Fault::not_finite},
      {MathFn::atanh, -1, Fault::not_finite},
      {MathFn::atanh, 0.5, Fault::none},
      {MathFn::log, -1, Fault::domain},
      {MathFn::log, 0, Fault::not_finite},
      {MathFn::log, 1, Fault::none},
      {MathFn::log2, -1, Fault::domain},
      {MathFn::log2, 0, Fault::not_finite},
      {MathFn::log2, 8, Fault::none},
      {MathFn::sqrt, -1, Fault::domain},
      {MathFn::sqrt, 0, Fault::none},
      {MathFn::inverse_sqrt, -1, Fault::domain},
      {MathFn::inverse_sqrt, 0, Fault::not_finite},
      {MathFn::inverse_sqrt, 4, Fault::none},
      {MathFn::exp, 10000, Fault::not_finite},
      {MathFn::exp2, 20000, Fault::not_finite},
      {MathFn::exp, -10000, Fault::none},
      {MathFn::cosh, 10000, Fault::not_finite},
      {MathFn::sinh, -10000, Fault::not_finite},
  };
  for (const ScalarKind kind : kFloats) {
    for (const Edge& e : edges) {
      EXPECT_EQ(call(e.fn, {value_of(kind, {e.value})}).fault, e.fault)
          << to_string(e.fn) << " of " << to_string(kind) << " " << e.value;
    }
  }
}

TEST(Transcendental, KnownValuesHold) {
  const auto f32 = [](MathFn fn, float v) {
    return std::bit_cast<float>(
        static_cast<std::uint32_t>(call(fn, {value_of(Scalar::of(v))}).bits()));
  };
  EXPECT_EQ(f32(MathFn::exp, 1), 2.7182818F);
  EXPECT_EQ(f32(MathFn::exp2, 5), 32.0F);
  EXPECT_EQ(f32(MathFn::log, 2), 0.6931472F);
  EXPECT_EQ(f32(MathFn::log2, 32), 5.0F);
  EXPECT_EQ(f32(MathFn::sin, 0.5F), 0.47942554F);
  EXPECT_EQ(f32(MathFn::cos, 0.5F), 0.87758255F);
  EXPECT_EQ(f32(MathFn::tan, 0.5F), 0.5463025F);
  EXPECT_EQ(f32(MathFn::acos, -1), 3.1415927F);
  EXPECT_EQ(f32(MathFn::sqrt, 2), 1.4142135F);
  EXPECT_EQ(f32(MathFn::inverse_sqrt, 4), 0.5F);
  EXPECT_EQ(f32(MathFn::degrees, 3.1415927F), 180.0F);
  EXPECT_EQ(f32(MathFn::radians, 180), 3.1415927F);
}

}  // namespace
}  // namespace vyre
