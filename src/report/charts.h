// The figures of the page: each with its caption, its legend, the chart, and the same as a table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/report/findings.h"
#include "vyre/report/svg.h"
#include "vyre/report/tune_record.h"

namespace vyre {

// What the figures of one kernel share.
struct KernelView {
  const TuneRecord& record;
  const Findings& findings;
  std::vector<MarkStyle> styles{};  // by candidate, the same in every figure
  std::string id{};                 // "k1": what ids of its elements begin with
  std::size_t most_points = 2000;   // that a chart may draw
};

// Colours and shapes: the chosen one, the start, the declared one, those that were probed most;
// all others look alike.
std::vector<MarkStyle> mark_styles(const Findings& findings);

// "chosen", "first guess", "as declared", or several of them; empty for the others.
std::string role_text(const Findings& findings, std::uint32_t candidate);

// How many of the fastest candidates are drawn where there are more than kMostRows.
inline constexpr std::size_t kMostRows = 30;
inline constexpr std::size_t kFastestRows = 24;
// Those that take more than so many times as long as the fastest are left to the table, where
// others are there to be seen.
inline constexpr double kDrawnRange = 4;
// Rows of the table of candidates; the JSON has all.
inline constexpr std::size_t kMostTableRows = 400;

// Times of every candidate with their spread.
std::string candidates_figure(const KernelView& view);
// Those that are out, with the reason; empty where there are none.
std::string dropped_box(const KernelView& view);
// All of them as a table, which is behind that figure and the next.
std::string candidates_table(const KernelView& view);
// Two parameters against each other; empty where the space has no two that vary.
std::string heat_figure(const KernelView& view);
// Every call's time, probes, the incumbent.
std::string search_figure(const KernelView& view);
// What was lost against what may be lost; empty where no bound was kept.
std::string regret_figure(const KernelView& view);
// Several kernels: what each gained.
std::string overview_figure(std::span<const KernelView> kernels);

// Shared by the figures: one that opens, and one that closes with a table behind it.
void open_figure(std::string& out, std::string_view classes, std::string_view heading,
                 std::string_view caption);
void close_figure(std::string& out);
struct Cell {
  std::string text{};              // escaped when it is written
  std::optional<double> number{};  // what it sorts by; also puts it to the right
  std::string_view style{};        // a class
};
void add_table(std::string& out, std::string_view summary, std::string_view caption,
               const std::vector<std::string>& heads, const std::vector<std::vector<Cell>>& rows);
void open_legend(std::string& out);
void add_legend(std::string& out, const std::string& key, std::string_view text);
void close_legend(std::string& out);

// A number for the page's script: 0 where it is not known, and none that rounding puts out of
// range.
double script_number(double value);

// The calls that a chart can show, thinned, with their places along the axis.
struct CallAxis {
  Axis axis{};
  std::vector<std::size_t> points{};  // of `calls` whose indices are in range, in order
};
CallAxis call_axis(const KernelView& view);
// The table behind the charts of calls, in at most 20 ranges.
void add_calls_table(std::string& out, const KernelView& view, bool with_regret);

}  // namespace vyre
