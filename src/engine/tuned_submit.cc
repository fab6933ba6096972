// What one call of a tuned dispatch does: serve, time, and compare a candidate with what is served.
#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/log.h"
#include "vyre/engine/calls_internal.h"
#include "vyre/plan/extent_volume.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/variant_space.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

// A candidate that runs longer beside a call is not worth having.
constexpr std::chrono::seconds kCheckDeadline{10};
// A call that takes so much longer than the incumbent's last one was slowed.
constexpr double kSlowed = 1.1;
// Calls of the incumbent that a deadline must leave room for.
constexpr double kCallsOfDeadline = 50;
// While something waits to be compiled, one call in so many asks whether it may be.
constexpr std::uint32_t kLookPeriod = 16;
// While times are on their way from a GPU, this often it is asked for them: that takes as long as a
// tenth of a short kernel.
constexpr double kPollNs = 100'000;  // about; and at least
constexpr std::uint32_t kMostPollPeriod = 32;
constexpr std::uint32_t kMostPlain = 4096;  // calls that ask nobody
// So many calls, at least, tell how long one takes among others.
constexpr std::uint64_t kPaceCalls = 256;

double ns_of(std::chrono::nanoseconds t) { return static_cast<double>(t.count()); }

// 0 where there is none.
double between(Event& later, Event& earlier) {
  const auto spent = later.since(earlier);
  return spent ? ns_of(*spent) : 0;
}

std::uint32_t poll_period(double call_ns) {
  if (!(call_ns > 0)) return 4;
  return static_cast<std::uint32_t>(std::clamp(kPollNs / call_ns, 1.0, double{kMostPollPeriod}));
}

bool is_ready(Event& event) {
  const auto ready = event.ready();
  return !ready || *ready;  // what failed will not become ready either
}

// What of a written binding the slice concerns.
BoundMemory part_of(BoundMemory memory, const WrittenSlot& written, const Slice& slice) {
  if (!slice.elements || written.stride == 0) return memory;
  return {memory.address, std::min(memory.bytes, *slice.elements * written.stride)};
}

// What each shadow must hold, by position in `written`.
std::vector<std::uint64_t> written_bytes(std::span<const WrittenSlot> written,
                                         std::span<const BoundMemory> bindings) {
  std::vector<std::uint64_t> out;
  for (const WrittenSlot& w : written) out.push_back(bindings[w.slot].bytes);
  return out;
}

bool fit(std::span<const DeviceMemory> shadows, std::span<const std::uint64_t> bytes) {
  return std::ranges::equal(shadows, bytes, std::ranges::greater_equal{}, &DeviceMemory::bytes);
}

std::string different_text(std::uint64_t count) {
  return fmt::format("its results differ from the incumbent's{}",
                     count > 1 ? fmt::format(" in {} words", count) : "");
}

}  // namespace

// With the kernel's mutex held.
bool Calls::can_compare(TunedKernel& t) const {
  if (t.comparer) return true;
  const auto begun = Clock::now();
  auto tools = tuning_->compare_tools();
  if (!tools) return false;
  auto made = Comparer::make(std::move(tools), queue_, *device_);
  t.tuner.charge(ns_of(Clock::now() - begun));
  if (!made) {
    t.tuner.stop_tuning("results cannot be compared: " + describe(made.error()));
    return false;
  }
  t.comparer = *std::move(made);
  return true;
}

// Room for what the kernel writes, once; the reason where there is none.
std::string Calls::make_shadows(const Dispatch& d, TunedKernel& t) const {
  const std::vector<std::uint64_t> bytes = written_bytes(t.written, d.bindings_);
  if (fit(t.shadows, bytes)) return {};
  t.shadows.clear();
  auto made = allocate_shadows(*device_, bytes);
  if (!made) return made.error().what;
  t.shadows = *std::move(made);
  return {};
}

// Whether it is there by now. Beside a GPU the first question has it made in the background.
bool Calls::ask_for_shadows(const Dispatch& d, TunedKernel& t) const {
  std::vector<std::uint64_t> bytes = written_bytes(t.written, d.bindings_);
  if (fit(t.shadows, bytes)) return true;
  if (on_host_ || tuning_->options().compile_at_once) {
    const auto begun = Clock::now();
    t.no_shadows = make_shadows(d, t);
    if (!tuning_->options().compile_at_once) t.tuner.charge(ns_of(Clock::now() - begun));
    if (t.no_shadows.empty()) return true;
  }
  if (!t.no_shadows.empty()) {
    t.tuner.stop_tuning(t.no_shadows);
  } else if (!std::exchange(t.shadows_asked, true)) {
    tuning_->make_shadows_later(d.tuned_, std::move(bytes));
  }
  return false;
}

// The bindings with shadows in place of what is written, filled with what is there now.
Result<std::vector<BoundMemory>> Calls::fill_shadows(const Dispatch& d, TunedKernel& t,
                                                     const Slice& slice) const {
  std::vector<BoundMemory> bindings = d.bindings_;
  for (std::size_t i = 0; i < t.written.size(); ++i) {
    BoundMemory& b = bindings[t.written[i].slot];
    const BoundMemory from = part_of(b, t.written[i], slice);
    VYRE_CHECK(queue_->copy(from, {t.shadows[i].address, from.bytes}));
    b.address = t.shadows[i].address;
  }
  return bindings;
}

Result<void> Calls::compare_shadows(const Dispatch& d, TunedKernel& t, const Slice& slice) const {
  VYRE_CHECK(t.comparer->begin());
  for (std::size_t i = 0; i < t.written.size(); ++i) {
    const BoundMemory real = part_of(d.bindings_[t.written[i].slot], t.written[i], slice);
    VYRE_CHECK(t.comparer->add(real, {t.shadows[i].address, real.bytes}, t.written[i].as,
                               tuning_->options().tolerance));
  }
  return {};
}

const ServedLaunch* ServedLaunches::add(const ServedLaunch& launch) {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(has_first_, true)) first_ = launch;
  const ServedLaunch* out = &first_;
  if (first_.candidate != launch.candidate) {
    auto found = std::ranges::find(others_, launch.candidate, &ServedLaunch::candidate);
    if (found == others_.end()) found = others_.insert(others_.end(), launch);
    out = &*found;
  }
  latest_.store(out, std::memory_order_release);
  return out;
}

const ServedLaunch* Calls::served_by(const Dispatch& d, const TunedKernel& t,
                                     std::uint32_t candidate) const {
  const ServedLaunch* served = d.served_->find(candidate);
  if (served != nullptr) return served;
  const TunedCandidate& c = t.candidates[candidate];
  return d.served_->add({.candidate = candidate,
                         .code = c.code.load(std::memory_order_acquire),
                         .grid = grid_covering(d.plan_.extent, covered_by(c.variant, d.plan_.kind)),
                         .workgroup = c.variant.workgroup,
                         .groups_per_task = c.variant.groups_per_task});
}

// The call itself, by one of the candidates.
Result<void> Calls::serve(const Dispatch& d, const TunedKernel& t, std::uint32_t candidate,
                          const RunLimits& limits) const {
  return launch_served(d, *served_by(d, t, candidate), d.bindings_, d.plan_.extent, limits);
}

// The same where a compiler may run: what the call then takes longer on the host may be its doing.
Result<void> Calls::serve_beside_compilers(const Dispatch& d, TunedKernel& t,
                                           std::uint32_t candidate, const RunLimits& limits) const {
  if (!on_host_ || !tuning_->compiles()) return serve(d, t, candidate, limits);
  const auto begin = Clock::now();
  VYRE_CHECK(serve(d, t, candidate, limits));
  const double items = volume(d.plan_.extent);
  const double usual_ns = t.incumbent_ns * (t.exact ? 1 : items / t.items);
  const double ns = ns_of(Clock::now() - begin);
  if (usual_ns > 0 && ns > kSlowed * usual_ns) t.slowed_ns.fetch_add(ns - usual_ns);
  return {};
}

Result<void> Calls::launch_candidate(const Dispatch& d, const TunedCandidate& c,
                                     std::span<const BoundMemory> bindings, const Extent& extent,
                                     const RunLimits& limits, Runs* timed) const {
  const ServedLaunch launch{.candidate = 0,
                            .code = c.code.load(std::memory_order_acquire),
                            .grid = grid_covering(extent, covered_by(c.variant, d.plan_.kind)),
                            .workgroup = c.variant.workgroup,
                            .groups_per_task = c.variant.groups_per_task};
  return launch_served(d, launch, bindings, extent, limits, timed);
}

// Runs a candidate on shadows, serves the call by the incumbent, and has the two compared.
Result<void> Calls::submit_beside(const Dispatch& d, TunedKernel& t, std::uint32_t served,
                                  std::uint32_t candidate, const RunLimits& limits) const {
  const bool of_incumbent = candidate == served;
  Slice slice = slice_of(t.candidates[candidate].kernel, d.plan_.extent);
  if (std::ranges::any_of(t.written, [](const WrittenSlot& w) { return w.stride == 0; })) {
    slice = {d.plan_.extent, {}};
  }
  TunedKernel::Check check;
  check.candidate = candidate;
  check.of_incumbent = of_incumbent;
  check.began = Clock::now();
  VYRE_TRY(check.begin, queue_->record());
  VYRE_TRY(const auto bindings, fill_shadows(d, t, slice));
  // Without loops it ends.
  RunLimits own = limits;
  if (t.candidates[candidate].kernel.stats.loops != 0) {
    own.deadline = std::min<std::chrono::nanoseconds>(limits.deadline.value_or(kCheckDeadline),
                                                      kCheckDeadline);
  }
  const auto tried = launch_candidate(d, t.candidates[candidate], bindings, slice.extent, own);
  VYRE_TRY(check.middle, queue_->record());
  const auto before = Clock::now();
  const auto done = serve(d, t, served, limits);
  const auto after = Clock::now();
  if (!tried || !done) {
    // Where the call itself fails, the candidate need not be at fault.
    const double cost = on_host_ ? between(*check.middle, *check.begin) : 0;
    if (!tried && done && !of_incumbent) {
      t.tuner.drop(candidate, describe(tried.error()), cost);
    }
    if (!tried && done && of_incumbent) t.tuner.stop_tuning(describe(tried.error()));
    return done;
  }
  VYRE_TRY(check.after, queue_->record());
  VYRE_CHECK(compare_shadows(d, t, slice));
  VYRE_TRY(check.end, queue_->record());
  check.host_ns = ns_of((before - check.began) + (Clock::now() - after));
  if (!is_ready(*check.begin)) check.host_ns = 0;  // the device had enough to do
  t.check = std::move(check);
  t.tuner.set_attention(TunedKernel::kInFlight, true);
  return {};
}

// Two events around a short launch take in what the host needs to submit it. Events of calls that
// are far apart do not. With the kernel's mutex held.
void Calls::note_pace(TunedKernel& t, const TunedKernel::Timing& timing) const {
  if (on_host_ || t.tuner.settled()) return;
  // At least so many were made in between.
  const std::uint64_t made = timing.calls - std::min(timing.given, timing.calls);
  if (t.pace_from != nullptr) {
    if (made < t.pace_from_calls + kPaceCalls) return;
    const double ns = between(*timing.end, *t.pace_from) * timing.scale;
    t.tuner.pace(ns / static_cast<double>(made - t.pace_from_calls));
  }
  t.pace_from = timing.end;
  t.pace_from_calls = timing.calls;
}

// Takes what has ended. With the kernel's mutex held.
void Calls::harvest(TunedKernel& t) const {
  while (!t.timings.empty() && is_ready(*t.timings.front().end)) {
    const TunedKernel::Timing timing = std::move(t.timings.front());
    t.timings.pop_front();
    const double ns = between(*timing.end, *timing.begin) * timing.scale;
    if (ns <= 0) {
      t.tuner.abandon(timing.step);
      continue;
    }
    t.tuner.report(timing.step, ns, timing.slowed);
    note_pace(t, timing);
    t.tuner.charge(timing.overhead_ns);
    if (!timing.step.probe) t.incumbent_ns = ns;
    if (tuning_->options().observer.call) {
      const std::uint32_t incumbent = t.tuner.best();
      tuning_->tell(TunedCall{.at = Clock::now(),
                              .candidate = timing.step.candidate,
                              .incumbent = incumbent,
                              .ns = ns,
                              .probe = timing.step.probe,
                              .ledger = t.tuner.ledger(),
                              .incumbent_ns = t.incumbent_ns});
    }
  }
  if (t.check && is_ready(*t.check->end)) {
    const TunedKernel::Check check = *std::exchange(t.check, std::nullopt);
    // Beside a GPU the host's time may be the longer one.
    const double cost = std::max(
        check.host_ns, between(*check.middle, *check.begin) + between(*check.end, *check.after));
    const auto different = t.comparer->different();
    TunerSpan span{.kind = TunerSpan::Kind::verify,
                   .candidate = check.candidate,
                   .begin = check.began,
                   .end = Clock::now(),
                   .outcome = {}};
    if (!different) {
      span.outcome = describe(different.error());
      t.tuner.stop_tuning("results could not be compared: " + span.outcome);
    } else if (check.of_incumbent) {
      t.tuner.charge(cost);
      t.equals_itself = *different == 0;
      if (!t.equals_itself) {
        span.outcome = "the program differs from itself";
        t.tuner.stop_tuning(
            "two runs of the same code on the same data gave different results: they depend on "
            "the order in which invocations run");
      }
    } else if (*different != 0) {
      span.outcome = different_text(*different);
      VYRE_LOG(warn, "the variant {} of {} is left out: {}", t.candidates[check.candidate].text,
               t.tuner.key().name, span.outcome);
      t.tuner.drop(check.candidate, span.outcome, cost);
    } else {
      t.tuner.verified(check.candidate, cost);
    }
    tuning_->tell(span);
  }
  if (t.timings.empty() && !t.check) {
    t.tuner.set_attention(TunedKernel::kInFlight, false);
    if (t.tuner.settled()) t.shadows.clear();
  }
}

Result<void> Calls::submit_tuned(const Dispatch& d, const RunLimits& limits) const {
  TunedKernel& t = *d.tuned_;
  t.given.fetch_sub(d.served_->settle_given(), std::memory_order_relaxed);
  if (t.tuner.has_attention(TunedKernel::kToSweep)) VYRE_CHECK(sweep(d, limits));
  // Another thread that harvests does it for this one too. Asking a GPU costs as much as a short
  // kernel takes.
  if (t.tuner.has_attention(TunedKernel::kInFlight) &&
      (on_host_ || t.tuner.settled() || ++t.polls % poll_period(t.incumbent_ns) == 0)) {
    const std::unique_lock lock(t.mutex, std::try_to_lock);
    if (lock) {
      const auto begun = Clock::now();
      harvest(t);
      // Nobody waits for the host as long as the device has something to do.
      if (!on_host_ && queue_->is_idle()) t.tuner.charge(ns_of(Clock::now() - begun));
    }
  }
  const OnlineStep step = t.tuner.next();
  if (t.candidates[step.candidate].code.load(std::memory_order_acquire) == nullptr) {
    t.tuner.abandon(step);
    VYRE_CHECK(tuning_->make_now(t, step.candidate));
    return serve(d, t, step.candidate, limits);
  }
  if (!step.timed && !step.verify && !step.make && !t.tuner.has_attention(TunedKernel::kToMake)) {
    VYRE_CHECK(serve_beside_compilers(d, t, step.candidate, limits));
    // The next ones may be nothing else.
    if (step.candidate != t.tuner.best() || (on_host_ && tuning_->compiles())) return {};
    const bool settled = t.tuner.settled();
    const bool polls = !settled || t.tuner.has_attention(TunedKernel::kInFlight);
    const std::uint32_t plain = t.tuner.plain_calls(
        polls ? poll_period(t.incumbent_ns) : kMostPlain, settled ? TunedKernel::kInFlight : 0);
    t.given.fetch_add(plain, std::memory_order_relaxed);
    d.served_->give(step.candidate, plain);
    return {};
  }
  if (step.make && tuning_->options().compile_at_once) {
    if (const auto now = queue_->record()) (void)(*now)->wait();
    (void)tuning_->make_now(t, *step.make);
  } else if (step.make) {
    const std::scoped_lock lock(t.mutex);
    if (!on_host_) (void)ask_for_shadows(d, t);  // they are wanted when the code is there
    t.to_make.push_back(*step.make);
    t.tuner.set_attention(TunedKernel::kToMake, true);
  }
  if (step.make || step.verify ||
      (t.tuner.has_attention(TunedKernel::kToMake) &&
       (step.probe || (!on_host_ && queue_->known_idle()) || ++t.looks % kLookPeriod == 0))) {
    tuning_->make_later(d.tuned_);
  }
  if (step.verify) {
    const std::unique_lock lock(t.mutex, std::try_to_lock);
    if (!lock || t.check || !can_compare(t) || !ask_for_shadows(d, t)) {
      t.tuner.abandon(step);
      return serve(d, t, step.candidate, limits);
    }
    const std::uint32_t candidate = t.equals_itself ? *step.verify : step.candidate;
    if (!t.equals_itself) t.tuner.abandon(step);
    const auto done = submit_beside(d, t, step.candidate, candidate, limits);
    if (on_host_) harvest(t);
    return done;
  }
  if (!step.timed) {
    return serve_beside_compilers(d, t, step.candidate, limits);
  }
  // A call that must end soon is no time to try something.
  if (step.probe && limits.deadline &&
      ns_of(*limits.deadline) < kCallsOfDeadline * t.incumbent_ns) {
    t.tuner.abandon(step);
    return serve(d, t, t.tuner.best(), limits);
  }
  TunedKernel::Timing timing;
  timing.step = step;
  timing.calls = t.tuner.calls();
  timing.given = t.given.load(std::memory_order_relaxed);
  timing.slowed = tuning_->compiles();
  if (!t.exact) {
    const double items = volume(d.plan_.extent);
    timing.scale = t.items / std::max(items, 1.0);
  }
  const auto asked = Clock::now();
  VYRE_TRY(timing.begin, queue_->record());
  const auto launched = Clock::now();
  const auto done = serve(d, t, step.candidate, limits);
  if (!done) {
    t.tuner.abandon(step);
    // A GPU refuses a launch as a whole; on the host a part of it may have run.
    if (!step.probe || on_host_ || device_->lost()) return done;
    t.tuner.drop(step.candidate, describe(done.error()));
    return serve(d, t, t.tuner.best(), limits);
  }
  const auto returned = Clock::now();
  VYRE_TRY(timing.end, queue_->record());
  timing.overhead_ns = ns_of((launched - asked) + (Clock::now() - returned));
  if (!on_host_ && !is_ready(*timing.begin)) {
    timing.overhead_ns = TunedKernel::kEventsNs;  // the device had enough to do
  }
  const std::scoped_lock lock(t.mutex);
  t.timings.push_back(std::move(timing));
  t.tuner.set_attention(TunedKernel::kInFlight, true);
  if (on_host_) harvest(t);
  return {};
}

}  // namespace vyre
