#include "vyre/report/tune_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "vyre/report/findings.h"
#include "vyre/report/page/charts.h"
#include "vyre/report/page/page_assets.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

// The most points of all charts of calls together; a mark and its hint take about 80 bytes.
constexpr std::size_t kMostPoints = 6000;

template <class... Arguments>
void add(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

std::string title_of(const TuneReport& report) {
  if (!report.title.empty()) return report.title;
  if (report.kernels.size() == 1) {
    const TuneRecord& only = report.kernels[0];
    return only.kernel + (only.size.empty() ? "" : ", " + only.size);
  }
  const std::string device = report.device.name.empty() ? "" : " on " + report.device.name;
  return fmt::format("{} kernels{}", report.kernels.size(), device);
}

void add_card(std::string& out, std::string_view classes, const std::string& key,
              std::string_view heading, std::string_view big,
              const std::vector<std::string>& lines) {
  add(out, "<div class=\"card{}{}\"><h3>{}{}</h3><p class=\"big ink\">{}</p>",
      classes.empty() ? "" : " ", classes, key, html_escaped(heading), html_escaped(big));
  for (const std::string& line : lines)
    if (!line.empty()) add(out, "<p>{}</p>", html_escaped(line));
  out += "</div>\n";
}

std::string name_of(const KernelView& view, std::optional<std::uint32_t> index,
                    const std::string& text) {
  if (!index) return shortened(text, 160);
  const auto& candidate = view.record.candidates[*index];
  return shortened(spelled_out(candidate.parameters, candidate.text), 160);
}

std::string compared_line(double gain, std::string_view what) {
  if (!is_known(gain)) return {};
  if (gain >= 1.005) return fmt::format("the chosen one is {} as fast", ratio_text(gain));
  if (gain > 0.995) return "as fast as the chosen one";
  return fmt::format("{} as fast as the chosen one{}", ratio_text(1 / gain), what);
}

void add_cards(std::string& out, const KernelView& view, const TuneReport& report) {
  const TuneRecord& record = view.record;
  const Findings& findings = view.findings;
  const auto time = [](double ns) { return is_known(ns) ? time_text(ns) : "not timed"; };
  const auto again = [](const ReportBaseline& side) {
    return is_known(side.again_ns)
               ? fmt::format("timed again in the end: {}", time_text(side.again_ns))
               : std::string();
  };
  const auto gained_again = [](const ReportBaseline& side) {
    const std::string words = again_words(side, {});
    return words.empty() ? words : "the chosen one " + words;
  };
  out += "<div class=\"cards\">\n";
  if (!record.decision.empty()) {
    std::string rate;
    if (is_known(record.bytes) && is_known(findings.chosen_ns)) {
      const double bytes = record.bytes / findings.chosen_ns * 1e9;
      rate = rate_text(bytes);
      const double share = bytes / report.device.memory_bytes_per_second;
      if (is_known(share))
        rate += share > 1.02 ? ", more than the memory's rate: it runs from caches"
                             : fmt::format(", {} of the memory's rate", percent_text(share));
    }
    add_card(out, "first", legend_mark({"c-chosen", MarkShape::disc}), "Chosen",
             time(findings.chosen_ns),
             {name_of(view, findings.chosen, record.decision), rate, again(record.chosen)});
  }
  if (!record.start.candidate.empty())
    add_card(
        out, "", legend_mark({"c-start", MarkShape::square}), "First guess, without tuning",
        time(findings.start_ns),
        {name_of(view, findings.start, record.start.candidate),
         record.start.candidate == record.decision ? "the same as the chosen one"
                                                   : compared_line(gain_over_start(findings), ""),
         record.start.candidate == record.decision ? "" : again(record.start),
         gained_again(record.start)});
  if (!record.declared.candidate.empty())
    add_card(out, "", legend_mark({"c-declared", MarkShape::diamond}), "As the kernel declares it",
             time(findings.declared_ns),
             {name_of(view, findings.declared, record.declared.candidate),
              record.declared.candidate == record.decision
                  ? "the same as the chosen one"
                  : compared_line(gain_over_declared(findings), ""),
              record.declared.candidate == record.decision ? "" : again(record.declared),
              gained_again(record.declared)});
  if (is_known(record.ledger.spent_ns)) {
    const ReportLedger& ledger = record.ledger;
    std::string bound;
    if (is_known(ledger.bound_ns))
      bound = fmt::format("{} may be lost: {} of the time and a first allowance",
                          time_text(ledger.bound_ns), percent_text(ledger.share));
    std::vector<std::string> lines{
        fmt::format("{} of {} in calls", time_text(ledger.lost_ns), time_text(ledger.spent_ns)),
        bound};
    std::ranges::move(ledger_remarks(ledger), std::back_inserter(lines));
    add_card(out, "", legend_mark({"c-rest", MarkShape::ring}), "Lost to the search",
             percent_text(ledger.lost_ns / ledger.spent_ns), lines);
  }
  out += "</div>\n";
}

std::string ties_text(const Findings& findings) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(findings.ties.size(), kShown); ++i)
    names.push_back(shortened(findings.labels[findings.ties[i]], 60));
  std::string text = fmt::format("within its noise: {}", fmt::join(names, "; "));
  if (findings.ties.size() > kShown)
    text += fmt::format(" and {} more", findings.ties.size() - kShown);
  return text;
}

void add_reasons(std::string& out, const KernelView& view) {
  const TuneRecord& record = view.record;
  std::vector<std::pair<std::string_view, std::string>> lines;
  if (!record.decision.empty())
    lines.emplace_back("chosen", name_of(view, view.findings.chosen, record.decision));
  if (!record.reason.empty()) lines.emplace_back("because", record.reason);
  if (!view.findings.ties.empty()) lines.emplace_back("ties", ties_text(view.findings));
  if (!record.origin.empty()) lines.emplace_back("began with", record.origin);
  if (!record.verified.empty()) lines.emplace_back("verified", record.verified);
  if (!record.search.empty()) {
    lines.emplace_back("search", record.search);
  } else {
    lines.emplace_back("search", record.settled ? "settled: nothing was left to try"
                                                : "the search can go on from here");
  }
  if (!record.left_out.empty()) lines.emplace_back("left out", record.left_out);
  out += "<div class=\"box why\"><h3>The decision</h3><dl>\n";
  for (const auto& [label, text] : lines)
    add(out, "<dt>{}</dt><dd>{}</dd>\n", label, html_escaped(text));
  out += "</dl></div>\n";
}

// For the hints of the script.
void add_names(std::string& out, const KernelView& view) {
  add(out, "<script type=\"application/json\" id=\"{}-names\">[", view.id);
  for (std::size_t i = 0; i < view.findings.labels.size(); ++i) {
    out += i == 0 ? "\"" : ",\"";
    for (const char c : shortened(view.findings.labels[i], 60)) {
      // Escapes every byte that could end the element or the text.
      if (c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
        add(out, "\\u{:04x}", static_cast<unsigned>(c));
      else
        out += c;
    }
    out += '"';
  }
  out += "]</script>\n";
}

// Faster than the first guess or the declared variant, and slower than neither.
bool is_gain(const Findings& findings) {
  bool any = false;
  for (const double gain : {gain_over_start(findings), gain_over_declared(findings)}) {
    if (!is_known(gain)) continue;
    if (gain < 0.995) return false;
    any |= gain >= 1.005;
  }
  return any;
}

void add_kernel(std::string& out, const KernelView& view, const TuneReport& report) {
  const TuneRecord& record = view.record;
  add(out, "<section class=\"kernel\" id=\"{}\">\n", view.id);
  // The title of a page of one kernel without a given title.
  if (report.kernels.size() > 1 || !report.title.empty()) {
    add(out, "<h2>{}", html_escaped(record.kernel));
    if (!record.size.empty())
      add(out, " <span class=\"size\">{}</span>", html_escaped(record.size));
    out += "</h2>\n";
  }
  const bool gained = is_gain(view.findings);
  add(out, "<p class=\"headline\">{}{}{}", gained ? "<strong>" : "",
      html_escaped(headline(record, view.findings)), gained ? "</strong>" : "");
  if (const std::size_t ties = view.findings.ties.size(); ties > 0 && record.untunable.empty())
    add(out, "; {} within its noise",
        ties == 1 ? "1 other is" : fmt::format("{} others are", ties));
  out += "</p>\n";
  if (!record.untunable.empty())
    add(out, "<p class=\"warning\"><strong>Not tuned:</strong> {}</p>\n",
        html_escaped(record.untunable));
  add_cards(out, view, report);
  // The decision is before the candidates on a narrow page, and beside them on a wide one.
  out += "<div class=\"figures two\">\n<div class=\"beside\">\n";
  add_reasons(out, view);
  if (!record.candidates.empty()) out += heat_figure(view) + dropped_box(view);
  out += "</div>\n";
  if (!record.candidates.empty()) out += candidates_figure(view);
  out += "</div>\n";
  if (!record.candidates.empty()) {
    out += "<div class=\"figures\">\n";
    out += candidates_table(view);
    add_names(out, view);
    out += search_figure(view);
    out += regret_figure(view);
    out += "</div>\n";
  }
  add(out, "<p class=\"meta\">{}{}{}</p>\n</section>\n", html_escaped(record.file),
      record.file.empty() || record.key.empty() ? "" : " \xC2\xB7 key ", html_escaped(record.key));
}

void add_device(std::string& out, const ReportDevice& device) {
  out += "<div class=\"box\"><h2>Device</h2><dl>\n";
  const auto line = [&](std::string_view label, std::string_view text) {
    if (!text.empty())
      add(out, "<dt>{}</dt><dd>{}</dd>\n", html_escaped(label), html_escaped(text));
  };
  line("name", device.name);
  line("driver", device.driver);
  for (const ReportLine& each : device.profile) line(each.label, each.text);
  out += "</dl></div>\n";
}

void add_method(std::string& out, const TuneReport& report) {
  out += "<div class=\"box\"><h2>How it was measured</h2><ul>\n";
  for (const std::string& sentence : report.method)
    add(out, "<li>{}</li>\n", html_escaped(sentence));
  out +=
      "<li>A time is of one whole call. The figure of a candidate that was compared with the "
      "chosen "
      "one in pairs of calls is what the pairs say; of any other it is the median of its last "
      "samples. The bar is the middle half of all samples, and the line goes from 5% to 95%.</li>\n"
      "<li>A candidate is within noise of the chosen one when its 99% interval holds the chosen "
      "one's time.</li>\n"
      "<li>An axis is logarithmic where its times differ by more than 20 times.</li>\n"
      "</ul></div>\n";
}

void add_repeat(std::string& out, const TuneReport& report) {
  out += "<div class=\"box\"><h2>Run it again</h2>\n";
  if (!report.command.empty())
    add(out, "<pre><code>{}</code></pre>\n", html_escaped(report.command));
  out += "<dl>\n";
  const auto line = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) add(out, "<dt>{}</dt><dd>{}</dd>\n", label, html_escaped(text));
  };
  line("mode", report.mode);
  line("took", is_known(report.seconds)
                   ? seconds_text(report.seconds) +
                         (is_known(report.budget_seconds)
                              ? " of a budget of " + seconds_text(report.budget_seconds)
                              : "")
                   : "");
  line("began", report.started_ms > 0 ? date_text(report.started_ms) : "");
  line("vyre", report.version);
  out += "</dl></div>\n";
}

std::vector<KernelView> views_of(const TuneReport& report, const std::vector<Findings>& findings) {
  std::vector<KernelView> views;
  views.reserve(report.kernels.size());
  const std::size_t share = kMostPoints / std::max<std::size_t>(report.kernels.size(), 1);
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    views.push_back({.record = report.kernels[i],
                     .findings = findings[i],
                     .styles = mark_styles(findings[i]),
                     .id = fmt::format("k{}", i + 1),
                     .most_points = std::clamp<std::size_t>(share, 200, 2400)});
  return views;
}

}  // namespace

std::string tune_html(const TuneReport& report) {
  std::vector<Findings> findings;
  findings.reserve(report.kernels.size());
  for (const TuneRecord& record : report.kernels) findings.push_back(findings_of(record));
  const std::vector<KernelView> views = views_of(report, findings);
  const std::string title = html_escaped(shortened(title_of(report), 200));

  std::string out;
  add(out,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
      "'none'\">\n<meta name=\"generator\" content=\"vyre {}\">\n<link rel=\"icon\" "
      "href=\"data:,\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}",
      html_escaped(report.version), title, page_style(), shape_definitions());
  std::string meta = report.device.name;
  const auto also = [&](const std::string& text) {
    if (!text.empty()) meta += (meta.empty() ? "" : " \xC2\xB7 ") + text;
  };
  also(report.started_ms > 0 ? date_text(report.started_ms) : "");
  also(is_known(report.seconds) ? seconds_text(report.seconds) : "");
  also(report.version.empty() ? "" : "vyre " + report.version);
  add(out, "<header><h1>{}</h1><p class=\"meta\">{}</p>\n", title, html_escaped(meta));
  if (report.interrupted)
    out +=
        "<p class=\"warning\">The run was stopped before it was done. What was learned by then "
        "is kept, and the next run goes on from it.</p>\n";
  if (report.kernels.empty()) out += "<p class=\"warning\">No kernel was tuned.</p>\n";
  out += "</header>\n<main>\n";
  if (views.size() > 1) {
    out += "<div class=\"figures\">\n";
    out += overview_figure(views);
    out += "</div>\n";
  }
  for (const KernelView& view : views) add_kernel(out, view, report);
  out += "<div class=\"boxes\">\n";
  add_device(out, report.device);
  add_method(out, report);
  add_repeat(out, report);
  add(out,
      "</div>\n</main>\n<footer>Made by vyre {}. This page needs no network and no other "
      "file.</footer>\n<script>{}</script>\n</body>\n</html>\n",
      html_escaped(report.version), page_script());
  return out;
}

}  // namespace vyre
