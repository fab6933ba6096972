#include "vyre/base/arithmetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace vyre {
namespace {

// Every pair of 8-bit numbers, against arithmetic that cannot overflow.
TEST(Arithmetic, AgreesWithWiderArithmeticForEveryPairOfBytes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const auto x = static_cast<std::uint8_t>(a);
      const auto y = static_cast<std::uint8_t>(b);
      EXPECT_EQ(checked_add(x, y).value_or(0), a + b <= 255 ? a + b : 0);
      EXPECT_EQ(checked_add(x, y).has_value(), a + b <= 255);
      EXPECT_EQ(checked_mul(x, y).has_value(), a * b <= 255);
      EXPECT_EQ(saturating_add(x, y), std::min(a + b, 255));
      EXPECT_EQ(saturating_sub(x, y), std::max(a - b, 0));
      EXPECT_EQ(saturating_mul(x, y), std::min(a * b, 255));
      if (b != 0) {
        EXPECT_EQ(ceil_div(x, y), (a + b - 1) / b);
      }
    }
  }
}

TEST(Arithmetic, StopsAtTheEndOf64Bits) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(checked_add<std::uint64_t>(kMax, 0), kMax);
  EXPECT_EQ(checked_add<std::uint64_t>(kMax, 1), std::nullopt);
  EXPECT_EQ(checked_mul<std::uint64_t>(kMax / 2, 2), kMax - 1);
  EXPECT_EQ(checked_mul<std::uint64_t>(kMax / 2 + 1, 2), std::nullopt);
  EXPECT_EQ(saturating_mul<std::uint64_t>(kMax, 2), kMax);
  EXPECT_EQ(ceil_div<std::uint64_t>(kMax, 1), kMax);
  EXPECT_EQ(ceil_div<std::uint64_t>(kMax, kMax), 1u);
}

}  // namespace
}  // namespace vyre
