// How the policy takes over what earlier searches have learned.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "vyre/tune/online/online_policy.h"

namespace vyre {

std::optional<std::uint32_t> OnlinePolicy::find(std::string_view text) const {
  const auto found = std::ranges::find(candidates_, text, &Candidate::text);
  if (found == candidates_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - candidates_.begin());
}

void OnlinePolicy::restore(const KeyState& known, bool is_answer, bool same_size) {
  believed_ = fitted_ = false;
  if (is_answer) restore_answer(known);
  if (is_answer && same_size) {
    restore_times(known);
  } else {
    restore_order(known, is_answer);
  }
}

void OnlinePolicy::restore_answer(const KeyState& known) {
  for (const CandidateState& state : known.candidates) {
    const auto index = find(state.candidate);
    if (!index) continue;
    Candidate& candidate = candidates_[*index];
    candidate.verified_before = state.verified;
    if (!state.rejected.empty()) {
      candidate.stage = CandidateStage::dropped;
      candidate.dropped = state.rejected;
    } else if (state.verified && candidate.stage == CandidateStage::made) {
      candidate.stage = CandidateStage::verified;
    }
  }
  const auto index = find(known.incumbent);
  if (!index || !candidates_[*index].usable()) return;
  const bool is_same = std::exchange(incumbent_, *index) == *index;
  guessed_ = false;  // an earlier search has decided it
  candidates_[*index].stage = CandidateStage::verified;
  if (!is_same || !known.over.empty()) {
    promotion_ = {.over = known.over,
                  .gain = known.gain,
                  .gain_low = known.gain_low,
                  .gain_high = known.gain_high,
                  .pairs = known.pairs};
  }
  settled_ = known.settled;
  if (!known.reason.empty()) reason_ = known.reason;
}

void OnlinePolicy::restore_times(const KeyState& known) {
  for (const CandidateState& state : known.candidates) {
    const auto index = find(state.candidate);
    if (!index) continue;
    Candidate& candidate = candidates_[*index];
    const auto recent = std::span(state.recent_ns);
    const auto last = recent.last(std::min(recent.size(), kRecentSamples));
    candidate.recent_ns.assign(last.begin(), last.end());
    std::erase_if(candidate.recent_ns, [](double ns) { return !(ns > 0) || !std::isfinite(ns); });
    candidate.kept_ns = candidate.recent_ns;
    candidate.samples = state.samples;
    refresh(candidate);
    restore_pairs(candidate, state);
  }
  finals_ = finals_before_ = std::max(finals_, known.finals);
  ledger_.set_call_ns(call_ns());
  ledger_.resume(known.spent_ns, known.lost_ns);
  saved_spent_ns_ = ledger_.spent_ns();
  saved_lost_ns_ = ledger_.lost_ns();
  if (incumbent_is_known()) ledger_.set_allowance();
}

// Continues an earlier comparison with the same incumbent.
void OnlinePolicy::restore_pairs(Candidate& candidate, const CandidateState& state) {
  candidate.versus.clear();
  candidate.saved_pairs = candidate.final = 0;
  if (state.compared_with != candidates_[incumbent_].text || state.log_ratios.empty()) return;
  for (const int log_ratio : state.log_ratios) candidate.versus.add(log_ratio);
  candidate.saved_pairs = state.log_ratios.size();
  candidate.final = std::max(state.final, 1U);
  candidate.closed = is_refuted(candidate.versus);
}

void OnlinePolicy::restore_order(const KeyState& known, bool is_answer) {
  std::vector<std::pair<std::uint32_t, double>> times;
  std::vector<double> scales;
  for (const CandidateState& state : known.candidates) {
    const double ns = median_of(state.recent_ns);
    const auto index = find(state.candidate);
    if (!index || !(ns > 0) || !std::isfinite(ns)) continue;
    times.emplace_back(*index, ns);
    scales.push_back(candidates_[*index].prior_ns / ns);
  }
  const double scale = median_of(scales);
  for (const auto& [index, ns] : times) {
    set_prior(candidates_[index], ns * scale);
  }
  // The winner of the other search is tried first here, whatever its times were.
  const auto winner = find(known.decision());
  if (is_answer || !winner) return;
  const double least = std::ranges::min_element(candidates_, {}, &Candidate::prior_ns)->prior_ns;
  set_prior(candidates_[*winner], std::min(candidates_[*winner].prior_ns, 0.999 * least));
}

}  // namespace vyre
