// What the policy learns from times and from what became of candidates.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "vyre/tune/online/online_policy.h"

namespace vyre {
namespace {

constexpr std::size_t kLeastPairs = 5;
constexpr std::size_t kTiePairs = 15;
// One that looks better at kTiePairs costs nothing to look at for longer.
constexpr std::size_t kMostPairs = 60;
constexpr std::uint32_t kMostPairsOfSearch = 90;
constexpr double kMedianError = 1.2533;   // against that of a mean: the root of pi / 2
constexpr std::size_t kModelSamples = 3;  // of a candidate: more do not change what others are like
constexpr double kDriftThreshold = 8;
constexpr double kLeastDrift =
    0.02;  // as a logarithm: less is a new level, and no reason to search

}  // namespace

std::vector<OnlinePolicy::Grant>::iterator OnlinePolicy::grant_of(const OnlineStep& step) {
  return std::ranges::find(grants_, step.ticket, &Grant::ticket);
}

void OnlinePolicy::forget(std::vector<Grant>::iterator grant) {
  Candidate& candidate = candidates_[grant->candidate];
  if (candidate.outstanding > 0) --candidate.outstanding;
  if (grant->probe) --probes_out_;
  reserved_ns_ -= grant->reserve_ns;
  if (grants_.size() == 1 && verifying_ == 0) reserved_ns_ = 0;  // and no dust
  believed_ = false;
  grants_.erase(grant);
}

void OnlinePolicy::report(std::uint32_t candidate, double ns, bool slowed) {
  const auto found = std::ranges::find(grants_, candidate, &Grant::candidate);
  if (found != grants_.end()) {
    report(OnlineStep{.candidate = candidate, .timed = true, .ticket = found->ticket}, ns, slowed);
  } else {
    learn({.candidate = candidate, .probe = candidate != incumbent_}, ns, slowed);
  }
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
  count_call();
  // One that never can be timed is not asked for for ever.
  Candidate& candidate = candidates_[grant.candidate];
  if (grant.probe && ++candidate.pairs >= kMostPairsOfSearch) candidate.closed = true;
}

void OnlinePolicy::learn(const Grant& grant, double ns, bool slowed) {
  Candidate& candidate = candidates_[grant.candidate];
  believed_ = false;
  spend(ns);
  const double usual_ns = candidates_[incumbent_].median_ns;
  if (slowed && !grant.probe && candidate.measured()) {
    // What is within the noise would have been so anyway, and compiling takes half at most.
    const double above_ns = ns - candidate.median_ns - 3 * candidate.spread_ns;
    lose(std::min(above_ns, candidate.median_ns));
  }
  const bool first = candidate.first_ns == 0;
  if (first) candidate.first_ns = ns;
  const bool disturbed = slowed && candidate.measured() && ns > 1.5 * candidate.median_ns;
  const bool kept = !first && !disturbed && candidate.usable();
  if (grant.probe && usual_ns > 0 && !kept && !first) lose(ns - usual_ns);
  if (kept) add_sample(grant.candidate, ns);
  if (grant.probe && usual_ns > 0 && (kept || first)) charge_probe(candidate, ns - usual_ns, first);
  if (!kept) return forget_pair(grant.pair);
  fill_pair(grant, ns);
}

// What probes cost is how much slower the candidate is, not how unlucky they were: a call of the
// incumbent could have met the same disturbance. So the charge follows what is known of it.
void OnlinePolicy::charge_probe(Candidate& candidate, double above_ns, bool first) {
  above_ns = std::max(0.0, above_ns);
  if (first) {
    candidate.first_above_ns += above_ns;
  } else {
    candidate.above_ns += above_ns;
    ++candidate.probes;
  }
  double charge_ns = candidate.above_ns + candidate.first_above_ns;
  if (candidate.measured()) {
    const double usual_ns = candidates_[incumbent_].median_ns;
    double typical_ns = candidate.median_ns;
    if (candidate.recent_ns.size() < 3) {
      typical_ns = *std::ranges::min_element(candidate.recent_ns) * (1 + usual_noise());
    }
    const double first_ns = typical_ns * std::exp(first_runs_.value + 2 * first_runs_.error);
    charge_ns =
        std::min(candidate.above_ns, candidate.probes * std::max(0.0, typical_ns - usual_ns)) +
        std::min(candidate.first_above_ns, std::max(0.0, first_ns - usual_ns));
  }
  const double more_ns = charge_ns - std::exchange(candidate.charged_ns, charge_ns);
  if (more_ns > 0) return lose(more_ns);
  lost_ns_ += more_ns;
  tokens_ns_ = std::min(tokens_ns_ - more_ns, most_at_once_ns());
}

// Before the incumbent or its time changes.
void OnlinePolicy::close_charges() {
  for (Candidate& candidate : candidates_) {
    candidate.probes = 0;
    candidate.above_ns = candidate.first_above_ns = candidate.charged_ns = 0;
  }
}

void OnlinePolicy::add_sample(std::uint32_t index, double ns) {
  Candidate& candidate = candidates_[index];
  const double median_before = candidate.median_ns;
  const double spread_before = candidate.spread_ns;
  const std::size_t count_before = candidate.recent_ns.size();
  if (candidate.recent_ns.size() == kRecentSamples) {
    candidate.recent_ns.erase(candidate.recent_ns.begin());
  }
  candidate.recent_ns.push_back(ns);
  ++candidate.samples;
  if (candidate.unsaved_ns.size() == kRecentSamples) {
    candidate.unsaved_ns.erase(candidate.unsaved_ns.begin());
  }
  candidate.unsaved_ns.push_back(ns);
  refresh(candidate);
  if (count_before < kModelSamples) ++news_;
  if (index != incumbent_) return;
  if (count_before < kLeastPairs) return;
  const double threshold = kDriftThreshold * (1 << std::min(drifts_, 2u));
  if (drift_.moved(std::log(ns / median_before), spread_before / median_before, threshold)) {
    drifted(drift_.run());
  }
}

// The last `run` samples of the incumbent are at another level than those before.
void OnlinePolicy::drifted(std::size_t run) {
  Candidate& incumbent = candidates_[incumbent_];
  drift_.reset();
  const std::size_t count = std::min(run, incumbent.recent_ns.size());
  const std::size_t before = incumbent.recent_ns.size() - count;
  if (before == 0) return;  // they are the level already
  const double old_ns = median_of(std::span(incumbent.recent_ns).first(before));
  incumbent.recent_ns.erase(incumbent.recent_ns.begin(),
                            incumbent.recent_ns.begin() + static_cast<std::ptrdiff_t>(before));
  refresh(incumbent);
  const double change = std::log(incumbent.median_ns / old_ns);
  if (std::abs(change) < kLeastDrift) return;

  // Times from before are a prior now: all scaled alike if the device changed as a whole, and as
  // uncertain as if the incumbent alone had changed.
  close_charges();
  stale_error_ = std::clamp(std::abs(change) / 3, 0.03, 0.2);
  for (Candidate& candidate : candidates_) {
    candidate.closed = false;
    candidate.pairs = 0;
    candidate.ratios.clear();
    if (!candidate.measured()) {
      set_prior(candidate, std::exp(model_.predict(candidate.log_prior).value));
      continue;
    }
    const bool is_incumbent = &candidate == &incumbent;
    set_prior(candidate, is_incumbent ? old_ns : candidate.median_ns);
    if (is_incumbent) continue;
    candidate.stale = true;
    candidate.recent_ns.clear();
    refresh(candidate);
  }
  open_pairs_.clear();
  owed_pair_ = 0;
  ++drifts_;
  believed_ = false;
  if (!std::exchange(settled_, false)) return;
  decide({.kind = EventKind::reopened,
          .candidate = incumbent.text,
          .reason = fmt::format("times changed by a factor of {:.2f}", std::exp(change))});
}

void OnlinePolicy::forget_pair(std::uint64_t id) {
  std::erase_if(open_pairs_, [&](const Pair& pair) { return pair.id == id; });
  if (owed_pair_ == id) owed_pair_ = 0;
}

void OnlinePolicy::fill_pair(const Grant& grant, double ns) {
  const auto pair = std::ranges::find(open_pairs_, grant.pair, &Pair::id);
  if (grant.pair == 0 || pair == open_pairs_.end()) return;
  (grant.probe ? pair->probe_ns : pair->incumbent_ns) = ns;
  if (pair->probe_ns == 0 || pair->incumbent_ns == 0) return;
  const std::uint32_t index = pair->candidate;
  candidates_[index].ratios.push_back(pair->probe_ns / pair->incumbent_ns);
  ++candidates_[index].pairs;
  open_pairs_.erase(pair);
  judge(index);
}

void OnlinePolicy::judge(std::uint32_t index) {
  Candidate& candidate = candidates_[index];
  const std::size_t count = candidate.ratios.size();
  if (count < kLeastPairs || index == incumbent_) return;
  const double middle = median_of(candidate.ratios);
  // A small spread of few pairs is luck.
  const double spread =
      std::max(spread_of(candidate.ratios, middle), 0.7 * std::sqrt(2.0) * usual_noise());
  // Three standard errors of a median, and more of few pairs, which know their own spread badly.
  const auto pairs = static_cast<double>(count);
  const double noise = (3 + kLeastPairs / pairs) * kMedianError * spread / std::sqrt(pairs);
  const double gain = 1 - middle;
  const double least = least_gain();
  if (gain > std::max(least, noise)) {
    promote(index,
            fmt::format("{:.1f}% faster than {} in {} pairs, noise {:.1f}%", 100 * gain,
                        candidates_[incumbent_].text, count, 100 * noise),
            gain, noise, static_cast<std::uint32_t>(count));
    return;
  }
  const bool worse = gain + noise < least;
  const bool tied = count >= kTiePairs && (gain < least || count >= kMostPairs);
  candidate.closed = worse || tied || candidate.pairs >= kMostPairsOfSearch;
}

void OnlinePolicy::promote(std::uint32_t index, std::string reason, double gain, double noise,
                           std::uint32_t pairs) {
  close_charges();
  const std::uint32_t before = std::exchange(incumbent_, index);
  reason_ = std::move(reason);
  const double new_ns = candidates_[index].median_ns;
  candidates_[before].closed = true;
  for (Candidate& candidate : candidates_) {
    candidate.ratios.clear();
    // What was closed against the old one is so against the new one, unless its times say more.
    const bool better = candidate.measured() && candidate.median_ns < (1 - least_gain()) * new_ns;
    if (better && candidate.pairs < kMostPairsOfSearch) candidate.closed = false;
  }
  candidates_[index].closed = false;
  open_pairs_.clear();
  owed_pair_ = 0;
  drift_.reset();
  believed_ = false;
  decide({.kind = EventKind::promoted,
          .candidate = candidates_[index].text,
          .reason = reason_,
          .over = candidates_[before].text,
          .gain = gain,
          .noise = noise,
          .pairs = pairs});
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
  --tried_of_kind_[candidate.kind];
  believed_ = false;
}

void OnlinePolicy::end_verification(Candidate& candidate) {
  if (!std::exchange(candidate.verifying, false)) return;
  --verifying_;
  reserved_ns_ = std::max(0.0, reserved_ns_ - std::exchange(candidate.verifying_ns, 0));
  believed_ = false;
}

void OnlinePolicy::verified(std::uint32_t index, double cost_ns) {
  Candidate& candidate = candidates_[index];
  end_verification(candidate);
  charge(cost_ns);
  if (cost_ns > 0) verification_ns_ = cost_ns;
  if (!candidate.usable() || candidate.stage == CandidateStage::verified) return;
  candidate.stage = CandidateStage::verified;
  believed_ = false;
  events_.push_back({.kind = EventKind::verified, .candidate = candidate.text});
  const Candidate& incumbent = candidates_[incumbent_];
  if (incumbent.usable()) return;
  settled_ = false;
  promote(index, fmt::format("{} was dropped: {}", incumbent.text, incumbent.dropped), 0, 0, 0);
}

void OnlinePolicy::drop(std::uint32_t index, std::string why, double cost_ns) {
  Candidate& candidate = candidates_[index];
  end_verification(candidate);
  charge(cost_ns);
  if (!candidate.usable()) return;
  candidate.stage = CandidateStage::dropped;
  candidate.dropped = std::move(why);
  believed_ = false;
  decide({.kind = EventKind::rejected, .candidate = candidate.text, .reason = candidate.dropped});
  if (index != incumbent_) return;
  // The fastest of those that may serve.
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    if (candidates_[i].stage != CandidateStage::verified) continue;
    if (!best || expected_ns(i) < expected_ns(*best)) best = i;
  }
  if (!best) return;
  settled_ = false;
  promote(*best, fmt::format("{} was dropped: {}", candidate.text, candidate.dropped), 0, 0, 0);
}

void OnlinePolicy::save_times() {
  for (Candidate& candidate : candidates_) {
    if (candidate.unsaved_ns.empty()) continue;
    events_.push_back({.kind = EventKind::measured,
                       .candidate = candidate.text,
                       .times_ns = std::exchange(candidate.unsaved_ns, {})});
  }
}

void OnlinePolicy::decide(EvidenceEvent event) {
  save_times();
  events_.push_back(std::move(event));
  decisions_ = true;
}

std::vector<EvidenceEvent> OnlinePolicy::take_events() {
  save_times();
  const double spent_ns = spent_ns_ - std::exchange(saved_spent_ns_, spent_ns_);
  // What was charged too much is given back by what is charged next.
  const double lost_ns = std::max(0.0, lost_ns_ - saved_lost_ns_);
  saved_lost_ns_ += lost_ns;
  if (spent_ns > 0 || lost_ns > 0) {
    events_.push_back({.kind = EventKind::spent, .lost_ns = lost_ns, .spent_ns = spent_ns});
  }
  decisions_ = false;
  return std::exchange(events_, {});
}

}  // namespace vyre
