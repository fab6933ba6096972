// Functions that the figures share.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "vyre/report/page/charts.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

template <class... Arguments>
void add(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Arguments>(arguments)...);
}

constexpr std::size_t kRanges = 20;

}  // namespace

std::string role_text(const Findings& findings, std::uint32_t candidate) {
  std::string text;
  const auto add = [&](std::optional<std::uint32_t> who, std::string_view role) {
    if (who == candidate) text += fmt::format("{}{}", text.empty() ? "" : ", ", role);
  };
  add(findings.chosen, "chosen");
  add(findings.start, "first guess");
  add(findings.declared, "as declared");
  return text;
}

std::vector<MarkStyle> mark_styles(const Findings& findings) {
  static constexpr std::array<MarkStyle, 4> kOthers{{{"c-a", MarkShape::triangle},
                                                     {"c-b", MarkShape::cross},
                                                     {"c-c", MarkShape::plus},
                                                     {"c-d", MarkShape::ring}}};
  std::vector<MarkStyle> styles(findings.labels.size());
  std::vector<bool> given(styles.size());
  const auto give = [&](std::optional<std::uint32_t> candidate, MarkStyle style) {
    if (!candidate || given[*candidate]) return false;
    given[*candidate] = true;
    styles[*candidate] = style;
    return true;
  };
  give(findings.chosen, {"c-chosen", MarkShape::disc});
  give(findings.start, {"c-start", MarkShape::square});
  give(findings.declared, {"c-declared", MarkShape::diamond});
  // Former incumbents first, then the candidates tried most.
  std::vector<std::uint32_t> order;
  order.reserve(findings.promotions.size() + findings.probes.size());
  for (const Promotion& promotion : findings.promotions) order.push_back(promotion.to);
  std::vector<std::uint32_t> by_probes(findings.probes.size());
  for (std::uint32_t i = 0; i < by_probes.size(); ++i) by_probes[i] = i;
  std::ranges::sort(by_probes, [&](std::uint32_t a, std::uint32_t b) {
    return findings.probes[a] != findings.probes[b] ? findings.probes[a] > findings.probes[b]
                                                    : a < b;
  });
  for (const std::uint32_t i : by_probes)
    if (findings.probes[i] > 0) order.push_back(i);
  std::size_t used = 0;
  for (const std::uint32_t i : order)
    if (used < kOthers.size() && give(i, kOthers[used])) ++used;
  return styles;
}

void open_figure(std::string& out, std::string_view classes, std::string_view heading,
                 std::string_view caption) {
  add(out, "<figure class=\"{}\">\n<figcaption><h3>{}</h3><p>{}</p></figcaption>\n", classes,
      html_escaped(heading), html_escaped(caption));
}

void close_figure(std::string& out) { out += "</figure>\n"; }

void open_legend(std::string& out) { out += "<ul class=\"legend\">\n"; }
void add_legend(std::string& out, const std::string& key, std::string_view text) {
  add(out, "<li>{}{}</li>\n", key, html_escaped(text));
}
void close_legend(std::string& out) { out += "</ul>\n"; }

void add_table(std::string& out, std::string_view summary, std::string_view caption,
               const std::vector<std::string>& heads, const std::vector<std::vector<Cell>>& rows) {
  add(out,
      "<details><summary>{}</summary><div class=\"scroll\" tabindex=\"0\"><table "
      "class=\"sortable\"><caption>{}</caption>\n<thead><tr>",
      html_escaped(summary), html_escaped(caption));
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const bool right = !rows.empty() && i < rows[0].size() && rows[0][i].number;
    add(out, "<th scope=\"col\"{}>{}</th>", right ? " class=\"right\"" : "",
        html_escaped(heads[i]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (const Cell& cell : row) {
      out += "<td";
      if (cell.number || !cell.style.empty())
        add(out, " class=\"{}{}{}\"", cell.number ? "right" : "",
            cell.number && !cell.style.empty() ? " " : "", cell.style);
      if (cell.number && std::isfinite(*cell.number)) add(out, " data-v=\"{:.6g}\"", *cell.number);
      add(out, ">{}</td>", html_escaped(cell.text));
    }
    out += "</tr>\n";
  }
  out += "</tbody></table></div></details>\n";
}

double script_number(double value) { return is_known(value) ? std::min(value, 1e300) : 0; }

CallAxis call_axis(const KernelView& view) {
  const auto& calls = view.record.calls;
  const std::size_t candidates = view.record.candidates.size();
  CallAxis result;
  double last_event = 1, last = 1;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].candidate >= candidates || calls[i].incumbent >= candidates) continue;
    result.points.push_back(i);
    last = std::max(last, static_cast<double>(calls[i].call) + 1);
    if (calls[i].probe) last_event = std::max(last_event, static_cast<double>(calls[i].call) + 1);
  }
  // On a linear axis a search that ended early would be a sliver at the left.
  const auto& promotions = view.findings.promotions;
  const double last_promotion =
      promotions.empty() ? last : static_cast<double>(calls[promotions.back().point].call) + 1;
  const bool log = last >= 200 && (last_event < last / 4 || last_promotion < last / 10);
  result.axis = count_axis(1, last, log);
  return result;
}

void add_calls_table(std::string& out, const KernelView& view, bool with_regret) {
  const auto& calls = view.record.calls;
  const std::vector<std::size_t> points = call_axis(view).points;
  std::vector<std::vector<Cell>> rows;
  const std::size_t size = (points.size() + kRanges - 1) / kRanges;
  for (std::size_t begin = 0; begin < points.size(); begin += size) {
    const std::size_t end = std::min(begin + size, points.size());
    std::vector<double> times;
    double probes = 0;
    for (std::size_t i = begin; i < end; ++i) {
      times.push_back(calls[points[i]].ns);
      probes += calls[points[i]].probe ? 1 : 0;
    }
    const CallPoint &first = calls[points[begin]], &last = calls[points[end - 1]];
    const TimeSpread spread = spread_of(times);
    const double from = static_cast<double>(first.call) + 1,
                 to = static_cast<double>(last.call) + 1;
    const auto time = [](double ns) {
      return Cell{is_known(ns) ? time_text(ns) : "\xE2\x80\x93", ns};
    };
    std::vector<Cell> row{{fmt::format("{} to {}", count_text(from), count_text(to)), from},
                          {count_text(probes), probes}};
    if (with_regret) {
      row.insert(row.end(), {{time_text(last.lost_ns), last.lost_ns},
                             {time_text(last.bound_ns), last.bound_ns}});
    } else {
      row.insert(row.end(), {time(spread.least),
                             time(spread.median),
                             time(spread.most),
                             time(last.incumbent_ns),
                             {view.findings.labels[last.incumbent]}});
    }
    rows.push_back(std::move(row));
  }
  const std::string follows = is_sweep(view.record) ? "fastest so far" : "incumbent";
  const std::vector<std::string> heads =
      with_regret ? std::vector<std::string>{"calls", "probes", "lost by then", "bound by then"}
                  : std::vector<std::string>{"calls",   "probes",           "fastest", "median",
                                             "slowest", follows + ": time", follows};
  add_table(out, "The same as a table",
            with_regret ? "What was lost and what may be lost, at the end of each range of calls"
                        : "The calls in equal ranges",
            heads, rows);
}

}  // namespace vyre
