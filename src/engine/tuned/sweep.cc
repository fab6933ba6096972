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
// Without a budget, a stage of the race and the proof after it take at most this long.
constexpr double kRaceNs = 1e9, kProofNs = 4e9;
// The race and the proof get the time of this many samples, but at least and at most these shares
// of the budget.
constexpr double kEndSamples = 600;
constexpr double kLeastEnd = 0.3, kMostEnd = 0.4;
constexpr double kStages = 8;  // of the race, which gets half of the remaining time
// In a sweep, runs follow each other closely and find the threads awake, unlike the calls of a
// program; and launches shorter than kShortLaunchNs are mostly overhead. In both cases gains below
// kDoubt prove nothing.
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
                            .incumbent_ns = 0});
  return ns;
}

namespace {

// One sweep: the steps of the search, and what they share.
class Sweep {
 public:
  Sweep(const CallContext& cx, const LaunchStep& step, SearchWork& work, const RunLimits& limits)
      : cx_(cx), step_(step), kernel_(*step.tuned), work_(work), limits_(limits) {
    swept_.limits = limits;
    swept_.times.resize(kernel_.candidates.size());
  }

  Result<void> run() {
    VYRE_TRY(const bool can_compare, prepare());
    if (!can_compare) return {};
    VYRE_CHECK(warm_up());
    VYRE_CHECK(measure_candidates(
        cx_, step_, work_, first_, [&] { return is_time_for_the_end(); }, swept_));
    std::vector<std::size_t> measured;
    for (const auto& times : swept_.times) measured.push_back(times.size());
    const RaceResult raced = hold_race();
    std::vector<std::string> texts;
    for (const TunedCandidate& candidate : kernel_.candidates) texts.push_back(candidate.text);
    PairedFinals finals(first_, raced.ranking, rules(),
                        earlier_finals(kernel_.tuner.kept(), texts, first_));
    prove(finals);
    if (lost_) return std::unexpected(*lost_);
    finish(finals, raced, measured, texts);
    return {};
  }

 private:
  Result<bool> prepare();
  Result<void> warm_up();
  RaceResult hold_race();
  FinalsOptions rules() const;
  void prove(PairedFinals& finals);
  void finish(const PairedFinals& finals, const RaceResult& raced,
              const std::vector<std::size_t>& measured, const std::vector<std::string>& texts);

  std::optional<double> time(std::uint32_t candidate);
  bool is_stopped() const;
  bool is_time_for_the_end() const;
  bool has_ended() const { return is_stopped() || lost_ || (budget_ && spent() > *budget_); }
  Clock::duration spent() const { return Clock::now() - began_; }

  const CallContext& cx_;
  const LaunchStep& step_;
  TunedKernel& kernel_;
  SearchWork& work_;
  const RunLimits& limits_;
  const Clock::time_point began_ = Clock::now();
  const std::optional<std::chrono::nanoseconds> budget_ = cx_.tuning->options().sweep_time;
  const std::uint32_t first_ = kernel_.tuner.best();  // the favourite
  std::vector<DeviceMemory> expected_;                // its results
  std::vector<BoundMemory> bindings_;                 // with shadows
  SweptTimes swept_;
  std::optional<Error> lost_;  // the device, or the favourite, failed
};

bool Sweep::is_stopped() const {
  const auto* stop = cx_.tuning->options().stop;
  return limits_.stopped() || (stop != nullptr && stop->load(std::memory_order_relaxed) != 0);
}

// The race and the proof at the end need a part of the budget.
bool Sweep::is_time_for_the_end() const {
  if (is_stopped()) return true;
  if (!budget_) return false;
  const double budget_ns = double(budget_->count());
  const double end_ns = std::clamp(kEndSamples * std::max(swept_.best_ns, cx_.costs.sample_ns),
                                   kLeastEnd * budget_ns, kMostEnd * budget_ns);
  return ns_of(spent()) > budget_ns - end_ns;
}

// Computes the favourite's results on shadows, twice. False: nothing can be compared with them.
Result<bool> Sweep::prepare() {
  if (!work_.comparer) {
    VYRE_TRY(auto tools, make_compare_tools(cx_.device, cx_.codes));
    VYRE_TRY(work_.comparer, Comparer::make(std::move(tools), cx_.queue, cx_.device));
  }
  const auto has_shadows = [&] {
    const std::string why = make_shadows(cx_, step_, work_);
    if (!why.empty()) kernel_.tuner.stop_tuning(why);
    return why.empty();
  };
  if (!has_shadows()) return false;
  expected_ = std::exchange(work_.shadows, {});
  if (!has_shadows()) {
    work_.shadows.clear();
    return false;
  }
  std::swap(expected_, work_.shadows);
  VYRE_TRY(bindings_, fill_shadows(cx_, step_, work_, {step_.plan.extent, {}}));
  VYRE_CHECK(launch_candidate(cx_, step_, first_, bindings_, step_.plan.extent, limits_));
  VYRE_CHECK(cx_.queue->wait());
  std::swap(expected_, work_.shadows);
  VYRE_TRY(const std::string itself,
           differs_on_shadows(cx_, step_, work_, first_, expected_, limits_));
  if (!itself.empty()) {
    kernel_.tuner.stop_tuning(
        "two runs of the same code on the same data gave different results: they depend on the "
        "order in which invocations run");
    return false;
  }
  VYRE_TRY(bindings_, fill_shadows(cx_, step_, work_, {step_.plan.extent, {}}));
  swept_.expected = expected_;
  swept_.bindings = bindings_;
  return true;
}

// Timing begins once threads have settled on processors and clocks have ramped up.
Result<void> Sweep::warm_up() {
  const auto from = Clock::now();
  while (!cx_.costs.runs_beside_host && Clock::now() - from < kWarmUp) {
    VYRE_CHECK(launch_candidate(cx_, step_, first_, bindings_, step_.plan.extent, limits_));
  }
  return {};
}

// Absent: the candidate failed, and is dropped. 0: it was stopped.
std::optional<double> Sweep::time(std::uint32_t candidate) {
  const auto ns = time_on_shadows(cx_, step_, candidate, bindings_, limits_);
  if (ns) return *ns;
  if (limits_.stopped()) return 0;
  if (cx_.device.lost() || candidate == first_) lost_ = ns.error();
  if (candidate != first_) kernel_.tuner.drop(candidate, describe(ns.error()));
  return std::nullopt;
}

RaceResult Sweep::hold_race() {
  RaceOptions options{.sample_ns = cx_.costs.sample_ns, .stage_ns = kRaceNs};
  auto until = budget_;
  if (budget_) {
    const Clock::duration left = std::max<Clock::duration>(*budget_ - spent(), Clock::duration{0});
    options.stage_ns = ns_of(left) / kStages;
    *until -= left / 2;
  }
  return race(
      swept_.times, first_, [&](std::uint32_t i) { return time(i); }, options,
      [&] { return has_ended() || (until && spent() > *until); });
}

FinalsOptions Sweep::rules() const {
  FinalsOptions out{.least_gain = cx_.tuning->options().least_gain};
  if (!cx_.costs.runs_beside_host || swept_.best_ns < kShortLaunchNs) out.doubt = kDoubt;
  return out;
}

void Sweep::prove(PairedFinals& finals) {
  const auto from = Clock::now();
  hold_finals(
      finals, swept_.times, [&](std::uint32_t i) { return time(i); },
      [&] { return has_ended() || (!budget_ && ns_of(Clock::now() - from) > kProofNs); });
}

// Tells the tuner the result, with the times of the race and the finals. `measured`: the number of
// times of each candidate that it knows.
void Sweep::finish(const PairedFinals& finals, const RaceResult& raced,
                   const std::vector<std::size_t>& measured,
                   const std::vector<std::string>& texts) {
  std::vector<EvidenceEvent> events;
  for (std::uint32_t i = 0; i < swept_.times.size(); ++i) {
    const auto& times = swept_.times[i];
    if (times.size() == measured[i]) continue;
    events.push_back(
        {.kind = EventKind::measured,
         .candidate = texts[i],
         .times_ns = {times.begin() + static_cast<std::ptrdiff_t>(measured[i]), times.end()}});
  }
  std::ranges::move(finals.events(texts), std::back_inserter(events));
  const FinalsResult result = finals.result();
  const std::size_t others = raced.entrants - std::min<std::size_t>(raced.entrants, 1);
  kernel_.tuner.finish(result, std::move(events), finals_words(result, texts, others),
                       !is_stopped() && finals.finished());
  work_.shadows.clear();
}

}  // namespace

Result<void> sweep(const CallContext& cx, const LaunchStep& d, const RunLimits& limits) {
  TunedKernel& t = *d.tuned;
  const auto locked = t.work.lock();
  SearchWork& work = *locked;
  if (std::exchange(work.swept, true)) return {};
  const auto done = [](TunedKernel* k) { k->tuner.set_attention(TunedKernel::kToSweep, false); };
  const std::unique_ptr<TunedKernel, decltype(done)> guard(&t, done);
  if (!t.tuner.untunable().empty() || t.tuner.settled()) return {};
  return Sweep(cx, d, work, limits).run();
}

}  // namespace vyre
