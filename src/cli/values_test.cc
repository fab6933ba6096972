#include "vyre/cli/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vyre {
namespace {

TEST(Values, ExtentsHaveOneToThreeAxes) {
  EXPECT_EQ(parse_extent("64").value(), (Extent{64, 1, 1}));
  EXPECT_EQ(parse_extent("64,32").value(), (Extent{64, 32, 1}));
  EXPECT_EQ(parse_extent("64,32,4294967295").value(), (Extent{64, 32, UINT32_MAX}));
  EXPECT_EQ(parse_extent("8x4").value(), (Extent{8, 4, 1}));
  EXPECT_EQ(parse_extent("0x10x0x20x3").value(), (Extent{16, 32, 3}));
  EXPECT_FALSE(parse_extent("8,4", "x"));
  for (const char* bad : {"", ",", "1,", ",1", "0", "1,0", "1,1,1,1", "4294967296", "1;2", "-1",
                          "4x", "x4", "0x", "4x0"}) {
    EXPECT_FALSE(parse_extent(bad)) << bad;
  }
}

TEST(Values, BytesTakeUnits) {
  EXPECT_EQ(parse_bytes("4096").value(), 4096U);
  EXPECT_EQ(parse_bytes("64KiB").value(), 65536U);
  EXPECT_EQ(parse_bytes("1.5MiB").value(), 1572864U);
  EXPECT_EQ(parse_bytes("2 GB").value(), 2000000000U);
  EXPECT_EQ(parse_bytes("7B").value(), 7U);
  for (const char* bad : {"", "KiB", "1.5", "0.3KiB", "1kib", "-1", "1 KiB ", "1.2.3MiB",
                          "18446744073709551615KiB", "99999999999.0TiB"}) {
    EXPECT_FALSE(parse_bytes(bad)) << bad;
  }
}

TEST(Values, OverridesTakeNumbersAndTruth) {
  EXPECT_EQ(parse_number("-1.5").value(), -1.5);
  EXPECT_EQ(parse_number("0x20").value(), 32);
  EXPECT_EQ(parse_number("-0x1").value(), -1);
  EXPECT_EQ(parse_number("true").value(), 1);
  EXPECT_EQ(parse_number("false").value(), 0);
  for (const char* bad : {"inf", "nan", "", "TRUE", "0x1ffffffff", "1e999"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(Values, TextReadsBackAsTheSameValue) {
  for (const float value : {0.1F, 1.0F, -0.0F, 3.14159274F, 1e-45F, 3.40282347e38F}) {
    const Scalar scalar = Scalar::of(value);
    EXPECT_EQ(parse_scalar(format_scalar(scalar), ScalarKind::f32).value(), scalar);
  }
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const Scalar scalar{ScalarKind::f16, bits};
    ASSERT_EQ(parse_scalar(format_scalar(scalar), ScalarKind::f16).value(), scalar) << bits;
  }
  EXPECT_EQ(format_scalar(Scalar::of_f16(0.1F)), "0.1");
  EXPECT_EQ(format_scalar(Scalar::of(-7)), "-7");
  EXPECT_EQ(format_scalar(Scalar::of(true)), "true");
  EXPECT_EQ(format_scalar(Scalar::of(-INFINITY)), "-inf");
}

TEST(Values, NumbersForPeople) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(12345678), "12,345,678");
  EXPECT_EQ(format_bytes(1), "1 byte");
  EXPECT_EQ(format_bytes(1023), "1023 bytes");
  EXPECT_EQ(format_bytes(65536), "64 KiB");
  EXPECT_EQ(format_bytes(1572864), "1.5 MiB");
  EXPECT_EQ(format_extent({16, 8, 1}), "16x8x1");
}

TEST(Values, DurationsAndRatesHaveThreeDigits) {
  EXPECT_EQ(format_duration(0), "0 ns");
  EXPECT_EQ(format_duration(999), "999 ns");
  EXPECT_EQ(format_duration(1234), "1.23 us");
  EXPECT_EQ(format_duration(12'345'678), "12.3 ms");
  EXPECT_EQ(format_duration(98'765'432'100), "98.8 s");
  EXPECT_EQ(format_rate(950'000'000), "950.0 MB/s");
  EXPECT_EQ(format_rate(18'240'000'000), "18.2 GB/s");
  EXPECT_EQ(format_rate(4'210'500'000'000), "4.21 TB/s");
}

}  // namespace
}  // namespace vyre
