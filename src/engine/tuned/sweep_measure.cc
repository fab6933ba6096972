// The first part of the mode `on`: candidates are compiled, compared and timed, one after the
// other, in the order that measure_order_internal.h gives.
#include <algorithm>
#include <cmath>

#include "vyre/engine/call_internal.h"
#include "vyre/engine/tuned/measure_order_internal.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kFirstRuns = 3;
// A candidate that takes this multiple of the best time is given up: after its first run, and after
// later ones.
constexpr double kFarOff = 3, kHopeless = 1.5;

Result<std::unique_ptr<MeasureOrder>> order_for(const TunedKernel& t, std::uint32_t first,
                                                std::uint64_t seed) {
  std::vector<SearchedCandidate> candidates;
  candidates.reserve(t.candidates.size());
  for (const TunedCandidate& c : t.candidates) {
    candidates.push_back({c.first().variant, c.first().kernel.program->workgroup});
  }
  return MeasureOrder::make(t.strategy, candidates, t.prior, t.tuner.view(), first, seed);
}

// Compiles, compares and times one candidate. Absent: it was dropped. A candidate that was measured
// before is only timed once more.
Result<std::optional<double>> measure_candidate(const CallContext& cx, const LaunchStep& d,
                                                SearchWork& work, const Trial& trial,
                                                SweptTimes& swept) {
  TunedKernel& t = *d.tuned;
  const std::uint32_t i = trial.configuration;
  std::vector<double>& times = swept.times[i];
  const auto failed = [&](const Error& error) -> Result<std::optional<double>> {
    if (cx.device.lost()) return std::unexpected(error);
    if (swept.limits.stopped()) return std::optional<double>();  // the candidate is not at fault
    t.tuner.drop(i, describe(error));
    times.clear();
    return std::optional<double>();
  };
  if (times.empty()) {
    if (!cx.tuning->maker().make_now(t, i, swept.limits.for_work())) return std::optional<double>();
    const auto began = Clock::now();
    const auto checked = differs_on_shadows(cx, d, work, i, swept.expected, swept.limits);
    const std::string why = checked ? *checked : describe(checked.error());
    cx.tuning->tell(TunerSpan{.kind = TunerSpan::Kind::verify,
                              .candidate = i,
                              .begin = began,
                              .end = Clock::now(),
                              .outcome = why});
    if (!checked) return failed(checked.error());
    if (!why.empty()) {
      t.tuner.drop(i, why);
      return std::optional<double>();
    }
    swept.tried.push_back(i);
  } else if (trial.samples == 0) {
    return std::ranges::min(times);
  }
  const std::size_t before = times.size();
  const unsigned runs = trial.samples == 0 ? kFirstRuns : trial.samples;
  for (unsigned run = 0; run < runs; ++run) {
    const auto ns = time_on_shadows(cx, d, i, swept.bindings, swept.limits);
    if (!ns) return failed(ns.error());
    times.push_back(*ns);
    if (swept.best_ns > 0 && *ns > (run > 0 ? kHopeless : kFarOff) * swept.best_ns) break;
  }
  std::vector<EvidenceEvent> events;
  if (before == 0) {
    events.push_back({.kind = EventKind::verified, .candidate = t.candidates[i].text});
  }
  events.push_back(
      {.kind = EventKind::measured,
       .candidate = t.candidates[i].text,
       .times_ns = {times.begin() + static_cast<std::ptrdiff_t>(before), times.end()}});
  t.tuner.note(std::move(events));
  const double least = std::ranges::min(times);
  if (swept.best_ns == 0 || least < swept.best_ns) swept.best_ns = least;
  return std::optional(least);
}

}  // namespace

Result<void> measure_candidates(const CallContext& cx, const LaunchStep& d, SearchWork& work,
                                std::uint32_t first, const std::function<bool()>& is_over,
                                SweptTimes& swept) {
  TunedKernel& t = *d.tuned;
  VYRE_TRY(const auto order, order_for(t, first, cx.tuning->options().seed));
  // The favourite is timed first. Its very first time is not used.
  VYRE_TRY(t.incumbent_ns, time_on_shadows(cx, d, first, swept.bindings, swept.limits));
  VYRE_TRY(const auto usual_ns, measure_candidate(cx, d, work, {.configuration = first}, swept));
  if (!usual_ns) return fail(Code::device, "the incumbent cannot be timed");
  t.incumbent_ns = *usual_ns;
  // The declared variant, which runs without tuning, is always measured.
  if (t.declared && *t.declared != first && !is_over()) {
    VYRE_CHECK(measure_candidate(cx, d, work, {.configuration = *t.declared}, swept));
  }
  while (!is_over()) {
    const auto trial = order->next();
    if (!trial) break;
    VYRE_TRY(const auto ns, measure_candidate(cx, d, work, *trial, swept));
    order->report(*trial, ns);
  }
  t.known_before = static_cast<std::uint32_t>(order->known());
  return {};
}

}  // namespace vyre
