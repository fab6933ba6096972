// The writing half of evidence_text.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vyre/base/text/toml.h"
#include "vyre/tune/evidence/evidence_text.h"

namespace vyre {
namespace {

using OutJson = nlohmann::ordered_json;

// Leaves out values that a reader assumes by default.
class LineWriter {
 public:
  LineWriter(std::string_view key_id, std::string_view by, std::string_view event) {
    json_["v"] = kEvidenceVersion;
    json_["key"] = key_id;
    put("by", std::string(by));
    event_ = event;
  }
  void at(std::int64_t ms) { json_["at"] = std::max<std::int64_t>(0, ms); }
  void event() { json_["event"] = event_; }
  void put(const char* name, const std::string& text) {
    if (!text.empty()) json_[name] = text;
  }
  void put(const char* name, double number) {
    if (number != 0) json_[name] = number;
  }
  void put(const char* name, std::uint64_t number) {
    if (number != 0) json_[name] = number;
  }
  void put_moment(const char* name, std::int64_t ms) {
    if (ms > 0) json_[name] = ms;
  }
  void put_true(const char* name, bool value) {
    if (value) json_[name] = true;
  }
  template <class Number>
  void put(const char* name, const std::vector<Number>& numbers) {
    if (!numbers.empty()) json_[name] = numbers;
  }
  void put(const char* name, OutJson json) { json_[name] = std::move(json); }

  OutJson take() { return std::move(json_); }
  std::string text() const {
    return json_.dump(-1, ' ', false, OutJson::error_handler_t::replace) + "\n";
  }

 private:
  OutJson json_;
  std::string event_;
};

OutJson identity_of(const TuningKey& key) {
  OutJson json = OutJson::object();
  const auto put = [&](const char* name, const std::string& text) {
    if (!text.empty()) json[name] = text;
  };
  put("program", key.program);
  put("name", key.name);
  put("overrides", key.overrides);
  put("size", key.size);
  put("device", key.device);
  put("driver", key.driver);
  put("generator", key.generator);
  return json;
}

std::string text_of(const KeyLine& line) {
  LineWriter out(key_id(line.key), {}, "key");
  out.event();
  out.put("identity", identity_of(line.key));
  return out.text();
}

std::string text_of(const EventLine& line) {
  const EvidenceEvent& event = line.event;
  LineWriter out(line.key_id, line.by, to_string(event.kind));
  out.at(event.at_ms);
  out.event();
  out.put("candidate", event.candidate);
  out.put("ns", event.times_ns);
  out.put("reason", event.reason);
  out.put("over", event.over);
  out.put("log_ratios", event.log_ratios);
  out.put("final", std::uint64_t{event.final});
  out.put("gain", event.gain);
  out.put("gain_low", event.gain_low);
  out.put("gain_high", event.gain_high);
  out.put("pairs", std::uint64_t{event.pairs});
  out.put("lost_ns", event.lost_ns);
  out.put("spent_ns", event.spent_ns);
  return out.text();
}

OutJson candidate_json(const CandidateState& candidate) {
  OutJson json;
  json["candidate"] = candidate.candidate;
  if (!candidate.recent_ns.empty()) json["ns"] = candidate.recent_ns;
  if (candidate.samples > 0) json["samples"] = candidate.samples;
  if (candidate.verified) json["verified"] = true;
  if (!candidate.rejected.empty()) json["rejected"] = candidate.rejected;
  if (!candidate.log_ratios.empty()) {
    json["compared_with"] = candidate.compared_with;
    json["log_ratios"] = candidate.log_ratios;
    json["final"] = candidate.final;
  }
  return json;
}

std::string text_of(const SummaryLine& line) {
  const KeyState& state = line.state;
  LineWriter out(line.key_id, line.by, "summary");
  out.at(state.last_ms);
  out.event();
  if (state.key != TuningKey()) out.put("identity", identity_of(state.key));
  out.put_moment("first", state.first_ms);
  out.put("events", state.events);
  if (!state.candidates.empty()) {
    OutJson candidates = OutJson::array();
    for (const CandidateState& each : state.candidates) candidates.push_back(candidate_json(each));
    out.put("candidates", std::move(candidates));
  }
  out.put("incumbent", state.incumbent);
  out.put("reason", state.reason);
  out.put("over", state.over);
  out.put("gain", state.gain);
  out.put("gain_low", state.gain_low);
  out.put("gain_high", state.gain_high);
  out.put("finals", std::uint64_t{state.finals});
  out.put("pairs", std::uint64_t{state.pairs});
  out.put_moment("decided", state.decided_ms);
  out.put_true("settled", state.settled);
  out.put("promotions", state.promotions);
  out.put("reopenings", state.reopenings);
  out.put("reopened", state.reopened);
  out.put("pin", state.pin);
  out.put("pin_reason", state.pin_reason);
  out.put_moment("pinned", state.pinned_ms);
  out.put("untunable", state.untunable);
  out.put("lost_ns", state.lost_ns);
  out.put("spent_ns", state.spent_ns);
  if (!line.includes.empty()) {
    OutJson includes = OutJson::array();
    for (const auto& [writer, number] : line.includes) {
      includes.push_back(fmt::format("{}-{}", writer, number));
    }
    out.put("includes", std::move(includes));
  }
  return out.text();
}

bool is_cost(double value) { return std::isfinite(value) && value >= 0; }

Result<void> check_writable(const EvidenceEvent& event) {
  const auto refuse = [&](std::string_view what) {
    return fail(Code::invalid_input,
                fmt::format("a {} event cannot be kept: {}", to_string(event.kind), what));
  };
  if (needs_candidate(event.kind) && event.candidate.empty()) return refuse("it has no candidate");
  if (!is_utf8(event.candidate) || !is_utf8(event.over))
    return refuse("its candidate is not UTF-8");
  if (!std::ranges::all_of(event.times_ns, is_cost)) {
    return refuse("a time is negative or not a number");
  }
  if (!std::isfinite(event.gain) || !std::isfinite(event.gain_low) ||
      !std::isfinite(event.gain_high) || !is_cost(event.lost_ns) || !is_cost(event.spent_ns)) {
    return refuse("one of its numbers is negative or not a number");
  }
  return {};
}

}  // namespace

bool needs_candidate(EventKind kind) {
  switch (kind) {
    case EventKind::measured:
    case EventKind::compared:
    case EventKind::verified:
    case EventKind::rejected:
    case EventKind::promoted:
    case EventKind::pinned: return true;
    case EventKind::settled:
    case EventKind::reopened:
    case EventKind::untunable:
    case EventKind::unpinned:
    case EventKind::spent: return false;
  }
  return false;
}

std::string evidence_text(const EvidenceLine& line) {
  return std::visit([](const auto& each) { return text_of(each); }, line);
}

Result<void> check_writable(const TuningKey& key, std::span<const EvidenceEvent> events) {
  if (key.program.empty())
    return fail(Code::invalid_input, "a tuning key cannot be kept: its program has no name");
  for (const std::string* part :
       {&key.program, &key.overrides, &key.size, &key.device, &key.driver, &key.generator}) {
    if (!is_utf8(*part))
      return fail(Code::invalid_input, "a tuning key cannot be kept: its text is not UTF-8");
  }
  for (const EvidenceEvent& event : events) VYRE_CHECK(check_writable(event));
  return {};
}

}  // namespace vyre
