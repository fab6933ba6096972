#include "vyre/tune/decisions/natural_gradient_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "vyre/base/memory/allocation_count_testing.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMaxNs = std::numeric_limits<std::uint64_t>::max();

struct Step {
  Suggestion suggestion;
  std::vector<std::uint32_t> weights;
  std::vector<std::uint32_t> gradient;
};

// Measurement i is of width 64 << i.
std::vector<Measurement> timed(const std::vector<std::uint64_t>& times) {
  std::vector<Measurement> measurements;
  measurements.reserve(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    measurements.push_back(
        {{64u << (i % 24), 1, static_cast<std::uint32_t>(1 + i / 24)}, times[i]});
  }
  return measurements;
}

Step step(const std::vector<std::uint64_t>& times, std::vector<std::uint32_t> matrix,
          NaturalGradientPolicy policy = {}) {
  const auto measurements = timed(times);
  Step out{{}, std::vector<std::uint32_t>(times.size()), std::vector<std::uint32_t>(times.size())};
  const auto made = suggest(policy, measurements, matrix, out.weights, out.gradient);
  EXPECT_TRUE(made);
  if (made) out.suggestion = *made;
  return out;
}

using Words = std::vector<std::uint32_t>;

TEST(Suggest, WeighsTimesAndFollowsThePreconditioner) {
  const std::vector<std::uint64_t> times{15000, 9000, 11000};
  Words matrix = identity_matrix_q16(3);
  const Step plain = step(times, matrix);
  EXPECT_EQ(plain.weights, (Words{15192, 27681, 22663}));
  EXPECT_EQ(plain.gradient, plain.weights);
  EXPECT_EQ(plain.suggestion, (Suggestion{{128, 1, 1}, {128, 1, 1}, 9000}));

  matrix[8] = 131072;
  const Step last = step(times, matrix);
  EXPECT_EQ(last.gradient, (Words{15192, 27681, 45326}));
  EXPECT_EQ(last.suggestion, (Suggestion{{256, 1, 1}, {128, 1, 1}, 9000}));

  matrix = identity_matrix_q16(3);
  matrix[0] = 98304;
  matrix[2] = 32768;
  const Step first = step(times, matrix);
  EXPECT_EQ(first.gradient[0], 34119u);
  EXPECT_EQ(first.suggestion, (Suggestion{{64, 1, 1}, {128, 1, 1}, 9000}));
}

TEST(Suggest, EqualTimesSelectTheLaterWhileTheEarlierIsBestMeasured) {
  const Step tie = step({7000, 7000}, identity_matrix_q16(2));
  EXPECT_EQ(tie.weights, (Words{32768, 32768}));
  EXPECT_EQ(tie.suggestion, (Suggestion{{128, 1, 1}, {64, 1, 1}, 7000}));
}

TEST(Suggest, TheLastWeightAbsorbsTheRoundingAndMayWin) {
  const Step rounding = step({2898, 1088, 2980, 1089}, identity_matrix_q16(4));
  EXPECT_EQ(rounding.weights, (Words{14933, 17896, 14811, 17896}));
  EXPECT_EQ(rounding.suggestion, (Suggestion{{512, 1, 1}, {128, 1, 1}, 1088}));
}

TEST(Suggest, ALargeGradientSaturates) {
  const Step huge = step({5, 5}, Words(4, std::numeric_limits<std::uint32_t>::max()));
  EXPECT_EQ(huge.gradient, Words(2, std::numeric_limits<std::uint32_t>::max() - 1));
  const Step more = step({5}, Words{std::numeric_limits<std::uint32_t>::max()});
  EXPECT_EQ(more.gradient, Words{std::numeric_limits<std::uint32_t>::max()});
  const Step sum = step({5, 5, 5}, Words(9, std::numeric_limits<std::uint32_t>::max()));
  for (const std::uint32_t value : sum.gradient) {
    EXPECT_GE(value, std::numeric_limits<std::uint32_t>::max() - 3);
  }
}

TEST(Suggest, ErrorsComeInTheirOrder) {
  Words weights(2);
  Words gradient(2);
  const auto two = timed({1, 2});
  EXPECT_EQ(suggest({0}, {}, Words{1}, {}, {}).error(), PolicyError(EmptyMeasurements{}));
  EXPECT_EQ(suggest({0}, two, Words{1}, weights, gradient).error(), PolicyError(ZeroTemperature{}));
  EXPECT_EQ(suggest({1}, two, Words{1}, weights, gradient).error(), PolicyError(FisherShape{2, 1}));
  EXPECT_EQ(suggest_with_identity({1}, {}, {}).error(), PolicyError(EmptyMeasurements{}));
  EXPECT_EQ(suggest_with_identity({0}, two, weights).error(), PolicyError(ZeroTemperature{}));
}

TEST(Suggest, WeightsAlwaysSumToOneAndTheBestIsTheFirstMinimum) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t count = 1 + random() % 70;  // beyond what is kept of the likelihoods
    const int spread = static_cast<int>(random() % 64);
    std::vector<std::uint64_t> times(count);
    for (std::uint64_t& time : times) time = random() >> spread;
    const NaturalGradientPolicy policy{1 + (random() >> random() % 64)};
    const auto measurements = timed(times);
    Words weights(count);
    const auto made = suggest_with_identity(policy, measurements, weights);
    ASSERT_TRUE(made);
    EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), std::uint64_t{0}), kQ16One);
    const auto first = std::ranges::min_element(times) - times.begin();
    EXPECT_EQ(made->best_measured, measurements[static_cast<std::size_t>(first)].workgroup);
    EXPECT_EQ(made->best_measured_ns, times[static_cast<std::size_t>(first)]);

    const Step whole = step(times, identity_matrix_q16(count), policy);
    EXPECT_EQ(whole.weights, weights);
    EXPECT_EQ(whole.gradient, weights);
    EXPECT_EQ(whole.suggestion, *made);
  }
}

TEST(Suggest, ExtremeTimesAreOrdinary) {
  const Step far = step({kMaxNs, 0}, identity_matrix_q16(2), {1});
  EXPECT_EQ(far.weights, (Words{0, kQ16One}));
  const Step hot = step({kMaxNs, 0}, identity_matrix_q16(2), {kMaxNs});
  EXPECT_EQ(hot.weights[0], static_cast<std::uint32_t>(
                                std::lround(std::exp(-1.0) / (1.0 + std::exp(-1.0)) * 65536.0)));
}

TEST(Suggest, DoesNotAllocate) {
  const auto measurements = timed({9000, 9100, 9200, 9300, 9400, 9500, 10000});
  const Words matrix = identity_matrix_q16(7);
  Words weights(7);
  Words gradient(7);
  const auto before = allocation_count();
  const auto made = suggest({}, measurements, matrix, weights, gradient);
  const auto same = suggest_with_identity({}, measurements, weights);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(made, same);
}

TEST(IdentityMatrix, IsEmptyForNothingAndForMoreCellsThanThereAre) {
  EXPECT_TRUE(identity_matrix_q16(0).empty());
  EXPECT_TRUE(identity_matrix_q16(std::size_t{1} << 32).empty());
  EXPECT_EQ(identity_matrix_q16(2), (Words{kQ16One, 0, 0, kQ16One}));
}

TEST(Candidates, AreThoseWithinTheMaximum) {
  EXPECT_TRUE(candidates_for(31).empty());
  EXPECT_EQ(candidates_for(255).size(), 3u);
  EXPECT_EQ(candidates_for(1u << 31).size(), kWorkgroupCandidates.size());
}

}  // namespace
}  // namespace vyre
