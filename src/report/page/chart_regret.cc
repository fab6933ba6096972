#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "vyre/report/page/charts.h"
#include "vyre/report/page/thinning.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

// The bound, in the words of the documentation.
std::string bound_text(double share) {
  const double percent = is_known(100 * share) ? 100 * share : 2;
  return fmt::format(
      "By the tuner's own estimate, the time lost against a program without a tuner stays below "
      "{:g}% of the time spent in the kernel plus a first allowance of 20 ms or 50 calls, "
      "whichever is less. Without a tuner the program would run the declared variant, or the best "
      "variant known so far, whichever is faster.",
      percent);
}

}  // namespace

std::string regret_figure(const KernelView& view) {
  const auto& calls = view.record.calls;
  const CallAxis along = call_axis(view);
  std::vector<double> places, bounds;
  double most = 0, worst = 0;
  for (const std::size_t i : along.points) {
    places.push_back(along.axis.at(static_cast<double>(calls[i].call) + 1));
    bounds.push_back(calls[i].bound_ns);
    for (const double ns : {calls[i].bound_ns, calls[i].lost_ns})
      if (is_known(ns)) most = std::max(most, ns);
  }
  if (along.points.empty()) return {};
  for (const std::size_t i : along.points)
    if (is_known(calls[i].bound_ns)) worst = std::max(worst, calls[i].lost_ns / calls[i].bound_ns);
  const std::vector<std::size_t> kept = thinned(places, bounds, 360);
  if (kept.size() < 2) return {};

  // On a linear axis a small loss under a large bound would be flat at the bottom.
  const double lost_ns = calls[along.points[kept.back()]].lost_ns;
  const bool log = is_known(lost_ns) && most > kLogarithmicRange * lost_ns;
  const Axis amounts =
      log ? time_axis(std::max(lost_ns / 20, most / 1e5), 3 * most, 4) : amount_axis(most);
  std::vector<ChartPlace> lost, bound;
  for (const std::size_t k : kept) {
    lost.push_back({places[k], 1 - amounts.at(calls[along.points[k]].lost_ns)});
    bound.push_back({places[k], 1 - amounts.at(bounds[k])});
  }
  std::string out;
  open_figure(
      out, "regret", "What the search cost, against its bound",
      fmt::format(
          "{} So far, slower probes, verification and compiling lost at most {} of what was "
          "allowed at that moment.{}",
          bound_text(view.record.ledger.share), percent_text(worst),
          log ? " The axis of time is logarithmic." : ""));
  open_legend(out);
  add_legend(out, legend_stroke("bound"), "may be lost");
  add_legend(out, legend_stroke("lost"), "was lost");
  close_legend(out);
  const CallPoint& last = calls[along.points[kept.back()]];
  open_chart(out, {.id = view.id + "-regret",
                   .title = "What the search cost, against its bound",
                   .description = fmt::format("After {} calls {} were lost of the {} allowed.",
                                              count_text(static_cast<double>(last.call) + 1),
                                              time_text(last.lost_ns), time_text(last.bound_ns)),
                   .classes = "calls",
                   .height_rem = 13});
  add_axis(out, amounts, Side::left);
  add_axis(out, along.axis, Side::bottom);
  add_text(out, "axis-name middle", {0.5, 1}, "call", R"(dy="2.8em")");
  open_plane(out);
  if (!log) add_area(out, "lost-area", lost);
  add_path(out, "bound", bound);
  add_path(out, "lost", lost);
  close_plane(out);
  const auto label_end = [&](const ChartPlace& end, const std::string& text) {
    // Above the line, unless that is outside the chart.
    add_text(out, "end-label end", end, text, end.y < 0.12 ? R"(dy="1.5em")" : R"(dy="-0.6em")");
  };
  label_end(bound.back(), time_text(last.bound_ns) + " allowed");
  label_end(lost.back(), time_text(last.lost_ns) + " lost");
  close_chart(out);
  out += fmt::format(
      "<script type=\"application/json\" class=\"points\" data-chart=\"{}-regret\">[", view.id);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const CallPoint& call = calls[along.points[kept[k]]];
    fmt::format_to(std::back_inserter(out), "{}[{:.0f},{:.0f},{:.0f},{:.4g},{:.4g}]",
                   k == 0 ? "" : ",", 1000 * lost[k].x, 1000 * lost[k].y,
                   static_cast<double>(call.call) + 1, script_number(call.lost_ns),
                   script_number(call.bound_ns));
  }
  out += "]</script>\n";
  add_calls_table(out, view, true);
  close_figure(out);
  return out;
}

}  // namespace vyre
