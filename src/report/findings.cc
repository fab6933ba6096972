#include "vyre/report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "vyre/report/report_text.h"

namespace vyre {
namespace {

std::optional<std::uint32_t> index_of(const TuneRecord& record, const std::string& text) {
  if (text.empty()) return std::nullopt;
  for (std::uint32_t i = 0; i < record.candidates.size(); ++i)
    if (record.candidates[i].text == text) return i;
  return std::nullopt;
}

// The candidate's figure; of one that is not in the list, what it took when it was timed again.
double time_of(const ReportBaseline& given, std::optional<std::uint32_t> index,
               const Findings& findings) {
  const double listed = index ? findings.spreads[*index].median : 0;
  return is_known(listed) ? listed : given.again_ns;
}

bool same_parameters(const TuneRecord& record) {
  const auto& all = record.candidates;
  if (all.empty() || all[0].parameters.empty()) return false;
  return std::ranges::all_of(all, [&](const CandidateRecord& candidate) {
    return std::ranges::equal(
        candidate.parameters, all[0].parameters, {},
        [](const auto& pair) -> const std::string& { return pair.first; },
        [](const auto& pair) -> const std::string& { return pair.first; });
  });
}

std::size_t count_values(const TuneRecord& record, std::size_t parameter) {
  std::set<std::string_view> values;
  for (const auto& candidate : record.candidates) {
    values.insert(candidate.parameters[parameter].second);
  }
  return values.size();
}

// Whether the values of `from` determine the value of `parameter`.
bool determine(const TuneRecord& record, std::span<const std::size_t> from, std::size_t parameter) {
  std::map<std::vector<std::string_view>, std::string_view> seen;
  for (const auto& candidate : record.candidates) {
    std::vector<std::string_view> values;
    for (const std::size_t p : from) values.emplace_back(candidate.parameters[p].second);
    const std::string_view value = candidate.parameters[parameter].second;
    if (seen.try_emplace(std::move(values), value).first->second != value) return false;
  }
  return true;
}

void make_labels(const TuneRecord& record, Findings& findings) {
  constexpr std::string_view kBetween = " \xC2\xB7 ";
  const std::vector<std::size_t> varying = telling_parameters(record);
  // Many values are separated by less space.
  const std::string_view between = varying.size() > 4 ? kBetween.substr(1, 2) : kBetween;
  for (const std::size_t p : varying)
    findings.label_names += fmt::format("{}{}", findings.label_names.empty() ? "" : kBetween,
                                        record.candidates[0].parameters[p].first);
  for (const auto& candidate : record.candidates) {
    std::string label;
    for (const std::size_t p : varying)
      label += fmt::format("{}{}", label.empty() ? "" : between,
                           short_extent(candidate.parameters[p].second));
    findings.labels.push_back(label.empty() ? candidate.text : label);
  }
}

void sort_out(const TuneRecord& record, Findings& findings) {
  for (std::uint32_t i = 0; i < record.candidates.size(); ++i) {
    const auto& candidate = record.candidates[i];
    findings.spreads.push_back(spread_of(candidate.samples_ns));
    if (is_known(candidate.time.ns)) findings.spreads.back().median = candidate.time.ns;
    if (!candidate.dropped.empty())
      findings.dropped.push_back(i);
    else if (is_known(findings.spreads[i].median))
      findings.measured.push_back(i);
    else
      findings.untried.push_back(i);
  }
  std::ranges::sort(findings.measured, {},
                    [&](std::uint32_t i) { return std::pair(findings.spreads[i].median, i); });
}

double prior_scale(const TuneRecord& record, const Findings& findings) {
  std::vector<double> ratios;
  for (const std::uint32_t i : findings.measured)
    if (is_known(record.candidates[i].prior_ns))
      ratios.push_back(findings.spreads[i].median / record.candidates[i].prior_ns);
  return spread_of(ratios).median;
}

void follow_calls(const TuneRecord& record, Findings& findings) {
  const std::size_t count = record.candidates.size();
  findings.probes.assign(count, 0);
  const CallPoint* before = nullptr;
  for (std::size_t i = 0; i < record.calls.size(); ++i) {
    const CallPoint& call = record.calls[i];
    if (call.candidate >= count || call.incumbent >= count) continue;
    if (call.probe) ++findings.probes[call.candidate];
    if (!is_sweep(record) && before && before->incumbent != call.incumbent)
      findings.promotions.push_back({.point = i, .from = before->incumbent, .to = call.incumbent});
    before = &call;
  }
}

// "1.43× faster than X", "as fast as X", "1.05× slower than X".
std::string compared(double gain, std::string_view with) {
  if (gain >= 1.005) return fmt::format("{} faster than {}", ratio_text(gain), with);
  if (gain > 0.995) return fmt::format("as fast as {}", with);
  return fmt::format("{} slower than {}", ratio_text(1 / gain), with);
}

}  // namespace

std::vector<std::size_t> telling_parameters(const TuneRecord& record) {
  // With fewer candidates, a common value may be a coincidence.
  constexpr std::size_t kCandidatesOfAValue = 4;
  std::vector<std::size_t> varying;
  if (!same_parameters(record)) return varying;
  for (std::size_t p = 0; p < record.candidates[0].parameters.size(); ++p) {
    if (count_values(record, p) > 1) varying.push_back(p);
  }
  for (std::size_t i = 0; i < varying.size() && varying.size() > 2;) {
    std::vector<std::size_t> others = varying;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const std::size_t p = varying[i];
    const bool enough = record.candidates.size() >= kCandidatesOfAValue * count_values(record, p);
    const bool tells_one = std::ranges::any_of(
        others, [&](std::size_t other) { return determine(record, std::span(&p, 1), other); });
    if (enough && tells_one && determine(record, others, p)) {
      varying = std::move(others);
    } else {
      ++i;
    }
  }
  return varying;
}

Findings findings_of(const TuneRecord& record) {
  Findings findings;
  sort_out(record, findings);
  make_labels(record, findings);
  findings.chosen =
      index_of(record, record.decision.empty() ? record.chosen.candidate : record.decision);
  findings.start = index_of(record, record.start.candidate);
  findings.declared = index_of(record, record.declared.candidate);
  findings.chosen_ns = time_of(record.chosen, findings.chosen, findings);
  findings.start_ns = time_of(record.start, findings.start, findings);
  findings.declared_ns = time_of(record.declared, findings.declared, findings);
  findings.reference_ns = findings.chosen_ns;
  for (const std::uint32_t i : findings.measured) {
    const CandidateTime& time = record.candidates[i].time;
    const bool holds = time.low_ns <= findings.chosen_ns && findings.chosen_ns <= time.high_ns;
    if (findings.chosen && i != *findings.chosen && is_known(time.ns) && holds)
      findings.ties.push_back(i);
  }
  findings.prior_scale = prior_scale(record, findings);
  follow_calls(record, findings);
  return findings;
}

double gain_over_start(const Findings& findings) {
  return is_known(findings.chosen_ns) ? findings.start_ns / findings.chosen_ns : 0;
}

double gain_over_declared(const Findings& findings) {
  return is_known(findings.chosen_ns) ? findings.declared_ns / findings.chosen_ns : 0;
}

std::string headline(const TuneRecord& record, const Findings& findings) {
  if (!record.untunable.empty()) return "not tuned";
  if (record.decision.empty()) return "no decision yet";
  std::vector<std::string> parts;
  if (const double gain = gain_over_declared(findings);
      is_known(gain) && record.declared.candidate != record.decision)
    parts.push_back(compared(gain, "the declared workgroup"));
  if (record.start.candidate == record.decision)
    parts.emplace_back(record.settled
                           ? "no candidate was faster than the first guess beyond the noise"
                           : "no candidate was proved faster than the first guess so far");
  else if (const double gain = gain_over_start(findings); is_known(gain))
    parts.push_back(compared(gain, "the first guess"));
  if (parts.empty() && is_known(findings.chosen_ns))
    parts.push_back(time_text(findings.chosen_ns) + " a call");
  if (parts.empty()) return "nothing was timed";
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace vyre
