#include "vyre/tune/evidence/evidence_fold.h"

#include <algorithm>
#include <functional>

#include "vyre/base/overloaded.h"

namespace vyre {
namespace {

// Keeps sums finite, so that a line can hold them.
void add_count(std::uint64_t& sum, std::uint64_t more) {
  sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
}
void add_cost(double& sum_ns, double more_ns) {
  constexpr double kMost = 1e300;
  sum_ns = std::min(sum_ns + more_ns, kMost);
}

// Pairs with another incumbent replace what was compared before: they are of a later search.
void add_pairs(CandidateState& candidate, const std::string& with, std::span<const int> log_ratios,
               std::uint32_t final) {
  if (log_ratios.empty()) return;
  auto& all = candidate.log_ratios;
  if (candidate.compared_with != with) all.clear();
  candidate.compared_with = with;
  candidate.final = std::max(final, all.empty() ? 0 : candidate.final);
  const std::size_t room = kMostComparedPairs - std::min(all.size(), kMostComparedPairs);
  const auto taken = log_ratios.first(std::min(room, log_ratios.size()));
  all.insert(all.end(), taken.begin(), taken.end());
}

// Times from before a drift say about as much as one sample, and pairs nothing.
void age_samples(CandidateState& candidate) {
  candidate.compared_with.clear();
  candidate.log_ratios.clear();
  candidate.final = 0;
  age_times(candidate.recent_ns);
}

void stamp(KeyState& state, std::int64_t first_ms, std::int64_t last_ms) {
  state.first_ms = state.events == 0 ? first_ms : std::min(state.first_ms, first_ms);
  state.last_ms = std::max(state.last_ms, last_ms);
}

void make_incumbent(KeyState& state, const EvidenceEvent& event) {
  if (event.kind == EventKind::promoted || event.candidate != state.incumbent) {
    state.over = event.over;
    state.gain = event.gain;
    state.gain_low = event.gain_low;
    state.gain_high = event.gain_high;
    state.pairs = event.pairs;
    state.reason = event.reason;
  } else if (!event.reason.empty()) {
    state.reason = event.reason;
  }
  state.incumbent = event.candidate;
}

std::uint64_t line_hash(std::string_view key_id, std::string_view by) {
  const std::hash<std::string_view> hash;
  return hash(key_id) * 31 + hash(by);
}

bool covers(std::span<const WriterMark> marks, const WriterMark& wanted) {
  return std::ranges::any_of(marks, [&](const WriterMark& mark) {
    return mark.line >= wanted.line && mark.writer == wanted.writer;
  });
}

void note(std::vector<WriterMark>& marks, const WriterMark& mark) {
  const auto known = std::ranges::find(marks, mark.writer, &WriterMark::writer);
  if (known != marks.end()) {
    known->line = std::max(known->line, mark.line);
    return;
  }
  if (marks.size() == kMostWriterMarks) marks.erase(marks.begin());
  marks.push_back(mark);
}

// Takes the decision of a summary, unless there is a later one.
void take_choice(const KeyState& from, KeyState& state) {
  const bool has_choice =
      from.decided_ms > 0 || from.settled || !from.incumbent.empty() || !from.reopened.empty();
  if (!has_choice || from.decided_ms < state.decided_ms) return;
  if (!from.incumbent.empty()) {
    state.incumbent = from.incumbent;
    state.reason = from.reason;
    state.over = from.over;
    state.gain = from.gain;
    state.gain_low = from.gain_low;
    state.gain_high = from.gain_high;
    state.pairs = from.pairs;
  }
  state.decided_ms = from.decided_ms;
  state.settled = from.settled;
  if (!from.reopened.empty()) state.reopened = from.reopened;
}

}  // namespace

void age_times(std::vector<double>& times_ns) {
  if (times_ns.size() < 2) return;
  const auto middle = times_ns.begin() + static_cast<std::ptrdiff_t>(times_ns.size() / 2);
  std::ranges::nth_element(times_ns, middle);
  times_ns = {*middle};
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

void EvidenceFold::take(const EvidenceLine& line) {
  std::visit(Overloaded{
                 [&](const KeyLine& each) {
                   // Takes the first of several names in alphabetical order, so that the order of
                   // lines does not matter.
                   TuningKey& key = states_[key_id(each.key)].key;
                   const bool renames =
                       key.name.empty() || (!each.key.name.empty() && each.key.name < key.name);
                   const std::string name = renames ? each.key.name : key.name;
                   key = each.key;
                   key.name = name;
                 },
                 [&](const auto& each) {
                   if (is_copy(line)) return;
                   Details& details = details_[each.key_id];
                   if (!each.by.empty()) taken_.insert(line_hash(each.key_id, each.by));
                   apply(each, details, states_[each.key_id]);
                 },
             },
             line);
}

bool EvidenceFold::knows(std::string_view key_id) const {
  const auto found = states_.find(key_id);
  return found != states_.end() && found->second.key != TuningKey();
}

bool EvidenceFold::is_copy(const EvidenceLine& line) const {
  return std::visit(
      Overloaded{
          [&](const KeyLine& each) {
            const auto found = states_.find(key_id(each.key));
            return found != states_.end() && found->second.key == each.key;
          },
          [&](const EventLine& each) { return is_copy(each.key_id, each.by, {}); },
          [&](const SummaryLine& each) { return is_copy(each.key_id, each.by, each.includes); },
      },
      line);
}

bool EvidenceFold::is_copy(const std::string& key_id, const std::string& by,
                           std::span<const WriterMark> includes) const {
  if (!by.empty() && taken_.contains(line_hash(key_id, by))) return true;
  const auto details = details_.find(key_id);
  if (details == details_.end()) return false;
  // A line that a summary includes, or a summary that contains nothing new.
  const auto mark = parse_line_name(by);
  if (mark && covers(details->second.included, *mark)) return true;
  return !includes.empty() && std::ranges::all_of(includes, [&](const WriterMark& each) {
    return covers(details->second.latest, each);
  });
}

SummaryLine EvidenceFold::summary(const std::string& key_id, std::string by) const {
  const auto details = details_.find(key_id);
  return {
      .key_id = key_id,
      .by = std::move(by),
      .state = states_.at(key_id),
      .includes = details == details_.end() ? std::vector<WriterMark>() : details->second.latest};
}

CandidateState& EvidenceFold::candidate(Details& details, KeyState& state,
                                        const std::string& text) {
  const auto [found, is_new] = details.candidates.try_emplace(text, state.candidates.size());
  if (is_new) state.candidates.push_back({.candidate = text});
  return state.candidates[found->second];
}

void EvidenceFold::reject(Details& details, KeyState& state, const std::string& text,
                          const std::string& why) {
  candidate(details, state, text).rejected = why.empty() ? "no reason was given" : why;
  if (state.incumbent != text) return;
  state.incumbent.clear();
  state.reason.clear();
  state.over.clear();
  state.gain = state.gain_low = state.gain_high = 0;
  state.pairs = 0;
  state.settled = false;
}

void EvidenceFold::apply(const EventLine& line, Details& details, KeyState& state) {
  const EvidenceEvent& event = line.event;
  if (const auto mark = parse_line_name(line.by)) {
    note(details.latest, *mark);
  } else {
    details.has_unnamed = true;
  }
  stamp(state, event.at_ms, event.at_ms);
  add_count(state.events, 1);
  const bool is_latest_choice = event.at_ms >= state.decided_ms;
  const bool is_latest_pin = event.at_ms >= state.pinned_ms;
  switch (event.kind) {
    case EventKind::measured:
      add_samples(candidate(details, state, event.candidate), event.times_ns,
                  event.times_ns.size());
      break;
    case EventKind::compared:
      add_pairs(candidate(details, state, event.candidate), event.over, event.log_ratios,
                event.final);
      state.finals = std::max(state.finals, event.final);
      break;
    case EventKind::verified: candidate(details, state, event.candidate).verified = true; break;
    case EventKind::rejected: reject(details, state, event.candidate, event.reason); break;
    case EventKind::promoted:
      add_count(state.promotions, 1);
      if (!candidate(details, state, event.candidate).rejected.empty() || !is_latest_choice) break;
      state.decided_ms = event.at_ms;
      make_incumbent(state, event);
      state.settled = false;
      break;
    case EventKind::settled:
      if (!is_latest_choice) break;
      if (!event.candidate.empty()) {
        if (!candidate(details, state, event.candidate).rejected.empty()) break;
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

void EvidenceFold::apply(const SummaryLine& line, Details& details, KeyState& state) {
  const KeyState& from = line.state;
  if (line.includes.empty()) details.has_unnamed = true;
  // The summary includes everything known here, and replaces it.
  const bool has_more = !details.has_unnamed && !details.latest.empty() &&
                        std::ranges::all_of(details.latest, [&](const WriterMark& mark) {
                          return covers(line.includes, mark);
                        });
  if (has_more) {
    state = KeyState{.key = std::move(state.key)};
    details = Details();
  }
  for (const WriterMark& mark : line.includes) {
    note(details.included, mark);
    note(details.latest, mark);
  }
  if (from.key != TuningKey()) take(KeyLine{from.key});
  stamp(state, from.first_ms, from.last_ms);
  add_count(state.events, from.events);
  for (const CandidateState& each : from.candidates) {
    CandidateState& known = candidate(details, state, each.candidate);
    add_samples(known, each.recent_ns, each.samples);
    add_pairs(known, each.compared_with, each.log_ratios, each.final);
    known.verified |= each.verified;
    if (!each.rejected.empty()) reject(details, state, each.candidate, each.rejected);
  }
  const auto incumbent = details.candidates.find(from.incumbent);
  const bool is_rejected = incumbent != details.candidates.end() &&
                           !state.candidates[incumbent->second].rejected.empty();
  if (!is_rejected) take_choice(from, state);
  state.finals = std::max(state.finals, from.finals);
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
