#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vyre/cli/cache/cache_actions.h"
#include "vyre/cli/cache/cache_keys.h"
#include "vyre/cli/values.h"
#include "vyre/tune/online/candidate_time.h"
#include "vyre/tune/online/paired_comparison.h"

namespace vyre {
namespace {

const CandidateState* candidate_of(const KeyState& state, std::string_view text) {
  const auto found = std::ranges::find(state.candidates, text, &CandidateState::candidate);
  return found == state.candidates.end() ? nullptr : &*found;
}

double time_of(const KeyState& state, std::string_view text) {
  const CandidateState* candidate = candidate_of(state, text);
  return candidate == nullptr ? 0 : candidate_time(state, *candidate).ns;
}

// The fastest measured candidate other than `but`.
const CandidateState* next_best(const KeyState& state, std::string_view but) {
  const CandidateState* best = nullptr;
  double best_ns = 0;
  for (const CandidateState& each : state.candidates) {
    const double ns = candidate_time(state, each).ns;
    if (each.candidate == but || !each.rejected.empty() || ns <= 0) continue;
    if (best != nullptr && ns >= best_ns) continue;
    best = &each;
    best_ns = ns;
  }
  return best;
}

std::string decision_sentence(const KeyState& state) {
  if (!state.pin.empty()) {
    return fmt::format("A person pinned {} {} ago{}; nothing else is served.", state.pin,
                       age_text(state.pinned_ms),
                       state.pin_reason.empty() ? "" : fmt::format(" ({})", state.pin_reason));
  }
  if (state.incumbent.empty())
    return "Nothing is decided yet: the first choice of the planner runs.";
  return fmt::format("The decision is {}, {} ago{}.", state.incumbent, age_text(state.decided_ms),
                     state.settled ? "; the search has settled" : "; the search goes on");
}

std::vector<std::string> incumbent_sentences(const KeyState& state) {
  std::vector<std::string> lines;
  if (state.incumbent.empty()) return lines;
  if (!state.pin.empty()) {
    lines.push_back(fmt::format("Without the pin it would be {}.", state.incumbent));
  }
  if (!state.reason.empty()) lines.push_back(fmt::format("Why: {}.", state.reason));
  if (state.pairs > 0) {
    lines.push_back(fmt::format("It took the place of {} after {} of calls: it is {}.",
                                state.over.empty() ? "the one before" : state.over,
                                counted(state.pairs, "pair"),
                                gain_words({state.gain, state.gain_low, state.gain_high})));
  }
  if (state.promotions > 1) {
    lines.push_back(fmt::format("It is the last of {} promotions.", state.promotions));
  }
  return lines;
}

std::vector<std::string> search_sentences(const KeyState& state) {
  std::vector<std::string> lines;
  const std::size_t measured = measured_count(state);
  if (measured > 0) {
    lines.push_back(
        fmt::format("{} measured, with {} in all.",
                    measured == 1 ? "1 candidate was" : fmt::format("{} candidates were", measured),
                    counted(sample_count(state), "sample")));
  }
  if (const CandidateState* fastest = next_best(state, ""); fastest != nullptr) {
    if (state.decision().empty()) {
      lines.push_back(fmt::format("The fastest so far is {}, with {}.", fastest->candidate,
                                  duration_text(candidate_time(state, *fastest).ns)));
    }
  }
  const double chosen_ns = time_of(state, state.decision());
  const CandidateState* other = next_best(state, state.decision());
  if (chosen_ns > 0) {
    lines.push_back(fmt::format("It takes {}.", duration_text(chosen_ns)));
    if (other != nullptr) {
      const double ns = candidate_time(state, *other).ns;
      const std::string apart = gain_text(std::abs(ns / chosen_ns - 1));
      // A candidate that was proved faster would serve, unless a person pinned another one.
      if (ns < chosen_ns && state.pin.empty()) {
        lines.push_back(fmt::format(
            "The best of the others, {}, seems to take {}, {} less; that is not proved beyond the "
            "noise.",
            other->candidate, duration_text(ns), apart));
      } else {
        lines.push_back(fmt::format("The best of the others, {}, takes {}: {} {}.",
                                    other->candidate, duration_text(ns), apart,
                                    ns >= chosen_ns ? "more" : "less"));
      }
    }
  }
  if (state.reopenings > 0) {
    lines.push_back(fmt::format(
        "The search was reopened {}{}.", counted(state.reopenings, "time"),
        state.reopened.empty() ? "" : fmt::format(", the last time because {}", state.reopened)));
  }
  if (state.spent_ns > 0) {
    lines.push_back(fmt::format("The search cost {} of {} of calls ({}).",
                                duration_text(state.lost_ns), duration_text(state.spent_ns),
                                gain_text(state.lost_ns / state.spent_ns)));
  }
  return lines;
}

std::vector<std::string> rejection_sentences(const KeyState& state) {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> lines;
  std::size_t rejected = 0;
  for (const CandidateState& each : state.candidates) {
    if (each.rejected.empty() || ++rejected > kMostShown) continue;
    lines.push_back(fmt::format("Rejected: {}, because {}.", each.candidate, each.rejected));
  }
  if (rejected > kMostShown) {
    lines.push_back(
        fmt::format("{} more were rejected; vyre cache show has them all.", rejected - kMostShown));
  }
  return lines;
}

std::vector<std::string> explain(const KeyState& state) {
  std::vector<std::string> lines{decision_sentence(state)};
  if (!state.untunable.empty())
    lines.push_back(fmt::format("It is not tuned: {}.", state.untunable));
  for (auto& each : incumbent_sentences(state)) lines.push_back(std::move(each));
  for (auto& each : search_sentences(state)) lines.push_back(std::move(each));
  for (auto& each : rejection_sentences(state)) lines.push_back(std::move(each));
  lines.push_back(fmt::format("Known for {}, from {}.", age_text(state.first_ms),
                              counted(state.events, "event")));
  return lines;
}

}  // namespace

Exit cache_explain(const CacheOptions& options, Streams& streams) {
  const auto store = open_evidence(options);
  if (!store) return report(streams, store.error());
  const auto states = (*store)->all();
  Json json = Json::array();
  bool is_first = true;
  for (const std::string& word : std::span(options.words).subspan(1)) {
    const auto found = find_keys(states, word);
    if (!found) return report(streams, found.error());
    for (const KeyState& state : *found) {
      if (options.json) {
        json.push_back(
            {{"key", key_id(state.key)}, {"name", state.key.name}, {"text", explain(state)}});
        continue;
      }
      streams.out.print("{}{}, {}, on {} [{}]\n", is_first ? "" : "\n",
                        bold(streams.out, kernel_name(state)), size_text_of(state),
                        device_text(state), key_id(state.key));
      for (const std::string& line : explain(state)) streams.out.print("  {}\n", line);
      is_first = false;
    }
  }
  if (options.json) write_json(streams.out, {{"keys", std::move(json)}});
  return Exit::done;
}

}  // namespace vyre
