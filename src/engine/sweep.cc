// The mode `on`: everything is measured before the first call is served, on shadows.
#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/log.h"
#include "vyre/engine/call_internal.h"
#include "vyre/tune/online/paired_finals.h"
#include "vyre/tune/online/race.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

// A sample is the mean of at most this many consecutive runs, if one run alone is too short.
constexpr double kMostRuns = 64;
// In runs longer than this, the time to wake threads or the GPU does not matter.
constexpr double kHidesWakingNs = 3'000'000;
constexpr std::chrono::milliseconds kWarmUp{20};
constexpr double kFarTooSlow = 8;  // times the incumbent
// Without a budget: what each stage of the race may take, and the proof after it.
constexpr double kRaceNs = 1e9, kProofNs = 4e9;
// For the race and the proof: as many samples, within these shares of the budget.
constexpr double kEndSamples = 600;
constexpr double kLeastEnd = 0.3, kMostEnd = 0.4;
constexpr double kStages = 8;  // of the race: half of what is left is for the proof
// Consecutive calls find threads awake, which a program's calls may not; and launches as short as
// kShortLaunchNs are mostly overhead. Gains below kDoubt are in doubt there.
constexpr double kDoubt = 0.02;
constexpr double kShortLaunchNs = 10'000;

double ns_of(Clock::duration time) {
  return std::chrono::duration<double, std::nano>(time).count();
}

}  // namespace

Result<double> time_on_shadows(const CallContext& cx, const LaunchStep& d, std::uint32_t candidate,
                               std::span<const BoundMemory> bindings, const RunLimits& limits) {
  TunedKernel& t = *d.tuned;
  const auto timed = [&](unsigned runs) -> Result<double> {
    LaunchRuns all{.count = runs};
    VYRE_CHECK(launch_candidate(cx, d, candidate, bindings, d.plan.extent, limits, &all));
    return static_cast<double>(all.spent.count()) / runs;
  };
  // The time of a single run includes waking the GPU, or the threads of the host: the first run
  // wakes them, and a second measurement follows. A candidate that is far too slow needs no second
  // measurement.
  VYRE_TRY(double ns, timed(1));
  const double usual_ns = t.incumbent_ns;
  if (usual_ns > 0 && usual_ns < kHidesWakingNs && ns < kFarTooSlow * usual_ns) {
    VYRE_TRY(
        ns,
        timed(static_cast<unsigned>(std::clamp(cx.costs.sample_ns / usual_ns, 1.0, kMostRuns))));
  }
  cx.tuning->tell(TunedCall{.at = Clock::now(),
                            .candidate = candidate,
                            .incumbent = t.tuner.best(),
                            .ns = ns,
                            .probe = true,
                            .ledger = {},
                            .incumbent_ns = t.incumbent_ns});
  return ns;
}

Result<void> sweep(const CallContext& cx, const LaunchStep& d, const RunLimits& limits) {
  TunedKernel& t = *d.tuned;
  const auto locked = t.work.lock();
  SearchWork& work = *locked;
  if (std::exchange(work.swept, true)) return {};
  const auto done = [](TunedKernel* k) { k->tuner.set_attention(TunedKernel::kToSweep, false); };
  const std::unique_ptr<TunedKernel, decltype(done)> guard(&t, done);
  if (!t.tuner.untunable().empty() || t.tuner.settled()) return {};
  const auto began = Clock::now();
  const auto spent = [&] { return Clock::now() - began; };
  const auto budget = cx.tuning->options().sweep_time;
  const auto stopped = [&] {
    const auto* stop = cx.tuning->options().stop;
    return limits.stopped() || (stop != nullptr && stop->load(std::memory_order_relaxed) != 0);
  };
  if (!work.comparer) {
    VYRE_TRY(auto tools, make_compare_tools(cx.device, cx.codes));
    VYRE_TRY(work.comparer, Comparer::make(std::move(tools), cx.queue, cx.device));
  }
  if (const std::string why = make_shadows(cx, d, work); !why.empty()) {
    t.tuner.stop_tuning(why);
    return {};
  }
  std::vector<DeviceMemory> expected = std::exchange(work.shadows, {});
  if (const std::string why = make_shadows(cx, d, work); !why.empty()) {
    work.shadows.clear();
    t.tuner.stop_tuning(why);
    return {};
  }
  // The incumbent's results, twice.
  const std::uint32_t first = t.tuner.best();
  std::swap(expected, work.shadows);
  VYRE_TRY(auto bindings, fill_shadows(cx, d, work, {d.plan.extent, {}}));
  VYRE_CHECK(launch_candidate(cx, d, first, bindings, d.plan.extent, limits));
  VYRE_CHECK(cx.queue->wait());
  std::swap(expected, work.shadows);
  VYRE_TRY(const std::string itself, differs_on_shadows(cx, d, work, first, expected, limits));
  if (!itself.empty()) {
    t.tuner.stop_tuning(
        "two runs of the same code on the same data gave different results: they depend on the "
        "order in which invocations run");
    return {};
  }
  VYRE_TRY(bindings, fill_shadows(cx, d, work, {d.plan.extent, {}}));
  // Timing begins once threads have settled on processors and clocks have ramped up.
  for (const auto from = Clock::now();
       !cx.costs.runs_beside_host && Clock::now() - from < kWarmUp;) {
    VYRE_CHECK(launch_candidate(cx, d, first, bindings, d.plan.extent, limits));
  }
  SweptTimes swept{.expected = expected,
                   .bindings = bindings,
                   .limits = limits,
                   .times = std::vector<std::vector<double>>(t.candidates.size())};
  const double sample_ns = cx.costs.sample_ns;
  // The race and the proof at the end need some of the time.
  const auto is_over = [&] {
    if (stopped()) return true;
    if (!budget) return false;
    const double budget_ns = double(budget->count());
    const double end_ns = std::clamp(kEndSamples * std::max(swept.best_ns, sample_ns),
                                     kLeastEnd * budget_ns, kMostEnd * budget_ns);
    return ns_of(spent()) > budget_ns - end_ns;
  };
  VYRE_CHECK(measure_candidates(cx, d, work, first, is_over, swept));
  std::vector<std::size_t> before;
  for (const auto& times : swept.times) before.push_back(times.size());
  std::optional<Error> lost;
  const auto time = [&](std::uint32_t i) -> std::optional<double> {
    const auto ns = time_on_shadows(cx, d, i, bindings, limits);
    if (ns) return *ns;
    if (limits.stopped()) return 0;
    if (cx.device.lost() || i == first) lost = ns.error();
    if (i != first) t.tuner.drop(i, describe(ns.error()));
    return std::nullopt;
  };
  RaceOptions options{.sample_ns = sample_ns, .stage_ns = kRaceNs};
  const auto has_ended = [&] { return stopped() || lost || (budget && spent() > *budget); };
  auto race_until = budget;
  if (budget) {
    const Clock::duration left = std::max<Clock::duration>(*budget - spent(), Clock::duration{0});
    options.stage_ns = ns_of(left) / kStages;
    *race_until -= left / 2;
  }
  const RaceResult raced = race(swept.times, first, time, options, [&] {
    return has_ended() || (race_until && spent() > *race_until);
  });
  FinalsOptions rules{.least_gain = cx.tuning->options().least_gain};
  if (!cx.costs.runs_beside_host || swept.best_ns < kShortLaunchNs) rules.doubt = kDoubt;
  PairedFinals finals(first, raced.ranking, rules);
  const auto proof_began = Clock::now();
  hold_finals(finals, swept.times, time, [&] {
    return has_ended() || (!budget && ns_of(Clock::now() - proof_began) > kProofNs);
  });
  if (lost) return std::unexpected(*lost);
  std::vector<std::string> texts;
  for (const TunedCandidate& candidate : t.candidates) texts.push_back(candidate.text);
  std::vector<EvidenceEvent> events;
  for (std::uint32_t i = 0; i < swept.times.size(); ++i) {
    const auto& times = swept.times[i];
    if (times.size() == before[i]) continue;
    events.push_back(
        {.kind = EventKind::measured,
         .candidate = texts[i],
         .times_ns = {times.begin() + static_cast<std::ptrdiff_t>(before[i]), times.end()}});
  }
  std::ranges::move(finals.events(texts), std::back_inserter(events));
  const FinalsResult result = finals.result();
  const std::size_t others = raced.entrants - std::min<std::size_t>(raced.entrants, 1);
  t.tuner.finish(result, std::move(events), finals_words(result, texts, others),
                 !stopped() && finals.finished());
  work.shadows.clear();
  return {};
}

}  // namespace vyre
