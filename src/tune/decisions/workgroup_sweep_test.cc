#include "vyre/tune/decisions/workgroup_sweep.h"

#include <gtest/gtest.h>

#include <string>

namespace vyre {
namespace {

// A timer's own kind of error.
struct Broken {
  std::string why;
  bool operator==(const Broken&) const = default;
};
using Time = std::expected<std::uint64_t, Broken>;

const std::vector<Extent> kThree{{32, 1, 1}, {64, 1, 1}, {128, 1, 1}};

TEST(Sweep, BestOfKeepsTheFirstOfTheFastest) {
  const auto best =
      sweep_best_of(kThree, [](const Extent& shape) -> Time { return shape[0] == 32 ? 9 : 5; });
  EXPECT_EQ(best.value(), (Measurement{{64, 1, 1}, 5}));
  EXPECT_EQ(sweep_best_of({}, [](const Extent&) -> Time { return 1; }).value(), std::nullopt);
}

TEST(Sweep, TheFirstTimerErrorStopsItWithItsOwnType) {
  int calls = 0;
  const auto timer = [&calls](const Extent& shape) -> Time {
    ++calls;
    if (shape[0] >= 64) return std::unexpected(Broken{"at " + std::to_string(shape[0])});
    return 1;
  };
  EXPECT_EQ(sweep_best_of(kThree, timer).error(), Broken{"at 64"});
  EXPECT_EQ(calls, 2);
  // Although the policy could not work either.
  EXPECT_EQ(sweep_natural_gradient({0}, kThree, {}, timer).error(), Broken{"at 64"});
  EXPECT_EQ(calls, 4);
}

TEST(Sweep, NaturalGradientMeasuresAllAndThenAsksThePolicy) {
  int calls = 0;
  const auto timer = [&calls](const Extent& shape) -> Time {
    ++calls;
    return shape[0] == 128 ? 9000 : 15000;
  };
  const auto step = sweep_natural_gradient({}, kThree, identity_matrix_q16(3), timer);
  ASSERT_TRUE(step && *step);
  EXPECT_EQ((*step)->suggestion, (Suggestion{{128, 1, 1}, {128, 1, 1}, 9000}));
  EXPECT_EQ((*step)->measurements[1], (Measurement{{64, 1, 1}, 15000}));

  const auto refused = sweep_natural_gradient({0}, kThree, identity_matrix_q16(3), timer);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error(), PolicyError(ZeroTemperature{}));
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(sweep_natural_gradient({}, {}, {}, timer).value().error(),
            PolicyError(EmptyMeasurements{}));
}

}  // namespace
}  // namespace vyre
