#include "vyre/tune/online/online_tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vyre/base/log.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/tune/online/online_opening.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;

constexpr Clock::duration kFlushPeriod = std::chrono::milliseconds(250);
constexpr Clock::duration kLongestFlushPeriod = std::chrono::seconds(30);
// Decisions are handed over at once, but not more often than this, because writing them takes about
// 100 us of a processor.
constexpr Clock::duration kLeastFlushPeriod = std::chrono::milliseconds(10);
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

double ns_since(Clock::time_point begun) { return Nanoseconds(Clock::now() - begun).count(); }

}  // namespace

OnlineTuner::OnlineTuner(TuningKey key, std::vector<OnlineCandidate> candidates,
                         std::uint32_t start, TunerMode mode, OnlineOptions options,
                         std::shared_ptr<EvidenceStore> store)
    : key_(std::move(key)),
      mode_(mode),
      options_(options),
      store_(std::move(store)),
      start_(start),
      best_(start),
      policy_(std::make_unique<OnlinePolicy>(std::move(candidates), start, options)),
      searching_(mode == TunerMode::natural_gradient),
      flush_at_(Clock::now() + kFlushPeriod),
      flush_free_(Clock::now() + kLeastFlushPeriod),
      flush_period_(kFlushPeriod) {
  origin_.text = "the first choice; nothing is known yet";
  restore();
  publish();
}

OnlineTuner::~OnlineTuner() {
  if (const auto done = attempt_work([&] { hand_over_now(); }); !done) {
    VYRE_LOG(warn, "what is learned is not remembered: {}", describe(done.error()));
  }
}

// The opening decides which candidate serves; the policy takes over times and the ledger.
void OnlineTuner::restore() {
  std::vector<std::string> texts;
  for (const CandidateView& candidate : policy_->view()) texts.push_back(candidate.text);
  const Opening opening = opening_of(store_.get(), key_, texts);
  const std::optional<Match> match = store_ ? store_->lookup(key_) : std::nullopt;
  const std::optional<KeyState> own = store_ ? store_->find(key_) : std::nullopt;
  const bool answered = match && match->is_answer();
  const bool exact = match && match->kind == MatchKind::exact;
  if (match && (searching_ || answered)) policy_->restore(match->state, answered, exact);
  // Times of an earlier search that has not decided yet.
  if (own && !exact) policy_->restore(*own, true);
  if (opening.match) origin_ = {opening.match, opening.text};
  untunable_ = opening.untunable;
  switch (opening.from) {
    case Opening::From::pin:
      pinned_ = true;
      fixed_reason_ = opening.text;
      return serve(*opening.candidate);
    case Opening::From::untunable: fixed_reason_ = opening.text; return serve(start_);
    case Opening::From::evidence:
      if (searching_) return;
      fixed_reason_ = policy_->reason();
      return serve(*opening.candidate);
    case Opening::From::hint:
    case Opening::From::nothing: break;
  }
  if (searching_) return;
  origin_ = {{}, "no decision is known; the first choice"};
  if (match) origin_.text += fmt::format(" ({})", opening.text);
  fixed_reason_ = origin_.text;
  serve(start_);
}

void OnlineTuner::serve(std::uint32_t candidate) {
  searching_ = false;
  best_.store(candidate, std::memory_order_release);
}

void OnlineTuner::publish() {
  if (!searching_) {
    const bool is_open = mode_ == TunerMode::sweep && !swept_ && !pinned_ && untunable_.empty();
    settled_.store(!is_open, std::memory_order_release);
    wake_at_.store(kNever, std::memory_order_release);
    return;
  }
  best_.store(policy_->incumbent(), std::memory_order_release);
  settled_.store(policy_->settled(), std::memory_order_release);
  wake_at_.store(counted_ + policy_->idle_calls(), std::memory_order_release);
}

bool OnlineTuner::writes() const {
  return store_ && (mode_ == TunerMode::natural_gradient || mode_ == TunerMode::sweep);
}

bool OnlineTuner::wants_flush() const {
  if (!writes()) return false;
  if (flush_now_) return true;
  if (policy_->has_decisions()) return Clock::now() >= flush_free_;
  return searching_ && !policy_->settled() && Clock::now() >= flush_at_;
}

OnlineStep OnlineTuner::ask(std::uint64_t call) {
  OnlineStep step{.candidate = best()};
  const std::unique_lock lock(mutex_, std::try_to_lock);
  // Another thread is inside, or has already counted this call as one that did not ask.
  if (!lock || !searching_ || call < counted_) return step;
  const auto begun = Clock::now();
  policy_->skip(call - counted_);
  step = policy_->next();
  counted_ = call + 1;
  publish();
  if (wants_flush()) hand_over();
  policy_->charge_question(ns_since(begun));
  return step;
}

// Tells the ledger of the calls that were made since, from which the bound follows.
void OnlineTuner::count_calls() {
  const std::uint64_t calls = calls_.load(std::memory_order_relaxed);
  if (!searching_ || calls <= counted_) return;
  policy_->skip(calls - std::exchange(counted_, calls));
}

template <typename Change>
void OnlineTuner::change(Change&& change) {
  const std::scoped_lock lock(mutex_);
  count_calls();
  change(*policy_);
  publish();
  if (wants_flush()) hand_over();
}

void OnlineTuner::report(const OnlineStep& step, double ns, bool slowed) {
  if (!step.timed) return;
  change([&](OnlinePolicy& policy) {
    if (!searching_) return;
    const auto begun = Clock::now();
    policy.report(step, ns, slowed);
    policy.charge_question(ns_since(begun));
  });
}

void OnlineTuner::abandon(const OnlineStep& step) {
  if (!step.timed && !step.verify) return;
  change([&](OnlinePolicy& policy) {
    if (searching_) policy.abandon(step);
  });
}

void OnlineTuner::made(std::uint32_t candidate) {
  change([&](OnlinePolicy& policy) { policy.made(candidate); });
}

void OnlineTuner::leave_unmade(std::uint32_t candidate) {
  change([&](OnlinePolicy& policy) { policy.leave_unmade(candidate); });
}

void OnlineTuner::verified(std::uint32_t candidate, double cost_ns) {
  change([&](OnlinePolicy& policy) {
    const std::uint32_t before = policy.incumbent();
    policy.verified(candidate, cost_ns);
    if (!searching_ && policy.incumbent() != before) serve(policy.incumbent());
  });
}

void OnlineTuner::drop(std::uint32_t candidate, std::string why, double cost_ns) {
  change([&](OnlinePolicy& policy) {
    policy.drop(candidate, std::move(why), cost_ns);
    if (!searching_ && best() == candidate) serve(policy.incumbent());
  });
}

void OnlineTuner::charge(double ns) {
  const std::scoped_lock lock(mutex_);
  count_calls();
  policy_->charge(ns);
}

void OnlineTuner::charge_own_work(double ns) {
  const std::scoped_lock lock(mutex_);
  count_calls();
  policy_->charge_own_work(ns);
}

void OnlineTuner::charge_verification(double cost_ns) {
  change([&](OnlinePolicy& policy) { policy.charge_verification(cost_ns); });
}

void OnlineTuner::pace(double call_ns) {
  change([&](OnlinePolicy& policy) { policy.pace(call_ns); });
}

void OnlineTuner::began_with(std::string text) {
  const std::scoped_lock lock(mutex_);
  if (origin_.match || !untunable_.empty()) return;
  if (fixed_reason_ == origin_.text) fixed_reason_ = text;
  origin_.text = std::move(text);
}

void OnlineTuner::stop_tuning(std::string why) {
  change([&](OnlinePolicy& policy) {
    if (!untunable_.empty()) return;
    own_events_.push_back({.kind = EventKind::untunable, .reason = why});
    untunable_ = std::move(why);
    fixed_reason_ = policy.reason();
    flush_now_ = true;
    searching_ = false;
  });
}

void OnlineTuner::note(std::vector<EvidenceEvent> events) {
  change([&](OnlinePolicy&) {
    for (const EvidenceEvent& event : events)
      noted_.take(EventLine{.key_id = {}, .by = {}, .event = event});
    std::ranges::move(events, std::back_inserter(own_events_));
    flush_now_ = flush_now_ || Clock::now() >= flush_at_;
  });
}

std::optional<KeyState> OnlineTuner::kept() const {
  return store_ ? store_->find(key_) : std::nullopt;
}

void OnlineTuner::finish(const FinalsResult& result, std::vector<EvidenceEvent> events,
                         std::string reason, bool ended) {
  const std::vector<CandidateView> view = this->view();
  const std::string& winner = view[result.winner].text;
  const bool moves = result.winner != result.favourite;
  if (moves) {
    EvidenceEvent promotion{.kind = EventKind::promoted,
                            .candidate = winner,
                            .reason = reason,
                            .over = view[result.favourite].text};
    if (result.proved) {
      promotion.gain = result.gain.gain;
      promotion.gain_low = result.gain.low;
      promotion.gain_high = result.gain.high;
      promotion.pairs = static_cast<std::uint32_t>(result.pairs);
    }
    events.push_back(std::move(promotion));
  }
  // If the pairs gave no answer, the favourite is the choice, and a later search continues.
  if (ended || !moves) {
    events.push_back({.kind = ended ? EventKind::settled : EventKind::promoted,
                      .candidate = winner,
                      .reason = reason});
  }
  note(std::move(events));
  change([&](OnlinePolicy& policy) {
    // The store adds what was learned now to what was known before.
    if (writes()) hand_over();
    const KeyState noted = std::exchange(noted_, {}).states().begin()->second;
    policy.restore((writes() ? kept() : std::nullopt).value_or(noted), true);
    swept_ = true;
    if (pinned_) return;
    fixed_reason_ = std::move(reason);
    serve(result.winner);
  });
}

bool OnlineTuner::may_lose(double ns) {
  const std::scoped_lock lock(mutex_);
  count_calls();
  return policy_->may_lose(ns);
}

bool OnlineTuner::hold(double most_ns) {
  const std::scoped_lock lock(mutex_);
  count_calls();
  return policy_->hold(most_ns);
}

void OnlineTuner::settle(double most_ns, double lost_ns) {
  change([&](OnlinePolicy& policy) { policy.settle(most_ns, lost_ns); });
}

Ledger OnlineTuner::ledger() const {
  const std::scoped_lock lock(mutex_);
  return policy_->ledger();
}

CandidateTime OnlineTuner::incumbent_time() const {
  const std::scoped_lock lock(mutex_);
  return policy_->incumbent_time();
}

std::vector<CandidateView> OnlineTuner::view() const {
  const std::scoped_lock lock(mutex_);
  return policy_->view();
}

std::string OnlineTuner::reason() const {
  const std::scoped_lock lock(mutex_);
  return searching_ ? policy_->reason() : fixed_reason_;
}

std::string OnlineTuner::untunable() const {
  const std::scoped_lock lock(mutex_);
  return untunable_;
}

Result<void> OnlineTuner::flush() {
  if (!writes()) return {};
  hand_over_now();
  return store_->flush();
}

void OnlineTuner::hand_over_now() {
  const std::scoped_lock lock(mutex_);
  hand_over();
}

void OnlineTuner::hand_over() {
  if (!writes()) return;
  const bool decided = policy_->has_decisions() || std::exchange(flush_now_, false);
  std::vector<EvidenceEvent> events = policy_->take_events();
  std::ranges::move(std::exchange(own_events_, {}), std::back_inserter(events));
  const auto now = Clock::now();
  flush_period_ = decided ? kFlushPeriod : std::min(2 * flush_period_, kLongestFlushPeriod);
  flush_at_ = now + flush_period_;
  flush_free_ = now + kLeastFlushPeriod;
  store_->hand_over(key_, std::move(events));
}

}  // namespace vyre
