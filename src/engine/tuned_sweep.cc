// The mode `on`: everything is measured before the first call is served, on shadows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vyre/base/log.h"
#include "vyre/base/sort.h"
#include "vyre/engine/session.h"
#include "vyre/engine/tuned_internal.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kFirstRuns = 3;
constexpr double kBatchNs = 1'000'000;
constexpr double kFarTooSlow = 8;  // times the incumbent
constexpr unsigned kLastRounds = 12;
constexpr double kHopeless = 1.5;  // times the best, after the first runs
constexpr double kNear = 1.15;     // times the best: worth the last rounds
constexpr std::size_t kMostNear = 12;

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

}  // namespace

// Nanoseconds of one run on the shadows.
Result<double> Session::time_on_shadows(const Dispatch& d, TunedKernel& t, std::uint32_t candidate,
                                        std::span<const BoundMemory> bindings) const {
  const auto began = Clock::now();
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
  tuning_->tell(TunedCall{.at = began,
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
  VYRE_CHECK(launch_candidate(d, t.candidates[candidate], bindings, d.extent_, {}));
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

  std::vector<std::uint32_t> order(t.candidates.size());
  std::iota(order.begin(), order.end(), 0U);
  sort_stably(order, [&](std::uint32_t i) { return std::pair(i != first, t.prior[i]); });
  std::vector<std::vector<double>> times(t.candidates.size());
  std::vector<EvidenceEvent> events;
  double best = 0;
  for (const std::uint32_t i : order) {
    if (budget && spent() > *budget && best > 0) break;
    if (!tuning_->make_now(t, i)) continue;
    std::string why;
    const auto checked = differs_on_shadows(d, t, i, expected);
    if (!checked) {
      if (i == first || device_->lost()) return std::unexpected(checked.error());
      why = describe(checked.error());
    } else {
      why = *checked;
    }
    tuning_->tell(TunerSpan{.kind = TunerSpan::Kind::verify,
                            .candidate = i,
                            .begin = Clock::now(),
                            .end = Clock::now(),
                            .outcome = why});
    if (!why.empty()) {
      t.tuner.drop(i, why);
      continue;
    }
    events.push_back({.kind = EventKind::verified, .candidate = t.candidates[i].text});
    if (i == first) {
      VYRE_TRY(const double ns, time_on_shadows(d, t, i, bindings));
      t.incumbent_ns = ns;
    }
    for (unsigned run = 0; run < kFirstRuns; ++run) {
      VYRE_TRY(const double ns, time_on_shadows(d, t, i, bindings));
      times[i].push_back(ns);
      if (best > 0 && ns > kHopeless * best && run > 0) break;
    }
    const double ns = *std::ranges::min_element(times[i]);
    if (best == 0 || ns < best) best = ns;
    if (i == first) t.incumbent_ns = ns;
  }
  // Those that are near the best take turns.
  std::vector<std::uint32_t> near;
  for (const std::uint32_t i : order) {
    if (!times[i].empty() && *std::ranges::min_element(times[i]) < kNear * best) near.push_back(i);
  }
  sort_stably(near, [&](std::uint32_t i) { return *std::ranges::min_element(times[i]); });
  if (near.size() > kMostNear) near.resize(kMostNear);
  if (std::ranges::find(near, first) == near.end()) near.push_back(first);
  for (unsigned round = 0; round < kLastRounds; ++round) {
    if (budget && spent() > *budget && round > 2) break;
    for (const std::uint32_t i : near) {
      VYRE_TRY(const double ns, time_on_shadows(d, t, i, bindings));
      times[i].push_back(ns);
    }
  }
  std::uint32_t winner = first;
  for (const std::uint32_t i : near) {
    if (median(times[i]) < median(times[winner])) winner = i;
  }
  const double before = median(times[first]), after = median(times[winner]);
  // A tie keeps the incumbent.
  const double noise = 2 * std::max(spread(times[first]), spread(times[winner])) /
                       std::sqrt(double(times[winner].size()));
  if (winner != first && before - after <= std::max(0.002 * before, noise)) winner = first;
  for (const std::uint32_t i : order) {
    if (times[i].empty()) continue;
    events.push_back(
        {.kind = EventKind::measured, .candidate = t.candidates[i].text, .times_ns = times[i]});
  }
  const double gain = before > 0 ? 1 - median(times[winner]) / before : 0;
  const std::string reason =
      winner == first ? fmt::format("no other of {} was faster beyond the noise", near.size())
                      : fmt::format("{:.1f}% faster than {} in {} rounds", 100 * gain,
                                    t.candidates[first].text, times[winner].size());
  t.tuner.finish(winner, std::move(events), reason);
  t.shadows.clear();
  return {};
}

}  // namespace vyre
