// How the policy learns from times, and from candidates that were verified or dropped.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "vyre/tune/evidence/evidence_fold.h"
#include "vyre/tune/online/online_policy.h"

namespace vyre {
namespace {

constexpr std::uint32_t kMostAbandoned = 90;  // calls of a candidate that could not be timed
// A drift is noticed once the incumbent has this many samples.
constexpr std::size_t kLevelSamples = 5;
// A time above this multiple of the usual one may be a pause of the machine.
constexpr double kPause = 4;
// The machine is known to pause if this share of the incumbent's calls met a pause.
constexpr double kUsualPauses = 0.005;
constexpr std::uint32_t kMostPauses = 3;  // consecutive times that count as pauses
constexpr std::size_t kLookPairs = 256;   // a candidate must seem to gain after every 256 pairs
constexpr std::size_t kModelSamples = 3;  // samples of a candidate that are enough for the model
// The logarithm of the e-value at which a candidate counts as gaining too little.
const double kEnoughToDrop = std::log(5);
constexpr double kDriftThreshold = 10;
// A drift by less than this, as a logarithm, only sets a new level; the search stays closed.
constexpr double kLeastDrift = 0.02;

}  // namespace

std::vector<OnlinePolicy::Grant>::iterator OnlinePolicy::grant_of(const OnlineStep& step) {
  return std::ranges::find(grants_, step.ticket, &Grant::ticket);
}

void OnlinePolicy::forget(std::vector<Grant>::iterator grant) {
  Candidate& candidate = candidates_[grant->candidate];
  if (candidate.outstanding > 0) --candidate.outstanding;
  if (grant->probe) --probes_out_;
  ledger_.release(grant->reserve_ns);
  believed_ = false;
  grants_.erase(grant);
}

void OnlinePolicy::report(const OnlineStep& step, double ns, bool slowed) {
  const auto found = grant_of(step);
  if (found == grants_.end()) return;
  if (!(ns > 0) || !std::isfinite(ns)) return abandon(step);
  const Grant grant = *found;
  forget(found);
  learn(grant, ns, slowed);
}

void OnlinePolicy::abandon(const OnlineStep& step) {
  if (step.verify) end_verification(candidates_[*step.verify]);
  if (!step.timed) return;
  const auto found = grant_of(step);
  if (found == grants_.end()) return;
  const Grant grant = *found;
  forget(found);
  forget_pair(grant.pair);
  count_calls(1);
  // A candidate that can never be timed is given up.
  Candidate& candidate = candidates_[grant.candidate];
  if (grant.probe && ++candidate.abandoned >= kMostAbandoned) candidate.closed = true;
}

void OnlinePolicy::learn(const Grant& grant, double ns, bool slowed) {
  Candidate& candidate = candidates_[grant.candidate];
  const Candidate& incumbent = candidates_[incumbent_];
  believed_ = false;
  ledger_.spend(ns);
  const double usual_ns = incumbent.median_ns;
  const bool first = candidate.first_ns == 0 && candidate.pauses.count == 0;
  std::optional<double> believed = ns;
  if (!grant.probe) {
    ++served_calls_;
    // Time within the noise is not charged, and compiling can at most double the time of a call.
    if (slowed && candidate.measured()) {
      charge(std::min(ns - usual_ns - 3 * candidate.spread_ns, usual_ns));
    }
    watch_pauses(ns);
  } else if (incumbent.recent_ns.size() >= kModelSamples) {
    const bool is_free = grant.candidate == declared_ && is_guess();  // its calls are never a loss
    believed = believed_ns(candidate.pauses, ns, std::max(usual_ns, candidate.median_ns), is_free);
  }
  if (slowed && candidate.measured() && ns > 1.5 * candidate.median_ns) {
    if (grant.probe && believed) ledger_.disturb(ns - candidate.median_ns);
    believed.reset();
  }
  if (believed && candidate.first_ns == 0) candidate.first_ns = *believed;
  if (believed && !first && candidate.usable()) add_sample(grant.candidate, *believed);
  if (believed && grant.probe && usual_ns > 0) {
    const double above_ns = std::max(0.0, *believed - usual_ns);
    if (candidate.usable()) {
      charge_probe(candidate, above_ns, first);
    } else {
      ledger_.disturb(above_ns);
    }
  }
  // A pair counts whatever its times are: leaving pairs out by their result would not be fair.
  if (candidate.usable()) {
    fill_pair(grant, ns);
  } else {
    forget_pair(grant.pair);
  }
}

// Which part of a time to believe. One that is far too long is a pause of the machine if the
// incumbent's own calls meet such pauses; otherwise it is in doubt. But if the next ones are as
// long, they are no pauses, and the shortest of them says most.
std::optional<double> OnlinePolicy::believed_ns(Pauses& pauses, double ns, double usual_ns,
                                                bool is_free) {
  if (ns <= kPause * usual_ns) {
    end_doubt(pauses, 0);
    pauses.count = 0;
    return ns;
  }
  pauses.least_ns = pauses.count == 0 ? ns : std::min(pauses.least_ns, ns);
  // Times without a usual one of the incumbent between them may have met the same pause.
  if (pauses.count == 0 || pauses.calm_times != calm_times_) ++pauses.count;
  pauses.calm_times = calm_times_;
  if (pauses.count <= (has_pauses() ? kMostPauses : 1)) {
    if (has_pauses() || is_free) {
      ledger_.disturb(ns - usual_ns);
    } else {
      ledger_.doubt(ns - usual_ns);
      pauses.doubted_ns += ns - usual_ns;
    }
    return std::nullopt;
  }
  end_doubt(pauses, pauses.least_ns - usual_ns);
  ledger_.disturb(ns - pauses.least_ns);
  return pauses.least_ns;
}

// Whether the incumbent's own calls meet pauses of the machine.
bool OnlinePolicy::has_pauses() const {
  return double(incumbent_pauses_) > kUsualPauses * double(incumbent_times_);
}

// Takes a time of the incumbent.
void OnlinePolicy::watch_pauses(double ns) {
  if (candidates_[incumbent_].recent_ns.size() < kModelSamples) return;
  ++incumbent_times_;
  if (ns <= kPause * candidates_[incumbent_].median_ns) {
    ++calm_times_;
    return;
  }
  ++incumbent_pauses_;
  if (!has_pauses()) return;
  for (Candidate& candidate : candidates_) end_doubt(candidate.pauses, 0);
  end_doubt(verification_pauses_, 0);
}

// Ends the doubt about a time. The part of it that another time confirms is lost; the rest was a
// pause.
void OnlinePolicy::end_doubt(Pauses& pauses, double confirmed_ns) {
  const double ns = std::exchange(pauses.doubted_ns, 0);
  const double lost_ns = std::min(ns, confirmed_ns);
  ledger_.lose_doubted(lost_ns);
  ledger_.disturb_doubted(ns - lost_ns);
}

void OnlinePolicy::charge_verification(double ns) {
  if (!(ns > 0)) return;
  const double usual_ns = usual_verification();
  const auto believed = believed_ns(verification_pauses_, ns, usual_ns, false);
  charge(believed.value_or(usual_ns));
  if (believed) verification_ns_ = *believed;
}

// The cost of probes is how much slower the candidate is, not how long they happened to take: a
// call of the incumbent could have met the same disturbance. So the charge follows the estimate.
void OnlinePolicy::charge_probe(Candidate& candidate, double above_ns, bool first) {
  if (first) {
    candidate.first_above_ns += above_ns;
  } else {
    candidate.above_ns += above_ns;
    ++candidate.probes;
  }
  double charge_ns = candidate.above_ns + candidate.first_above_ns;
  const Candidate& incumbent = candidates_[incumbent_];
  if (&candidate == &candidates_[declared_] && is_guess()) {
    // The declared variant is not charged while the guess may be the slower one, that is, until all
    // times of the guess are shorter than all of its own.
    charge_ns = 0;
    if (candidate.recent_ns.size() >= kModelSamples) {
      charge_ns = candidate.probes * std::max(0.0, std::ranges::min(candidate.recent_ns) -
                                                       std::ranges::max(incumbent.recent_ns));
    }
  } else if (candidate.measured()) {
    const double usual_ns = incumbent.median_ns;
    double typical_ns = candidate.median_ns;
    if (candidate.versus.pairs() >= kLevelSamples) {
      typical_ns = usual_ns * (1 - candidate.versus.gain());
    } else if (candidate.recent_ns.size() < 3) {
      typical_ns = *std::ranges::min_element(candidate.recent_ns) * (1 + usual_noise());
    }
    charge_ns =
        std::min(candidate.above_ns, candidate.probes * std::max(0.0, typical_ns - usual_ns)) +
        std::min(candidate.first_above_ns, std::max(0.0, kFirstRun * typical_ns - usual_ns));
  }
  ledger_.lose(charge_ns - std::exchange(candidate.charged_ns, charge_ns));
}

// Settles all charges before the incumbent or its time changes.
void OnlinePolicy::close_charges() {
  for (Candidate& candidate : candidates_) {
    candidate.probes = 0;
    candidate.above_ns = candidate.first_above_ns = candidate.charged_ns = 0;
  }
  served_calls_ = guess_share_ = guess_lost_ns_ = 0;
}

void OnlinePolicy::add_sample(std::uint32_t index, double ns) {
  Candidate& candidate = candidates_[index];
  const double median_before = candidate.median_ns;
  const double spread_before = candidate.spread_ns;
  const std::size_t count_before = candidate.recent_ns.size();
  ++candidate.samples;
  for (auto* times : {&candidate.recent_ns, &candidate.kept_ns, &candidate.unsaved_ns}) {
    if (times->size() == kRecentSamples) times->erase(times->begin());
    times->push_back(ns);
  }
  refresh(candidate);
  if (count_before < kModelSamples) ++news_;
  if (index != incumbent_) return;
  if (count_before < kLevelSamples) return;
  const double threshold = kDriftThreshold * (1 << std::min(drifts_, 2u));
  if (drift_.moved(std::log(ns / median_before), spread_before / median_before, threshold)) {
    drifted(drift_.run());
  }
}

// Begins anew, because the last `run` samples of the incumbent are at another level.
void OnlinePolicy::drifted(std::size_t run) {
  Candidate& incumbent = candidates_[incumbent_];
  drift_.reset();
  auto& recent = incumbent.recent_ns;
  const std::size_t before = recent.size() - std::min(run, recent.size());
  if (before == 0) return;  // there is no earlier level
  const double old_ns = median_of(std::span(recent).first(before));
  recent.erase(recent.begin(), recent.begin() + static_cast<std::ptrdiff_t>(before));
  refresh(incumbent);
  const double change = std::log(incumbent.median_ns / old_ns);
  if (std::abs(change) < kLeastDrift) return;

  // Earlier times become a prior, as if the whole device had changed.
  close_charges();
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    Candidate& candidate = candidates_[i];
    candidate.closed = false;
    set_prior(candidate, i == incumbent_ ? old_ns : expected_ns(i));
    if (i == incumbent_ || !candidate.measured()) continue;
    candidate.recent_ns.clear();
    refresh(candidate);
  }
  ++drifts_;
  believed_ = false;
  // Pairs stay valid as long as the search continues, because both of their calls met the same
  // machine.
  if (!std::exchange(settled_, false)) return;
  forget_pairs();
  // The evidence keeps one time of each candidate from before the drift, and reports show it.
  for (Candidate& candidate : candidates_) age_times(candidate.kept_ns);
  decide({.kind = EventKind::reopened,
          .candidate = incumbent.text,
          .reason = fmt::format("times changed by a factor of {:.2f}", std::exp(change))});
}

void OnlinePolicy::forget_pair(std::uint64_t id) {
  std::erase_if(open_pairs_, [&](const Pair& pair) { return pair.id == id; });
  if (second_ && second_->pair == id) second_.reset();
}

// Forgets pairs with another incumbent, or from before a drift.
void OnlinePolicy::forget_pairs() {
  save_times();
  for (Candidate& candidate : candidates_) {
    candidate.versus.clear();
    candidate.final = 0;
    candidate.saved_pairs = 0;
  }
  finals_before_ = finals_;
  open_pairs_.clear();
  second_.reset();
}

void OnlinePolicy::fill_pair(const Grant& grant, double ns) {
  const auto pair = std::ranges::find(open_pairs_, grant.pair, &Pair::id);
  if (grant.pair == 0 || pair == open_pairs_.end()) return;
  (grant.probe ? pair->probe_ns : pair->incumbent_ns) = ns;
  if (pair->probe_ns == 0 || pair->incumbent_ns == 0) return;
  const std::uint32_t index = pair->candidate;
  candidates_[index].versus.add(pair->incumbent_ns, pair->probe_ns);
  open_pairs_.erase(pair);
  judge(index);
}

// The allowed error is spread over all comparisons of a search: the n-th gets the share
// 1 / (n (n + 1)), and these shares add up to 1.
void OnlinePolicy::judge(std::uint32_t index) {
  Candidate& candidate = candidates_[index];
  if (index == incumbent_) return;
  const PairedComparison& versus = candidate.versus;
  const double share = 1.0 / (double(candidate.final) * (candidate.final + 1));
  if (index == declared_ && guessed_) {
    judge_guess();
    charge_guess();
  }
  const bool is_proved = versus.evidence_above(timing_doubt()) >= -std::log(share * options_.error);
  if (is_proved && versus.gain() >= least_gain()) {
    return promote(index, shown_by(versus));
  }
  candidate.closed = is_refuted(versus);
}

// What pairs with the incumbent show, as the evidence of a promotion.
EvidenceEvent OnlinePolicy::shown_by(const PairedComparison& versus) const {
  const GainInterval gain = versus.interval(0.99);
  return {.reason = paired_words(gain, versus.pairs(), candidates_[incumbent_].text),
          .gain = gain.gain,
          .gain_low = gain.low,
          .gain_high = gain.high,
          .pairs = static_cast<std::uint32_t>(versus.pairs())};
}

// Whether pairs show that a candidate gains too little.
bool OnlinePolicy::is_refuted(const PairedComparison& versus) const {
  if (versus.pairs() == 0) return false;
  const bool seems_worse = versus.pairs() % kLookPairs == 0 && versus.gain() < least_gain();
  return seems_worse || versus.evidence_below(least_gain()) >= kEnoughToDrop ||
         versus.pairs() >= kMostComparedPairs;
}

void OnlinePolicy::promote(std::uint32_t index, EvidenceEvent why) {
  close_charges();
  forget_pairs();
  const std::uint32_t before = std::exchange(incumbent_, index);
  reason_ = why.reason;
  const double new_ns = candidates_[index].median_ns;
  candidates_[before].closed = true;
  for (Candidate& candidate : candidates_) {
    // A candidate that was closed against the old incumbent stays closed against the faster new
    // one, unless its own times say otherwise.
    const bool better = candidate.measured() && candidate.median_ns < (1 - least_gain()) * new_ns;
    if (better && &candidate != &candidates_[before]) candidate.closed = false;
  }
  candidates_[index].closed = false;
  ledger_.set_call_ns(call_ns());
  drift_.reset();
  believed_ = false;
  why.kind = EventKind::promoted;
  why.candidate = candidates_[index].text;
  why.over = candidates_[before].text;
  promotion_ = why;
  decide(std::move(why));
}

void OnlinePolicy::made(std::uint32_t index) {
  Candidate& candidate = candidates_[index];
  if (candidate.stage != CandidateStage::unmade && candidate.stage != CandidateStage::making) {
    return;
  }
  candidate.stage = options_.needs_verification && !candidate.verified_before
                        ? CandidateStage::made
                        : CandidateStage::verified;
  made_one_ = true;
  believed_ = false;
}

void OnlinePolicy::leave_unmade(std::uint32_t index) {
  Candidate& candidate = candidates_[index];
  if (candidate.stage != CandidateStage::making) return;
  candidate.stage = CandidateStage::unmade;
  believed_ = false;
}

void OnlinePolicy::end_verification(Candidate& candidate) {
  if (!std::exchange(candidate.verifying, false)) return;
  --verifying_;
  ledger_.release(std::exchange(candidate.verifying_ns, 0));
  believed_ = false;
}

void OnlinePolicy::verified(std::uint32_t index, double cost_ns) {
  Candidate& candidate = candidates_[index];
  end_verification(candidate);
  charge_verification(cost_ns);
  if (!candidate.usable() || candidate.stage == CandidateStage::verified) return;
  candidate.stage = CandidateStage::verified;
  believed_ = false;
  events_.push_back({.kind = EventKind::verified, .candidate = candidate.text});
  const Candidate& incumbent = candidates_[incumbent_];
  if (incumbent.usable()) return;
  settled_ = false;
  promote(index, {.reason = fmt::format("{} was dropped: {}", incumbent.text, incumbent.dropped)});
}

void OnlinePolicy::drop(std::uint32_t index, std::string why, double cost_ns) {
  Candidate& candidate = candidates_[index];
  end_verification(candidate);
  charge_verification(cost_ns);
  end_doubt(candidate.pauses, candidate.pauses.doubted_ns);
  if (!candidate.usable()) return;
  candidate.stage = CandidateStage::dropped;
  candidate.dropped = std::move(why);
  believed_ = false;
  if (second_ && second_->candidate == index) second_.reset();
  std::erase_if(open_pairs_, [&](const Pair& pair) { return pair.candidate == index; });
  decide({.kind = EventKind::rejected, .candidate = candidate.text, .reason = candidate.dropped});
  if (index != incumbent_) return;
  // The fastest candidate that may serve.
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].stage != CandidateStage::verified) continue;
    if (!best || expected_ns(i) < expected_ns(*best)) best = i;
  }
  if (!best) return;
  settled_ = false;
  promote(*best, {.reason = fmt::format("{} was dropped: {}", candidate.text, candidate.dropped)});
}

void OnlinePolicy::save_times() {
  for (Candidate& candidate : candidates_) {
    if (candidate.unsaved_ns.empty()) continue;
    events_.push_back({.kind = EventKind::measured,
                       .candidate = candidate.text,
                       .times_ns = std::exchange(candidate.unsaved_ns, {})});
  }
  for (Candidate& candidate : candidates_) {
    const auto& all = candidate.versus.log_ratios();
    if (candidate.saved_pairs == all.size()) continue;
    const auto from = static_cast<std::ptrdiff_t>(std::exchange(candidate.saved_pairs, all.size()));
    events_.push_back({.kind = EventKind::compared,
                       .candidate = candidate.text,
                       .over = candidates_[incumbent_].text,
                       .log_ratios = {all.begin() + from, all.end()},
                       .final = candidate.final});
  }
}

void OnlinePolicy::decide(EvidenceEvent event) {
  save_times();
  events_.push_back(std::move(event));
  decisions_ = true;
}

std::vector<EvidenceEvent> OnlinePolicy::take_events() {
  save_times();
  const double spent_ns = ledger_.spent_ns() - std::exchange(saved_spent_ns_, ledger_.spent_ns());
  // If too much was charged, later charges are reduced by it.
  const double lost_ns = std::max(0.0, ledger_.lost_ns() - saved_lost_ns_);
  saved_lost_ns_ += lost_ns;
  if (spent_ns > 0 || lost_ns > 0) {
    events_.push_back({.kind = EventKind::spent, .lost_ns = lost_ns, .spent_ns = spent_ns});
  }
  decisions_ = false;
  return std::exchange(events_, {});
}

}  // namespace vyre
