#include "vyre/cli/replay/replay_summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace vyre {
namespace {

// Between the two nearest, in proportion.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = at - static_cast<double>(below);
  if (share == 0) return sorted[below];  // what lies above may be infinite
  return sorted[below] + (sorted[above] - sorted[below]) * share;
}

std::optional<double> finite_median(std::vector<double> values) {
  std::ranges::sort(values);
  const double median = quantile(values, 0.5);
  if (!std::isfinite(median)) return {};
  return median;
}

ReplayGoal reach(std::span<const ReplayRun> runs, std::uint32_t budget, double fraction) {
  ReplayGoal goal{.fraction = fraction, .runs = 0, .evaluations = {}, .charged_s = {}};
  std::vector<double> evaluations, charged;
  for (const ReplayRun& run : runs) {
    const auto steps = std::span(run.steps).first(std::min<std::size_t>(budget, run.steps.size()));
    const auto first = std::ranges::find_if(
        steps, [&](const ReplayStep& step) { return step.fraction >= fraction; });
    const bool there = first != steps.end();
    goal.runs += there ? 1 : 0;
    const double never = std::numeric_limits<double>::infinity();
    evaluations.push_back(there ? static_cast<double>(first - steps.begin() + 1) : never);
    charged.push_back(there ? first->charged_s : never);
  }
  goal.evaluations = finite_median(std::move(evaluations));
  goal.charged_s = finite_median(std::move(charged));
  return goal;
}

ReplayScore score_of(std::span<const ReplayRun> runs, const ScoreBudget& budget) {
  ReplayScore out{.score = budget.score(runs), .covered = 0};
  for (const ReplayRun& run : runs) {
    out.covered += std::min(1.0, run.steps.back().charged_s / budget.end_s());
  }
  out.covered /= static_cast<double>(runs.size());
  return out;
}

// Absent where no space has a score.
std::optional<ReplayScore> mean_score(std::span<const ReplayCurve* const> curves) {
  ReplayScore sum{.covered = 0};
  double count = 0;
  for (const ReplayCurve* curve : curves) {
    if (!curve->score) continue;
    sum.score += curve->score->score;
    sum.covered += curve->score->covered;
    ++count;
  }
  if (count == 0) return {};
  return ReplayScore{sum.score / count, sum.covered / count};
}

}  // namespace

ReplayCurve summarise(std::string strategy, std::span<const ReplayRun> runs, std::uint32_t budget,
                      const std::optional<ScoreBudget>& scored) {
  ReplayCurve curve;
  curve.strategy = std::move(strategy);
  curve.runs = static_cast<std::uint32_t>(runs.size());
  std::vector<double> fractions(runs.size());
  for (std::size_t e = 0; e < budget; ++e) {
    double sum = 0, charged = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const auto& steps = runs[r].steps;
      const ReplayStep& step = steps[std::min(e, steps.size() - 1)];
      fractions[r] = step.fraction;
      sum += step.fraction;
      charged += step.charged_s;
    }
    std::ranges::sort(fractions);
    const double count = static_cast<double>(runs.size());
    curve.mean.push_back(sum / count);
    curve.low.push_back(quantile(fractions, 0.25));
    curve.high.push_back(quantile(fractions, 0.75));
    curve.charged_s.push_back(charged / count);
  }
  for (const double goal : kReplayGoals) curve.goals.push_back(reach(runs, budget, goal));
  if (scored) curve.score = score_of(runs, *scored);
  return curve;
}

ReplayCurve mean_of(std::span<const ReplayCurve* const> curves) {
  assert(!curves.empty());
  ReplayCurve mean;
  mean.strategy = curves.front()->strategy;
  mean.runs = curves.front()->runs;
  const double count = static_cast<double>(curves.size());
  for (std::size_t e = 0; e < curves.front()->mean.size(); ++e) {
    double middle = 0, low = 0, high = 0, charged = 0;
    for (const ReplayCurve* curve : curves) {
      middle += curve->mean[e];
      low += curve->low[e];
      high += curve->high[e];
      charged += curve->charged_s[e];
    }
    mean.mean.push_back(middle / count);
    mean.low.push_back(low / count);
    mean.high.push_back(high / count);
    mean.charged_s.push_back(charged / count);
  }
  for (const double fraction : kReplayGoals) {
    ReplayGoal goal{.fraction = fraction, .runs = 0, .evaluations = {}, .charged_s = {}};
    const auto first =
        std::ranges::find_if(mean.mean, [&](double value) { return value >= fraction; });
    if (first != mean.mean.end()) {
      const auto at = static_cast<std::size_t>(first - mean.mean.begin());
      goal.runs = mean.runs;
      goal.evaluations = static_cast<double>(at + 1);
      goal.charged_s = mean.charged_s[at];
    }
    mean.goals.push_back(goal);
  }
  mean.score = mean_score(curves);
  return mean;
}

std::vector<std::uint32_t> replay_marks(std::uint32_t budget) {
  std::vector<std::uint32_t> marks{1,   5,    10,   25,   50,    100,   200,
                                   500, 1000, 2000, 5000, 10000, 50000, 200000};
  std::erase_if(marks, [&](std::uint32_t mark) { return mark >= budget; });
  marks.push_back(budget);
  return marks;
}

}  // namespace vyre
