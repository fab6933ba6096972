// For tests of operations: calling them with plain numbers, and arithmetic to compare them with
// that shares nothing with ours: exact in binary128, then rounded bit by bit.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "vyre/ir/operation.h"

namespace vyre {

__extension__ using Real = __float128;
__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

// ---- Calling operations ----------------------------------------------------------------------

struct Outcome {
  Fault fault = Fault::none;
  std::vector<std::uint64_t> out;
  std::uint64_t bits() const { return out[0]; }
};

// A flattened value: n = 1 is a scalar, otherwise a vector (or a matrix, by columns).
struct TestValue {
  ScalarKind kind = ScalarKind::u32;
  std::vector<std::uint64_t> bits;
  std::uint32_t columns = 0;  // of a matrix

  TypeId type(TypeTable& types) const {
    const auto n = static_cast<std::uint32_t>(bits.size());
    if (columns != 0) return types.matrix(kind, columns, n / columns);
    return n == 1 ? types.scalar(kind) : types.vector(kind, n);
  }
};

inline TestValue value_of(Scalar s) { return {s.kind, {s.bits}, 0}; }
template <class T>
TestValue value_of(ScalarKind kind, std::initializer_list<T> numbers, std::uint32_t columns = 0) {
  TestValue out{kind, {}, columns};
  for (const T n : numbers) {
    switch (kind) {
      case ScalarKind::f32: out.bits.push_back(Scalar::of(static_cast<float>(n)).bits); break;
      case ScalarKind::f16: out.bits.push_back(Scalar::of_f16(static_cast<float>(n)).bits); break;
      case ScalarKind::abstract_float:
        out.bits.push_back(Scalar::abstract(static_cast<double>(n)).bits);
        break;
      case ScalarKind::abstract_int:
        out.bits.push_back(Scalar::abstract(static_cast<std::int64_t>(n)).bits);
        break;
      default: out.bits.push_back(static_cast<std::uint32_t>(static_cast<std::int64_t>(n))); break;
    }
  }
  return out;
}

inline Outcome call(MathFn fn, ScalarKind result, std::uint32_t count,
                    const std::vector<TestValue>& arguments, std::uint32_t columns = 0) {
  static TypeTable types;
  std::vector<Operand> operands;
  for (const TestValue& a : arguments) operands.push_back({a.type(types), a.bits});
  const TypeId type = TestValue{result, std::vector<std::uint64_t>(count), columns}.type(types);
  Outcome outcome;
  outcome.out.resize(count);
  outcome.fault = apply(fn, types, type, operands, outcome.out);
  return outcome;
}
// Same type in and out.
inline Outcome call(MathFn fn, const std::vector<TestValue>& arguments) {
  return call(fn, arguments[0].kind, static_cast<std::uint32_t>(arguments[0].bits.size()),
              arguments);
}
inline Outcome call(BinaryOp op, Scalar a, Scalar b) {
  Scalar out;
  const Fault fault = apply(op, a, b, out);
  return {fault, {out.bits}};
}
inline Outcome call(BinaryOp op, const TestValue& a, const TestValue& b, ScalarKind result,
                    std::uint32_t count, std::uint32_t columns = 0) {
  static TypeTable types;
  const TypeId type = TestValue{result, std::vector<std::uint64_t>(count), columns}.type(types);
  Outcome outcome;
  outcome.out.resize(count);
  outcome.fault =
      apply(op, types, type, {a.type(types), a.bits}, {b.type(types), b.bits}, outcome.out);
  return outcome;
}

// ---- An independent arithmetic ---------------------------------------------------------------

struct FloatFormat {
  int digits;        // of the significand, the hidden one included
  int max_exponent;  // of the largest finite value, as 1.x * 2^e
  int exponent_bits;
  int min_exponent() const { return 1 - max_exponent; }
};
constexpr FloatFormat kF16{11, 15, 5};
constexpr FloatFormat kF32{24, 127, 8};
constexpr FloatFormat kF64{53, 1023, 11};

inline FloatFormat format_of(ScalarKind kind) {
  return kind == ScalarKind::f16 ? kF16 : kind == ScalarKind::f32 ? kF32 : kF64;
}

// The pattern of the value nearest to v, ties to even.
inline std::uint64_t round_to(FloatFormat f, Real v) {
  const Wide pattern = std::bit_cast<Wide>(v);
  const std::uint64_t sign = static_cast<std::uint64_t>(pattern >> 127)
                             << (f.exponent_bits + f.digits - 1);
  const int exponent = static_cast<int>((pattern >> 112) & 0x7FFF) - 16383;
  const Wide fraction = pattern & ((Wide{1} << 112) - 1);
  const std::uint64_t infinity = ((std::uint64_t{1} << f.exponent_bits) - 1) << (f.digits - 1);
  if (exponent == 16384) return fraction != 0 ? infinity | 1 : sign | infinity;
  if (exponent == -16383) return sign;  // zero, and what is far too small
  const Wide significand = fraction | (Wide{1} << 112);
  // Count in units of the last place: 2^(e - digits + 1), no smaller than the subnormals' unit.
  const int unit = std::max(exponent, f.min_exponent()) - f.digits + 1;
  const int drop = unit - (exponent - 112);
  if (drop > 115) return sign;
  Wide kept = drop > 127 ? 0 : significand >> drop;
  const Wide rest = significand - (kept << drop), half = Wide{1} << (drop - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // A value of 2^(digits-1) units or more is normal; the biased exponent counts from there.
  std::uint64_t bits = static_cast<std::uint64_t>(kept);
  if (exponent >= f.min_exponent()) {
    bits += static_cast<std::uint64_t>(exponent - f.min_exponent()) << (f.digits - 1);
  }
  return sign | std::min(bits, infinity);
}

inline Real power_of_two(int exponent) {
  return std::bit_cast<Real>(static_cast<Wide>(exponent + 16383) << 112);
}

inline Real real_of(FloatFormat f, std::uint64_t bits) {
  const std::uint64_t exponent_mask = (std::uint64_t{1} << f.exponent_bits) - 1;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << (f.digits - 1)) - 1);
  const auto biased = static_cast<int>((bits >> (f.digits - 1)) & exponent_mask);
  const bool negative = ((bits >> (f.exponent_bits + f.digits - 1)) & 1) != 0;
  Real out = static_cast<Real>(fraction);
  if (biased == static_cast<int>(exponent_mask)) {
    out = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                        : std::numeric_limits<double>::infinity();
  } else {
    int scale = f.min_exponent() - f.digits + 1;
    if (biased != 0) {
      out += static_cast<Real>(std::uint64_t{1} << (f.digits - 1));
      scale += biased - 1;
    }
    out *= power_of_two(scale);
  }
  return negative ? -out : out;
}

inline bool is_nan(Real v) { return v != v; }
inline bool is_infinite(Real v) { return v == v && v - v != v - v; }
inline bool is_nan(FloatFormat f, std::uint64_t bits) { return is_nan(real_of(f, bits)); }
inline bool is_finite(FloatFormat f, std::uint64_t bits) {
  const Real v = real_of(f, bits);
  return v - v == 0;
}
// Equal as values, any NaN like any other, zeros by value.
inline bool same(FloatFormat f, std::uint64_t a, std::uint64_t b) {
  const Real x = real_of(f, a), y = real_of(f, b);
  return (is_nan(x) && is_nan(y)) || x == y;
}

inline Real magnitude(Real v) { return v < 0 ? -v : v; }

// a + b rounded. Binary128 holds the sum exactly unless the operands are so far apart that the
// larger one is the answer.
inline std::uint64_t rounded_sum(FloatFormat f, Real a, Real b) {
  const bool finite = a - a == 0 && b - b == 0;
  const Real big = magnitude(a) > magnitude(b) ? a : b, small = magnitude(a) > magnitude(b) ? b : a;
  const Real far = static_cast<Real>(std::uint64_t{1} << 57);
  if (finite && small != 0 && magnitude(big) / far > magnitude(small)) return round_to(f, big);
  return round_to(f, a + b);
}

// ---- Samples ---------------------------------------------------------------------------------

// Edges of a format, numbers of everyday size, and random patterns.
inline std::vector<std::uint64_t> float_samples(FloatFormat f, std::size_t random,
                                                bool with_non_finite = true) {
  std::vector<std::uint64_t> out;
  const int width = f.exponent_bits + f.digits;
  const std::uint64_t one = std::uint64_t{1} << (f.digits - 1);
  const std::uint64_t infinity = ((std::uint64_t{1} << f.exponent_bits) - 1) << (f.digits - 1);
  for (const std::uint64_t edge :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, one - 1, one, one + 1, infinity - 1,
        infinity - 2, infinity, infinity + 1, infinity | (one >> 1)}) {
    out.push_back(edge);
    out.push_back(edge | (std::uint64_t{1} << (width - 1)));
  }
  for (const double v : {0.1,    0.25,   0.5,     0.75,    1.0,   1.5,    2.0,    2.5,
                         3.0,    3.5,    7.0,     10.0,    100.5, 127.5,  255.5,  1023.5,
                         2047.0, 2049.0, 65503.0, 3.14159, 1e-3,  6.1e-5, 5.9e-8, 65504.0}) {
    out.push_back(round_to(f, v));
    out.push_back(round_to(f, -v));
  }
  std::mt19937_64 engine(20241113);
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  std::uniform_real_distribution<double> everyday(-20, 20);
  for (std::size_t i = 0; i < random; ++i) {
    out.push_back(engine() & mask);
    out.push_back(round_to(f, everyday(engine)));
  }
  if (!with_non_finite) std::erase_if(out, [&](std::uint64_t b) { return !is_finite(f, b); });
  return out;
}

inline std::vector<std::uint32_t> word_samples(std::size_t random) {
  std::vector<std::uint32_t> out{0,          1,          2,          3,          7,
                                 8,          31,         32,         33,         63,
                                 127,        128,        255,        256,        32767,
                                 32768,      65535,      65536,      0x7FFFFFFF, 0x80000000,
                                 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0xAAAAAAAA, 0x55555555,
                                 0x7FFFFF80, 0xFFFFFF00, 46341,      65537};
  std::mt19937 engine(7);
  for (std::size_t i = 0; i < random; ++i) {
    out.push_back(engine());
    out.push_back(engine() >> (engine() % 32));
  }
  return out;
}

}  // namespace vyre
