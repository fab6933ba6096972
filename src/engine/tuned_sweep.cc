// The mode `on`: everything is measured before the first call is served, on shadows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vyre/base/log.h"
#include "vyre/base/sort.h"
#include "vyre/engine/session.h"
#include "vyre/engine/tuned_internal.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kBatchNs = 1'000'000;
constexpr double kFarTooSlow = 8;  // times the incumbent
constexpr unsigned kLastRounds = 12;
constexpr double kNear = 1.15;  // times the best: worth the last rounds
constexpr std::size_t kMostNear = 12;
// A candidate that takes longer, and so many times as long as the incumbent, is not waited for.
constexpr double kLeastDeadlineNs = 2e9;
constexpr double kDeadlineCalls = 50;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double spread(const std::vector<double>& values) {
  const double m = median(values);
  std::vector<double> off;
  for (const double v : values) off.push_back(std::abs(v - m));
  return 1.48 * median(std::move(off));
}

struct Gain {
  double share = 0;  // of the time
  double noise = 0;  // its standard error
};

// Times that were taken in turns are compared turn by turn: what slows all of them is no noise.
Gain gain_of(const std::vector<double>& ns, const std::vector<double>& over, bool in_turns) {
  if (!in_turns) {
    const double usual = median(over);
    if (!(usual > 0)) return {};
    const double worst = std::max(spread(ns), spread(over)) / usual;
    return {1 - median(ns) / usual, worst / std::sqrt(double(std::max<std::size_t>(1, ns.size())))};
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(ns.size(), over.size()); ++i) {
    if (over[i] > 0) ratios.push_back(ns[i] / over[i]);
  }
  if (ratios.empty()) return {};
  return {1 - median(ratios), spread(ratios) / std::sqrt(double(ratios.size()))};
}

}  // namespace

// Nanoseconds of one run on the shadows.
Result<double> Session::time_on_shadows(const Dispatch& d, TunedKernel& t, std::uint32_t candidate,
                                        std::span<const BoundMemory> bindings) const {
  const auto timed = [&](unsigned runs) -> Result<double> {
    VYRE_TRY(const auto begin, queue_->record());
    for (unsigned i = 0; i < runs; ++i) {
      VYRE_CHECK(launch_candidate(d, t.candidates[candidate], bindings, d.extent_, {}));
    }
    VYRE_TRY(const auto end, queue_->record());
    VYRE_CHECK(end->wait());
    VYRE_TRY(const auto spent, end->since(*begin));
    return static_cast<double>(spent.count()) / runs;
  };
  VYRE_TRY(double ns, timed(1));
  // A GPU that is waited for each time is timed with its waking up, and short calls on the host
  // with that of its threads: several in a row are not. One that is far too slow needs no second
  // look.
  const double usual_ns = t.incumbent_ns;
  if (usual_ns > 0 && ns < kFarTooSlow * usual_ns && usual_ns < kBatchNs / 2) {
    const auto runs = static_cast<unsigned>(std::clamp(kBatchNs / usual_ns, 1.0, 64.0));
    VYRE_TRY(ns, timed(runs));
  }
  tuning_->tell(TunedCall{.at = Clock::now(),
                          .candidate = candidate,
                          .incumbent = t.tuner.best(),
                          .ns = ns,
                          .probe = true,
                          .ledger = {},
                          .incumbent_ns = t.incumbent_ns});
  return ns;
}

// Why the candidate's results on shadows are not the incumbent's on the same data; empty: they are.
Result<std::string> Session::differs_on_shadows(const Dispatch& d, TunedKernel& t,
                                                std::uint32_t candidate,
                                                std::span<const DeviceMemory> expected) const {
  VYRE_TRY(const auto bindings, fill_shadows(d, t, {d.extent_, {}}));
  RunLimits limits;
  if (t.incumbent_ns > 0) {
    const double most = std::max(kLeastDeadlineNs, kDeadlineCalls * t.incumbent_ns);
    limits.deadline = std::chrono::nanoseconds(static_cast<std::int64_t>(most));
  }
  VYRE_CHECK(launch_candidate(d, t.candidates[candidate], bindings, d.extent_, limits));
  VYRE_CHECK(t.comparer->begin());
  for (std::size_t i = 0; i < t.written.size(); ++i) {
    const std::uint64_t bytes = d.bindings_[t.written[i].slot].bytes;
    VYRE_CHECK(t.comparer->add({expected[i].address, bytes}, {t.shadows[i].address, bytes},
                               t.written[i].as, tuning_->options().tolerance));
  }
  VYRE_CHECK(queue_->wait());
  VYRE_TRY(const std::uint64_t different, t.comparer->different());
  if (different == 0) return std::string();
  return std::string("its results differ from the incumbent's");
}

Result<void> Session::sweep(const Dispatch& d) const {
  TunedKernel& t = *d.tuned_;
  const std::scoped_lock lock(t.mutex);
  if (t.swept) return {};
  t.swept = true;
  if (!t.tuner.untunable().empty() || t.tuner.settled()) return {};
  const auto began = Clock::now();
  const auto spent = [&] { return Clock::now() - began; };
  const auto budget = tuning_->options().sweep_time;
  const auto stopped = [&] {
    const auto* stop = tuning_->options().stop;
    return stop != nullptr && stop->load(std::memory_order_relaxed) != 0;
  };
  if (!t.comparer) {
    VYRE_TRY(auto tools, make_compare_tools(*device_, *codes_));
    VYRE_TRY(t.comparer, Comparer::make(std::move(tools), queue_, *device_));
  }
  if (const std::string why = make_shadows(d, t); !why.empty()) {
    t.tuner.stop_tuning(why);
    return {};
  }
  std::vector<DeviceMemory> expected = std::exchange(t.shadows, {});
  if (const std::string why = make_shadows(d, t); !why.empty()) {
    t.shadows.clear();
    t.tuner.stop_tuning(why);
    return {};
  }
  // The incumbent's results, twice.
  const std::uint32_t first = t.tuner.best();
  std::swap(expected, t.shadows);
  VYRE_TRY(auto bindings, fill_shadows(d, t, {d.extent_, {}}));
  VYRE_CHECK(launch_candidate(d, t.candidates[first], bindings, d.extent_, {}));
  VYRE_CHECK(queue_->wait());
  std::swap(expected, t.shadows);
  VYRE_TRY(const std::string itself, differs_on_shadows(d, t, first, expected));
  if (!itself.empty()) {
    t.tuner.stop_tuning(
        "two runs of the same code on the same data gave different results: they depend on the "
        "order in which invocations run");
    return {};
  }
  VYRE_TRY(bindings, fill_shadows(d, t, {d.extent_, {}}));
  SweptTimes swept{.expected = expected,
                   .bindings = bindings,
                   .times = std::vector<std::vector<double>>(t.candidates.size())};
  // The last rounds need some of the time.
  const auto is_over = [&] {
    if (stopped()) return true;
    if (!budget) return false;
    const double last_ns = 2 * kLastRounds * kMostNear * std::max(swept.best_ns, kBatchNs);
    return std::chrono::duration<double, std::nano>(spent()).count() >
           double(budget->count()) - std::min(last_ns, 0.25 * double(budget->count()));
  };
  VYRE_CHECK(measure_candidates(d, t, first, is_over, swept));
  std::vector<std::vector<double>>& times = swept.times;
  const double best = swept.best_ns;
  // Those that are near the best take turns.
  std::vector<std::uint32_t> near;
  for (const std::uint32_t i : swept.tried) {
    if (!times[i].empty() && *std::ranges::min_element(times[i]) < kNear * best) near.push_back(i);
  }
  sort_stably(near, [&](std::uint32_t i) { return *std::ranges::min_element(times[i]); });
  if (near.size() > kMostNear) near.resize(kMostNear);
  if (std::ranges::find(near, first) == near.end()) near.push_back(first);
  std::map<std::uint32_t, std::vector<double>> last;
  for (unsigned round = 0; round < kLastRounds; ++round) {
    if (stopped() || (budget && spent() > *budget && round > 2)) break;
    for (const std::uint32_t i : near) {
      VYRE_TRY(const double ns, time_on_shadows(d, t, i, bindings));
      times[i].push_back(ns);
      last[i].push_back(ns);
    }
  }
  const auto figure = [&](std::uint32_t i) { return median(last[i].empty() ? times[i] : last[i]); };
  std::uint32_t winner = first;
  for (const std::uint32_t i : near) {
    if (figure(i) < figure(winner)) winner = i;
  }
  // A tie keeps the incumbent.
  const Gain gain = last[first].empty() ? gain_of(times[winner], times[first], false)
                                        : gain_of(last[winner], last[first], true);
  const std::size_t rounds = last[winner].size();
  if (gain.share <= std::max(0.002, 2 * gain.noise)) winner = first;
  std::vector<EvidenceEvent> events;
  for (auto& [i, all] : last) {
    if (all.empty()) continue;
    events.push_back({.kind = EventKind::measured,
                      .candidate = t.candidates[i].text,
                      .times_ns = std::move(all)});
  }
  const std::string reason =
      winner == first
          ? fmt::format("no other of {} was faster beyond the noise", near.size())
          : fmt::format(
                "{:.1f}% faster than {} in {}", 100 * gain.share, t.candidates[first].text,
                rounds == 0 ? std::string("its first runs") : fmt::format("{} rounds", rounds));
  t.tuner.finish(winner, std::move(events), reason, !stopped());
  t.shadows.clear();
  return {};
}

}  // namespace vyre
