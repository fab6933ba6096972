#include "vyre/cli/pipeline/pipeline_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "vyre/base/arithmetic.h"
#include "vyre/cli/values.h"
#include "vyre/report/report_text.h"
#include "vyre/tune/time_words.h"

namespace vyre {
namespace {

constexpr int kRow = 46, kBox = 30, kLeft = 40, kWidth = 250, kLane = 11, kMostLanes = 24;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #6b7077; --line: #c9ccd1; --paper: #fff;
  --box: #eef2f7; --launch: #2f6fb5; --memory: #b5532f; --registers: #3f8f4f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e9eb; --soft: #9aa0a8; --line: #44484e;
  --paper: #17191c; --box: #23272d; --launch: #6fa8e6; --memory: #e69a78; --registers: #7dcf8d; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.soft, figcaption { color: var(--soft); } .graphs { display: flex; flex-wrap: wrap; gap: 2rem; }
figure { margin: 0; overflow-x: auto; } table { border-collapse: collapse; }
td, th { padding: .15rem .9rem .15rem 0; text-align: left; font-weight: normal; }
th { color: var(--soft); } td.n { text-align: right; font-variant-numeric: tabular-nums; }
td { vertical-align: top; } .lines { white-space: pre-line; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .soft { fill: var(--soft); }
.stage { fill: var(--box); stroke: var(--line); } .launch { fill: none; stroke: var(--launch);
  stroke-width: 2; } .memory { fill: none; stroke: var(--memory); stroke-width: 1.5; }
.registers { fill: none; stroke: var(--registers); stroke-width: 1.5; stroke-dasharray: 4 3; }
.loop { fill: none; stroke: var(--soft); stroke-width: 2; } .bar { fill: var(--launch); }
)";

// The line of a buffer, from the stage that writes it to the last stage that reads these contents.
struct Way {
  std::size_t buffer, from, to;
};
std::vector<Way> ways_of(const ReadyPipeline& pipeline) {
  std::vector<Way> out;
  for (std::size_t from = 0; from < pipeline.stages.size(); ++from) {
    std::set<std::size_t> seen;
    for (const StageBinding& b : pipeline.stages[from].bindings) {
      if (!pipeline.stages[from].writes(b.buffer) || !seen.insert(b.buffer).second) continue;
      Way way{b.buffer, from, from};
      for (std::size_t to = from + 1; to < pipeline.stages.size(); ++to) {
        const auto& bindings = pipeline.stages[to].bindings;
        if (std::ranges::find(bindings, b.buffer, &StageBinding::buffer) == bindings.end())
          continue;
        way.to = to;
        if (pipeline.stages[to].writes(b.buffer)) break;
      }
      if (way.to != from) out.push_back(way);
    }
  }
  return out;
}

// Boxes for the stages from top to bottom, frames around those that are one launch, brackets around
// loops, and the ways of buffers at the right, each in a lane that is free there.
std::string graph(const ReadyPipeline& pipeline, const PipelinePlan& plan, std::string_view title) {
  const auto stages = static_cast<int>(pipeline.stages.size());
  const int height = stages * kRow + 16;
  std::vector<std::size_t> free_from;  // by lane: the first stage at which it is free
  std::string ways;
  for (const Way& way : ways_of(pipeline)) {
    auto lane = std::ranges::find_if(free_from, [&](std::size_t s) { return s <= way.from; });
    if (lane == free_from.end()) lane = free_from.insert(lane, 0);
    *lane = way.to;
    const int at = std::min(static_cast<int>(lane - free_from.begin()), kMostLanes);
    const BufferFate fate = plan.buffers[way.buffer].fate;
    const bool registers = fate == BufferFate::dropped || fate == BufferFate::recomputed;
    const int x = kLeft + kWidth, bend = x + 14 + at * kLane;
    const int y0 = static_cast<int>(way.from) * kRow + 8 + kBox * 2 / 3;
    const int y1 = static_cast<int>(way.to) * kRow + 8 + kBox / 3;
    ways += fmt::format(
        "<path class=\"{}\" d=\"M{} {} H{} V{} H{}\"><title>{}: {} bytes, {}</title></path>\n",
        registers ? "registers" : "memory", x, y0, bend, y1, x,
        html_escaped(pipeline.buffers[way.buffer].name), pipeline.buffers[way.buffer].bytes,
        registers ? "no memory" : "memory");
  }
  const int lanes = std::min(static_cast<int>(free_from.size()), kMostLanes);
  const int width = kLeft + kWidth + 30 + lanes * kLane;
  std::string out = fmt::format(
      "<figure><figcaption>{}</figcaption><svg width=\"{}\" height=\"{}\" role=\"img\" "
      "aria-label=\"{}\">\n{}",
      title, width, height, title, ways);
  for (int s = 0; s < stages; ++s) {
    const ReadyStage& stage = pipeline.stages[static_cast<std::size_t>(s)];
    out += fmt::format(
        "<rect class=\"stage\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>"
        "<text x=\"{}\" y=\"{}\">{}</text><text class=\"soft\" x=\"{}\" y=\"{}\" "
        "text-anchor=\"end\">{}</text>\n",
        kLeft, s * kRow + 8, kWidth, kBox, kLeft + 10, s * kRow + 27, html_escaped(stage.name),
        kLeft + kWidth - 10, s * kRow + 27,
        stage.grid ? "computed"
                   : fmt::format("{}x{}x{}", stage.extent[0], stage.extent[1], stage.extent[2]));
  }
  for (const PlannedLaunch& launch : plan.launches) {
    out += fmt::format(
        "<rect class=\"launch\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"7\"/>\n",
        kLeft - 5, static_cast<int>(launch.first_stage) * kRow + 3, kWidth + 10,
        (static_cast<int>(launch.stage_count) - 1) * kRow + kBox + 10);
  }
  for (const ReadyLoop& loop : pipeline.loops) {
    const int y0 = static_cast<int>(loop.first_stage) * kRow + 8;
    const int y1 = static_cast<int>(loop.first_stage + loop.stage_count - 1) * kRow + 8 + kBox;
    out += fmt::format(
        "<path class=\"loop\" d=\"M28 {} H16 V{} H28\"><title>{}: {}{} rounds</title></path>"
        "<text class=\"soft\" x=\"12\" y=\"{}\" text-anchor=\"middle\" transform=\"rotate(-90 12 "
        "{})\">{}</text>\n",
        y0, y1, html_escaped(loop.name), loop.until ? "at most " : "", loop.most, (y0 + y1) / 2,
        (y0 + y1) / 2, loop.most);
  }
  return out + "</svg></figure>\n";
}

std::string stages_of(const ReadyPipeline& pipeline, const PlannedLaunch& launch) {
  std::string out;
  for (std::size_t i = 0; i < launch.stage_count; ++i) {
    out += (i == 0 ? "" : ", ") + pipeline.stages[launch.first_stage + i].name;
  }
  return html_escaped(out);
}

std::string timeline(const ReadyPipeline& pipeline, const PipelinePlan& plan,
                     const PipelineRun& run) {
  if (run.launch_ns.empty()) return "";
  std::uint64_t all = 0;
  for (const std::uint64_t ns : run.launch_ns) all += ns;
  std::string out =
      "<h2>Timeline</h2>\n<p class=\"soft\">Each launch on its own, once; a loop's launches run "
      "once a round.</p>\n<table>\n";
  double before = 0;
  for (std::size_t l = 0; l < run.launch_ns.size(); ++l) {
    const double share = 100.0 * static_cast<double>(run.launch_ns[l]) /
                         static_cast<double>(std::max<std::uint64_t>(all, 1));
    out += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td><svg width=\"420\" height=\"14\"><rect "
        "class=\"bar\" x=\"{:.2f}%\" y=\"2\" width=\"{:.2f}%\" height=\"10\"/></svg></td></tr>\n",
        stages_of(pipeline, plan.launches[l]), format_duration(run.launch_ns[l]), before,
        std::max(share, 0.3));
    before += share;
  }
  return out + "</table>\n";
}

// What ran for a launch: the way that was chosen with the times of both, variants, bands.
std::string how_it_ran(const PlannedLaunch& launch, const PipelineRun& run, std::size_t l) {
  std::vector<std::string> lines;
  if (l < run.choices.size() && run.choices[l]) {
    lines.push_back(choice_text(launch.stage_count, *run.choices[l]));
  }
  if (l < run.runs.size()) {
    const auto ran = runs_text(run.runs[l]);
    lines.insert(lines.end(), ran.begin(), ran.end());
  }
  if (l < run.bands.size()) lines.push_back(bands_text(run.bands[l]));
  std::erase(lines, "");
  return html_escaped(fmt::format("{}", fmt::join(lines, "\n")));
}

std::string launches(const ReadyPipeline& pipeline, const PipelinePlan& plan,
                     const PipelineRun& run) {
  std::string out =
      "<h2>Launches</h2>\n<table>\n<tr><th></th><th>stages</th><th>why it begins</th><th>how it "
      "ran</th></tr>\n";
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const PlannedLaunch& launch = plan.launches[l];
    out += fmt::format(
        "<tr><td class=\"n\">{}</td><td>{}</td><td class=\"soft\">{}</td><td "
        "class=\"lines\">{}</td></tr>\n",
        l + 1, stages_of(pipeline, launch), html_escaped(launch.begins_because),
        how_it_ran(launch, run, l));
  }
  return out + "</table>\n";
}

std::string buffers(const ReadyPipeline& pipeline, const PipelinePlan& plan) {
  std::string out = "<h2>Buffers</h2>\n<table>\n";
  for (std::size_t b = 0; b < pipeline.buffers.size(); ++b) {
    const ReadyBuffer& buffer = pipeline.buffers[b];
    out += fmt::format(
        "<tr><td>{}</td><td class=\"soft\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
        html_escaped(buffer.name), html_escaped(buffer.type), format_bytes(buffer.bytes),
        fate_text(buffer, plan.buffers[b]));
  }
  return out + "</table>\n";
}

}  // namespace

std::string choice_text(std::size_t stages, const FusionChoice& choice) {
  const auto time = [](const std::optional<CandidateTime>& t) {
    return t ? time_words(t->ns) : std::string("not timed");
  };
  const std::string apart = fmt::format("as {} stages", stages);
  return fmt::format("{}, {}; {} {}", choice.fused ? "fused" : apart,
                     time(choice.fused ? choice.fused_time : choice.apart_time),
                     choice.fused ? apart : "fused",
                     time(choice.fused ? choice.apart_time : choice.fused_time));
}

std::string pipeline_page(const ReadyPipeline& pipeline, const PipelinePlan& plan,
                          const PipelinePlan& separate, const PipelineRun& run) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title>\n"
      "<style>{1}</style></head><body>\n<h1>{2}</h1>\n<p class=\"soft\">{3}</p>\n",
      html_escaped(pipeline.name), kStyle, html_escaped(headline(pipeline, plan, run.runs)),
      html_escaped(run.command));
  out += fmt::format(
      "<table><tr><th></th><th>launches</th><th>bytes bound</th><th>memory</th></tr>"
      "<tr><td>stage by stage</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
      "class=\"n\">{}</td></tr><tr><td>fused</td><td class=\"n\">{}</td><td "
      "class=\"n\">{}</td><td class=\"n\">{}</td></tr></table>\n",
      separate.launches.size(), format_bytes(bytes_bound(pipeline, separate)),
      format_bytes(separate.allocated_bytes), plan.launches.size(),
      format_bytes(bytes_bound(pipeline, plan)), format_bytes(plan.allocated_bytes));
  const std::string played =
      run.played.empty() ? "" : fmt::format(", played {}", html_escaped(run.played));
  out += fmt::format("<p>On {}: {} for the last run{}{}.</p>\n", html_escaped(run.device),
                     format_duration(run.run_ns), played,
                     run.verified == 0
                         ? std::string()
                         : fmt::format("; {} values are the interpreter's", run.verified));
  out += "<h2>Before and after</h2>\n<div class=\"graphs\">\n";
  out += graph(pipeline, separate, "stage by stage");
  out += graph(pipeline, plan, "fused");
  out +=
      "</div>\n<p class=\"soft\">A frame is a launch. A line at the right is a buffer that a stage "
      "writes and another uses: solid in memory, dashed in registers or computed again. A bracket "
      "at the left is a loop, with its rounds.</p>\n";
  out += timeline(pipeline, plan, run);
  out += launches(pipeline, plan, run);
  out += buffers(pipeline, plan);
  return out + "</body></html>\n";
}

}  // namespace vyre
