#include "vyre/cli/run/timing.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "vyre/data/number_text.h"

namespace vyre {
namespace {

using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLeastWarmUps = 2;
constexpr nanoseconds kWarmUp = std::chrono::milliseconds(50);
constexpr std::uint64_t kLeastRuns = 10, kMostRuns = 1000;
constexpr nanoseconds kEnough = std::chrono::milliseconds(300);  // of time in the runs themselves
constexpr nanoseconds kPatience = std::chrono::seconds(5);       // with all that is around them

// The sample that a fraction of the others do not exceed.
std::uint64_t quantile(const std::vector<nanoseconds>& sorted, double fraction) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return static_cast<std::uint64_t>(
      sorted[static_cast<std::size_t>(std::lround(fraction * last))].count());
}

}  // namespace

Timing summarise(std::vector<nanoseconds> samples) {
  assert(!samples.empty());
  std::ranges::sort(samples);
  Timing out;
  out.runs = samples.size();
  out.median_ns = quantile(samples, 0.5);
  out.p10_ns = quantile(samples, 0.1);
  out.p90_ns = quantile(samples, 0.9);
  out.fastest_ns = quantile(samples, 0);
  out.slowest_ns = quantile(samples, 1);
  return out;
}

Result<Timing> measure(const TimingPlan& plan, const TimedRun& run) {
  const Clock::time_point begin = Clock::now();
  const auto spent = [&] { return Clock::now() - begin; };
  std::uint64_t warm_ups = 0;
  while (warm_ups < kLeastWarmUps || (spent() < kWarmUp && warm_ups < kMostRuns)) {
    VYRE_CHECK(run());
    ++warm_ups;
    if (spent() > kPatience) break;
  }
  std::vector<nanoseconds> samples;
  nanoseconds inside{0};
  const auto enough = [&] {
    const std::uint64_t count = samples.size();
    if (plan.runs != 0) return count >= plan.runs;
    if (count >= kMostRuns || (count > 0 && spent() > kPatience)) return true;
    return count >= kLeastRuns && inside >= kEnough;
  };
  while (!enough()) {
    VYRE_TRY(const nanoseconds sample, run());
    samples.push_back(sample);
    inside += sample;
  }
  Timing out = summarise(std::move(samples));
  out.warm_up_runs = warm_ups;
  return out;
}

Result<std::uint64_t> parse_runs(const std::string& text) {
  constexpr std::uint64_t kMost = 1'000'000;
  if (text.empty()) return 0;
  VYRE_TRY(const std::uint64_t runs, parse_whole(text, kMost));
  if (runs == 0) return fail(Code::invalid_input, "it must be at least 1");
  return runs;
}

}  // namespace vyre
