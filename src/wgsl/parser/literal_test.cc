#include "vyre/wgsl/parser/literal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace vyre {
namespace {

Scalar value_of(std::string_view literal) {
  EXPECT_EQ(scan_number(literal), literal.size()) << literal;
  const auto value = number_value(literal);
  EXPECT_TRUE(value) << literal << ": " << (value ? "" : value.error());
  return value.value_or(Scalar{});
}

std::string error_of(std::string_view literal) {
  EXPECT_EQ(scan_number(literal), literal.size()) << literal;
  const auto value = number_value(literal);
  EXPECT_FALSE(value) << literal;
  return value ? "" : value.error();
}

Scalar f16(std::uint64_t bits) { return {ScalarKind::f16, bits}; }

TEST(Literal, ReadsIntegersOfEveryForm) {
  EXPECT_EQ(value_of("0"), Scalar::abstract(std::int64_t{0}));
  EXPECT_EQ(value_of("123"), Scalar::abstract(std::int64_t{123}));
  EXPECT_EQ(value_of("42i"), Scalar::of(std::int32_t{42}));
  EXPECT_EQ(value_of("42u"), Scalar::of(std::uint32_t{42}));
  EXPECT_EQ(value_of("0i"), Scalar::of(std::int32_t{0}));
  EXPECT_EQ(value_of("0x3f"), Scalar::abstract(std::int64_t{0x3f}));
  EXPECT_EQ(value_of("0X123u"), Scalar::of(std::uint32_t{0x123}));
  EXPECT_EQ(value_of("0xFFi"), Scalar::of(std::int32_t{255}));
  EXPECT_EQ(value_of("0x00000000000000000001"), Scalar::abstract(std::int64_t{1}));
}

TEST(Literal, ReadsTheLargestIntegersAndNoLarger) {
  EXPECT_EQ(value_of("2147483647i"), Scalar::of(std::int32_t{2147483647}));
  EXPECT_EQ(value_of("4294967295u"), Scalar::of(std::uint32_t{4294967295U}));
  EXPECT_EQ(value_of("9223372036854775807"),
            Scalar::abstract(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(error_of("2147483648i"),
            "the value does not fit in i32, whose largest value is 2147483647");
  EXPECT_EQ(error_of("0x80000000i"),
            "the value does not fit in i32, whose largest value is 2147483647");
  EXPECT_EQ(error_of("4294967296u"),
            "the value does not fit in u32, whose largest value is 4294967295");
  const std::string too_large =
      "the value does not fit in an abstract integer, whose largest value is 9223372036854775807";
  EXPECT_EQ(error_of("9223372036854775808"), too_large);
  EXPECT_EQ(error_of("0x8000000000000000"), too_large);
  EXPECT_EQ(error_of("99999999999999999999999999999999"), too_large);
}

TEST(Literal, ReadsDecimalFloatsOfEveryForm) {
  EXPECT_EQ(value_of("0.e+4f"), Scalar::of(0.0F));
  EXPECT_EQ(value_of("01."), Scalar::abstract(1.0));
  EXPECT_EQ(value_of(".01"), Scalar::abstract(0.01));
  EXPECT_EQ(value_of("12.34"), Scalar::abstract(12.34));
  EXPECT_EQ(value_of(".0f"), Scalar::of(0.0F));
  EXPECT_EQ(value_of("0h"), f16(0));
  EXPECT_EQ(value_of("0f"), Scalar::of(0.0F));
  EXPECT_EQ(value_of("1e-3"), Scalar::abstract(1e-3));
  EXPECT_EQ(value_of("1E+3"), Scalar::abstract(1e3));
  EXPECT_EQ(value_of("42f"), Scalar::of(42.0F));
  EXPECT_EQ(value_of("1.f"), Scalar::of(1.0F));
  EXPECT_EQ(value_of("1.5h"), f16(0x3E00));
  EXPECT_EQ(value_of("007e0"), Scalar::abstract(7.0));
  EXPECT_EQ(value_of("3.14159265358979f"), Scalar::of(3.14159265358979F));
}

TEST(Literal, RoundsDecimalFloatsToTheNearestValue) {
  EXPECT_EQ(value_of("16777217f"), Scalar::of(16777216.0F));          // a tie, to even
  EXPECT_EQ(value_of("16777217.0000001f"), Scalar::of(16777218.0F));  // just above the tie
  EXPECT_EQ(value_of("2049.0h"), f16(0x6800));                        // 2048
  EXPECT_EQ(value_of("2051.0h"), f16(0x6802));                        // 2052
  EXPECT_EQ(value_of("0.1"), Scalar::abstract(0.1));
  EXPECT_EQ(value_of("1.00000000000000000000000000000000000000000000000001f"), Scalar::of(1.0F));
}

TEST(Literal, KeepsSubnormalsAndLetsTinyValuesVanish) {
  EXPECT_EQ(value_of("1e-45f"), Scalar::of(std::numeric_limits<float>::denorm_min()));
  EXPECT_EQ(value_of("1e-46f"), Scalar::of(0.0F));
  EXPECT_EQ(value_of("1e-400f"), Scalar::of(0.0F));
  EXPECT_EQ(value_of("5e-324"), Scalar::abstract(std::numeric_limits<double>::denorm_min()));
  EXPECT_EQ(value_of("1e-400"), Scalar::abstract(0.0));
  EXPECT_EQ(value_of("0.0e99999999999999999999"), Scalar::abstract(0.0));
  EXPECT_EQ(value_of("1e-99999999999999999999"), Scalar::abstract(0.0));
  EXPECT_EQ(value_of("6e-8h"), f16(1));
  EXPECT_EQ(value_of("2e-8h"), f16(0));
}

TEST(Literal, RefusesFloatsBeyondTheLargest) {
  EXPECT_EQ(value_of("3.40282346638528859e38f"), Scalar::of(std::numeric_limits<float>::max()));
  EXPECT_EQ(error_of("3.5e38f"),
            "the value does not fit in f32, whose largest value is about 3.4e38");
  EXPECT_EQ(error_of("1e400f"),
            "the value does not fit in f32, whose largest value is about 3.4e38");
  EXPECT_EQ(error_of("1e309"),
            "the value does not fit in an abstract float, whose largest value is about 1.8e308");
  EXPECT_EQ(error_of("1e99999999999999999999"),
            "the value does not fit in an abstract float, whose largest value is about 1.8e308");
  EXPECT_EQ(value_of("65504h"), f16(0x7BFF));
  EXPECT_EQ(value_of("65519.9h"), f16(0x7BFF));
  EXPECT_EQ(error_of("65520h"), "the value does not fit in f16, whose largest value is 65504");
}

TEST(Literal, ReadsHexadecimalFloatsOfEveryForm) {
  EXPECT_EQ(value_of("0xa.fp+2"), Scalar::abstract(0xa.fp+2));
  EXPECT_EQ(value_of("0x1P+4f"), Scalar::of(16.0F));
  EXPECT_EQ(value_of("0X.3"), Scalar::abstract(0.1875));
  EXPECT_EQ(value_of("0x3p+2h"), f16(0x4A00));  // 12
  EXPECT_EQ(value_of("0X1.fp-4"), Scalar::abstract(0x1.fp-4));
  EXPECT_EQ(value_of("0x3.2p+2h"), f16(0x4A40));  // 12.5
  EXPECT_EQ(value_of("0x1."), Scalar::abstract(1.0));
  EXPECT_EQ(value_of("0x0p0f"), Scalar::of(0.0F));
  EXPECT_EQ(value_of("0x1.8f"), Scalar::abstract(1.0 + 0x8f / 256.0));  // f is a digit here
  EXPECT_EQ(value_of("0x00000000000000000000001p0"), Scalar::abstract(1.0));
  EXPECT_EQ(value_of("0x.00000000000000000000001p92"), Scalar::abstract(1.0));
  EXPECT_EQ(value_of("0x100000000000000000000p-80"), Scalar::abstract(1.0));
}

TEST(Literal, TakesHexadecimalFloatsWithASuffixOnlyWhenExact) {
  EXPECT_EQ(value_of("0x1.fffffep127f"), Scalar::of(std::numeric_limits<float>::max()));
  EXPECT_EQ(value_of("0x1p-149f"), Scalar::of(std::numeric_limits<float>::denorm_min()));
  EXPECT_EQ(value_of("0x1p-24h"), f16(1));
  EXPECT_EQ(value_of("0x1.ffcp15h"), f16(0x7BFF));
  const std::string inexact = "the hexadecimal value is not exactly representable as f32";
  EXPECT_EQ(error_of("0x1.00000001p0f"), inexact);
  EXPECT_EQ(error_of("0x1p-150f"), inexact);
  EXPECT_EQ(error_of("0x1p-99999999999999999999f"), inexact);
  EXPECT_EQ(error_of("0x1.0000000000000000000001p0f"), inexact);
  EXPECT_EQ(error_of("0x1.001p0h"), "the hexadecimal value is not exactly representable as f16");
  EXPECT_EQ(error_of("0x1p128f"),
            "the value does not fit in f32, whose largest value is about 3.4e38");
  EXPECT_EQ(error_of("0x1p16h"), "the value does not fit in f16, whose largest value is 65504");
}

TEST(Literal, RoundsAbstractHexadecimalFloats) {
  EXPECT_EQ(value_of("0x1.00000000000008p0"), Scalar::abstract(1.0));  // a tie, to even
  EXPECT_EQ(value_of("0x1.000000000000080001p0"), Scalar::abstract(0x1.0000000000001p0));
  EXPECT_EQ(value_of("0x1.00000000000018p0"), Scalar::abstract(0x1.0000000000002p0));
  EXPECT_EQ(value_of("0x1.fffffffffffff7p1023"),
            Scalar::abstract(std::numeric_limits<double>::max()));
  EXPECT_EQ(value_of("0x1p-1075"), Scalar::abstract(0.0));
  EXPECT_EQ(value_of("0x1.8p-1075"), Scalar::abstract(0x1p-1074));
  EXPECT_EQ(error_of("0x1.fffffffffffff8p1023"),
            "the value does not fit in an abstract float, whose largest value is about 1.8e308");
}

TEST(Literal, EndsWhereTheLongestFormEnds) {
  EXPECT_EQ(scan_number("1+2"), 1U);
  EXPECT_EQ(scan_number("1..2"), 2U);
  EXPECT_EQ(scan_number("1.x"), 2U);
  EXPECT_EQ(scan_number("1e"), 1U);
  EXPECT_EQ(scan_number("1e+"), 1U);
  EXPECT_EQ(scan_number("0x"), 1U);
  EXPECT_EQ(scan_number("0x.p1"), 1U);
  EXPECT_EQ(scan_number("0x1p"), 3U);
  EXPECT_EQ(scan_number("0x1.8h"), 5U);
  EXPECT_EQ(scan_number("012"), 1U);
  EXPECT_EQ(scan_number("012.5"), 5U);
  EXPECT_EQ(scan_number("01f"), 1U);
  EXPECT_EQ(scan_number("1uu"), 2U);
}

TEST(Literal, ExplainsMalformedNumbers) {
  EXPECT_EQ(explain_malformed_number("012"),
            "number '012' has a leading zero; WGSL has no octal numbers");
  EXPECT_EQ(explain_malformed_number("0x"), "'0x' needs hexadecimal digits behind it");
  EXPECT_EQ(explain_malformed_number("0b101"),
            "'0b101': numbers are decimal or, with '0x', hexadecimal");
  EXPECT_EQ(explain_malformed_number("1_000"),
            "'1_000': digits of a number cannot be separated by '_'");
  EXPECT_EQ(explain_malformed_number("1e"), "the exponent of '1e' has no digits");
  EXPECT_EQ(explain_malformed_number("0x1p"), "the exponent of '0x1p' has no digits");
  EXPECT_EQ(explain_malformed_number("0x1.8h"),
            "'0x1.8h': a hexadecimal float with a suffix needs an exponent, as in '0x1.8p0h'");
  EXPECT_EQ(explain_malformed_number("1ul"), "invalid suffix 'l' on number '1u'");
  EXPECT_EQ(explain_malformed_number("10li"), "'10li': vyre has no 64-bit numbers (docs/wgsl.md)");
  EXPECT_EQ(explain_malformed_number("3px"), "invalid suffix 'px' on number '3'");
}

}  // namespace
}  // namespace vyre
