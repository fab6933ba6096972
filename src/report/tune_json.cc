#include "vyre/report/tune_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vyre/report/findings.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json time(double ns) { return is_known(ns) ? Json(ns) : Json(nullptr); }
Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(clean_utf8(text));
}

Json to_json(const CandidateRecord& candidate, const TimeSpread& spread) {
  Json parameters = Json::object();
  for (const auto& [name, value] : candidate.parameters)
    parameters[clean_utf8(name)] = clean_utf8(value);
  Json samples = Json::array();
  for (const double ns : candidate.samples_ns) samples.push_back(number(ns));
  return {{"candidate", clean_utf8(candidate.text)},
          {"parameters", std::move(parameters)},
          {"time_ns", time(candidate.time.ns)},
          {"low_ns", time(candidate.time.low_ns)},
          {"high_ns", time(candidate.time.high_ns)},
          {"spread_ns", spread.count > 0 ? Json(spread.deviation) : Json(nullptr)},
          {"prior_ns", time(candidate.prior_ns)},
          {"verified", candidate.verified},
          {"stage", text_or_null(candidate.stage)},
          {"dropped", text_or_null(candidate.dropped)},
          {"samples_ns", std::move(samples)}};
}

// One row per call, in the order of `call_fields`, which takes a tenth of the size of objects.
Json to_json(const CallPoint& call) {
  return Json::array({number(call.seconds), call.call, call.candidate, time(call.ns), call.probe,
                      call.incumbent, time(call.incumbent_ns), number(call.lost_ns),
                      time(call.bound_ns)});
}

Json baseline(const std::string& candidate, double time_ns, const ReportBaseline& side) {
  if (candidate.empty()) return nullptr;
  Json gain = nullptr;
  if (side.pairs > 0) {
    gain = {{"gain", number(side.gain.gain)},
            {"low", number(side.gain.low)},
            {"high", number(side.gain.high)},
            {"pairs", side.pairs}};
  }
  return {{"candidate", clean_utf8(candidate)},
          {"time_ns", time(time_ns)},
          {"again_ns", time(side.again_ns)},
          {"again_gain", std::move(gain)}};
}

Json to_json(const TuneRecord& record) {
  const Findings findings = findings_of(record);
  Json candidates = Json::array(), calls = Json::array(), ties = Json::array();
  for (std::size_t i = 0; i < record.candidates.size(); ++i)
    candidates.push_back(to_json(record.candidates[i], findings.spreads[i]));
  for (const std::uint32_t tie : findings.ties)
    ties.push_back(clean_utf8(record.candidates[tie].text));
  for (const CallPoint& call : record.calls) calls.push_back(to_json(call));
  const std::string& chosen = record.decision.empty() ? record.chosen.candidate : record.decision;
  return {{"kernel", clean_utf8(record.kernel)},
          {"file", text_or_null(record.file)},
          {"size", text_or_null(record.size)},
          {"key", text_or_null(record.key)},
          {"decision", baseline(chosen, findings.chosen_ns, record.chosen)},
          {"reason", text_or_null(record.reason)},
          {"within_noise", std::move(ties)},
          {"start", baseline(record.start.candidate, findings.start_ns, record.start)},
          {"declared", baseline(record.declared.candidate, findings.declared_ns, record.declared)},
          {"gain_over_start", time(gain_over_start(findings))},
          {"gain_over_declared", time(gain_over_declared(findings))},
          {"origin", text_or_null(record.origin)},
          {"verified", text_or_null(record.verified)},
          {"untunable", text_or_null(record.untunable)},
          {"settled", record.settled},
          {"search", text_or_null(record.search)},
          {"plans", text_or_null(record.plans)},
          {"left_out", text_or_null(record.left_out)},
          {"unlisted_candidates", record.unlisted},
          {"bytes", time(record.bytes)},
          {"ledger",
           {{"spent_ns", number(record.ledger.spent_ns)},
            {"lost_ns", number(record.ledger.lost_ns)},
            {"bound_ns", number(record.ledger.bound_ns)},
            {"doubted_ns", number(record.ledger.doubted_ns)},
            {"disturbed_ns", number(record.ledger.disturbed_ns)},
            {"share", number(record.ledger.share)}}},
          {"candidates", std::move(candidates)},
          {"call_fields",
           {"seconds", "call", "candidate", "ns", "probe", "incumbent", "incumbent_ns", "lost_ns",
            "bound_ns"}},
          {"calls", std::move(calls)}};
}

// Indented, with arrays of plain values on one line, so that each call is a line. The recursion is
// only as deep as the values made here.
void write(std::string& out, const Json& value, std::size_t depth) {
  const auto is_plain = [](const Json& part) { return !part.is_structured(); };
  if (is_plain(value) || value.empty() ||
      (value.is_array() && std::ranges::all_of(value, is_plain))) {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  out += value.is_array() ? '[' : '{';
  bool is_first = true;
  for (const auto& [key, part] : value.items()) {
    out += is_first ? "\n" : ",\n";
    is_first = false;
    out.append(depth + 1, ' ');
    if (value.is_object()) out += Json(key).dump() + ": ";
    write(out, part, depth + 1);
  }
  out += '\n';
  out.append(depth, ' ');
  out += value.is_array() ? ']' : '}';
}

}  // namespace

std::string tune_json(const TuneReport& report) {
  Json profile = Json::array(), method = Json::array(), kernels = Json::array();
  for (const ReportLine& line : report.device.profile)
    profile.push_back({{"label", clean_utf8(line.label)}, {"text", clean_utf8(line.text)}});
  for (const std::string& sentence : report.method) method.push_back(clean_utf8(sentence));
  for (const TuneRecord& record : report.kernels) kernels.push_back(to_json(record));
  const Json all{{"format", "vyre-tune-report"},
                 {"format_version", 2},
                 {"title", text_or_null(report.title)},
                 {"command", text_or_null(report.command)},
                 {"vyre", text_or_null(report.version)},
                 {"started_ms", report.started_ms},
                 {"seconds", number(report.seconds)},
                 {"budget_seconds", time(report.budget_seconds)},
                 {"mode", text_or_null(report.mode)},
                 {"interrupted", report.interrupted},
                 {"method", std::move(method)},
                 {"device",
                  {{"name", text_or_null(report.device.name)},
                   {"driver", text_or_null(report.device.driver)},
                   {"memory_bytes_per_second", time(report.device.memory_bytes_per_second)},
                   {"profile", std::move(profile)}}},
                 {"kernels", std::move(kernels)}};
  std::string out;
  write(out, all, 0);
  return out + "\n";
}

}  // namespace vyre
