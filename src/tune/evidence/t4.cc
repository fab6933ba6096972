// Writes T4 files, and turns their results into events.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "vyre/tune/evidence/t4_internal.h"
#include "vyre/tune/online/candidate_time.h"

namespace vyre {
namespace {

using OutJson = nlohmann::ordered_json;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::string invalidity_reason(T4Invalidity invalidity) {
  switch (invalidity) {
    case T4Invalidity::correct: return "";
    case T4Invalidity::timeout: return "it took too long";
    case T4Invalidity::compile: return "it did not compile";
    case T4Invalidity::runtime: return "its run failed";
    case T4Invalidity::correctness: return "its results were wrong";
    case T4Invalidity::constraints: return "it breaks a constraint";
  }
  return "";
}

// The word of the schema that is closest to vyre's reason.
T4Invalidity invalidity_of(std::string_view rejected) {
  const auto has = [&](std::string_view word) {
    return rejected.find(word) != std::string_view::npos;
  };
  for (const auto& [name, invalidity] : kT4Invalidities) {
    if (!invalidity_reason(invalidity).empty() && has(invalidity_reason(invalidity))) {
      return invalidity;
    }
  }
  if (has("wrong") || has("differ")) return T4Invalidity::correctness;
  if (has("compile")) return T4Invalidity::compile;
  if (has("too long") || has("slower")) return T4Invalidity::timeout;
  if (has("limit") || has("register") || has("shared memory") || has("cannot")) {
    return T4Invalidity::constraints;
  }
  return T4Invalidity::runtime;
}

// A number or a boolean if that reads back as the same text.
OutJson value_of(const std::string& text) {
  const OutJson value = OutJson::parse(text, nullptr, false);
  const bool is_plain = value.is_number() || value.is_boolean();
  return is_plain && value.dump() == text ? value : OutJson(text);
}

OutJson configuration_of(const std::string& candidate) {
  OutJson json = OutJson::object();
  const auto configuration = parse_configuration(candidate);
  const bool is_printable =
      std::ranges::none_of(candidate, [](char c) { return c >= 0 && c < ' '; });
  if (!configuration || configuration->empty() || !is_printable) {
    return OutJson{{kT4Candidate, candidate}};
  }
  for (const auto& [name, value] : *configuration) json[name] = value_of(value);
  return json;
}

std::string timestamp_of(std::int64_t at_ms) {
  using namespace std::chrono;
  constexpr std::int64_t kLatest = 253'402'300'799'000;  // the end of the year 9999
  const sys_time<milliseconds> moment(milliseconds(std::clamp<std::int64_t>(at_ms, 0, kLatest)));
  const auto day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss time(floor<seconds>(moment - day));
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}+00:00", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

OutJson result_of(const KeyState& state, const CandidateState& candidate) {
  const bool is_valid = candidate.rejected.empty();
  OutJson json;
  json["timestamp"] = timestamp_of(state.last_ms);
  json["configuration"] = configuration_of(candidate.candidate);
  json["objectives"] = {"time"};
  // Times of rejected candidates do not count.
  std::vector<double> times;
  for (const double ns : is_valid ? candidate.recent_ns : std::vector<double>()) {
    times.push_back(t4_rounded(ns));
  }
  OutJson runtimes = OutJson::array();
  for (const double ns : times) runtimes.push_back(ns / kT4NsPerMs);
  json["times"]["runtimes"] = std::move(runtimes);
  const T4Invalidity invalidity =
      is_valid ? T4Invalidity::correct : invalidity_of(candidate.rejected);
  json["invalidity"] = to_string(invalidity);
  json["correctness"] = invalidity == T4Invalidity::correctness ? 0 : 1;
  OutJson measurements = OutJson::array();
  if (!times.empty()) {
    measurements.push_back({{"name", "time"},
                            {"value", t4_rounded(candidate_time(state, candidate).ns) / kT4NsPerMs},
                            {"unit", "ms"}});
  }
  json["measurements"] = std::move(measurements);
  if (!is_valid) json[kT4Rejected] = candidate.rejected;
  return json;
}

}  // namespace

std::string_view to_string(T4Invalidity invalidity) {
  for (const auto& [name, value] : kT4Invalidities) {
    if (value == invalidity) return name;
  }
  return "unknown";
}

std::string t4_text(const KeyState& state) {
  OutJson json;
  json["schema_version"] = "1.0.0";
  json["metadata"]["timeunit"] = "milliseconds";
  for (const auto& [member, name] : kT4KeyFields) {
    json["metadata"]["vyre_key"][name] = state.key.*member;
  }
  json["results"] = OutJson::array();
  for (const CandidateState& each : state.candidates) {
    if (each.recent_ns.empty() && each.rejected.empty()) continue;
    json["results"].push_back(result_of(state, each));
  }
  return json.dump(1, ' ', false, OutJson::error_handler_t::replace) + "\n";
}

std::vector<EvidenceEvent> evidence_of(const T4File& file, std::string_view source) {
  std::vector<EvidenceEvent> events;
  // A configuration may occur several times.
  std::unordered_map<std::string, std::vector<double>> times;
  std::unordered_map<std::string, bool> is_out;
  for (const T4Result& each : file.results) {
    const bool is_valid = each.invalidity == T4Invalidity::correct;
    if (is_valid && !each.runtimes_ns.empty()) {
      events.push_back({.kind = EventKind::measured,
                        .candidate = each.candidate,
                        .times_ns = each.runtimes_ns,
                        .at_ms = each.at_ms});
      // The remembered times decide.
      auto& recent = times[each.candidate];
      recent.insert(recent.end(), each.runtimes_ns.begin(), each.runtimes_ns.end());
      const std::size_t too_many = std::max(recent.size(), kRecentSamples) - kRecentSamples;
      recent.erase(recent.begin(), recent.begin() + static_cast<std::ptrdiff_t>(too_many));
    }
    if (is_valid) continue;
    is_out[each.candidate] = true;
    events.push_back(
        {.kind = EventKind::rejected,
         .candidate = each.candidate,
         .reason = each.rejected.empty()
                       ? fmt::format("{}, says {}", invalidity_reason(each.invalidity), source)
                       : each.rejected,
         .at_ms = each.at_ms});
  }
  const std::string* fastest = nullptr;
  double fastest_ns = 0;
  std::int64_t last_ms = 0;
  for (const T4Result& each : file.results) {
    last_ms = std::max(last_ms, each.at_ms);
    if (!times.contains(each.candidate) || is_out.contains(each.candidate)) continue;
    const double ns = median(times[each.candidate]);
    if (fastest != nullptr && ns >= fastest_ns) continue;
    fastest = &each.candidate;
    fastest_ns = ns;
  }
  if (fastest != nullptr) {
    events.push_back({.kind = EventKind::promoted,
                      .candidate = *fastest,
                      .reason = fmt::format("the fastest of {} in {}", times.size(), source),
                      .at_ms = last_ms});
  }
  return events;
}

}  // namespace vyre
