// Functions of vectors and matrices against formulas written out with an independent rounding.
#include <gtest/gtest.h>

#include "vyre/ir/operation_testing.h"

namespace vyre {
namespace {

constexpr ScalarKind kFloats[] = {ScalarKind::f32, ScalarKind::f16, ScalarKind::abstract_float};

// Arithmetic of one kind in the slow, independent way.
struct Slow {
  ScalarKind kind;
  FloatFormat f = format_of(kind);

  Real r(Real v) const { return real_of(f, round_to(f, v)); }
  Real fma(Real a, Real b, Real c) const {
    const Real v = a * b + c;
    return kind == ScalarKind::f16 ? r(real_of(kF32, round_to(kF32, v))) : r(v);
  }
  Real sqrt(Real v) const { return r(std::sqrt(static_cast<long double>(v))); }
  Real dot(const std::vector<Real>& a, const std::vector<Real>& b) const {
    Real sum = r(a[0] * b[0]);
    for (std::size_t i = 1; i < a.size(); ++i) sum = fma(a[i], b[i], sum);
    return sum;
  }
};

struct Numbers {
  ScalarKind kind;
  std::mt19937_64 engine{17};

  // Short significands: binary128 then holds each step exactly before it is rounded.
  TestValue draw(std::size_t n, std::uint32_t columns = 0) {
    std::uniform_real_distribution<double> uniform(-3, 3);
    TestValue out{kind, {}, columns};
    for (std::size_t i = 0; i < n; ++i) {
      const Real v = real_of(kF16, round_to(kF16, uniform(engine)));
      out.bits.push_back(round_to(format_of(kind), v));
    }
    return out;
  }
  std::vector<Real> reals(const TestValue& v) const {
    std::vector<Real> out;
    for (const std::uint64_t b : v.bits) out.push_back(real_of(format_of(kind), b));
    return out;
  }
};

void expect_reals(const Outcome& got, ScalarKind kind, const std::vector<Real>& expected,
                  const char* what) {
  const FloatFormat f = format_of(kind);
  ASSERT_EQ(got.out.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(same(f, got.out[i], round_to(f, expected[i])))
        << what << " of " << to_string(kind) << ", component " << i << ": "
        << static_cast<double>(real_of(f, got.out[i])) << " for "
        << static_cast<double>(expected[i]);
  }
}

TEST(VectorFunctions, DotLengthDistanceAndNormalizeFollowTheirFormulas) {
  for (const ScalarKind kind : kFloats) {
    const Slow s{kind};
    Numbers numbers{kind};
    for (int round = 0; round < 200; ++round) {
      for (std::uint32_t n = 2; n <= 4; ++n) {
        const TestValue a = numbers.draw(n), b = numbers.draw(n);
        const auto x = numbers.reals(a), y = numbers.reals(b);
        expect_reals(call(MathFn::dot, kind, 1, {a, b}), kind, {s.dot(x, y)}, "dot");
        const Real length = s.sqrt(s.dot(x, x));
        expect_reals(call(MathFn::length, kind, 1, {a}), kind, {length}, "length");
        std::vector<Real> difference, unit;
        for (std::uint32_t i = 0; i < n; ++i) {
          difference.push_back(s.r(x[i] - y[i]));
          unit.push_back(s.r(x[i] / length));
        }
        expect_reals(call(MathFn::distance, kind, 1, {a, b}), kind,
                     {s.sqrt(s.dot(difference, difference))}, "distance");
        expect_reals(call(MathFn::normalize, kind, n, {a}), kind, unit, "normalize");
      }
      const TestValue a = numbers.draw(1), b = numbers.draw(1);
      const Real x = numbers.reals(a)[0], y = numbers.reals(b)[0];
      expect_reals(call(MathFn::length, kind, 1, {a}), kind, {magnitude(x)}, "length");
      expect_reals(call(MathFn::distance, kind, 1, {a, b}), kind, {magnitude(s.r(x - y))},
                   "distance");
    }
    EXPECT_EQ(call(MathFn::normalize, {value_of(kind, {0.0, 0.0, 0.0})}).fault, Fault::domain);
    EXPECT_EQ(call(MathFn::normalize, {value_of(kind, {0.0, 2.0, 0.0})}).out,
              value_of(kind, {0.0, 1.0, 0.0}).bits);
  }
}

TEST(VectorFunctions, CrossReflectRefractAndFaceForwardFollowTheirFormulas) {
  for (const ScalarKind kind : kFloats) {
    const Slow s{kind};
    Numbers numbers{kind};
    for (int round = 0; round < 300; ++round) {
      const TestValue a = numbers.draw(3), b = numbers.draw(3), c = numbers.draw(3);
      const auto x = numbers.reals(a), y = numbers.reals(b), z = numbers.reals(c);
      std::vector<Real> cross, reflected, faced, refracted;
      const Real d = s.dot(y, x);
      const TestValue eta = numbers.draw(1);
      const Real e = numbers.reals(eta)[0];
      const Real k = s.fma(-s.r(e * e), s.fma(-d, d, 1), 1);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, l = (i + 2) % 3;
        cross.push_back(s.fma(-x[l], y[j], s.r(x[j] * y[l])));
        reflected.push_back(s.fma(-s.r(2 * d), y[i], x[i]));
        faced.push_back(s.dot(y, z) < 0 ? x[i] : -x[i]);
        refracted.push_back(k < 0 ? Real(0) : s.fma(-s.fma(e, d, s.sqrt(k)), y[i], s.r(e * x[i])));
      }
      expect_reals(call(MathFn::cross, kind, 3, {a, b}), kind, cross, "cross");
      expect_reals(call(MathFn::reflect, kind, 3, {a, b}), kind, reflected, "reflect");
      expect_reals(call(MathFn::face_forward, kind, 3, {a, b, c}), kind, faced, "faceForward");
      expect_reals(call(MathFn::refract, kind, 3, {a, b, eta}), kind, refracted, "refract");
    }
  }
}

TEST(VectorFunctions, KnownDirectionsHold) {
  const auto v = [](std::initializer_list<double> n) { return value_of(ScalarKind::f32, n); };
  EXPECT_EQ(call(MathFn::cross, {v({1, 0, 0}), v({0, 1, 0})}).out, v({0, 0, 1}).bits);
  EXPECT_EQ(call(MathFn::cross, {v({0, 1, 0}), v({1, 0, 0})}).out[2], Scalar::of(-1.0F).bits);
  EXPECT_EQ(call(MathFn::reflect, {v({1, -1}), v({0, 1})}).out, v({1, 1}).bits);
  EXPECT_EQ(call(MathFn::refract, {v({0, -1}), v({0, 1}), v({1})}).out, v({0, -1}).bits);
  EXPECT_EQ(call(MathFn::refract, {v({1, 0}), v({0, 1}), v({2})}).out, v({0, 0}).bits);
  EXPECT_EQ(call(MathFn::length, ScalarKind::f32, 1, {v({3, 4})}).bits(), v({5}).bits[0]);
  EXPECT_EQ(call(MathFn::length, ScalarKind::f32, 1, {v({-3})}).bits(), v({3}).bits[0]);
  EXPECT_EQ(call(MathFn::length, ScalarKind::f32, 1, {v({3e30, 4e30})}).fault, Fault::not_finite);
}

TEST(Matrices, ProductsAreChainsOfFusedMultiplyAdds) {
  for (const ScalarKind kind : kFloats) {
    const Slow s{kind};
    Numbers numbers{kind};
    for (std::uint32_t rows = 2; rows <= 4; ++rows) {
      for (std::uint32_t inner = 2; inner <= 4; ++inner) {
        for (std::uint32_t columns = 2; columns <= 4; ++columns) {
          const TestValue a = numbers.draw(inner * rows, inner);
          const TestValue b = numbers.draw(columns * inner, columns);
          const auto x = numbers.reals(a), y = numbers.reals(b);
          std::vector<Real> product;
          for (std::uint32_t c = 0; c < columns; ++c) {
            for (std::uint32_t r = 0; r < rows; ++r) {
              Real sum = s.r(x[r] * y[c * inner]);
              for (std::uint32_t k = 1; k < inner; ++k) {
                sum = s.fma(x[k * rows + r], y[c * inner + k], sum);
              }
              product.push_back(sum);
            }
          }
          expect_reals(call(BinaryOp::mul, a, b, kind, columns * rows, columns), kind, product,
                       "matrix product");
        }
        const TestValue m = numbers.draw(inner * rows, inner);
        const TestValue column = numbers.draw(inner), row = numbers.draw(rows);
        const auto x = numbers.reals(m), v = numbers.reals(column), w = numbers.reals(row);
        std::vector<Real> by_column, by_row, scaled;
        for (std::uint32_t r = 0; r < rows; ++r) {
          std::vector<Real> line;
          for (std::uint32_t k = 0; k < inner; ++k) line.push_back(x[k * rows + r]);
          by_column.push_back(s.dot(line, v));
        }
        for (std::uint32_t c = 0; c < inner; ++c) {
          by_row.push_back(s.dot(w, {x.begin() + c * rows, x.begin() + (c + 1) * rows}));
        }
        const TestValue factor = numbers.draw(1);
        for (const Real e : x) scaled.push_back(s.r(e * numbers.reals(factor)[0]));
        expect_reals(call(BinaryOp::mul, m, column, kind, rows), kind, by_column,
                     "matrix * vector");
        expect_reals(call(BinaryOp::mul, row, m, kind, inner), kind, by_row, "vector * matrix");
        expect_reals(call(BinaryOp::mul, m, factor, kind, rows * inner, inner), kind, scaled,
                     "matrix * scalar");
        expect_reals(call(BinaryOp::mul, factor, m, kind, rows * inner, inner), kind, scaled,
                     "scalar * matrix");
      }
    }
  }
}

TEST(Matrices, SumsWorkComponentByComponent) {
  const TestValue a = value_of(ScalarKind::f32, {1, 2, 3, 4, 5, 6}, 2);
  const TestValue b = value_of(ScalarKind::f32, {10, 20, 30, 40, 50, 60}, 2);
  EXPECT_EQ(call(BinaryOp::add, a, b, ScalarKind::f32, 6, 2).out,
            value_of(ScalarKind::f32, {11, 22, 33, 44, 55, 66}).bits);
  EXPECT_EQ(call(BinaryOp::sub, b, a, ScalarKind::f32, 6, 2).out,
            value_of(ScalarKind::f32, {9, 18, 27, 36, 45, 54}).bits);
}

TEST(Matrices, TransposeMovesEveryElement) {
  for (std::uint32_t columns = 2; columns <= 4; ++columns) {
    for (std::uint32_t rows = 2; rows <= 4; ++rows) {
      Numbers numbers{ScalarKind::f32};
      const TestValue m = numbers.draw(columns * rows, columns);
      const Outcome got = call(MathFn::transpose, ScalarKind::f32, columns * rows, {m}, rows);
      for (std::uint32_t c = 0; c < columns; ++c) {
        for (std::uint32_t r = 0; r < rows; ++r) {
          EXPECT_EQ(got.out[r * columns + c], m.bits[c * rows + r]);
        }
      }
    }
  }
}

// By elimination over the rationals: whole numbers stay whole (Bareiss).
long long exact_determinant(std::vector<std::vector<long long>> m) {
  const std::size_t n = m.size();
  long long sign = 1, previous = 1;
  for (std::size_t k = 0; k + 1 < n; ++k) {
    if (m[k][k] == 0) {
      std::size_t other = k + 1;
      while (other < n && m[other][k] == 0) ++other;
      if (other == n) return 0;
      std::swap(m[k], m[other]);
      sign = -sign;
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      for (std::size_t j = k + 1; j < n; ++j) {
        m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / previous;
      }
    }
    previous = m[k][k];
  }
  return sign * m[n - 1][n - 1];
}

TEST(Matrices, DeterminantOfWholeNumbersIsExact) {
  std::mt19937 engine(23);
  for (const ScalarKind kind : kFloats) {
    // In f16 every partial sum must stay below 2048.
    const int range = kind == ScalarKind::f16 ? 2 : 9;
    std::uniform_int_distribution<int> uniform(-range, range);
    for (std::uint32_t n = 2; n <= 4; ++n) {
      for (int round = 0; round < 300; ++round) {
        TestValue m{kind, {}, n};
        std::vector<std::vector<long long>> rows(n, std::vector<long long>(n));
        for (std::uint32_t c = 0; c < n; ++c) {
          for (std::uint32_t r = 0; r < n; ++r) {
            rows[r][c] = uniform(engine);
            m.bits.push_back(round_to(format_of(kind), static_cast<Real>(rows[r][c])));
          }
        }
        const Outcome got = call(MathFn::determinant, kind, 1, {m});
        ASSERT_TRUE(real_of(format_of(kind), got.bits()) ==
                    static_cast<Real>(exact_determinant(rows)));
      }
    }
  }
}

}  // namespace
}  // namespace vyre
