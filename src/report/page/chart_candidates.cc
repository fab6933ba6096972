#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "vyre/report/page/charts.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

constexpr double kRowRem = 1.5;
constexpr std::size_t kLabelCharacters = 26;

// The fastest candidates and those with a note, in the order of their times.
std::vector<std::uint32_t> drawn_rows(const Findings& findings) {
  const auto& measured = findings.measured;
  if (measured.empty()) return {};
  const double most = kDrawnRange * findings.spreads[measured.front()].median;
  const auto near = static_cast<std::size_t>(std::ranges::count_if(
      measured, [&](std::uint32_t i) { return findings.spreads[i].median <= most; }));
  std::size_t drawn = measured.size() > kMostRows ? kFastestRows : measured.size();
  if (near >= 4) drawn = std::min(drawn, near);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < measured.size(); ++i)
    if (i < drawn || !role_text(findings, measured[i]).empty()) rows.push_back(measured[i]);
  return rows;
}

std::string counted_samples(std::size_t count) {
  return count == 1 ? "1 sample" : count_text(static_cast<double>(count)) + " samples";
}

std::string hint(const KernelView& view, std::uint32_t candidate) {
  const CandidateRecord& record = view.record.candidates[candidate];
  const TimeSpread& spread = view.findings.spreads[candidate];
  std::string text = shortened(spelled_out(record.parameters, record.text), 120);
  text += "\n" + time_text(spread.median);
  if (const std::string interval = interval_text(record.time); !interval.empty())
    text += fmt::format(" (99% interval {})", interval);
  if (spread.count == 0) {
    text += "\nrun earlier, and not in this run";
  } else {
    text += fmt::format("\n{}, the middle half from {} to {}", counted_samples(spread.count),
                        time_text(spread.first_quartile), time_text(spread.third_quartile));
  }
  if (is_known(view.findings.reference_ns))
    text += fmt::format("\n{} the chosen one's time",
                        ratio_text(spread.median / view.findings.reference_ns));
  if (const std::string role = role_text(view.findings, candidate); !role.empty())
    text += "\n" + role;
  return text;
}

Axis axis_of(const KernelView& view, const std::vector<std::uint32_t>& rows) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const std::uint32_t i : rows) {
    const TimeSpread& spread = view.findings.spreads[i];
    least = std::min(least, spread.count > 0 ? spread.low : spread.median);
    // A few late samples do not stretch the axis; their line ends at its end.
    most = std::max({most, spread.count > 0 ? 0 : spread.median,
                     std::min(spread.high, 1.2 * spread.third_quartile)});
  }
  return time_axis(least, most, 4);
}

void add_row(std::string& out, const KernelView& view, const Axis& axis, std::uint32_t candidate,
             std::size_t row, std::size_t rows) {
  const Findings& findings = view.findings;
  const TimeSpread& spread = findings.spreads[candidate];
  const double height = 1.0 / static_cast<double>(rows);
  const double top = static_cast<double>(row) * height, middle = top + height / 2;
  const MarkStyle style = view.styles[candidate];
  std::string role = role_text(findings, candidate);
  // Only candidates with a note have a colour.
  const MarkStyle mark = role.empty() ? MarkStyle{} : style;

  if (candidate == findings.chosen) add_box(out, "highlight", {0, top}, 1, height);
  add_text(out, role.empty() ? "label end" : "label end strong", {0, middle},
           shortened(findings.labels[candidate], kLabelCharacters), R"(dx="-0.7em" dy="0.35em")");
  // Only samples of this run have quartiles.
  const bool run_now = spread.count > 0;
  const double low = axis.at(run_now ? spread.low : spread.median);
  const double high = axis.at(run_now ? spread.high : spread.median);
  if (run_now) {
    out += fmt::format("<g class=\"{}\">", mark.colour);
    add_line(out, "whisker", {low, middle}, {high, middle});
    const double left = axis.at(spread.first_quartile);
    add_box(out, "quartiles", {left, top + 0.3 * height}, axis.at(spread.third_quartile) - left,
            0.4 * height);
    out += "</g>\n";
  }
  if (const double prior = findings.prior_scale * view.record.candidates[candidate].prior_ns;
      is_known(prior) && prior > axis.low && prior < axis.high)
    add_line(out, "expected", {axis.at(prior), top + 0.15 * height},
             {axis.at(prior), top + 0.85 * height});
  add_mark(out, mark, {axis.at(spread.median), middle});
  if (!role.empty()) {
    // Only the first note fits. It is beside the line if there is room, else over its end.
    role.resize(std::min(role.size(), role.find(',')));
    if (high < 0.6)
      add_text(out, "role", {high, middle}, role, R"(dx="0.8em" dy="0.35em")");
    else if (low > 0.4)
      add_text(out, "role end", {low, middle}, role, R"(dx="-0.8em" dy="0.35em")");
    else
      add_text(out, "role end", {1, middle}, role, R"(dx="-0.4em" dy="0.35em")");
  }
  std::string figure = time_text(spread.median);
  if (is_known(findings.reference_ns))
    figure += fmt::format(" \xC2\xB7 {}", ratio_text(spread.median / findings.reference_ns));
  add_text(out, "value", {1, middle}, figure, R"(dx="0.7em" dy="0.35em")");
  add_hint_box(out, {0, top}, 1, height, hint(view, candidate));
}

std::string caption_of(const KernelView& view, std::size_t drawn) {
  const Findings& findings = view.findings;
  std::string text = "The fastest first";
  if (!findings.label_names.empty())
    text += fmt::format("; each is named by its {}", shortened(findings.label_names, 80));
  text += ".";
  if (drawn < findings.measured.size())
    text += fmt::format(" {} of {} that were run; the others are slower.", drawn,
                        findings.measured.size());
  if (const std::uint64_t untried = findings.untried.size() + view.record.unlisted; untried != 0)
    text += fmt::format(
        " {} never ran.",
        untried == 1 ? "1 candidate" : count_text(static_cast<double>(untried)) + " candidates");
  return text;
}

}  // namespace

std::string dropped_box(const KernelView& view) {
  const Findings& findings = view.findings;
  constexpr std::size_t kShown = 12;
  if (findings.dropped.empty()) return {};
  std::string out =
      fmt::format("<div class=\"box dropped\"><h3>Dropped: {}</h3><ul>\n", findings.dropped.size());
  for (std::size_t i = 0; i < std::min(findings.dropped.size(), kShown); ++i) {
    const std::uint32_t candidate = findings.dropped[i];
    out += fmt::format("<li><code>{}</code> {}</li>\n",
                       html_escaped(shortened(findings.labels[candidate], 60)),
                       html_escaped(shortened(view.record.candidates[candidate].dropped, 400)));
  }
  if (findings.dropped.size() > kShown)
    out += fmt::format("<li>and {} more, in the table</li>\n", findings.dropped.size() - kShown);
  out += "</ul></div>\n";
  return out;
}

std::string candidates_figure(const KernelView& view) {
  const Findings& findings = view.findings;
  const std::vector<std::uint32_t> rows = drawn_rows(findings);
  std::string out;
  open_figure(out, "candidates", "Time of each candidate", caption_of(view, rows.size()));
  if (rows.empty()) {
    out += "<p class=\"nothing\">No candidate was timed.</p>\n";
  } else {
    const Axis axis = axis_of(view, rows);
    std::size_t longest = 4;
    for (const std::uint32_t i : rows)
      longest = std::max(longest, character_count(shortened(findings.labels[i], kLabelCharacters)));
    open_legend(out);
    add_legend(out, legend_mark({}), "time");
    add_legend(out, "<span class=\"key quartile-key\"></span>", "middle half of the samples");
    add_legend(out, legend_stroke("whisker c-rest"), "5% to 95%");
    if (is_known(findings.prior_scale))
      add_legend(out, "<span class=\"key expected-key\"></span>", "the model's expectation");
    const auto add_role = [&](std::optional<std::uint32_t> who, std::string_view role) {
      if (who && is_known(findings.spreads[*who].median))
        add_legend(out, legend_mark(view.styles[*who]), role);
    };
    add_role(findings.chosen, "chosen");
    if (findings.start != findings.chosen) add_role(findings.start, "first guess");
    if (findings.declared != findings.chosen && findings.declared != findings.start)
      add_role(findings.declared, "as declared");
    close_legend(out);
    open_chart(out,
               {.id = view.id + "-candidates",
                .title = "Time of each candidate",
                .description = fmt::format(
                    "{} candidates, the fastest first, {} a logarithmic axis. The fastest takes "
                    "{}, the slowest shown {}. All figures are in the table below.",
                    rows.size(), axis.log ? "on" : "without",
                    time_text(findings.spreads[rows.front()].median),
                    time_text(findings.spreads[rows.back()].median)),
                .classes = "rows",
                .height_rem = kRowRem * static_cast<double>(rows.size()),
                .gutter_em = 0.58 * static_cast<double>(longest) + 1.4});
    add_axis(out, axis, Side::top);
    if (findings.chosen && findings.spreads[*findings.chosen].count > 0) {
      const TimeSpread& chosen = findings.spreads[*findings.chosen];
      const double left = axis.at(chosen.first_quartile);
      add_box(out, "band", {left, 0}, axis.at(chosen.third_quartile) - left, 1);
    }
    for (std::size_t row = 0; row < rows.size(); ++row)
      add_row(out, view, axis, rows[row], row, rows.size());
    close_chart(out);
  }

  close_figure(out);
  return out;
}

}  // namespace vyre
