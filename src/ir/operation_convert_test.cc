// Conversions, bitcasts and packing against exact arithmetic and bit by bit.
#include <gtest/gtest.h>

#include "vyre/ir/operation_testing.h"

namespace vyre {
namespace {

constexpr ScalarKind kAll[] = {ScalarKind::boolean,       ScalarKind::i32, ScalarKind::u32,
                               ScalarKind::f32,           ScalarKind::f16, ScalarKind::abstract_int,
                               ScalarKind::abstract_float};

std::vector<std::uint64_t> samples(ScalarKind kind) {
  if (kind == ScalarKind::boolean) return {0, 1};
  if (is_float(kind)) return float_samples(format_of(kind), 300);
  std::vector<std::uint64_t> out;
  for (const std::uint32_t w : word_samples(200)) {
    out.push_back(w);
    if (kind == ScalarKind::abstract_int) {
      out.push_back(~std::uint64_t{w} + 1);
      out.push_back(std::uint64_t{w} << 31);
    }
  }
  return out;
}

Real exact(Scalar s) {
  if (is_float(s.kind)) return real_of(format_of(s.kind), s.bits);
  if (s.kind == ScalarKind::i32)
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(s.bits));
  if (s.kind == ScalarKind::abstract_int) return static_cast<std::int64_t>(s.bits);
  return static_cast<Real>(s.bits);
}

// The range of whole numbers that an integer kind and a float format have in common.
std::pair<Real, Real> common_range(ScalarKind to, ScalarKind from) {
  Real low = 0, high = 4294967295.0;
  if (to == ScalarKind::i32) {
    low = -2147483648.0;
    high = 2147483647.0;
  }
  if (from == ScalarKind::f32) high = to == ScalarKind::i32 ? 2147483520.0 : 4294967040.0;
  if (from == ScalarKind::f16) {
    low = low < -65504 ? Real(-65504) : low;
    high = 65504;
  }
  return {low, high};
}

TEST(Conversion, ToFloatIsTheNearestValueAndFaultsOutsideTheFiniteRange) {
  for (const ScalarKind from : kAll) {
    for (const ScalarKind to : {ScalarKind::f32, ScalarKind::f16, ScalarKind::abstract_float}) {
      if (from == to) continue;
      const FloatFormat f = format_of(to);
      const Real largest = to == ScalarKind::f16   ? Real(65504)
                           : to == ScalarKind::f32 ? Real(std::numeric_limits<float>::max())
                                                   : Real(std::numeric_limits<double>::max());
      for (const std::uint64_t bits : samples(from)) {
        const Scalar in{from, bits};
        Scalar out;
        const Fault fault = convert(in, to, out);
        const Real x = exact(in);
        ASSERT_EQ(out.kind, to);
        ASSERT_TRUE(same(f, out.bits, round_to(f, x)))
            << to_string(from) << " " << bits << " to " << to_string(to);
        ASSERT_EQ(fault, magnitude(x) <= largest ? Fault::none : Fault::does_not_fit);
      }
    }
  }
}

TEST(Conversion, FloatToIntegerTruncatesAndHoldsToWhatBothTypesHave) {
  for (const ScalarKind from : {ScalarKind::f32, ScalarKind::f16, ScalarKind::abstract_float}) {
    for (const ScalarKind to : {ScalarKind::i32, ScalarKind::u32}) {
      for (const std::uint64_t bits : samples(from)) {
        const Real x = exact({from, bits});
        Scalar out;
        ASSERT_EQ(convert({from, bits}, to, out), Fault::none);
        const Real got = exact(out);
        const auto [low, high] = common_range(to, from);
        if (is_nan(x)) {
          ASSERT_TRUE(got == 0);
        } else if (x >= high) {
          ASSERT_TRUE(got == high) << to_string(from) << " " << bits;
        } else if (x <= low) {
          ASSERT_TRUE(got == low);
        } else {  // towards zero: less than one away, on the side of zero
          const Real distance = magnitude(x) - magnitude(got);
          ASSERT_TRUE(distance >= 0 && distance < 1);
          ASSERT_TRUE(got == 0 || (got < 0) == (x < 0));
        }
      }
    }
  }
}

TEST(Conversion, TheSpecificationsExamplesHold) {
  const auto to = [](Scalar in, ScalarKind kind) {
    Scalar out;
    convert(in, kind, out);
    return out;
  };
  EXPECT_EQ(to(Scalar::of(3.9F), ScalarKind::u32), Scalar::of(3U));
  EXPECT_EQ(to(Scalar::of(-1.0F), ScalarKind::u32), Scalar::of(0U));
  EXPECT_EQ(to(Scalar::of(1e20F), ScalarKind::u32), Scalar::of(4294967040U));
  EXPECT_EQ(to(Scalar::of(-3.9F), ScalarKind::i32), Scalar::of(-3));
  EXPECT_EQ(to(Scalar::of(1e20F), ScalarKind::i32), Scalar::of(2147483520));
  EXPECT_EQ(to(Scalar::of(-1e20F), ScalarKind::i32),
            Scalar::of(std::numeric_limits<std::int32_t>::min()));
}

TEST(Conversion, BetweenI32AndU32KeepsTheBits) {
  for (const std::uint32_t w : word_samples(100)) {
    Scalar out;
    EXPECT_EQ(convert({ScalarKind::i32, w}, ScalarKind::u32, out), Fault::none);
    EXPECT_EQ(out, Scalar::of(w));
    EXPECT_EQ(convert({ScalarKind::u32, w}, ScalarKind::i32, out), Fault::none);
    EXPECT_EQ(out.bits, w);
  }
}

TEST(Conversion, AnAbstractIntegerMustFit) {
  for (const std::uint64_t bits : samples(ScalarKind::abstract_int)) {
    const auto v = static_cast<std::int64_t>(bits);
    Scalar out;
    const bool i32 = v >= -2147483648LL && v <= 2147483647LL, u32 = v >= 0 && v <= 4294967295LL;
    EXPECT_EQ(convert({ScalarKind::abstract_int, bits}, ScalarKind::i32, out),
              i32 ? Fault::none : Fault::does_not_fit);
    EXPECT_EQ(out.bits, bits & 0xFFFFFFFFU);
    EXPECT_EQ(convert({ScalarKind::abstract_int, bits}, ScalarKind::u32, out),
              u32 ? Fault::none : Fault::does_not_fit);
    EXPECT_EQ(out.bits, bits & 0xFFFFFFFFU);
  }
}

TEST(Conversion, BoolIsWhetherTheValueIsNotZero) {
  for (const ScalarKind from : kAll) {
    for (const std::uint64_t bits : samples(from)) {
      Scalar out;
      ASSERT_EQ(convert({from, bits}, ScalarKind::boolean, out), Fault::none);
      ASSERT_EQ(out, Scalar::of(exact({from, bits}) != 0));
    }
    Scalar out;
    EXPECT_EQ(convert(Scalar::of(true), from, out), Fault::none);
    EXPECT_TRUE(exact(out) == 1);
  }
}

Outcome bitcast(const TestValue& in, ScalarKind to, std::uint32_t count) {
  TypeTable types;
  Outcome out;
  out.out.resize(count);
  const TypeId type = TestValue{to, std::vector<std::uint64_t>(count), 0}.type(types);
  out.fault = apply_bitcast(types, type, {in.type(types), in.bits}, out.out);
  return out;
}

TEST(Bitcast, KeepsBitsAmongTypesOfTheSameSize) {
  const std::vector<std::uint64_t> words{0x3F800000, 0xC0490FDB, 0x12345678, 0x80000000};
  for (const ScalarKind from : {ScalarKind::i32, ScalarKind::u32, ScalarKind::f32}) {
    for (const ScalarKind to : {ScalarKind::i32, ScalarKind::u32, ScalarKind::f32}) {
      for (std::uint32_t n = 1; n <= 4; ++n) {
        const TestValue in{from, {words.begin(), words.begin() + n}, 0};
        EXPECT_EQ(bitcast(in, to, n).out, in.bits);
        EXPECT_EQ(bitcast(in, to, n).fault, Fault::none);
      }
    }
  }
  const TestValue half2{ScalarKind::f16, {0x1234, 0x3C00}, 0};
  const TestValue half4{ScalarKind::f16, {0x1234, 0x3C00, 0x0001, 0xBC00}, 0};
  for (const ScalarKind kind : {ScalarKind::i32, ScalarKind::u32, ScalarKind::f32}) {
    EXPECT_EQ(bitcast(half2, kind, 1).out, (std::vector<std::uint64_t>{0x3C001234}));
    EXPECT_EQ(bitcast(half4, kind, 2).out, (std::vector<std::uint64_t>{0x3C001234, 0xBC000001}));
    EXPECT_EQ(bitcast({kind, {0x3C001234}, 0}, ScalarKind::f16, 2).out, half2.bits);
    EXPECT_EQ(bitcast({kind, {0x3C001234, 0xBC000001}, 0}, ScalarKind::f16, 4).out, half4.bits);
  }
}

TEST(Bitcast, ToInfinityOrNanIsAFaultOfConstants) {
  EXPECT_EQ(bitcast({ScalarKind::u32, {0x7F800000}, 0}, ScalarKind::f32, 1).fault,
            Fault::not_finite);
  EXPECT_EQ(bitcast({ScalarKind::u32, {0x7FC00000}, 0}, ScalarKind::f32, 1).fault,
            Fault::not_finite);
  EXPECT_EQ(bitcast({ScalarKind::u32, {0x7C000000}, 0}, ScalarKind::f16, 2).fault,
            Fault::not_finite);
  EXPECT_EQ(bitcast({ScalarKind::abstract_int, {~std::uint64_t{0}}, 0}, ScalarKind::u32, 1).fault,
            Fault::does_not_fit);
  EXPECT_EQ(bitcast({ScalarKind::abstract_int, {0xFFFFFFFF}, 0}, ScalarKind::u32, 1).out[0],
            0xFFFFFFFFU);
}

// ---- Packing -----------------------------------------------------------------------------------

// The whole number k with k <= v < k + 1.
long long floor_of(Real v) {
  auto k = static_cast<long long>(v);
  return static_cast<Real>(k) > v ? k - 1 : k;
}

TEST(Packing, NormalizedFloatsRoundHalfUp) {
  const auto floats = float_samples(kF32, 400);
  struct Form {
    MathFn fn;
    unsigned width;
    int low, scale;
  };
  for (const Form& form :
       {Form{MathFn::pack4x8_snorm, 8, -1, 127}, Form{MathFn::pack4x8_unorm, 8, 0, 255},
        Form{MathFn::pack2x16_snorm, 16, -1, 32767}, Form{MathFn::pack2x16_unorm, 16, 0, 65535}}) {
    const unsigned lanes = 32 / form.width;
    for (std::size_t i = 0; i + lanes <= floats.size(); ++i) {
      TestValue in{ScalarKind::f32, {floats.begin() + i, floats.begin() + i + lanes}, 0};
      // Also small multiples of the step and the halves between them.
      in.bits[0] = round_to(kF32, (static_cast<Real>(i % 600) / 2 - 150) / form.scale);
      std::uint32_t expected = 0;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        Real v = real_of(kF32, in.bits[lane]);
        v = v > form.low ? (v > 1 ? 1 : v) : form.low;
        const auto k = static_cast<std::uint32_t>(floor_of(Real(0.5) + form.scale * v));
        expected |= (k & ((1U << form.width) - 1)) << (lane * form.width);
      }
      ASSERT_EQ(call(form.fn, ScalarKind::u32, 1, {in}).bits(), expected);
    }
  }
}

TEST(Packing, NormalizedIntegersUnpackToTheNearestFloat) {
  const auto check = [](MathFn fn, std::uint32_t word, unsigned width, bool is_signed, int scale) {
    const Outcome got = call(fn, ScalarKind::f32, 32 / width, {value_of(Scalar::of(word))});
    for (unsigned lane = 0; lane < 32 / width; ++lane) {
      long long v = (word >> (lane * width)) & ((1U << width) - 1);
      if (is_signed && v >= (1LL << (width - 1))) v -= 1LL << width;
      Real exact = static_cast<Real>(v) / scale;
      if (exact < -1) exact = -1;
      ASSERT_EQ(got.out[lane], round_to(kF32, exact)) << to_string(fn) << " " << word;
    }
  };
  for (std::uint32_t v = 0; v < 65536; v += 7) {
    const std::uint32_t word = v | (~v << 16);
    check(MathFn::unpack4x8_snorm, word, 8, true, 127);
    check(MathFn::unpack4x8_unorm, word, 8, false, 255);
    check(MathFn::unpack2x16_snorm, word, 16, true, 32767);
    check(MathFn::unpack2x16_unorm, word, 16, false, 65535);
  }
}

TEST(Packing, BytesKeepTheirPlace) {
  for (const std::uint32_t w : word_samples(200)) {
    const std::uint32_t x = w * 2654435761U, y = ~w, z = w >> 3;
    const TestValue s{ScalarKind::i32, {w, x, y, z}, 0}, u{ScalarKind::u32, {w, x, y, z}, 0};
    std::uint32_t low = 0, signed_clamped = 0, unsigned_clamped = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      const auto bits = static_cast<std::uint32_t>(s.bits[lane]);
      const auto as_signed = static_cast<std::int32_t>(bits);
      low |= (bits % 256) << (8 * lane);
      const int held = as_signed < -128 ? -128 : as_signed > 127 ? 127 : as_signed;
      signed_clamped |= static_cast<std::uint32_t>(held & 255) << (8 * lane);
      unsigned_clamped |= (bits > 255 ? 255 : bits) << (8 * lane);
    }
    const auto got = [&](MathFn fn, const TestValue& in) {
      return call(fn, ScalarKind::u32, 1, {in}).bits();
    };
    ASSERT_EQ(got(MathFn::pack4x_i8, s), low);
    ASSERT_EQ(got(MathFn::pack4x_u8, u), low);
    ASSERT_EQ(got(MathFn::pack4x_i8_clamp, s), signed_clamped);
    ASSERT_EQ(got(MathFn::pack4x_u8_clamp, u), unsigned_clamped);

    const auto i8 = call(MathFn::unpack4x_i8, ScalarKind::i32, 4, {value_of(Scalar::of(w))}).out;
    const auto u8 = call(MathFn::unpack4x_u8, ScalarKind::u32, 4, {value_of(Scalar::of(w))}).out;
    long long dot_u = 0, dot_s = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      const int byte = static_cast<int>((w >> (8 * lane)) % 256);
      const int other = static_cast<int>((x >> (8 * lane)) % 256);
      ASSERT_EQ(u8[lane], static_cast<std::uint32_t>(byte));
      ASSERT_EQ(i8[lane], static_cast<std::uint32_t>(byte > 127 ? byte - 256 : byte));
      dot_u += byte * other;
      dot_s += (byte > 127 ? byte - 256 : byte) * (other > 127 ? other - 256 : other);
    }
    const std::vector<TestValue> both{value_of(Scalar::of(w)), value_of(Scalar::of(x))};
    ASSERT_EQ(call(MathFn::dot4_u8_packed, ScalarKind::u32, 1, both).bits(),
              static_cast<std::uint32_t>(dot_u));
    ASSERT_EQ(call(MathFn::dot4_i8_packed, ScalarKind::i32, 1, both).bits(),
              static_cast<std::uint32_t>(dot_s));
  }
}

TEST(Packing, HalvesGoThroughBinary16) {
  const auto floats = float_samples(kF32, 500, false);
  for (std::size_t i = 0; i + 1 < floats.size(); ++i) {
    const TestValue in{ScalarKind::f32, {floats[i], floats[i + 1]}, 0};
    const Real x = real_of(kF32, floats[i]), y = real_of(kF32, floats[i + 1]);
    const Outcome got = call(MathFn::pack2x16_float, ScalarKind::u32, 1, {in});
    ASSERT_EQ(got.bits(), round_to(kF16, x) | (round_to(kF16, y) << 16));
    const bool inside = magnitude(x) <= 65504 && magnitude(y) <= 65504;
    ASSERT_EQ(got.fault, inside ? Fault::none : Fault::does_not_fit);
  }
  for (std::uint32_t h = 0; h < 0x10000; h += 5) {
    const Outcome got =
        call(MathFn::unpack2x16_float, ScalarKind::f32, 2, {value_of(Scalar::of(h | 0x3C000000U))});
    ASSERT_TRUE(same(kF32, got.out[0], round_to(kF32, real_of(kF16, h))));
    ASSERT_EQ(got.out[1], Scalar::of(1.0F).bits);
    ASSERT_EQ(got.fault, is_finite(kF16, h) ? Fault::none : Fault::not_finite);
  }
}

}  // namespace
}  // namespace vyre
