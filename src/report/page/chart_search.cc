#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "vyre/report/page/charts.h"
#include "vyre/report/page/thinning.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

constexpr std::size_t kMostPromotions = 30;

double call_number(const CallPoint& call) { return static_cast<double>(call.call) + 1; }

// Late calls of a busy machine and very slow candidates would compress the rest of the chart. The
// axis ends before them, and they are drawn at its end.
struct Times {
  Axis axis{};
  std::size_t beyond = 0;
  double most = 0;
};

// The range of the candidates that a reader compares, with a margin.
double usual_most(const Findings& findings) {
  double most = 0;
  for (const std::uint32_t i : findings.measured) {
    const double median = findings.spreads[i].median;
    const double best = findings.spreads[findings.measured.front()].median;
    if (median <= kDrawnRange * best || !role_text(findings, i).empty())
      most = std::max(most, 1.2 * median);
  }
  return most;
}

Times times_of(const KernelView& view, const std::vector<std::size_t>& points) {
  std::vector<double> all;
  all.reserve(points.size());
  for (const std::size_t i : points) all.push_back(view.record.calls[i].ns);
  const TimeSpread spread = spread_of(all);
  const double usual = usual_most(view.findings);
  Times times{.most = spread.most};
  times.axis = time_axis(spread.least, is_known(usual) && spread.most > 1.5 * usual
                                           ? std::max(usual, spread.median)
                                           : spread.most);
  times.beyond = static_cast<std::size_t>(
      std::ranges::count_if(all, [&](double ns) { return ns > times.axis.high; }));
  return times;
}

// Probes and other calls are thinned separately, so that neither displaces the other.
std::vector<std::size_t> drawn_points(const KernelView& view, const CallAxis& along, bool probes) {
  std::vector<std::size_t> chosen;
  std::vector<double> places, values;
  for (const std::size_t i : along.points) {
    const CallPoint& call = view.record.calls[i];
    if (call.probe != probes) continue;
    chosen.push_back(i);
    places.push_back(along.axis.at(call_number(call)));
    values.push_back(call.ns);
  }
  std::vector<std::size_t> kept = thinned(places, values, view.most_points / 2);
  for (std::size_t& i : kept) i = chosen[i];
  return kept;
}

void add_incumbent(std::string& out, const KernelView& view, const CallAxis& along,
                   const Axis& times) {
  std::vector<double> places, values;
  for (const std::size_t i : along.points) {
    places.push_back(along.axis.at(call_number(view.record.calls[i])));
    values.push_back(view.record.calls[i].incumbent_ns);
  }
  std::vector<ChartPlace> line;
  for (const std::size_t k : thinned(places, values, 600))
    line.push_back({places[k], 1 - times.at(values[k])});
  if (!line.empty()) line.push_back({1, line.back().y});
  open_plane(out);
  add_steps(out, "incumbent-halo", line);
  add_steps(out, "incumbent", line);
  close_plane(out);
}

void add_promotions(std::string& out, const KernelView& view, const CallAxis& along) {
  const auto& promotions = view.findings.promotions;
  double free_from = -1;
  for (std::size_t p = 0; p < std::min(promotions.size(), kMostPromotions); ++p) {
    const double x = along.axis.at(call_number(view.record.calls[promotions[p].point]));
    add_line(out, "promotion", {x, 0}, {x, 1});
    // Labels that would overlap are left out; the list below has all of them.
    if (x < free_from) continue;
    add_text(out, "promotion-number middle", {x, 0}, std::to_string(p + 1), R"(dy="-0.45em")");
    free_from = x + 0.025;
  }
}

void list_promotions(std::string& out, const KernelView& view) {
  const auto& promotions = view.findings.promotions;
  const auto& labels = view.findings.labels;
  if (is_sweep(view.record)) {
    out +=
        "<p class=\"note\">The line ends at the decision, which pairs of runs made. What was the "
        "fastest until then is only the least median so far.</p>\n";
    return;
  }
  if (promotions.empty()) {
    out += "<p class=\"note\">Nothing was promoted: the first choice stayed.</p>\n";
    return;
  }
  out += "<ol class=\"promotions\">\n";
  for (std::size_t p = 0; p < std::min(promotions.size(), kMostPromotions); ++p) {
    const Promotion& promotion = promotions[p];
    out += fmt::format("<li>call {}: {}<code>{}</code> over <code>{}</code>",
                       count_text(call_number(view.record.calls[promotion.point])),
                       legend_mark(view.styles[promotion.to]),
                       html_escaped(shortened(labels[promotion.to], 60)),
                       html_escaped(shortened(labels[promotion.from], 60)));
    out += "</li>\n";
  }
  if (promotions.size() > kMostPromotions)
    out += fmt::format("<li>and {} more</li>\n", promotions.size() - kMostPromotions);
  out += "</ol>\n";
}

void add_legend_of(std::string& out, const KernelView& view, bool any_plain) {
  open_legend(out);
  add_legend(out, legend_stroke("incumbent"),
             is_sweep(view.record) ? "the time of the fastest so far" : "the incumbent's time");
  if (any_plain)
    add_legend(out, legend_mark({"c-call", MarkShape::dot}), "a call on the incumbent");
  bool others = false;
  std::vector<std::uint32_t> named;
  for (std::uint32_t i = 0; i < view.styles.size(); ++i) {
    if (view.findings.probes[i] == 0) continue;
    if (view.styles[i].colour == "c-rest")
      others = true;
    else
      named.push_back(i);
  }
  std::ranges::sort(named, {},
                    [&](std::uint32_t i) { return std::pair(view.findings.spreads[i].median, i); });
  for (const std::uint32_t i : named)
    add_legend(out, legend_mark(view.styles[i]),
               "probe of " + shortened(view.findings.labels[i], 40));
  if (others) add_legend(out, legend_mark({}), "probes of others");
  if (!view.findings.promotions.empty())
    add_legend(out, legend_stroke("promotion"), "a promotion, numbered below");
  close_legend(out);
}

// The data for the script's hints: the position in tenths of a percent, the call, the candidate and
// the time.
void add_data(std::string& out, const KernelView& view, const CallAxis& along, const Axis& times,
              const std::vector<std::size_t>& drawn) {
  out += fmt::format(
      "<script type=\"application/json\" class=\"points\" data-chart=\"{0}-search\" "
      "data-names=\"{0}-names\">[",
      view.id);
  bool first = true;
  for (const std::size_t i : drawn) {
    const CallPoint& call = view.record.calls[i];
    fmt::format_to(std::back_inserter(out), "{}[{:.0f},{:.0f},{:.0f},{},{:.4g}]", first ? "" : ",",
                   1000 * along.axis.at(call_number(call)), 1000 * (1 - times.at(call.ns)),
                   call_number(call), call.candidate, script_number(call.ns));
    first = false;
  }
  out += "]</script>\n";
}

}  // namespace

std::string search_figure(const KernelView& view) {
  const CallAxis along = call_axis(view);
  std::string out;
  const std::vector<std::size_t> plain = drawn_points(view, along, false);
  const std::vector<std::size_t> probes = drawn_points(view, along, true);
  std::string caption = along.axis.log
                            ? "Each call's time by its number, which is on a logarithmic axis."
                            : "Each call's time by its number.";
  if (plain.size() + probes.size() < along.points.size())
    caption += fmt::format(" {} of {} calls are drawn: extremes and every part of the run.",
                           count_text(static_cast<double>(plain.size() + probes.size())),
                           count_text(static_cast<double>(along.points.size())));
  const auto [times, beyond, most] = times_of(view, along.points);
  if (beyond > 0)
    caption +=
        fmt::format(" {} took longer than the axis shows, up to {}: {} at its upper end.",
                    beyond == 1 ? "1 call" : count_text(static_cast<double>(beyond)) + " calls",
                    time_text(most), beyond == 1 ? "it stands" : "they stand");
  open_figure(out, "search", "The search, call by call", caption);
  if (plain.empty() && probes.empty()) {
    out += "<p class=\"nothing\">No call was timed.</p>\n";
    close_figure(out);
    return out;
  }
  add_legend_of(out, view, !plain.empty());
  open_chart(out, {.id = view.id + "-search",
                   .title = "The search, call by call",
                   .description = fmt::format(
                       "{} calls, {} of them probes{}. Times from {} to {}.",
                       count_text(static_cast<double>(along.points.size())), probes.size(),
                       is_sweep(view.record)
                           ? std::string()
                           : fmt::format("; {} promotions", view.findings.promotions.size()),
                       times.ticks.front().text, times.ticks.back().text),
                   .classes = "calls",
                   .height_rem = 22});
  add_axis(out, times, Side::left);
  add_axis(out, along.axis, Side::bottom);
  add_text(out, "axis-name middle", {0.5, 1}, "call", R"(dy="2.8em")");
  add_promotions(out, view, along);
  const auto add_marks = [&](std::string_view name, const std::vector<std::size_t>& points,
                             bool plainly) {
    out += fmt::format("<g class=\"{}\">\n", name);
    for (const std::size_t i : points) {
      const CallPoint& call = view.record.calls[i];
      add_mark(out, plainly ? MarkStyle{"c-call", MarkShape::dot} : view.styles[call.candidate],
               {along.axis.at(call_number(call)), 1 - times.at(call.ns)});
    }
    out += "</g>\n";
  };
  add_marks("plain-calls", plain, true);
  add_incumbent(out, view, along, times);
  add_marks("probes", probes, false);
  close_chart(out);
  std::vector<std::size_t> drawn = plain;
  drawn.insert(drawn.end(), probes.begin(), probes.end());
  std::ranges::sort(drawn);
  add_data(out, view, along, times, drawn);
  list_promotions(out, view);
  add_calls_table(out, view, false);
  close_figure(out);
  return out;
}

}  // namespace vyre
