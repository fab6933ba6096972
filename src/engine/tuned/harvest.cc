#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/log.h"
#include "vyre/engine/call_internal.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

// The pace of calls is known from at least this many of them.
constexpr std::uint64_t kPaceCalls = 256;

// The time between two events around a short launch includes the host's time to submit it. Between
// events of calls that are far apart, that time is hidden.
void note_pace(const CallContext& cx, TunedKernel& t, SearchWork& work, const PendingTime& timing) {
  if (!cx.costs.runs_beside_host || t.tuner.settled()) return;
  // Leased calls may not have been made yet, so they are not counted here.
  const std::uint64_t made = timing.calls - std::min(timing.given, timing.calls);
  if (work.pace_from != nullptr) {
    if (made < work.pace_from_calls + kPaceCalls) return;
    const double ns = between(*timing.end, *work.pace_from) * timing.scale;
    t.tuner.pace(ns / static_cast<double>(made - work.pace_from_calls));
  }
  work.pace_from = timing.end;
  work.pace_from_calls = timing.calls;
}

void take_time(const CallContext& cx, TunedKernel& t, SearchWork& work, const PendingTime& timing) {
  const double ns = between(*timing.end, *timing.begin) * timing.scale;
  if (ns <= 0) return t.tuner.abandon(timing.step);
  t.tuner.report(timing.step, ns, timing.slowed);
  note_pace(cx, t, work, timing);
  t.tuner.charge_own_work(timing.overhead_ns);
  if (!timing.step.probe) t.incumbent_ns = ns;
  if (!cx.tuning->options().observer.call) return;
  cx.tuning->tell(TunedCall{.at = Clock::now(),
                            .candidate = timing.step.candidate,
                            .incumbent = t.tuner.best(),
                            .ns = ns,
                            .probe = timing.step.probe,
                            .ledger = t.tuner.ledger(),
                            .incumbent_ns = t.tuner.incumbent_time().ns});
}

// Why the comparison rejects its candidate; empty: it does not.
std::string take_outcome(TunedKernel& t, SearchWork& work, const PendingCheck& check) {
  // With a GPU, the host's time may be the longer one.
  const double cost = std::max(
      check.host_ns, between(*check.middle, *check.begin) + between(*check.end, *check.after));
  const auto different = work.comparer->different();
  if (!different) {
    t.tuner.abandon(check.asked);
    t.tuner.stop_tuning("results could not be compared: " + describe(different.error()));
    return describe(different.error());
  }
  if (check.of_incumbent) {
    t.tuner.abandon(check.asked);
    t.tuner.charge_verification(cost);
    work.equals_itself = *different == 0;
    if (work.equals_itself) return {};
    t.tuner.stop_tuning(
        "two runs of the same code on the same data gave different results: they depend on the "
        "order in which invocations run");
    return "the program differs from itself";
  }
  if (*different == 0) {
    t.tuner.verified(check.candidate, cost);
    return {};
  }
  const std::string why =
      fmt::format("its results differ from the incumbent's{}",
                  *different > 1 ? fmt::format(" in {} words", *different) : "");
  VYRE_LOG(warn, "the variant {} of {} is left out: {}", t.candidates[check.candidate].text,
           t.tuner.key().name, why);
  t.tuner.drop(check.candidate, why, cost);
  return why;
}

}  // namespace

double between(Event& later, Event& earlier) {
  const auto spent = later.since(earlier);
  return spent ? static_cast<double>(spent->count()) : 0;
}

bool is_ready(Event& event) {
  const auto ready = event.ready();
  return !ready || *ready;  // a failed event will never become ready
}

void harvest(const CallContext& cx, TunedKernel& t, SearchWork& work) {
  while (!work.timings.empty() && is_ready(*work.timings.front().end)) {
    const PendingTime timing = std::move(work.timings.front());
    work.timings.pop_front();
    take_time(cx, t, work, timing);
  }
  if (work.check && is_ready(*work.check->end)) {
    const PendingCheck check = *std::exchange(work.check, std::nullopt);
    TunerSpan span{.kind = TunerSpan::Kind::verify,
                   .candidate = check.candidate,
                   .begin = check.began,
                   .end = Clock::now(),
                   .outcome = {}};
    span.outcome = take_outcome(t, work, check);
    cx.tuning->tell(span);
  }
  if (work.timings.empty() && !work.check) {
    t.tuner.set_attention(TunedKernel::kInFlight, false);
    if (t.tuner.settled()) work.shadows.clear();
  }
}

}  // namespace vyre
