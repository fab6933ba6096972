// Examines schedules of bands without running anything.
#include "vyre/device/cpu/bands.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace vyre {
namespace {

constexpr std::uint64_t kWidth = 64;  // of a picture of words
constexpr std::uint64_t kHeight = 100;
constexpr std::int64_t kRow = kWidth * 4;

BoundMemory memory(std::uint64_t number) { return {(number + 1) << 20U, kWidth * kHeight * 4}; }

BandReach reads(std::uint64_t from, std::int64_t above = 0, std::int64_t below = 0) {
  return {.memory = memory(from), .factor = kRow, .low = -above * kRow, .high = (below + 1) * kRow};
}
BandReach writes(std::uint64_t to) {
  BandReach out = reads(to);
  out.writes = true;
  return out;
}
BandReach all_of(std::uint64_t which, bool written, std::uint8_t commutes = 0) {
  return {.memory = memory(which),
          .writes = written,
          .commutes = commutes,
          .high = std::int64_t{1} << 40U};
}

// A launch over the picture, with workgroups of `length` rows.
BandLaunch picture(std::vector<BandReach> reach, std::uint64_t length = 2) {
  return {.rows = (kHeight + length - 1) / length,
          .row_length = length,
          .length = kHeight,
          .row_groups = 4,
          .row_invocations = kWidth * length,
          .reach = std::move(reach)};
}

using Launches = std::vector<std::optional<BandLaunch>>;

constexpr BandMachine kForced{.threads = 2, .least_invocations = 1, .rows = 1};

BandBoundary second(BandLaunch a, BandLaunch b, const BandMachine& machine = kForced) {
  return plan_bands(Launches{std::move(a), std::move(b)}, machine).boundaries[1];
}

// The bytes that one row touches; empty where begin is not below end.
std::pair<std::int64_t, std::int64_t> bytes_of(const BandLaunch& l, const BandReach& r,
                                               std::uint64_t row) {
  const auto first = static_cast<std::int64_t>(row * l.row_length);
  const auto last = static_cast<std::int64_t>(std::min((row + 1) * l.row_length, l.length)) - 1;
  const auto size = static_cast<std::int64_t>(r.memory.bytes);
  const auto at = static_cast<std::int64_t>(r.memory.address);
  return {at + std::clamp<std::int64_t>(r.factor * first + r.low, 0, size),
          at + std::clamp<std::int64_t>(r.factor * last + r.high, 0, size)};
}

bool order_matters(const BandLaunch& a, std::uint64_t row, const BandLaunch& b,
                   std::uint64_t other) {
  for (const BandReach& x : a.reach) {
    for (const BandReach& y : b.reach) {
      if (!x.writes && !y.writes) continue;
      if (x.commutes != 0 && x.commutes == y.commutes) continue;
      const auto [x_begin, x_end] = bytes_of(a, x, row);
      const auto [y_begin, y_end] = bytes_of(b, y, other);
      if (x_begin < x_end && y_begin < y_end && x_begin < y_end && y_begin < x_end) return true;
    }
  }
  return false;
}

// Returns what is wrong with a schedule: a row that does not run exactly once, a step that may run
// before a row that it needs, or a wait that may never end.
std::string fault(const Launches& all, const BandedRun& run) {
  const std::span<const std::optional<BandLaunch>> launches =
      std::span(all).subspan(run.first, run.count);
  const BandSchedule schedule = schedule_bands(all, run);
  std::vector<std::vector<int>> times;
  for (const auto& l : launches) times.emplace_back(l->rows);
  for (std::size_t region = 0; region < schedule.steps.size(); ++region) {
    // Rows of each launch and region that have surely ended: (launch, region) -> [from, to).
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> ended;
    for (const BandStep& step : schedule.steps[region]) {
      for (std::uint32_t w = step.first_wait; w < step.first_wait + step.wait_count; ++w) {
        const BandWait& wait = schedule.waits[w];
        if (wait.region <= region) return "a step waits for a region that may begin later";
        if (wait.row > run.starts[wait.region + 1][wait.launch]) return "a wait never ends";
        auto& row = ended[{wait.launch, wait.region}];
        row = std::max(row, wait.row);
      }
      for (std::uint64_t row = step.from; row < step.to; ++row) {
        ++times[step.launch].at(row);
        for (std::size_t p = 0; p < step.launch; ++p) {
          for (std::uint64_t other = 0; other < launches[p]->rows; ++other) {
            if (!order_matters(*launches[p], other, *launches[step.launch], row)) continue;
            std::size_t in = 0;
            while (other >= run.starts[in + 1][p]) ++in;
            const auto known = ended.find({p, in});
            if (in < region || known == ended.end() || other >= known->second) {
              return fmt::format("region {}: row {} of launch {} needs row {} of launch {}", region,
                                 row, step.launch, other, p);
            }
          }
        }
      }
      ended[{step.launch, region}] = step.to;
    }
  }
  for (std::size_t l = 0; l < times.size(); ++l) {
    for (std::size_t row = 0; row < times[l].size(); ++row) {
      if (times[l][row] != 1)
        return fmt::format("row {} of launch {} runs {} times", row, l, times[l][row]);
    }
  }
  return {};
}

TEST(Bands, APictureFollowsThroughItsNeighbours) {
  const Launches launches{picture({reads(0), writes(1)}), picture({reads(1, 1, 1), writes(2)}),
                          picture({reads(2, 1, 1), writes(3)}),
                          picture({reads(3), all_of(4, true, 1)})};
  const BandPlan plan = plan_bands(launches, kForced);
  ASSERT_EQ(plan.runs.size(), 1U);
  EXPECT_EQ(plan.runs[0].count, 4U);
  EXPECT_EQ(plan.runs[0].regions(), 8U);
  EXPECT_EQ(fault(launches, plan.runs[0]), "");
  // In the middle of a region each launch is one row of workgroups behind what it reads below.
  const BandSchedule schedule = schedule_bands(launches, plan.runs[0]);
  const auto& steps = schedule.steps[7];
  ASSERT_GT(steps.size(), 6U);
  EXPECT_EQ(steps[0].launch, 0U);
  EXPECT_EQ(steps[0].to - steps[0].from, 1U);
}

TEST(Bands, WhatOneLaunchReadsAnotherMayNotOverwriteTooEarly) {
  // A launch that works in place behind a reader of neighbours, and two launches that exchange two
  // buffers.
  for (const Launches& launches :
       {Launches{picture({reads(0, 2, 2), writes(1)}), picture({reads(1), writes(0)})},
        Launches{picture({reads(0, 1, 1), writes(1)}), picture({reads(1, 1, 1), writes(0)}),
                 picture({reads(0, 1, 1), writes(1)}), picture({reads(1, 1, 1), writes(0)})},
        Launches{picture({reads(0), writes(0)}), picture({reads(0, 3, 0), writes(1)})}}) {
    const BandPlan plan = plan_bands(launches, kForced);
    ASSERT_EQ(plan.runs.size(), 1U);
    EXPECT_EQ(plan.runs[0].count, launches.size());
    EXPECT_EQ(fault(launches, plan.runs[0]), "");
  }
}

TEST(Bands, OtherExtentsFollowByTheirBytes) {
  // A launch with half as many rows, each of which reads two rows.
  BandLaunch half = picture({writes(1)}, 4);
  half.length = kHeight / 2;
  half.rows = (half.length + 3) / 4;
  half.reach.push_back({.memory = memory(0), .factor = 2 * kRow, .high = 2 * kRow});
  const Launches launches{picture({writes(0)}), half};
  const BandPlan plan = plan_bands(launches, kForced);
  ASSERT_EQ(plan.runs.size(), 1U);
  EXPECT_EQ(fault(launches, plan.runs[0]), "");
}

TEST(Bands, EachBoundaryHasItsReason) {
  using enum BandBoundary;
  const BandLaunch first = picture({reads(0), writes(1)});
  EXPECT_EQ(second(first, picture({reads(1), writes(2)})), none);
  EXPECT_EQ(second(first, picture({reads(3), writes(2)})), nothing_shared);
  EXPECT_EQ(second(first, picture({all_of(1, false), writes(2)})), waits_for_all);
  EXPECT_EQ(second(picture({reads(0), all_of(1, true)}), picture({reads(1), writes(2)})),
            waits_for_all);
  EXPECT_EQ(second(first, picture({reads(1, 40), writes(2)})), waits_for_all)
      << "it needs too much of what is above";
  // Atomics that commute wait for nothing; other atomics wait for the whole launch.
  EXPECT_EQ(
      second(picture({reads(0), all_of(1, true, 1)}), picture({reads(0), all_of(1, true, 1)})),
      none);
  EXPECT_EQ(
      second(picture({reads(0), all_of(1, true, 1)}), picture({reads(0), all_of(1, true, 2)})),
      waits_for_all);
  BandLaunch flat = picture({reads(1), writes(2)});
  flat.rows = 3;
  flat.length = 6;
  EXPECT_EQ(second(first, flat), few_rows);
  EXPECT_EQ(plan_bands(Launches{first, std::nullopt, first}, kForced).boundaries,
            (std::vector{first_launch, not_known, not_known}));
  // 25,600 bytes of each picture, and about 2,000 in use.
  const BandLaunch next = picture({reads(1), writes(2)});
  EXPECT_EQ(second(first, next, {.threads = 1, .near_bytes = 100'000, .far_bytes = 1 << 20}),
            fits_cache);
  EXPECT_EQ(second(first, next, {.threads = 1, .near_bytes = 10'000, .far_bytes = 1 << 20}), none);
  EXPECT_EQ(second(first, next, {.threads = 1, .near_bytes = 1'000, .far_bytes = 1 << 20}),
            over_cache);
  EXPECT_EQ(second(first, next, {.threads = 1, .near_bytes = 1'000, .far_bytes = 20'000}), none)
      << "the farther cache holds the band, and not the pictures";
}

TEST(Bands, BandsGrowAsFarAsTheCacheAllows) {
  const Launches launches{picture({reads(0), writes(1)}, 1),
                          picture({reads(1, 1, 1), writes(2)}, 1)};
  const auto rows = [&](std::uint64_t near, std::uint64_t least = 1) {
    const BandPlan plan = plan_bands(
        launches,
        {.threads = 1, .near_bytes = near, .far_bytes = 1 << 20, .least_invocations = least});
    return plan.runs.empty() ? 0 : plan.runs[0].rows;
  };
  EXPECT_EQ(rows(2'000), 1U);
  EXPECT_EQ(rows(3'000), 2U);
  EXPECT_EQ(rows(60'000), 4U) << "a region has at least four bands";
  EXPECT_EQ(rows(2'000, 256), 4U) << "a band is worth the start";
}

TEST(Bands, RowsAreThoseOfTheSlowestAxis) {
  const std::vector<BoundMemory> bindings{memory(0)};
  const std::vector<ReachedBytes> reach{{.slot = 0, .factor = kRow, .high = kRow}};
  const auto rows = [&](Extent grid, Extent extent, Extent workgroup) -> std::string {
    const auto l = band_launch(grid, extent, workgroup, bindings, reach);
    return l ? fmt::format("{}x{} of {} long", l->rows, l->row_groups, l->row_length) : "none";
  };
  EXPECT_EQ(rows({4, 7, 1}, {64, 100, 1}, {16, 16, 1}), "7x4 of 16 long");
  EXPECT_EQ(rows({10, 1, 1}, {640, 1, 1}, {64, 1, 1}), "10x1 of 64 long");
  EXPECT_EQ(rows({2, 3, 5}, {16, 24, 9}, {8, 8, 2}), "5x6 of 2 long");
  EXPECT_EQ(rows({5, 1, 1}, {640, 1, 1}, {64, 1, 1}), "none") << "a lane has several items";
  EXPECT_EQ(rows({10, 2, 1}, {640, 1, 1}, {64, 1, 1}), "none");
  const std::vector<ReachedBytes> other{{.slot = 1}};
  EXPECT_FALSE(band_launch({10, 1, 1}, {640, 1, 1}, {64, 1, 1}, bindings, other));
}

TEST(Bands, RandomLaunchesRunInAnOrderThatNoneCanNotice) {
  std::mt19937 random(20);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  std::size_t runs = 0, long_runs = 0;
  for (int round = 0; round < 300; ++round) {
    Launches launches;
    const std::size_t count = 2 + below(6);
    for (std::size_t l = 0; l < count; ++l) {
      BandLaunch launch = picture({}, 1 + below(4));
      const std::size_t reaches = 1 + below(3);
      for (std::size_t r = 0; r < reaches; ++r) {
        BandReach reach = reads(below(4), static_cast<std::int64_t>(below(4)),
                                static_cast<std::int64_t>(below(4)));
        if (below(8) == 0) reach.low += static_cast<std::int64_t>(below(900)) - 300;
        if (below(8) == 0) reach.memory.address += 64 * below(200);
        if (below(30) == 0) reach = all_of(below(4), false);
        if (below(10) == 0) reach.commutes = static_cast<std::uint8_t>(1 + below(2));
        if (below(9) == 0) reach.factor *= 2;
        reach.writes = below(3) == 0 || reach.commutes != 0;
        launch.reach.push_back(reach);
      }
      launches.emplace_back(std::move(launch));
    }
    const BandMachine machine{.threads = static_cast<unsigned>(1 + below(4)),
                              .least_invocations = 1,
                              .rows = 1 + below(5)};
    for (const BandedRun& run : plan_bands(launches, machine).runs) {
      ++runs;
      if (run.count > 2) ++long_runs;
      ASSERT_EQ(fault(launches, run), "") << "round " << round;
    }
  }
  EXPECT_GT(runs, 150U);
  EXPECT_GT(long_runs, 50U);
}

}  // namespace
}  // namespace vyre
