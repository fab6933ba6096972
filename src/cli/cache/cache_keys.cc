#include "vyre/cli/cache/cache_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "vyre/base/files/paths.h"
#include "vyre/cli/command.h"
#include "vyre/cli/values.h"
#include "vyre/tune/evidence/evidence_file.h"
#include "vyre/tune/online/candidate_time.h"
#include "vyre/tune/time_words.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

std::string one_line(const KeyState& state) {
  return fmt::format("{} ({} {} on {})", key_id(state.key), kernel_name(state), size_text_of(state),
                     state.key.device);
}

std::unexpected<Error> too_many(const std::string& word, std::span<const KeyState> found) {
  constexpr std::size_t kMostShown = 8;
  std::vector<std::string> shown;
  for (const KeyState& state : found.first(std::min(found.size(), kMostShown))) {
    shown.push_back(one_line(state));
  }
  if (found.size() > kMostShown) shown.push_back(fmt::format("{} more", found.size() - kMostShown));
  return fail(Code::invalid_input,
              fmt::format("{} is the beginning of {} keys: {}", quote(word), found.size(),
                          join_words(shown)),
              "give more of the id");
}

Json to_json(const KeyState& state, const CandidateState& candidate) {
  const CandidateTime time = candidate_time(state, candidate);
  Json json;
  json["candidate"] = candidate.candidate;
  json["samples"] = candidate.samples;
  json["time_ns"] = time.ns > 0 ? Json(time.ns) : Json(nullptr);
  json["low_ns"] = time.ns > 0 ? Json(time.low_ns) : Json(nullptr);
  json["high_ns"] = time.ns > 0 ? Json(time.high_ns) : Json(nullptr);
  json["recent_ns"] = candidate.recent_ns;
  json["verified"] = candidate.verified;
  json["rejected"] = candidate.rejected.empty() ? Json(nullptr) : Json(candidate.rejected);
  return json;
}

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

fs::path evidence_file(const CacheOptions& options) {
  return options.store.empty() ? evidence_path() : named_path(options.store);
}

Result<std::shared_ptr<EvidenceStore>> open_evidence(const CacheOptions& options) {
  return EvidenceStore::open(evidence_file(options));
}

Result<std::shared_ptr<EvidenceStore>> open_named_evidence(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return fail(Code::invalid_input, fmt::format("there is no file {}", quote(path)));
  }
  // The file is read as untrusted data, wherever it comes from.
  VYRE_TRY(const std::string text, read_input_file(path, kMaxEvidenceBytes));
  auto store = EvidenceStore::in_memory();
  VYRE_CHECK(store->merge(text, path));
  return store;
}

Result<std::vector<KeyState>> match_keys(std::span<const KeyState> states,
                                         const std::string& word) {
  std::vector<KeyState> named;
  std::vector<KeyState> begun;
  for (const KeyState& state : states) {
    const std::string id = key_id(state.key);
    if (id == word) return std::vector{state};
    if (!state.key.name.empty() && state.key.name == word) named.push_back(state);
    const bool begins = id.starts_with(word) || id.substr(3).starts_with(word);
    if (begins && !word.empty()) begun.push_back(state);
  }
  if (!named.empty()) return named;
  if (begun.size() > 1) return too_many(word, begun);
  return begun;
}

Result<std::vector<KeyState>> find_keys(std::span<const KeyState> states, const std::string& word) {
  VYRE_TRY(std::vector<KeyState> found, match_keys(states, word));
  if (!found.empty()) return found;
  return fail(Code::invalid_input, fmt::format("no key and no kernel is called {}", quote(word)),
              "see vyre cache list");
}

Result<KeyState> find_key(std::span<const KeyState> states, const std::string& word) {
  VYRE_TRY(const std::vector<KeyState> found, find_keys(states, word));
  if (found.size() > 1) return too_many(word, found);
  return found.front();
}

ShortIds::ShortIds(std::span<const KeyState> states) {
  constexpr std::size_t kLeast = 3 + 8;
  length_ = kLeast;
  // The states are in the order of their ids.
  for (std::size_t i = 1; i < states.size(); ++i) {
    const std::string before = key_id(states[i - 1].key);
    const std::string id = key_id(states[i].key);
    const auto differ = std::ranges::mismatch(before, id).in1 - before.begin();
    length_ = std::max(length_, static_cast<std::size_t>(differ) + 1);
  }
}

std::string ShortIds::operator()(const KeyState& state) const {
  return key_id(state.key).substr(0, length_);
}

std::uint64_t sample_count(const KeyState& state) {
  std::uint64_t count = 0;
  for (const CandidateState& each : state.candidates) count += each.samples;
  return count;
}

std::size_t measured_count(const KeyState& state) {
  return static_cast<std::size_t>(std::ranges::count_if(
      state.candidates, [](const CandidateState& each) { return each.samples > 0; }));
}

std::string kernel_name(const KeyState& state) {
  constexpr std::size_t kMost = 16;
  return state.key.name.empty() ? state.key.program.substr(0, kMost) : state.key.name;
}

std::string state_text(const KeyState& state) {
  if (!state.pin.empty()) return "pinned";
  if (!state.untunable.empty()) return "not tuned";
  if (state.settled) return "settled";
  return state.incumbent.empty() ? "undecided" : "searching";
}

std::int64_t now_ms() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             system_clock::now().time_since_epoch())
      .count();
}

std::string age_text(std::int64_t at_ms) {
  const std::int64_t seconds = std::max<std::int64_t>(0, now_ms() - at_ms) / 1000;
  const std::int64_t hours = seconds / 3600;
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (hours < 1) return fmt::format("{} min", seconds / 60);
  if (hours < 48) return fmt::format("{} h", hours);
  return fmt::format("{} d", hours / 24);
}

std::string duration_text(double ns) { return time_words(std::max(ns, 0.0)); }

std::string gain_text(double share) {
  const double percent = std::abs(share) * 100;
  return fmt::format("{}{:.{}f}%", share < 0 ? "-" : "", percent,
                     percent > 0 && percent < 0.1 ? 2 : 1);
}

std::string size_text_of(const KeyState& state) {
  return state.key.size.empty() ? "any" : state.key.size;
}

std::string device_text(const KeyState& state) {
  std::string text = state.key.device.empty() ? "any device" : state.key.device;
  if (!state.key.driver.empty()) text += ", driver " + state.key.driver;
  if (!state.key.generator.empty()) text += ", code generator " + state.key.generator;
  return text;
}

Json to_json(const KeyState& state) {
  Json json;
  json["key"] = key_id(state.key);
  json["program"] = state.key.program;
  json["name"] = state.key.name;
  json["overrides"] = state.key.overrides;
  json["size"] = state.key.size;
  json["device"] = state.key.device;
  json["driver"] = state.key.driver;
  json["generator"] = state.key.generator;
  json["state"] = state_text(state);
  json["decision"] = text_or_null(state.decision());
  json["incumbent"] = text_or_null(state.incumbent);
  json["reason"] = text_or_null(state.reason);
  json["over"] = text_or_null(state.over);
  json["gain"] = state.gain;
  json["gain_low"] = state.gain_low;
  json["gain_high"] = state.gain_high;
  json["pairs"] = state.pairs;
  json["settled"] = state.settled;
  json["pin"] = text_or_null(state.pin);
  json["pin_reason"] = text_or_null(state.pin_reason);
  json["untunable"] = text_or_null(state.untunable);
  json["promotions"] = state.promotions;
  json["reopenings"] = state.reopenings;
  json["reopened"] = text_or_null(state.reopened);
  json["lost_ns"] = state.lost_ns;
  json["spent_ns"] = state.spent_ns;
  json["samples"] = sample_count(state);
  json["events"] = state.events;
  json["first_ms"] = state.first_ms;
  json["last_ms"] = state.last_ms;
  json["candidates"] = Json::array();
  for (const CandidateState& each : state.candidates)
    json["candidates"].push_back(to_json(state, each));
  return json;
}

}  // namespace vyre
