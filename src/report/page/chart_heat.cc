#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <ranges>

#include "vyre/base/sort.h"
#include "vyre/report/page/charts.h"
#include "vyre/report/report_text.h"

namespace vyre {
namespace {

constexpr int kLevels = 7;  // classes h0 (fastest) to h6 of the page's style
// With more, a cell shows the best over the other parameters.
constexpr std::size_t kMostFacets = 4;
constexpr std::size_t kMostValues = 24;  // of a parameter that is an axis

struct Parameter {
  std::string name;
  std::size_t position = 0;
  std::vector<std::string> values{};
};

// Sorted by their numbers if all begin with one, else in the given order.
void put_in_order(std::vector<std::string>& values) {
  const auto number = [](const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::optional(value) : std::nullopt;
  };
  if (std::ranges::all_of(values, [&](const auto& value) { return number(value).has_value(); }))
    std::ranges::sort(values, {}, [&](const auto& value) {
      return std::pair<double, std::string_view>(*number(value), value);
    });
}

std::vector<Parameter> parameters_of(const TuneRecord& record) {
  std::vector<Parameter> out;
  for (const std::size_t p : telling_parameters(record)) {
    Parameter parameter{.name = record.candidates[0].parameters[p].first, .position = p};
    for (const auto& candidate : record.candidates) {
      const std::string& value = candidate.parameters[p].second;
      if (std::ranges::find(parameter.values, value) == parameter.values.end()) {
        parameter.values.push_back(value);
        if (parameter.values.size() > kMostTableRows) break;
      }
    }
    put_in_order(parameter.values);
    out.push_back(std::move(parameter));
  }
  return out;
}

// The best time of the worst value divided by the best time of the best value; 0: unknown.
double effect_of(const KernelView& view, const Parameter& parameter) {
  std::map<std::string_view, double> best;
  for (const std::uint32_t i : view.findings.measured) {
    const std::string& value = view.record.candidates[i].parameters[parameter.position].second;
    best.try_emplace(value, view.findings.spreads[i].median);  // the fastest come first
  }
  if (best.size() < 2) return 0;
  const auto [least, most] = std::ranges::minmax(best | std::views::values);
  return most / least;
}

struct Facet {
  std::string name{};                                                    // empty: there is only one
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> cells{};  // the best candidate
};

struct HeatMap {
  Parameter rows, columns;
  bool is_best_of_others = false;
  std::vector<Facet> facets{};
};

std::size_t place_of(const Parameter& parameter, const CandidateRecord& candidate) {
  return static_cast<std::size_t>(
      std::ranges::find(parameter.values, candidate.parameters[parameter.position].second) -
      parameter.values.begin());
}

// Prefers measured, usable candidates, then the faster one.
bool is_better(const KernelView& view, std::uint32_t a, std::uint32_t b) {
  const auto rank = [&](std::uint32_t i) {
    const bool usable =
        view.record.candidates[i].dropped.empty() && is_known(view.findings.spreads[i].median);
    return std::pair(!usable, view.findings.spreads[i].median);
  };
  return rank(a) < rank(b);
}

std::optional<HeatMap> heat_map(const KernelView& view) {
  std::vector<Parameter> parameters = parameters_of(view.record);
  // The parameters with the most values first.
  std::ranges::sort(parameters, [](const Parameter& a, const Parameter& b) {
    return a.values.size() != b.values.size() ? a.values.size() > b.values.size()
                                              : a.position < b.position;
  });
  const auto others = [&] {
    std::size_t combinations = 1;
    for (std::size_t p = 2; p < parameters.size(); ++p)
      combinations = std::min<std::size_t>(combinations * parameters[p].values.size(), 1000);
    return combinations;
  };
  // The two parameters that matter most.
  if (others() > kMostFacets) {
    std::erase_if(parameters, [](const Parameter& p) { return p.values.size() > kMostValues; });
    sort_stably(parameters, [&](const Parameter& p) { return -effect_of(view, p); });
    if (parameters.size() > 1 && parameters[0].values.size() < parameters[1].values.size())
      std::swap(parameters[0], parameters[1]);
  }
  if (parameters.size() < 2 || parameters[0].values.size() > kMostValues) return std::nullopt;
  const std::size_t combinations = others();
  HeatMap map{.rows = parameters[0],
              .columns = parameters[1],
              .is_best_of_others = combinations > kMostFacets};
  std::map<std::string, std::size_t> by_name;
  for (std::uint32_t i = 0; i < view.record.candidates.size(); ++i) {
    const CandidateRecord& candidate = view.record.candidates[i];
    std::string name;
    for (std::size_t p = 2; p < parameters.size() && !map.is_best_of_others; ++p)
      name += fmt::format("{}{} {}", name.empty() ? "" : ", ", parameters[p].name,
                          short_extent(candidate.parameters[parameters[p].position].second));
    const auto [at, is_new] = by_name.try_emplace(name, map.facets.size());
    if (is_new) map.facets.push_back({.name = name});
    auto& cells = map.facets[at->second].cells;
    const auto [cell, is_first] =
        cells.try_emplace({place_of(map.rows, candidate), place_of(map.columns, candidate)}, i);
    if (!is_first && is_better(view, i, cell->second)) cell->second = i;
  }
  return map;
}

void add_cell(std::string& out, const KernelView& view, std::uint32_t candidate, double most,
              ChartPlace corner, double width, double height) {
  const Findings& findings = view.findings;
  const CandidateRecord& record = view.record.candidates[candidate];
  const TimeSpread& spread = findings.spreads[candidate];
  const double best = findings.spreads[findings.measured.front()].median;
  std::string hint = shortened(spelled_out(record.parameters, record.text), 120);
  const ChartPlace middle{corner.x + width / 2, corner.y + height / 2};
  const std::string_view centred = R"(dy="0.35em")";
  if (!record.dropped.empty()) {
    add_box(out, "cell none", corner, width, height);
    add_text(out, "cell-text middle none", middle, "\xC3\x97", centred);
    hint += "\ndropped: " + shortened(record.dropped, 120);
  } else if (!is_known(spread.median)) {
    add_box(out, "cell none", corner, width, height);
    add_text(out, "cell-text middle none", middle, "\xC2\xB7", centred);
    hint += "\nnot run";
  } else {
    const double ratio = spread.median / best;
    const int level = static_cast<int>(
        std::clamp<double>(std::log(ratio) / std::log(most) * kLevels, 0, kLevels - 1));
    add_box(out, fmt::format("cell h{}", level), corner, width, height);
    add_text(out, fmt::format("cell-text middle t{}", level), middle, ratio_number(ratio), centred);
    hint += fmt::format("\n{}, {} the fastest", time_text(spread.median), ratio_text(ratio));
  }

  add_hint_box(out, corner, width, height, hint);
}

void add_facet(std::string& out, const KernelView& view, const HeatMap& map, const Facet& facet,
               const std::string& id, double most) {
  const auto rows = static_cast<double>(map.rows.values.size());
  const auto columns = static_cast<double>(map.columns.values.size());
  std::size_t longest = character_count(map.rows.name);
  for (const auto& value : map.rows.values)
    longest = std::max(longest, character_count(shortened(short_extent(value), 14)));
  longest = std::min<std::size_t>(longest, 14);
  const std::size_t column_characters =
      std::clamp<std::size_t>(32 / map.columns.values.size(), 4, 14);
  out += "<div class=\"facet\">";
  if (!facet.name.empty())
    out += fmt::format("<h4>{}</h4>\n", html_escaped(shortened(facet.name, 60)));
  open_chart(out, {.id = id,
                   .title = fmt::format("Times by {} and {}", shortened(map.rows.name, 40),
                                        shortened(map.columns.name, 40)),
                   .description = "Each cell is the time relative to the fastest. The "
                                  "figures are in the table of candidates.",
                   .classes = "heat",
                   .height_rem = 1.9 * rows,
                   .gutter_em = 0.58 * static_cast<double>(longest) + 1.2});
  add_text(out, "axis-name end", {0, 0}, shortened(map.rows.name, 14),
           R"(dx="-0.7em" dy="-0.6em")");
  add_text(out, "axis-name middle", {0.5, 0}, shortened(map.columns.name, 24), R"(dy="-1.9em")");
  for (std::size_t c = 0; c < map.columns.values.size(); ++c)
    add_text(out, "tick middle", {(static_cast<double>(c) + 0.5) / columns, 0},
             shortened(short_extent(map.columns.values[c]), column_characters), R"(dy="-0.6em")");
  for (std::size_t r = 0; r < map.rows.values.size(); ++r)
    add_text(out, "tick end", {0, (static_cast<double>(r) + 0.5) / rows},
             shortened(short_extent(map.rows.values[r]), 14), R"(dx="-0.7em" dy="0.35em")");
  const auto corner_of = [&](std::pair<std::size_t, std::size_t> cell) {
    return ChartPlace{static_cast<double>(cell.second) / columns,
                      static_cast<double>(cell.first) / rows};
  };
  for (const auto& [cell, candidate] : facet.cells)
    add_cell(out, view, candidate, most, corner_of(cell), 1 / columns, 1 / rows);
  // Drawn above its neighbours.
  for (const auto& [cell, candidate] : facet.cells)
    if (candidate == view.findings.chosen)
      add_box(out, "cell outline", corner_of(cell), 1 / columns, 1 / rows);
  close_chart(out);
  out += "</div>\n";
}

}  // namespace

std::string heat_figure(const KernelView& view) {
  if (view.findings.measured.size() < 2) return {};
  const std::optional<HeatMap> map = heat_map(view);
  if (!map) return {};
  const double best = view.findings.spreads[view.findings.measured.front()].median;
  const double worst = view.findings.spreads[view.findings.measured.back()].median;
  // Limits the range, so that noise does not look like structure and a few very slow candidates do
  // not hide it.
  const double most = std::clamp(worst / best, 1.1, 2.0);
  std::string out;
  open_figure(
      out, "heat-map",
      fmt::format("The space: {} \xC3\x97 {}", shortened(map->rows.name, 40),
                  shortened(map->columns.name, 40)),
      fmt::format("Time relative to the fastest (1.00); the strongest colour is the "
                  "fastest, the frame is the chosen one, a dot was not run, a cross was dropped.{}",
                  map->is_best_of_others
                      ? " A cell is the best over all values of the other parameters."
                      : ""));
  out += "<div class=\"facets\">\n";
  for (std::size_t f = 0; f < map->facets.size(); ++f)
    add_facet(out, view, *map, map->facets[f], fmt::format("{}-heat{}", view.id, f), most);
  out += "</div>\n";
  close_figure(out);
  return out;
}

}  // namespace vyre
