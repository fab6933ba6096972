#include <algorithm>

#include "vyre/engine/call_internal.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

// A probe is not tried in a call whose deadline leaves room for fewer calls of the incumbent.
constexpr double kCallsOfDeadline = 50;
// While a candidate waits to be compiled, one call in this many asks whether the ledger allows it.
constexpr std::uint32_t kLookPeriod = 16;
// The approximate interval at which a GPU is asked for pending times; asking takes a tenth of the
// time of a short kernel.
constexpr double kPollNs = 100'000;
constexpr std::uint32_t kMostPollPeriod = 32;
constexpr std::uint32_t kMostLeased = 4096;  // calls that need not ask the tuner

double ns_of(Clock::duration t) { return std::chrono::duration<double, std::nano>(t).count(); }

std::uint32_t poll_period(double call_ns) {
  if (!(call_ns > 0)) return 4;
  return static_cast<std::uint32_t>(std::clamp(kPollNs / call_ns, 1.0, double{kMostPollPeriod}));
}

// Takes times and comparisons that have become ready, in some of the calls. If another thread is
// doing that already, this one need not.
void harvest_at_times(const CallContext& cx, TunedKernel& t) {
  if (!t.tuner.has_attention(TunedKernel::kInFlight)) return;
  const bool asking_is_cheap = !cx.costs.runs_beside_host || t.tuner.settled();
  if (!asking_is_cheap && ++t.polls % poll_period(t.incumbent_ns) != 0) return;
  const auto work = t.work.try_lock();
  if (!work) return;
  const auto begun = Clock::now();
  harvest(cx, t, *work);
  // The host's time is lost only if the device had nothing to do meanwhile.
  if (cx.costs.runs_beside_host && cx.queue->is_idle())
    t.tuner.charge_own_work(ns_of(Clock::now() - begun));
}

bool only_serves(const TunedKernel& t, const OnlineStep& step) {
  return !step.timed && !step.verify && !step.make && !t.tuner.has_attention(TunedKernel::kToMake);
}

// Serves the call, and leases the next calls if these would only be served as well.
Result<void> serve_and_lease(const CallContext& cx, const LaunchStep& d, std::uint32_t candidate,
                             const RunLimits& limits) {
  TunedKernel& t = *d.tuned;
  VYRE_CHECK(serve_beside_compilers(cx, d, candidate, limits));
  const bool watched = !cx.costs.runs_beside_host && cx.tuning->maker().compiles();
  if (candidate != t.tuner.best() || watched) return {};
  const bool settled = t.tuner.settled();
  const bool polls = !settled || t.tuner.has_attention(TunedKernel::kInFlight);
  const std::uint32_t leased = t.tuner.plain_calls(
      polls ? poll_period(t.incumbent_ns) : kMostLeased, settled ? TunedKernel::kInFlight : 0);
  t.given.fetch_add(leased, std::memory_order_relaxed);
  d.served->give(candidate, leased);
  return {};
}

// Asks for the candidate that the step names to be compiled, and starts what waits to be compiled.
void let_compile(const CallContext& cx, const LaunchStep& d, const OnlineStep& step,
                 const RunLimits& limits) {
  TunedKernel& t = *d.tuned;
  if (step.make && cx.tuning->options().compile_at_once) {
    if (const auto now = cx.queue->record()) (void)(*now)->wait();
    (void)cx.tuning->maker().make_now(t, *step.make, limits.for_work());
  } else if (step.make) {
    const auto work = t.work.lock();
    // Shadows will be needed when the candidate is compiled.
    if (cx.costs.runs_beside_host) (void)ask_for_shadows(cx, d, *work);
    work->to_make.push_back(*step.make);
    t.tuner.set_attention(TunedKernel::kToMake, true);
  }
  const bool now = step.make || step.verify;
  if (!now && !t.tuner.has_attention(TunedKernel::kToMake)) return;
  const bool idle = cx.costs.runs_beside_host && cx.queue->known_idle();
  if (now || step.probe || idle || ++t.looks % kLookPeriod == 0)
    cx.tuning->maker().make_later(d.tuned);
}

// Serves the call and compares a candidate's results with it. The first comparison is that of the
// incumbent with itself.
Result<void> serve_and_verify(const CallContext& cx, const LaunchStep& d, const OnlineStep& step,
                              const RunLimits& limits) {
  TunedKernel& t = *d.tuned;
  const auto work = t.work.try_lock();
  if (!work || work->check || !can_compare(cx, t, *work) || !ask_for_shadows(cx, d, *work)) {
    t.tuner.abandon(step);
    return serve(cx, d, step.candidate, limits);
  }
  const std::uint32_t candidate = work->equals_itself ? *step.verify : step.candidate;
  const auto done = verify_beside(cx, d, *work, step.candidate, candidate, limits);
  if (work->check) work->check->asked = step;
  if (!work->check) t.tuner.abandon(step);
  if (!cx.costs.runs_beside_host) harvest(cx, t, *work);
  return done;
}

// Serves the call and times it.
Result<void> serve_and_time(const CallContext& cx, const LaunchStep& d, const OnlineStep& step,
                            const RunLimits& limits) {
  TunedKernel& t = *d.tuned;
  // Nothing is tried in a call that must end soon.
  if (step.probe && limits.deadline &&
      ns_of(*limits.deadline) < kCallsOfDeadline * t.incumbent_ns) {
    t.tuner.abandon(step);
    return serve(cx, d, t.tuner.best(), limits);
  }
  PendingTime timing;
  timing.step = step;
  timing.calls = t.tuner.calls();
  timing.given = t.given.load(std::memory_order_relaxed);
  timing.slowed = cx.tuning->maker().compiles();
  timing.scale = t.scale_for(d.plan.extent);
  const auto asked = Clock::now();
  VYRE_TRY(timing.begin, cx.queue->record());
  const auto launched = Clock::now();
  const auto done = serve(cx, d, step.candidate, limits);
  if (!done) {
    t.tuner.abandon(step);
    // A GPU that refuses a launch has run no part of it; on the host a part may have run.
    if (!step.probe || !cx.costs.runs_beside_host || cx.device.lost()) return done;
    t.tuner.drop(step.candidate, describe(done.error()));
    return serve(cx, d, t.tuner.best(), limits);
  }
  const auto returned = Clock::now();
  VYRE_TRY(timing.end, cx.queue->record());
  timing.overhead_ns = ns_of((launched - asked) + (Clock::now() - returned));
  if (cx.costs.runs_beside_host && !is_ready(*timing.begin)) {
    timing.overhead_ns = cx.costs.busy_timing_ns;  // the device had enough to do meanwhile
  }
  const auto work = t.work.lock();
  work->timings.push_back(std::move(timing));
  t.tuner.set_attention(TunedKernel::kInFlight, true);
  if (!cx.costs.runs_beside_host) harvest(cx, t, *work);
  return {};
}

}  // namespace

Result<void> submit_tuned(const CallContext& cx, const LaunchStep& d, const RunLimits& limits) {
  TunedKernel& t = *d.tuned;
  const auto began = Clock::now();
  t.given.fetch_sub(d.served->settle_given(), std::memory_order_relaxed);
  if (t.tuner.has_attention(TunedKernel::kToSweep)) VYRE_CHECK(sweep(cx, d, limits));
  harvest_at_times(cx, t);
  const OnlineStep step = t.tuner.next();
  if (!t.candidates[step.candidate].is_made()) {
    t.tuner.abandon(step);
    VYRE_CHECK(cx.tuning->maker().make_now(t, step.candidate, limits.for_work()));
    return serve(cx, d, step.candidate, limits.counted_from(began));
  }
  if (only_serves(t, step)) return serve_and_lease(cx, d, step.candidate, limits);
  let_compile(cx, d, step, limits);
  if (step.verify) return serve_and_verify(cx, d, step, limits);
  if (step.timed) return serve_and_time(cx, d, step, limits);
  return serve_beside_compilers(cx, d, step.candidate, limits);
}

}  // namespace vyre
