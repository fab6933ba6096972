#include "vyre/cli/graph/graph_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "vyre/cli/graph/graph_rounds.h"
#include "vyre/cli/values.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

constexpr int kWidth = 900, kHeight = 150, kLeft = 84, kBottom = 22;
constexpr std::size_t kMostBars = 450;
constexpr std::size_t kMostTableRows = 200;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #6b7077; --line: #d5d8dc; --paper: #fff;
  --empty: #8a8f96; --sparse: #2f6fb5; --hybrid: #8a5fb0; --dense: #c0602f; --fused: #b03a4a;
  --memory: #3f8f4f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e9eb; --soft: #9aa0a8; --line: #3b3f45;
  --paper: #17191c; --sparse: #6fa8e6; --hybrid: #c09be0; --dense: #e69a78; --fused: #ec8090;
  --memory: #7dcf8d; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin: 1.8rem 0 .3rem; }
.soft { color: var(--soft); } table { border-collapse: collapse; }
td, th { padding: .1rem 1rem .1rem 0; text-align: left; font-weight: normal; }
th { color: var(--soft); } td.n { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 0; overflow-x: auto; } svg text { fill: var(--soft); font: 12px system-ui; }
.grid { stroke: var(--line); } .key { display: inline-block; width: .8em; height: .8em;
  margin: 0 .35em 0 1em; border-radius: 2px; }
.empty { fill: var(--empty); background: var(--empty); }
.sparse_frontier { fill: var(--sparse); background: var(--sparse); }
.hybrid_frontier { fill: var(--hybrid); background: var(--hybrid); }
.dense_frontier { fill: var(--dense); background: var(--dense); }
.fused_dense { fill: var(--fused); background: var(--fused); }
.memory_constrained { fill: var(--memory); background: var(--memory); }
)";

// Rounds that share a bar: all of them where there is room, else ranges of equal length.
struct Bar {
  std::uint32_t first = 0, last = 0;
  Topology topology = Topology::empty;  // of the round that took the longest
  std::uint64_t longest_ns = 0;
  std::uint64_t frontier = 0, edges = 0, nanoseconds = 0;  // the largest; of all
};

std::vector<Bar> bars_of(std::span<const RoundRecord> rounds) {
  const std::size_t each = (rounds.size() + kMostBars - 1) / kMostBars;
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const RoundRecord& round = rounds[i];
    if (i % each == 0) bars.push_back({.first = round.round});
    Bar& bar = bars.back();
    bar.last = round.round;
    if (i % each == 0 || round.nanoseconds > bar.longest_ns) {
      bar.topology = round.topology;
      bar.longest_ns = round.nanoseconds;
    }
    bar.frontier = std::max<std::uint64_t>(bar.frontier, round.request.queue_len);
    bar.edges += round.edges;
    bar.nanoseconds += round.nanoseconds;
  }
  return bars;
}

std::string rounds_text(std::uint32_t first, std::uint32_t last) {
  return first == last ? fmt::format("round {}", first)
                       : fmt::format("rounds {} to {}", first, last);
}

std::string axis_number(double value) {
  if (value >= 1e9) return fmt::format("{:g} G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:g} M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:g} k", value / 1e3);
  return fmt::format("{:g}", value);
}

// Bars on a logarithmic axis from 1 to the largest value, with a line for each power of ten, or for
// every second or third of many.
template <class Value, class Label>
std::string chart(const std::vector<Bar>& bars, std::string_view title, const Value& value,
                  const Label& label) {
  std::uint64_t most = 1;
  for (const Bar& bar : bars) most = std::max<std::uint64_t>(most, value(bar));
  const double decades = std::max(std::log10(static_cast<double>(most)), 1.0);
  const auto height_of = [&](double amount) {
    // A value of 1 must still be visible.
    return amount < 1 ? 0.0 : 2 + (kHeight - 2) * std::log10(amount) / decades;
  };
  std::string out = fmt::format(
      "<h2>{0}</h2>\n<figure><svg width=\"{1}\" height=\"{2}\" role=\"img\" aria-label=\"{0} of "
      "each round, on a logarithmic axis\">\n",
      title, kLeft + kWidth + 10, kHeight + kBottom + 8);
  const int step = decades > 6 ? 3 : decades > 4 ? 2 : 1;
  for (int power = 0; power <= static_cast<int>(decades); power += step) {
    const double amount = std::pow(10.0, power);
    const double y = 8 + kHeight - height_of(amount);
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3}\" "
        "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        kLeft, kLeft + kWidth, y, kLeft - 8, y + 4, label(amount));
  }
  const double width = static_cast<double>(kWidth) / static_cast<double>(bars.size());
  const double gap = width > 4 ? 1 : 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const double height = height_of(static_cast<double>(value(bar)));
    out += fmt::format(
        "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
        "height=\"{:.1f}\"><title>{}: "
        "frontier {}, {} edges, {}, {}</title></rect>\n",
        to_string(bar.topology), kLeft + static_cast<double>(i) * width, 8 + kHeight - height,
        std::max(width - gap, 0.5), height, rounds_text(bar.first, bar.last),
        with_commas(bar.frontier), with_commas(bar.edges), format_duration(bar.nanoseconds),
        to_string(bar.topology));
  }
  out += fmt::format(
      "<text x=\"{}\" y=\"{}\">round {}</text><text x=\"{}\" y=\"{}\" "
      "text-anchor=\"end\">{}</text>\n",
      kLeft, kHeight + kBottom + 2, bars.front().first, kLeft + kWidth, kHeight + kBottom + 2,
      bars.back().last);
  return out + "</svg></figure>\n";
}

std::string legend(std::span<const RoundRecord> rounds) {
  std::string out = "<p class=\"soft\">";
  for (const Topology topology :
       {Topology::sparse_frontier, Topology::hybrid_frontier, Topology::dense_frontier,
        Topology::fused_dense, Topology::memory_constrained}) {
    const auto count = std::ranges::count(rounds, topology, &RoundRecord::topology);
    if (count == 0) continue;
    out += fmt::format("<span class=\"key {0}\"></span>{0}: {1}", to_string(topology),
                       counted(static_cast<std::uint64_t>(count), "round"));
  }
  return out + "</p>\n";
}

std::string table(const FrontierResult& result) {
  const std::vector<RoundRecord>& rounds = result.rounds;
  const auto groups = group_rounds(rounds, kMostTableRows);
  std::string out =
      "<h2>Rounds</h2>\n<table>\n<tr><th>round</th><th>frontier up to</th><th>edges</th>"
      "<th>time</th><th>workers</th><th>topology</th><th>why</th></tr>\n";
  for (std::size_t i = 0; i < std::min(groups.size(), kMostTableRows); ++i) {
    const RoundGroup& group = groups[i];
    out += fmt::format(
        "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"soft\">{}</td></tr>\n",
        group.rounds == 1 ? fmt::format("{}", group.first.round)
                          : fmt::format("{}–{}", group.first.round, group.last()),
        with_commas(group.largest_frontier), with_commas(group.edges),
        format_duration(group.nanoseconds), group.first.launched, round_topology(group.first),
        html_escaped(round_reason(group.first, result.policy)));
  }
  out += "</table>\n";
  if (groups.size() > kMostTableRows) {
    out += fmt::format("<p class=\"soft\">{} more changes of topology are not shown.</p>\n",
                       with_commas(groups.size() - kMostTableRows));
  }
  return out;
}

}  // namespace

std::string graph_page(const GraphPage& page) {
  const FrontierResult& result = page.result;
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title>\n"
      "<style>{1}</style></head><body>\n<h1>{0}</h1>\n<p class=\"soft\">{2}</p>\n",
      html_escaped(page.title), kStyle, html_escaped(page.command));
  out += fmt::format("<p>{} vertices and {} edges on {}: {} in {}, {} visited{}.</p>\n",
                     with_commas(page.vertices), with_commas(page.edges), html_escaped(page.device),
                     counted(result.round_count, "round"), format_duration(result.nanoseconds),
                     counted(result.edges, "edge"),
                     page.verified ? "; the result is that of a serial algorithm" : "");
  if (!page.summary.empty()) out += fmt::format("<p>{}.</p>\n", html_escaped(page.summary));
  if (!result.rounds.empty()) {
    const auto bars = bars_of(result.rounds);
    const auto time = [](double ns) { return format_duration(static_cast<std::uint64_t>(ns)); };
    out += legend(result.rounds);
    out += chart(bars, "Frontier", [](const Bar& bar) { return bar.frontier; }, axis_number);
    out += chart(bars, "Edges", [](const Bar& bar) { return bar.edges; }, axis_number);
    out += chart(bars, "Time", [](const Bar& bar) { return bar.nanoseconds; }, time);
    out += table(result);
  }
  return out + "</body></html>\n";
}

}  // namespace vyre
