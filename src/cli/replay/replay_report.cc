#include "vyre/cli/replay/replay_report.h"

#include <fmt/format.h>

#include <cmath>

#include "vyre/cli/command.h"
#include "vyre/cli/replay/replay_plot.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

std::string seconds_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

void print_fractions(Output& out, std::span<const ReplayCurve> curves) {
  const auto marks = replay_marks(static_cast<std::uint32_t>(curves.front().mean.size()));
  std::vector<std::string> heading{"evaluations", ""};
  std::vector<std::size_t> right;
  for (const std::uint32_t mark : marks) {
    right.push_back(heading.size());
    heading.push_back(with_commas(mark));
  }
  Table table(std::move(heading), std::move(right));
  const auto add = [&](std::string name, std::string what, const std::vector<double>& values) {
    std::vector<std::string> row{std::move(name), std::move(what)};
    for (const std::uint32_t mark : marks) row.push_back(fmt::format("{:.3f}", values[mark - 1]));
    table.add(std::move(row));
  };
  for (const ReplayCurve& curve : curves) {
    add(curve.strategy, "mean", curve.mean);
    add("", "25%", curve.low);
    add("", "75%", curve.high);
  }
  table.print(out, "  ");
}

void print_goals(Output& out, std::span<const ReplayCurve> curves, std::string_view what) {
  out.print("\n  {}\n", what);
  std::vector<std::string> heading{"to reach"};
  std::vector<std::size_t> right;
  for (const double goal : kReplayGoals) {
    right.push_back(heading.size());
    heading.push_back(fmt::format("{:.0f}%", goal * 100));
    right.push_back(heading.size());
    heading.emplace_back("charged");
  }
  Table table(std::move(heading), std::move(right));
  for (const ReplayCurve& curve : curves) {
    std::vector<std::string> row{curve.strategy};
    for (const ReplayGoal& goal : curve.goals) {
      row.push_back(goal.evaluations ? fmt::format("{:.0f}", std::ceil(*goal.evaluations)) : "-");
      row.push_back(goal.charged_s ? seconds_text(*goal.charged_s) : "-");
    }
    table.add(std::move(row));
  }
  table.print(out, "  ");
}

void print_scores(Output& out, std::span<const ReplayCurve> curves, std::string_view what) {
  Table table({"", "score"}, {1});
  double covered = 1;
  for (const ReplayCurve& curve : curves) {
    if (!curve.score) continue;
    table.add({curve.strategy, fmt::format("{:.3f}", curve.score->score)});
    covered = std::min(covered, curve.score->covered);
  }
  if (table.empty()) return;
  out.print("\n  performance over time (0: as random search, 1: the optimum), {}\n", what);
  table.print(out, "  ");
  if (covered < 0.995) {
    out.print("  some runs ended after {:.0f}% of that time, and keep what they had\n",
              100 * covered);
  }
}

Json curve_json(const ReplayCurve& curve) {
  Json json;
  json["strategy"] = curve.strategy;
  json["mean"] = curve.mean;
  json["quartile_1"] = curve.low;
  json["quartile_3"] = curve.high;
  json["charged_s"] = curve.charged_s;
  json["goals"] = Json::array();
  for (const ReplayGoal& goal : curve.goals) {
    json["goals"].push_back({{"fraction", goal.fraction},
                             {"runs", goal.runs},
                             {"evaluations", goal.evaluations ? Json(*goal.evaluations) : Json()},
                             {"charged_s", goal.charged_s ? Json(*goal.charged_s) : Json()}});
  }
  json["score"] = curve.score ? Json(curve.score->score) : Json();
  json["score_covered"] = curve.score ? Json(curve.score->covered) : Json();
  return json;
}

Json curves_json(std::span<const ReplayCurve> curves) {
  Json json = Json::array();
  for (const ReplayCurve& curve : curves) json.push_back(curve_json(curve));
  return json;
}

}  // namespace

std::string space_title(const ReplayedSpace& space) {
  if (space.kernel.empty()) return space.file;
  return space.device.empty() ? space.kernel : fmt::format("{} on {}", space.kernel, space.device);
}

std::string space_facts(const ReplayedSpace& space) {
  std::string text = counted(space.configurations, "configuration");
  if (space.failures != 0) text += fmt::format(", {} failed", with_commas(space.failures));
  return text;
}

void print_replay(Output& out, const ReplayReport& report, std::size_t width) {
  for (const ReplayedSpace& space : report.spaces) {
    if (&space != &report.spaces.front()) out.write("\n");
    out.print("{}\n", bold(out, space.file));
    if (!space.kernel.empty()) out.print("  {}\n", space_title(space));
    out.print("  {}, {}\n", space_facts(space), counted(space.parameters, "parameter"));
    out.print("  best: {} with {}\n\n", format_duration(static_cast<std::uint64_t>(space.best_ns)),
              space.best_text);
    print_fractions(out, space.curves);
    print_goals(out, space.curves,
                fmt::format("evaluations and time charged for compiling and timing, median of {}",
                            counted(space.curves.front().runs, "run")));
    if (space.scored) {
      print_scores(out, space.curves,
                   fmt::format("over {}: {} of random search", seconds_text(space.scored->end_s()),
                               counted(space.scored->evaluations(), "evaluation")));
    }
    out.print("\n{}", replay_plot(space.curves, width, out.colour));
  }
  if (report.mean.empty()) return;
  out.print("\n{}\n\n", bold(out, fmt::format("mean over {} spaces", report.spaces.size())));
  print_fractions(out, report.mean);
  print_goals(out, report.mean, "evaluations and time charged until the mean gets there");
  print_scores(out, report.mean, "mean over the spaces");
  out.print("\n{}", replay_plot(report.mean, width, out.colour));
}

Json replay_json(const ReplayReport& report, const ReplayOptions& options) {
  Json json;
  json["runs"] = options.runs;
  json["budget"] = options.budget;
  json["seed"] = options.seed;
  json["spaces"] = Json::array();
  for (const ReplayedSpace& space : report.spaces) {
    Json each;
    each["file"] = space.file;
    each["kernel"] = space.kernel;
    each["device"] = space.device;
    each["configurations"] = space.configurations;
    each["failed"] = space.failures;
    each["best_ns"] = space.best_ns;
    each["best"] = Json::object();
    for (const auto& [name, value] : space.best) each["best"][name] = value;
    each["score_budget"] = Json();
    if (space.scored) {
      each["score_budget"] = {{"evaluations", space.scored->evaluations()},
                              {"start_s", space.scored->start_s()},
                              {"end_s", space.scored->end_s()}};
    }
    each["strategies"] = curves_json(space.curves);
    json["spaces"].push_back(std::move(each));
  }
  json["mean"] = curves_json(report.mean);
  return json;
}

}  // namespace vyre
