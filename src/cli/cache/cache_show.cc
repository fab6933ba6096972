#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "vyre/base/sort.h"
#include "vyre/cli/cache/cache_actions.h"
#include "vyre/cli/cache/cache_decisions.h"
#include "vyre/cli/cache/cache_keys.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"
#include "vyre/tune/online/candidate_time.h"

namespace vyre {
namespace {

std::string candidate_state(const KeyState& state, const CandidateState& candidate) {
  std::vector<std::string> words;
  if (candidate.candidate == state.pin) words.emplace_back("pinned");
  if (candidate.candidate == state.incumbent) words.emplace_back("incumbent");
  if (candidate.verified) words.emplace_back("verified");
  if (!candidate.rejected.empty()) words.push_back("rejected: " + candidate.rejected);
  return fmt::format("{}", fmt::join(words, ", "));
}

// Sorts candidates: the fastest first, then those without a time, then the rejected ones.
std::vector<CandidateState> by_time(const KeyState& state) {
  std::vector<CandidateState> candidates = state.candidates;
  const auto rank = [&](const CandidateState& each) {
    return std::tuple(!each.rejected.empty(), each.recent_ns.empty(),
                      candidate_time(state, each).ns);
  };
  sort_stably(candidates, rank);
  return candidates;
}

void print_key(Output& out, const KeyState& state) {
  out.print("{}  {}\n", bold(out, key_id(state.key)), kernel_name(state));
  const auto line = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) out.print("  {:<10} {}\n", what, value);
  };
  line("size", size_text_of(state));
  line("overrides", state.key.overrides);
  line("device", device_text(state));
  line("program", state.key.program);
  line("decision", state.decision().empty() ? "none yet" : std::string(state.decision()));
  line("state", state.untunable.empty() ? state_text(state) : "not tuned: " + state.untunable);
  if (state.candidates.empty()) return;
  Table table({"candidate", "time", "99% interval", "samples", "state"}, {1, 2, 3});
  for (const CandidateState& each : by_time(state)) {
    const CandidateTime time = candidate_time(state, each);
    const bool is_measured = time.ns > 0;
    table.add({each.candidate, is_measured ? duration_text(time.ns) : "-",
               is_measured ? fmt::format("{} to {}", duration_text(time.low_ns),
                                         duration_text(time.high_ns))
                           : "-",
               with_commas(each.samples), candidate_state(state, each)});
  }
  table.print(out, "  ");
}

struct Selection {
  std::vector<KeyState> keys;
  std::vector<std::string> others;  // words that name no key of the evidence
};

// Selects all keys if there are no words. A word that is short for several keys is an error.
Result<Selection> select(std::span<const KeyState> states, std::span<const std::string> words) {
  Selection selection;
  if (words.empty()) selection.keys.assign(states.begin(), states.end());
  for (const std::string& word : words) {
    VYRE_TRY(std::vector<KeyState> found, match_keys(states, word));
    if (found.empty()) selection.others.push_back(word);
    for (KeyState& state : found) selection.keys.push_back(std::move(state));
  }
  return selection;
}

struct ShownDecision {
  std::string key, adapter;
  Extent workgroup{};
};

// All decisions if there are no words, otherwise those whose key begins with one of the words.
std::vector<ShownDecision> decisions_of(std::span<const DecisionFile> files,
                                        std::span<const std::string> words) {
  std::vector<ShownDecision> shown;
  for (const DecisionFile& file : files) {
    for (const auto& [key, workgroup] : file.content.entries) {
      const bool is_wanted = words.empty() || std::ranges::any_of(words, [&](const auto& word) {
                               return key.starts_with(word);
                             });
      if (is_wanted) shown.push_back({key, file.adapter, workgroup});
    }
  }
  return shown;
}

void print_decisions(Output& out, std::span<const ShownDecision> decisions) {
  Table table({"key", "workgroup", "adapter"});
  for (const ShownDecision& each : decisions) {
    table.add({each.key, format_extent(each.workgroup), each.adapter});
  }
  table.print(out);
}

}  // namespace

Exit cache_show(const CacheOptions& options, Streams& streams) {
  const auto files = read_decision_files(options.adapter);
  if (!files) return report(streams, files.error());
  const auto words = std::span(options.words).subspan(1);
  Selection selection;
  if (options.adapter.empty()) {
    const auto store = open_evidence(options);
    if (!store) return report(streams, store.error());
    auto selected = select((*store)->all(), words);
    if (!selected) return report(streams, selected.error());
    selection = *std::move(selected);
  } else {
    selection.others.assign(words.begin(), words.end());
  }
  std::vector<ShownDecision> decisions;
  if (words.empty() || !selection.others.empty())
    decisions = decisions_of(*files, selection.others);

  if (options.json) {
    Json json{{"keys", Json::array()}, {"decisions", Json::array()}};
    for (const KeyState& state : selection.keys) json["keys"].push_back(to_json(state));
    for (const ShownDecision& each : decisions) {
      json["decisions"].push_back({{"key", each.key},
                                   {"workgroup", vyre::to_json(each.workgroup)},
                                   {"adapter", each.adapter}});
    }
    write_json(streams.out, json);
    return Exit::done;
  }
  for (const DecisionFile& file : *files) {
    if (file.fault) report(streams, *file.fault);
  }
  for (const KeyState& state : selection.keys) print_key(streams.out, state);
  if (!decisions.empty()) print_decisions(streams.out, decisions);
  if (selection.keys.empty() && decisions.empty()) {
    streams.out.write(words.empty() ? "the cache is empty\n" : "there is no such key\n");
  }
  return Exit::done;
}

}  // namespace vyre
