#include "vyre/tune/search/search_score.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "vyre/tune/online/online_policy_statistics.h"

namespace vyre {
namespace {

// The mean time to evaluate a configuration that runs, and beside it the share of failures that
// random search meets, as the methodology has it.
double evaluation_seconds(const RecordedSpace& space) {
  double ran_ns = 0, failed_ns = 0;
  for (const Recording& recording : space.recordings) {
    (recording.cost_ns ? ran_ns : failed_ns) += recording.compile_ns + recording.benchmark_ns;
  }
  const double all = static_cast<double>(space.recordings.size());
  const double ran = all - space.failures();
  return (ran_ns / ran + failed_ns / all) * 1e-9;
}

// After how many evaluations random search is expected to have found a time of at most this.
std::uint32_t evaluations_until(std::span<const double> slowest_first, double ns) {
  const auto found = std::ranges::find_if(slowest_first, [&](double each) { return each <= ns; });
  const auto rank = static_cast<double>(found - slowest_first.begin());
  const double count = static_cast<double>(slowest_first.size());
  return static_cast<std::uint32_t>(std::ceil(rank / (count + 1 - rank)));
}

}  // namespace

std::optional<ScoreBudget> ScoreBudget::of(const RecordedSpace& space) {
  ScoreBudget out;
  for (const Recording& recording : space.recordings) {
    if (recording.cost_ns) out.times_ns_.push_back(*recording.cost_ns);
  }
  std::ranges::sort(out.times_ns_, std::greater());
  const double median = median_of(out.times_ns_), best = space.best_ns();
  const auto evaluations = [&](double cutoff) {
    return evaluations_until(out.times_ns_, best + (median - best) * (1 - cutoff));
  };
  out.evaluation_s_ = evaluation_seconds(space);
  out.evaluations_ = evaluations(kCutoff);
  out.start_s_ = std::max(1U, evaluations(kStart)) * out.evaluation_s_;
  out.end_s_ = out.evaluations_ * out.evaluation_s_;
  if (!(median > best) || !(out.end_s_ > 0)) return {};
  return out;
}

double ScoreBudget::time_of_rank(double rank) const {
  const double last = static_cast<double>(times_ns_.size() - 1);
  return times_ns_[static_cast<std::size_t>(std::min(std::nearbyint(rank), last))];
}

double ScoreBudget::rank_of(double ns) const {
  const auto place = std::ranges::lower_bound(times_ns_, ns, std::greater());
  return static_cast<double>(place - times_ns_.begin());
}

double ScoreBudget::baseline_ns(double charged_s) const {
  const double evaluations = std::max(1.0, std::nearbyint(charged_s / evaluation_s_));
  const double count = static_cast<double>(times_ns_.size());
  return time_of_rank(evaluations * (count + 1) / (evaluations + 1));
}

double ScoreBudget::score(std::span<const ReplayRun> runs) const {
  const auto at = [&](std::uint32_t point) {
    return start_s_ + (end_s_ - start_s_) * point / (kPoints - 1);
  };
  const double best = times_ns_.back();
  std::vector<double> ranks(kPoints);  // the mean of the runs
  for (const ReplayRun& run : runs) {
    auto next = run.steps.begin();
    double rank = std::floor(static_cast<double>(times_ns_.size()) / 2);
    for (std::uint32_t i = 0; i < kPoints; ++i) {
      // A step that only rounding has moved past the moment still counts.
      for (; next != run.steps.end() && next->charged_s <= at(i) * (1 + 1e-9); ++next) {
        if (next->fraction > 0) rank = rank_of(best / next->fraction * (1 + 1e-9));
      }
      ranks[i] += rank / static_cast<double>(runs.size());
    }
  }
  double sum = 0;
  std::uint32_t points = 0;
  for (std::uint32_t i = 0; i < kPoints; ++i) {
    const double baseline = baseline_ns(at(i));
    if (!(baseline > best)) continue;  // random search has found the optimum by then
    sum += (baseline - time_of_rank(ranks[i])) / (baseline - best);
    ++points;
  }
  return points == 0 ? 0 : sum / points;
}

}  // namespace vyre
