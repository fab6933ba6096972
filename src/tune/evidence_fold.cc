#include "vyre/tune/evidence_fold.h"

#include <algorithm>
#include <functional>

#include "vyre/base/overloaded.h"

namespace vyre {
namespace {

// Sums stay numbers that a line can hold, whatever a file makes of them.
void add_count(std::uint64_t& sum, std::uint64_t more) {
  sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}
void add_cost(double& sum_ns, double more_ns) {
  constexpr double kMost = 1e300;
  sum_ns = std::min(sum_ns + more_ns, kMost);
}

void add_samples(CandidateState& candidate, std::span<const double> times_ns,
                 std::uint64_t samples) {
  auto& recent = candidate.recent_ns;
  recent.insert(recent.end(), times_ns.begin(), times_ns.end());
  if (recent.size() > kRecentSamples) {
    recent.erase(recent.begin(), recent.end() - static_cast<std::ptrdiff_t>(kRecentSamples));
  }
  add_count(candidate.samples, samples);
}

// Times from before a drift say about as much as one sample.
void age_samples(CandidateState& candidate) {
  auto& recent = candidate.recent_ns;
  if (recent.size() < 2) return;
  const auto middle = recent.begin() + static_cast<std::ptrdiff_t>(recent.size() / 2);
  std::ranges::nth_element(recent, middle);
  recent = {*middle};
}

void stamp(KeyState& state, std::int64_t first_ms, std::int64_t last_ms) {
  state.first_ms = state.events == 0 ? first_ms : std::min(state.first_ms, first_ms);
  state.last_ms = std::max(state.last_ms, last_ms);
}

void make_incumbent(KeyState& state, const EvidenceEvent& event) {
  if (event.kind == EventKind::promoted || event.candidate != state.incumbent) {
    state.over = event.over;
    state.gain = event.gain;
    state.noise = event.noise;
    state.pairs = event.pairs;
    state.reason = event.reason;
  } else if (!event.reason.empty()) {
    state.reason = event.reason;
  }
  state.incumbent = event.candidate;
}

// The choice of a summary, unless a later one stands.
void take_choice(const KeyState& from, bool is_rejected, KeyState& state) {
  const bool has_choice =
      from.decided_ms > 0 || from.settled || !from.incumbent.empty() || !from.reopened.empty();
  if (!has_choice || is_rejected || from.decided_ms < state.decided_ms) return;
  if (!from.incumbent.empty()) {
    state.incumbent = from.incumbent;
    state.reason = from.reason;
    state.over = from.over;
    state.gain = from.gain;
    state.noise = from.noise;
    state.pairs = from.pairs;
  }
  state.decided_ms = from.decided_ms;
  state.settled = from.settled;
  if (!from.reopened.empty()) state.reopened = from.reopened;
}

}  // namespace

void EvidenceFold::take(const EvidenceLine& line) {
  std::visit(Overloaded{
                 [&](const KeyLine& each) {
                   // Of several names the first in the alphabet, so that the order does not matter.
                   TuningKey& key = states_[key_id(each.key)].key;
                   const bool renames =
                       key.name.empty() || (!each.key.name.empty() && each.key.name < key.name);
                   const std::string name = renames ? each.key.name : key.name;
                   key = each.key;
                   key.name = name;
                 },
                 [&](const auto& each) {
                   if (!is_copy(each.key_id, each.by)) apply(each, states_[each.key_id]);
                 },
             },
             line);
}

bool EvidenceFold::knows(std::string_view key_id) const {
  const auto found = states_.find(key_id);
  return found != states_.end() && found->second.key != TuningKey();
}

bool EvidenceFold::is_copy(std::string_view key_id, std::string_view by) {
  if (by.empty()) return false;
  const std::hash<std::string_view> hash;
  return !taken_.insert(hash(key_id) * 31 + hash(by)).second;
}

CandidateState& EvidenceFold::candidate(const std::string& key_id, KeyState& state,
                                        const std::string& text) {
  const auto [found, is_new] = candidates_[key_id].try_emplace(text, state.candidates.size());
  if (is_new) state.candidates.push_back({.candidate = text});
  return state.candidates[found->second];
}

void EvidenceFold::reject(const std::string& key_id, KeyState& state, const std::string& text,
                          const std::string& why) {
  candidate(key_id, state, text).rejected = why.empty() ? "no reason was given" : why;
  if (state.incumbent != text) return;
  state.incumbent.clear();
  state.reason.clear();
  state.over.clear();
  state.gain = state.noise = 0;
  state.pairs = 0;
  state.settled = false;
}

bool EvidenceFold::is_rejected(const std::string& key_id, const KeyState& state,
                               const std::string& text) {
  const auto& known = candidates_[key_id];
  const auto found = known.find(text);
  return found != known.end() && !state.candidates[found->second].rejected.empty();
}

void EvidenceFold::apply(const EventLine& line, KeyState& state) {
  const EvidenceEvent& event = line.event;
  const std::string& id = line.key_id;
  stamp(state, event.at_ms, event.at_ms);
  add_count(state.events, 1);
  const bool is_latest_choice = event.at_ms >= state.decided_ms;
  const bool is_latest_pin = event.at_ms >= state.pinned_ms;
  switch (event.kind) {
    case EventKind::measured:
      add_samples(candidate(id, state, event.candidate), event.times_ns, event.times_ns.size());
      break;
    case EventKind::verified: candidate(id, state, event.candidate).verified = true; break;
    case EventKind::rejected: reject(id, state, event.candidate, event.reason); break;
    case EventKind::promoted:
      add_count(state.promotions, 1);
      candidate(id, state, event.candidate);
      if (!is_latest_choice || is_rejected(id, state, event.candidate)) break;
      state.decided_ms = event.at_ms;
      make_incumbent(state, event);
      state.settled = false;
      break;
    case EventKind::settled:
      if (!is_latest_choice) break;
      if (!event.candidate.empty()) {
        candidate(id, state, event.candidate);
        if (is_rejected(id, state, event.candidate)) break;
        make_incumbent(state, event);
      }
      state.decided_ms = event.at_ms;
      state.settled = true;
      break;
    case EventKind::reopened:
      add_count(state.reopenings, 1);
      for (CandidateState& each : state.candidates) age_samples(each);
      if (!is_latest_choice) break;
      state.decided_ms = event.at_ms;
      state.settled = false;
      state.reopened = event.reason;
      break;
    case EventKind::untunable:
      if (state.untunable.empty()) {
        state.untunable = event.reason.empty() ? "no reason was given" : event.reason;
      }
      break;
    case EventKind::pinned:
    case EventKind::unpinned:
      if (!is_latest_pin) break;
      state.pinned_ms = event.at_ms;
      state.pin = event.kind == EventKind::pinned ? event.candidate : "";
      state.pin_reason = event.kind == EventKind::pinned ? event.reason : "";
      break;
    case EventKind::spent:
      add_cost(state.lost_ns, event.lost_ns);
      add_cost(state.spent_ns, event.spent_ns);
      break;
  }
}

void EvidenceFold::apply(const SummaryLine& line, KeyState& state) {
  const KeyState& from = line.state;
  const std::string& id = line.key_id;
  if (from.key != TuningKey()) take(KeyLine{from.key});
  stamp(state, from.first_ms, from.last_ms);
  add_count(state.events, from.events);
  for (const CandidateState& each : from.candidates) {
    CandidateState& known = candidate(id, state, each.candidate);
    add_samples(known, each.recent_ns, each.samples);
    known.verified |= each.verified;
    if (!each.rejected.empty()) reject(id, state, each.candidate, each.rejected);
  }
  take_choice(from, is_rejected(id, state, from.incumbent), state);
  add_count(state.promotions, from.promotions);
  add_count(state.reopenings, from.reopenings);
  if (state.untunable.empty()) state.untunable = from.untunable;
  if (from.pinned_ms >= state.pinned_ms) {
    state.pinned_ms = from.pinned_ms;
    state.pin = from.pin;
    state.pin_reason = from.pin_reason;
  }
  add_cost(state.lost_ns, from.lost_ns);
  add_cost(state.spent_ns, from.spent_ns);
}

}  // namespace vyre
