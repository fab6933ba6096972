// The figures of the page, each with a caption, a legend, the chart and a table of its data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/report/findings.h"
#include "vyre/report/page/svg.h"
#include "vyre/report/tune_record.h"

namespace vyre {

// Data that the figures of one kernel share.
struct KernelView {
  const TuneRecord& record;
  const Findings& findings;
  std::vector<MarkStyle> styles{};  // by candidate; the same in every figure
  std::string id{};                 // "k1": the prefix of the ids of its elements
  std::size_t most_points = 2000;   // the most points of a chart
};

// Assigns colours and shapes to the chosen, first and declared candidates and to those probed most;
// all others look alike.
std::vector<MarkStyle> mark_styles(const Findings& findings);

// "chosen", "first guess", "as declared", or several of them; empty for the others.
std::string role_text(const Findings& findings, std::uint32_t candidate);

// The number of fastest candidates that are drawn if there are more than kMostRows.
inline constexpr std::size_t kMostRows = 30;
inline constexpr std::size_t kFastestRows = 24;
// Candidates that are slower than the fastest by a larger factor are only in the table, if there
// are others to draw.
inline constexpr double kDrawnRange = 4;
// The most rows of the table of candidates; the JSON has all.
inline constexpr std::size_t kMostTableRows = 400;

// The time of every candidate with its spread.
std::string candidates_figure(const KernelView& view);
// The dropped candidates with their reasons; empty if there are none.
std::string dropped_box(const KernelView& view);
// The table of all candidates, for the figures above and below.
std::string candidates_table(const KernelView& view);
// Two parameters against each other; empty if fewer than two vary.
std::string heat_figure(const KernelView& view);
// The time of every call, the probes, and the incumbent.
std::string search_figure(const KernelView& view);
// The time lost against the bound; empty if there was no bound.
std::string regret_figure(const KernelView& view);
// The gain of each of several kernels.
std::string overview_figure(std::span<const KernelView> kernels);

// The beginning of a figure, and its end with a table.
void open_figure(std::string& out, std::string_view classes, std::string_view heading,
                 std::string_view caption);
void close_figure(std::string& out);
struct Cell {
  std::string text{};              // escaped when it is written
  std::optional<double> number{};  // the sort key; a number is also right-aligned
  std::string_view style{};        // a CSS class
};
void add_table(std::string& out, std::string_view summary, std::string_view caption,
               const std::vector<std::string>& heads, const std::vector<std::vector<Cell>>& rows);
void open_legend(std::string& out);
void add_legend(std::string& out, const std::string& key, std::string_view text);
void close_legend(std::string& out);

// A number for the page's script; 0 if it is unknown or rounds out of range.
double script_number(double value);

// The calls that a chart shows, thinned, with their positions along the axis.
struct CallAxis {
  Axis axis{};
  std::vector<std::size_t> points{};  // of `calls` whose indices are in range, in order
};
CallAxis call_axis(const KernelView& view);
// The table behind the charts of calls, in at most 20 ranges.
void add_calls_table(std::string& out, const KernelView& view, bool with_regret);

}  // namespace vyre
