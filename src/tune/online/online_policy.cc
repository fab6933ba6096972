#include "vyre/tune/online/online_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "vyre/base/sort.h"

namespace vyre {
namespace {

// The incumbent has this many samples before another candidate is tried, and before the search
// ends.
constexpr std::size_t kFirstSamples = 3, kSettlingSamples = 8;
// A step that was not reported within this many calls is forgotten.
constexpr std::uint64_t kForgetAfter = 1024;
constexpr std::uint32_t kMostOutstanding = 8;  // probes that are not reported yet
constexpr std::uint32_t kMostWaiting = 2;      // candidates that are compiled and not yet tried
constexpr std::uint32_t kMostVerifying = 2;    // candidates that are verified at the same time
// Until a verification has been timed, it is expected to cost this many calls of the incumbent.
constexpr double kGuessedVerification = 3;
// One call in this many asks again while nothing can be done, and while times vary too much.
constexpr std::uint64_t kWaitingPeriod = 64, kQuietPeriod = 16;
// The cost of a call of `next`, its delay included: the first estimate, and the number of calls
// over which the running average is taken.
constexpr double kQuestionNs = 2000, kQuestionsOfAverage = 16;
// The most that work of the tuner on the calling thread can take.
constexpr double kMostOfOwnWorkNs = 100'000;
// Calls of `next` and timing may take this share of the time spent.
constexpr double kWatchShare = 0.002;
constexpr double kMostPeriod = 4096;  // the largest number of calls from one timed call to the next
constexpr std::uint64_t kForever = std::uint64_t{1} << 40;
// Beside a GPU, one thread compiles for each 20 us of a call's length. A search beside shorter
// calls may lose so little that one thread is always ahead of it.
constexpr double kCallOfCompilerNs = 20'000;
// A candidate that seems to save this much is compared before others are tried, because every later
// call would gain.
constexpr double kClearGain = 0.04;
// The confidence with which pairs must show that a guess is slower before its calls count as a
// loss.
constexpr double kSureOfGuess = 0.95;
// The gain that pairs show may be too large by this many standard deviations.
constexpr double kWorst = 2;
// The least gain that the longest comparison can prove is about this many times the spread of the
// incumbent's times. If it is larger than kHidden, nothing is tried until it is below kTold.
constexpr double kLeastProved = 0.11, kHidden = 0.075, kTold = 0.055;
// Before a search ends, candidates below this multiple of the incumbent's time are timed again.
constexpr double kNotMuchSlower = 2;
constexpr double kPaceGrows = 1.1;  // the most that the pace may grow between two measurements

// Candidates with this many pairs are named as the closest before others.
constexpr std::size_t kNamedPairs = 5;

constexpr const char* kFirstReason = "the first choice; nothing else is measured yet";

}  // namespace

OnlinePolicy::OnlinePolicy(std::vector<OnlineCandidate> candidates, std::uint32_t start,
                           OnlineOptions options)
    : options_(options),
      incumbent_(start),
      reason_(kFirstReason),
      coin_(options.seed),
      ledger_(options.share, options.allowance_ns, options.allowance_calls),
      declared_(options.declared.value_or(start)),
      guessed_(start != declared_) {
  assert(start < candidates.size() && declared_ < candidates.size());
  options_.settled_period = std::max(options_.settled_period, 1u);
  candidates_.reserve(candidates.size());
  CandidateStage stage = CandidateStage::verified;
  if (options_.needs_verification) stage = CandidateStage::made;
  if (options_.needs_code) stage = CandidateStage::unmade;
  for (OnlineCandidate& candidate : candidates) {
    candidates_.push_back({.text = std::move(candidate.text), .stage = stage});
    set_prior(candidates_.back(), candidate.prior_ns > 0 ? candidate.prior_ns : 1);
  }
  candidates_[start].stage = CandidateStage::verified;
}

double OnlinePolicy::call_ns() const {
  const double timed_ns = candidates_[incumbent_].median_ns;
  const double among_others_ns = std::max(timed_ns - options_.timing_bias_ns, timed_ns / 2);
  return pace_ns_ > 0 ? std::min(among_others_ns, pace_ns_) : among_others_ns;
}

void OnlinePolicy::pace(double call_ns) {
  if (!(call_ns > 0)) return;
  // A disturbed machine makes calls seem longer, and nothing makes them seem shorter.
  pace_ns_ = pace_ns_ > 0 ? std::min(call_ns, kPaceGrows * pace_ns_) : call_ns;
  ledger_.set_call_ns(this->call_ns());
  believed_ = false;
}

void OnlinePolicy::count_calls(std::uint64_t calls) {
  uncounted_calls_ += calls;
  if (!(call_ns() > 0)) return;
  const auto count = static_cast<double>(std::exchange(uncounted_calls_, 0));
  ledger_.spend(call_ns() * count);
  served_calls_ += count;
}

bool OnlinePolicy::incumbent_is_known() const {
  return candidates_[incumbent_].recent_ns.size() >= kFirstSamples;
}

bool OnlinePolicy::is_alone() const {
  return std::ranges::count_if(candidates_, &Candidate::usable) <= 1;
}

// Short calls are timed less often, because timing costs the same for all.
std::uint64_t OnlinePolicy::timed_period(std::uint64_t least) const {
  const double usual_ns = call_ns();
  if (!(usual_ns > 0)) return least;
  const double cost_ns = options_.timing_ns + 2 * question_ns_;  // for `next` and `report`
  const double wanted = std::min(cost_ns / (kWatchShare * usual_ns), kMostPeriod);
  return std::max(least, static_cast<std::uint64_t>(wanted));
}

// Whether a single step of the search would lose more than a thousand calls may lose.
bool OnlinePolicy::calls_are_too_short() const {
  return (options_.needs_code && ledger_.is_too_much(options_.making_ns)) ||
         (options_.needs_verification && ledger_.is_too_much(usual_verification()));
}

// Beside a GPU, compiling may slow launches down, which matters where the launch is most of a call.
std::uint32_t OnlinePolicy::most_making() const {
  // On the host the first one tells the cost of compiling.
  if (!options_.makes_beside) return made_one_ ? options_.most_making : 1;
  const double usual_ns = call_ns();
  return static_cast<std::uint32_t>(
      std::clamp(usual_ns / kCallOfCompilerNs, 1.0, static_cast<double>(options_.most_making)));
}

void OnlinePolicy::charge(double ns) {
  if (ns > 0) ledger_.lose(ns);
}

void OnlinePolicy::charge_own_work(double ns) {
  charge(std::min(ns, kMostOfOwnWorkNs));
  ledger_.disturb(std::max(0.0, ns - kMostOfOwnWorkNs));
}

bool OnlinePolicy::hold(double most_ns) {
  if (!may_lose(most_ns)) return false;
  ledger_.hold(most_ns);
  return true;
}

void OnlinePolicy::settle(double most_ns, double lost_ns) {
  ledger_.release(most_ns);
  charge(lost_ns);
}

void OnlinePolicy::charge_question(double ns) {
  ns = std::min(ns, kMostOfOwnWorkNs);
  charge(ns);
  question_ns_ += (ns - question_ns_) / kQuestionsOfAverage;
}

bool OnlinePolicy::is_guess() const {
  const Candidate& declared = candidates_[declared_];
  return guessed_ && incumbent_ != declared_ && declared.usable() && !declared.closed;
}

// Judges the guess by its pairs with the declared variant. As long as the pairs cannot rule out
// that the guess is slower, nothing is lost yet: the guess is charged only what they prove.
void OnlinePolicy::judge_guess() {
  const PairedComparison& versus = candidates_[declared_].versus;
  const bool shows = versus.evidence_above(timing_doubt()) >= std::log(2 / (1 - kSureOfGuess));
  // Computing the interval takes long if there are many pairs.
  if (!shows || versus.pairs() % std::max<std::size_t>(1, versus.pairs() / 16) != 0) return;
  guess_share_ = std::max(0.0, versus.interval(kSureOfGuess).low);
}

// A guess that is slower than the declared variant is a loss from its first call on.
void OnlinePolicy::charge_guess() {
  const double usual_ns = std::min(candidates_[incumbent_].median_ns,
                                   candidates_[declared_].median_ns / (1 - guess_share_));
  const double lost_ns = is_guess() ? guess_share_ * usual_ns * served_calls_ : 0;
  ledger_.lose(lost_ns - std::exchange(guess_lost_ns_, lost_ns));
}

// Ends the service of a guess that has used up the bound. It may come back like any other
// candidate.
void OnlinePolicy::end_guess() {
  const std::uint32_t guess = incumbent_;
  EvidenceEvent why = shown_by(candidates_[declared_].versus);
  why.reason = fmt::format("the declared one again: {}, and {} may lose no more", why.reason,
                           candidates_[guess].text);
  promote(declared_, std::move(why));
  candidates_[guess].closed = false;
}

double OnlinePolicy::least_proved_gain() const {
  const Candidate& incumbent = candidates_[incumbent_];
  return incumbent.measured() ? kLeastProved * incumbent.spread_ns / incumbent.median_ns : 0;
}

void OnlinePolicy::look_for_calm() {
  if (candidates_[incumbent_].recent_ns.size() < kSettlingSamples) return;
  quiet_ = least_proved_gain() > (quiet_ ? kTold : kHidden);
}

OnlineStep OnlinePolicy::grant(OnlineStep step, std::uint64_t pair, double reserve_ns) {
  step.timed = true;
  step.ticket = ++tickets_;
  grants_.push_back({.ticket = step.ticket,
                     .call = calls_,
                     .pair = pair,
                     .candidate = step.candidate,
                     .probe = step.probe,
                     .reserve_ns = reserve_ns});
  ++candidates_[step.candidate].outstanding;
  if (step.probe) ++probes_out_;
  ledger_.hold(reserve_ns);
  return step;
}

OnlineStep OnlinePolicy::begin_pair(OnlineStep step, std::uint32_t candidate) {
  Candidate& it = candidates_[candidate];
  if (it.final == 0) it.final = ++finals_;
  open_pairs_.push_back({.id = ++pairs_, .candidate = candidate});
  const bool challenger_first = coin_.toss();
  second_ = {pairs_, challenger_first ? incumbent_ : candidate};
  step.candidate = challenger_first ? candidate : incumbent_;
  step.probe = challenger_first;
  return grant(step, pairs_, step_cost(candidate));  // for either of the two calls
}

OnlineStep OnlinePolicy::end_pair(OnlineStep step) {
  const SecondCall second = *std::exchange(second_, std::nullopt);
  step.candidate = second.candidate;
  step.probe = second.candidate != incumbent_;
  believe();
  return grant(step, second.pair, step.probe ? step_cost(second.candidate) : 0);
}

// One call in this many is timed. If there is no other candidate, the incumbent is never timed
// again.
std::uint64_t OnlinePolicy::timing_period() const {
  if (!settled_) return timed_period(quiet_ ? kQuietPeriod : kWaitingPeriod);
  return is_alone() ? kForever : timed_period(options_.settled_period);
}

// A call that only serves.
OnlineStep OnlinePolicy::plain_step(OnlineStep step) {
  if (until_timed_ == 0) until_timed_ = timing_period();
  if (--until_timed_ == 0) return time_incumbent(step);
  count_calls(1);
  return step;
}

OnlineStep OnlinePolicy::next() {
  OnlineStep step{.candidate = incumbent_};
  ledger_.count_calls(1);
  if (++calls_ == 1) {
    count_calls(1);
    return step;
  }
  while (!grants_.empty() && grants_.front().call + kForgetAfter < calls_) {
    forget_pair(grants_.front().pair);
    forget(grants_.begin());
    count_calls(1);
  }
  if (settled_) return plain_step(step);
  if (second_) return end_pair(step);
  if (incumbent_is_known()) ledger_.set_allowance();
  charge_guess();
  if (guess_lost_ns_ > 0 && ledger_.is_spent()) end_guess();
  believe();
  const Candidate& incumbent = candidates_[incumbent_];
  if (active_.empty()) {
    if (incumbent.recent_ns.size() < kSettlingSamples && !is_alone()) {
      if (incumbent.outstanding < kFirstSamples) return time_incumbent(step);
      count_calls(1);
      return step;
    }
    if (look_again()) return plain_step(step);
    settle();
    return plain_step(step);
  }
  step.make = to_make();
  if (step.make) {
    candidates_[*step.make].stage = CandidateStage::making;
  }
  if (!incumbent_is_known()) {
    if (incumbent.recent_ns.size() + incumbent.outstanding <= kFirstSamples) {
      return time_incumbent(step);
    }
    count_calls(1);
    return step;
  }
  look_for_calm();
  const auto chosen = choose();
  if (!chosen) return plain_step(step);
  return *chosen == incumbent_ ? time_incumbent(step) : probe_or_verify(step, *chosen);
}

std::optional<std::uint32_t> OnlinePolicy::to_make() const {
  if (!options_.needs_code || ledger_.room_ns() <= 0) return std::nullopt;
  // The length of a call decides how many candidates are compiled at once, and whether any are.
  if (options_.makes_beside && !incumbent_is_known()) return std::nullopt;
  std::uint32_t making = 0;
  std::uint32_t ahead = 0;
  std::optional<std::uint32_t> best;
  for (const std::uint32_t i : active_) {
    const Candidate& candidate = candidates_[i];
    if (candidate.stage == CandidateStage::unmade) {
      if (i == declared_ && is_guess()) return i;
      if (quiet_) continue;
      if (!best || estimates_[i].low < estimates_[*best].low) best = i;
    } else if (candidate.stage == CandidateStage::making) {
      ++making;
    } else if (!candidate.measured()) {
      ++ahead;
    }
  }
  const std::uint32_t most = most_making();
  if (making >= most || making + ahead >= most + kMostWaiting) return std::nullopt;
  return best;
}

double OnlinePolicy::usual_verification() const {
  if (verification_ns_ > 0) return verification_ns_;
  return std::max(options_.least_verification_ns,
                  kGuessedVerification * candidates_[incumbent_].median_ns);
}

// After one that was far too long, the next one may be as long.
double OnlinePolicy::verification_cost() const {
  return usual_verification() + verification_pauses_.doubted_ns;
}

// The most that a step is expected to cost.
double OnlinePolicy::step_cost(std::uint32_t candidate) const {
  const Candidate& it = candidates_[candidate];
  const double usual_ns = estimates_[incumbent_].mu;
  double most_ns = estimates_[candidate].high;
  if (!it.measured() && it.first_ns == 0) most_ns *= kFirstRun;
  double slower_ns = std::max(0.0, most_ns - usual_ns);
  slower_ns =
      std::min(slower_ns, std::max(0.0, kWorst * it.versus.error() - it.versus.gain()) * usual_ns);
  // The candidate may be as slow again as those of its calls that were taken for pauses of the
  // machine. Calls of the declared variant lose nothing while a guess serves.
  slower_ns = std::max(slower_ns, it.pauses.doubted_ns);
  if (!it.measured() && it.pauses.count > 0 && !(candidate == declared_ && is_guess())) {
    slower_ns = std::max(slower_ns, it.pauses.least_ns - usual_ns);
  }
  return slower_ns + (it.stage == CandidateStage::made ? verification_cost() : 0);
}

bool OnlinePolicy::may_step(std::uint32_t candidate) const {
  const Candidate& it = candidates_[candidate];
  if (it.stage == CandidateStage::made) {
    return !it.verifying && verifying_ < kMostVerifying;
  }
  if (it.stage != CandidateStage::verified) return false;
  return it.outstanding < (it.measured() ? 4u : 2u) && probes_out_ < kMostOutstanding;
}

bool OnlinePolicy::seems_clear(std::uint32_t candidate) const {
  const Estimate& it = estimates_[candidate];
  return it.mu + it.sigma < (1 - kClearGain) * estimates_[incumbent_].mu;
}

// The next candidate to compare with the incumbent, among those whose own times are known well
// enough. A comparison ends before another one begins.
std::optional<std::uint32_t> OnlinePolicy::finalist(bool is_clear) const {
  std::optional<std::uint32_t> best;
  const auto rank = [&](std::uint32_t i) {
    return std::pair(candidates_[i].final == 0, estimates_[i].mu);
  };
  for (const std::uint32_t i : active_) {
    if (!is_screened(i) || (is_clear && !seems_clear(i))) continue;
    if (!best || rank(i) < rank(*best)) best = i;
  }
  if (!best || !may_step(*best) || !may_lose(step_cost(*best))) return std::nullopt;
  return best;
}

// A call of the declared variant is what the program would run without a tuner: it loses nothing,
// unless the guess is known to be faster.
bool OnlinePolicy::may_test_guess() const {
  if (!is_guess() || !may_step(declared_)) return false;
  const Candidate& declared = candidates_[declared_];
  const bool is_free = declared.stage == CandidateStage::verified && declared.versus.gain() >= 0;
  return is_free || may_lose(step_cost(declared_));
}

// The candidate with the smallest lower bound that the ledger can pay for; once all own times are
// known, the next one to compare.
std::optional<std::uint32_t> OnlinePolicy::choose() {
  const double room = ledger_.room_ns();
  if (may_test_guess()) return declared_;
  if (quiet_ || room < affordable_at_ns_) return std::nullopt;
  if (const auto clear = finalist(true)) return clear;
  std::optional<std::uint32_t> best;
  bool all_screened = true;
  double least_missing = std::numeric_limits<double>::infinity();
  for (const std::uint32_t i : active_) {
    if (!may_step(i)) continue;
    const double missing = ledger_.missing_ns(step_cost(i));
    least_missing = std::min(least_missing, missing);
    if (is_screened(i)) continue;
    all_screened = false;
    if (missing <= 0 && (!best || estimates_[i].low < estimates_[*best].low)) best = i;
  }
  affordable_at_ns_ = room + least_missing;
  if (least_missing > 0) return std::nullopt;
  if (all_screened) return finalist(false);
  // The incumbent's uncertainty counts as well, as long as more samples can lower it.
  const Candidate& incumbent = candidates_[incumbent_];
  const bool may_time = incumbent.outstanding < 2;
  if (may_time && incumbent.recent_ns.size() < kRecentSamples &&
      (!best || estimates_[incumbent_].low < estimates_[*best].low)) {
    return incumbent_;
  }
  // After a time that was far too long, a time of the incumbent tells whether the pause is over.
  const Candidate& next = candidates_[best.value_or(incumbent_)];
  const bool is_made = next.stage == CandidateStage::made;
  const Pauses& pauses = is_made ? verification_pauses_ : next.pauses;
  if (pauses.count == 0 || pauses.calm_times != calm_times_) return best;
  return may_time ? std::optional(incumbent_) : std::nullopt;
}

OnlineStep OnlinePolicy::probe_or_verify(OnlineStep step, std::uint32_t candidate) {
  Candidate& it = candidates_[candidate];
  if (it.stage == CandidateStage::made) {
    it.verifying = true;
    ++verifying_;
    it.verifying_ns = verification_cost();
    ledger_.hold(it.verifying_ns);
    step.verify = candidate;
    count_calls(1);
    return step;
  }
  if (is_screened(candidate)) return begin_pair(step, candidate);
  step.candidate = candidate;
  step.probe = true;
  return grant(step, 0, step_cost(candidate));
}

std::string OnlinePolicy::reason() const {
  const auto tried = std::ranges::count_if(candidates_, &Candidate::measured) -
                     (candidates_[incumbent_].measured() ? 1 : 0);
  if (quiet_ && !settled_) {
    return fmt::format(
        "{}; nothing is tried for now: the machine is so uneven that a gain of less than {:.0f}% "
        "could not be told",
        reason_ == kFirstReason ? "the first choice" : reason_, 100 * least_proved_gain());
  }
  if (reason_ != kFirstReason || (tried == 0 && !settled_)) return reason_;
  if (tried == 0 && calls_are_too_short()) {
    return fmt::format(
        "the first choice: calls of {:.1f} us are too short to try others beside them",
        call_ns() / 1e3);
  }
  if (tried == 0) return "the first choice: there is nothing that may be faster";
  return fmt::format(
      "the first choice: {}{}",
      settled_ ? "no candidate was faster beyond the noise" : "not enough calls to tell",
      closest());
}

// The two other candidates that seem to gain most, and what the pairs of the first one show.
std::string OnlinePolicy::closest() const {
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    if (i != incumbent_ && candidates_[i].measured() && candidates_[i].usable())
      others.push_back(i);
  }
  sort_stably(others, [&](std::uint32_t i) {
    const Candidate& it = candidates_[i];
    const bool is_compared = it.versus.pairs() >= kNamedPairs;
    return std::pair(!is_compared, is_compared ? -it.versus.gain() : it.median_ns);
  });
  if (others.empty()) return {};
  const Candidate& first = candidates_[others[0]];
  const std::size_t pairs = first.versus.pairs();
  std::string out =
      fmt::format("; the {} {}", others.size() == 1 ? "closest is" : "two closest are", first.text);
  if (pairs > 0) out += ", " + paired_words(first.versus.interval(0.99), pairs);
  if (others.size() == 1) return out;
  return fmt::format("{}{} and {}", out, pairs > 0 ? "," : "", candidates_[others[1]].text);
}

// The machine may have been slow when a candidate ran. Before the search ends, candidates that were
// not much slower than the incumbent are timed once more.
bool OnlinePolicy::look_again() {
  const double most_ns = kNotMuchSlower * candidates_[incumbent_].median_ns;
  bool any = false;
  for (Candidate& candidate : candidates_) {
    const double ns = candidate.measured() ? candidate.median_ns : candidate.first_ns;
    if (&candidate == &candidates_[incumbent_] || !candidate.usable() || candidate.closed) continue;
    if (ns == 0 || ns > most_ns || std::exchange(candidate.looked_again, true)) continue;
    candidate.recent_ns.clear();
    candidate.first_ns = 0;
    set_prior(candidate, candidates_[incumbent_].prior_ns);
    refresh(candidate);
    any = true;
  }
  believed_ = !any;
  return any;
}

void OnlinePolicy::settle() {
  settled_ = true;
  until_timed_ = 0;
  reason_ = reason();
  decide(
      {.kind = EventKind::settled, .candidate = candidates_[incumbent_].text, .reason = reason_});
}

std::uint64_t OnlinePolicy::idle_calls() const {
  if (calls_ == 0 || second_) return 0;
  const std::uint64_t untimed = (until_timed_ == 0 ? timing_period() : until_timed_) - 1;
  if (settled_) return untimed;
  if (!believed_ || !incumbent_is_known() || to_make()) return 0;
  if (quiet_ && !is_guess()) return untimed;
  const double missing_ns = affordable_at_ns_ - ledger_.room_ns();
  if (!(missing_ns > 0)) return 0;
  const double usual_ns = call_ns();
  const double gained_ns = options_.share * usual_ns;  // at most
  // A call of `next` costs time as well, more than a short call adds to the bound.
  const double wanted =
      std::max(std::floor(missing_ns / gained_ns),
               std::floor(std::max(question_ns_, kQuestionNs) / (kWatchShare * usual_ns)));
  return static_cast<std::uint64_t>(std::min(static_cast<double>(untimed), wanted));
}

void OnlinePolicy::skip(std::uint64_t calls) {
  if (calls == 0) return;
  calls_ += calls;
  ledger_.count_calls(calls);
  count_calls(calls);
  if (until_timed_ == 0) until_timed_ = timing_period();
  until_timed_ -= std::min(calls, until_timed_ - 1);
}

}  // namespace vyre
