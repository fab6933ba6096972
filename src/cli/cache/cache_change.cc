#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/text/nearest.h"
#include "vyre/cli/cache/cache_actions.h"
#include "vyre/cli/cache/cache_decisions.h"
#include "vyre/cli/cache/cache_keys.h"
#include "vyre/cli/cache/code_cache.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

// A candidate is easily mistyped, so a text that is not one of the known candidates needs --yes.
Result<void> check_candidate(const KeyState& state, const std::string& candidate) {
  const auto known = std::ranges::find(state.candidates, candidate, &CandidateState::candidate);
  if (known != state.candidates.end() && known->rejected.empty()) return {};
  if (known != state.candidates.end()) {
    return fail(Code::invalid_input,
                fmt::format("{} was rejected: {}", quote(candidate), known->rejected),
                "give --yes to pin it anyway");
  }
  std::vector<std::string> names;
  for (const CandidateState& each : state.candidates) names.push_back(each.candidate);
  const std::string meant = nearest(candidate, names);
  return fail(Code::invalid_input, fmt::format("{} was never tried for this key", quote(candidate)),
              meant.empty() ? "see vyre cache show, or give --yes to pin it anyway"
                            : fmt::format("did you mean '{}'? give --yes to pin it anyway", meant));
}

Exit change_pin(const CacheOptions& options, Streams& streams, const std::string& candidate) {
  const auto store = open_evidence(options);
  if (!store) return report(streams, store.error());
  const auto state = find_key((*store)->all(), options.words[1]);
  if (!state) return report(streams, state.error());
  EvidenceEvent event{.kind = candidate.empty() ? EventKind::unpinned : EventKind::pinned,
                      .candidate = candidate,
                      .reason = options.reason};
  if (candidate.empty() && state->pin.empty()) {
    return report(streams,
                  {Code::invalid_input, fmt::format("{} has no pin", key_id(state->key)), ""});
  }
  if (!candidate.empty() && !options.yes) {
    const auto checked = check_candidate(*state, candidate);
    if (!checked) return report(streams, checked.error());
  }
  const auto appended = (*store)->append(state->key, std::span(&event, 1));
  if (!appended) return report(streams, appended.error(), exit_for(appended.error()));
  const KeyState after = (*store)->find(state->key).value_or(*state);
  if (options.json) {
    write_json(streams.out, to_json(after));
  } else if (!candidate.empty()) {
    streams.out.print("{} of {} is pinned to {}\n", key_id(state->key), kernel_name(*state),
                      candidate);
  } else {
    streams.out.print("{} of {} is no longer pinned; its decision is {}\n", key_id(state->key),
                      kernel_name(*state),
                      after.decision().empty() ? "open" : std::string(after.decision()));
  }
  return Exit::done;
}

// The ids of the evidence keys that the words name. All other words are keys of decision files.
struct ToClear {
  std::vector<std::string> key_ids, decisions;
};
Result<ToClear> sort_words(std::span<const KeyState> states, std::span<const std::string> words) {
  ToClear sorted;
  for (const std::string& word : words) {
    VYRE_TRY(const std::vector<KeyState> found, match_keys(states, word));
    for (const KeyState& state : found) sorted.key_ids.push_back(key_id(state.key));
    if (found.empty()) sorted.decisions.push_back(word);
  }
  return sorted;
}

void print_cleared(const CacheOptions& options, std::size_t keys, const ClearedDecisions& cleared,
                   Streams& streams) {
  if (options.json) {
    write_json(streams.out, {{"keys_removed", keys},
                             {"decisions_removed", cleared.decisions},
                             {"files_removed", cleared.files},
                             {"files_left", cleared.kept}});
    return;
  }
  std::vector<std::string> parts;
  if (keys > 0) parts.push_back(counted(keys, "key"));
  if (keys == 0 || cleared.decisions > 0) parts.push_back(counted(cleared.decisions, "decision"));
  streams.out.print("removed {}\n", join_words(parts));
}

}  // namespace

Exit cache_pin(const CacheOptions& options, Streams& streams) {
  return change_pin(options, streams,
                    fmt::format("{}", fmt::join(std::span(options.words).subspan(2), " ")));
}

Exit cache_unpin(const CacheOptions& options, Streams& streams) {
  return change_pin(options, streams, "");
}

Exit cache_clear(const CacheOptions& options, Streams& streams) {
  const auto files = read_decision_files(options.adapter);
  if (!files) return report(streams, files.error());
  const auto words = std::span(options.words).subspan(1);
  Exit exit = Exit::done;
  std::size_t keys = 0;
  ToClear to_clear{.key_ids = {}, .decisions = {words.begin(), words.end()}};
  if (options.adapter.empty()) {
    auto store = open_evidence(options);
    if (!store && !words.empty()) return report(streams, store.error());
    if (!store) {
      store.error().what += "; it was not changed";
      exit = report(streams, store.error(), Exit::failed);
    } else {
      auto sorted = sort_words((*store)->all(), words);
      if (!sorted) return report(streams, sorted.error());
      to_clear = *std::move(sorted);
      if (words.empty() || !to_clear.key_ids.empty()) {
        const auto removed = (*store)->remove(to_clear.key_ids);
        if (!removed) return report(streams, removed.error(), Exit::failed);
        keys = *removed;
      }
    }
  }
  ClearedDecisions cleared;
  const bool has_decisions = words.empty() || !to_clear.decisions.empty();
  if (has_decisions && options.store.empty()) {
    cleared = clear_decisions(*files, to_clear.decisions);
    for (const Error& fault : cleared.faults) exit = report(streams, fault, Exit::failed);
  }
  if (!to_clear.decisions.empty() && cleared.decisions == 0 && exit == Exit::done) {
    return report(streams, {Code::invalid_input,
                            fmt::format("there is no key {}", quote(to_clear.decisions.front())),
                            "see vyre cache show"});
  }
  print_cleared(options, keys, cleared, streams);
  return exit;
}

Exit cache_clear_code(const CacheOptions& options, Streams& streams) {
  const auto cleared = clear_code();
  if (!cleared) return report(streams, cleared.error(), Exit::failed);
  if (options.json) {
    write_json(streams.out, {{"files_removed", cleared->files}, {"bytes_removed", cleared->bytes}});
  } else {
    streams.out.print("removed the code of {} ({})\n", counted(cleared->files, "kernel"),
                      format_bytes(cleared->bytes));
  }
  return Exit::done;
}

}  // namespace vyre
