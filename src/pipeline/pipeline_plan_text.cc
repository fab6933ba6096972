#include "vyre/pipeline/pipeline_plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vyre {
namespace {

using Json = nlohmann::ordered_json;

std::string invocations_text(const Extent& e) {
  if (e[2] != 1) return fmt::format("{}x{}x{}", e[0], e[1], e[2]);
  return e[1] != 1 ? fmt::format("{}x{}", e[0], e[1]) : fmt::format("{}", e[0]);
}

std::string size_text(const ReadyPipeline& pipeline, const ReadyStage& stage) {
  if (!stage.grid) return invocations_text(stage.extent) + " invocations";
  return fmt::format("workgroups as '{}' says", pipeline.buffers[stage.grid->buffer].name);
}

std::string loop_text(const ReadyPipeline& pipeline, const ReadyLoop& loop) {
  std::string out = fmt::format("==== loop '{}': {}{} {}", loop.name, loop.until ? "at most " : "",
                                loop.most, loop.most == 1 ? "round" : "rounds");
  if (loop.until) out += fmt::format(", until {}", loop.until_text);
  for (const std::size_t b : loop.clear) {
    out += fmt::format("; clears '{}'", pipeline.buffers[b].name);
  }
  for (const auto& [a, b] : loop.swap) {
    out += fmt::format("; '{}' and '{}' change places", pipeline.buffers[a].name,
                       pipeline.buffers[b].name);
  }
  return out + "\n";
}

Json loop_json(const ReadyPipeline& pipeline, const PlannedLoop& planned) {
  const ReadyLoop& loop = pipeline.loops[planned.loop];
  Json out{{"name", loop.name},
           {"first_launch", planned.first_launch},
           {"launches", planned.launch_count},
           {"most", loop.most}};
  if (loop.until) out["until"] = loop.until_text;
  out["clear"] = Json::array();
  for (const std::size_t b : loop.clear) out["clear"].push_back(pipeline.buffers[b].name);
  out["swap"] = Json::array();
  for (const auto& [a, b] : loop.swap) {
    out["swap"].push_back({pipeline.buffers[a].name, pipeline.buffers[b].name});
  }
  return out;
}

Json launch_json(const ReadyPipeline& pipeline, const PlannedLaunch& launch) {
  Json out;
  out["begins_because"] = launch.begins_because;
  out["boundary"] = to_string(launch.boundary);
  if (launch.refusal) out["refusal"] = to_string(*launch.refusal);
  if (launch.grid) {
    out["groups"] = {{"from", pipeline.buffers[launch.grid->buffer].name},
                     {"offset", launch.grid->offset}};
  } else {
    out["extent"] = launch.extent;
  }
  for (std::size_t i = 0; i < launch.stage_count; ++i) {
    out["stages"].push_back(pipeline.stages[launch.first_stage + i].name);
  }
  return out;
}

Json bands_json(const LaunchBands& bands) {
  if (!bands.banded) return {{"why_not", bands.why_not}};
  return {{"first_launch", bands.first},
          {"last_launch", bands.last},
          {"rounds", bands.rounds},
          {"rows", bands.rows},
          {"regions", bands.regions}};
}

std::string below_stages(const std::string& line) {
  return line.empty() ? "" : fmt::format("{:13}{}\n", "", line);
}

}  // namespace

std::string bands_text(const LaunchBands& bands) {
  if (!bands.banded) {
    return bands.why_not.empty() ? "" : fmt::format("not in bands: {}", bands.why_not);
  }
  std::string with;
  if (bands.first != bands.last) {
    with = fmt::format(" with launches {} to {}", bands.first + 1, bands.last + 1);
  }
  if (bands.rounds > 1) with += fmt::format(", up to {} rounds of its loop at once", bands.rounds);
  return fmt::format("in bands of {} {}{}; {} regions", bands.rows,
                     bands.rows == 1 ? "row" : "rows", with, bands.regions);
}

std::vector<std::string> runs_text(const std::vector<LaunchPlan>& runs) {
  if (runs.size() == 1) return {plan_line(runs.front())};
  std::vector<std::string> out{fmt::format("runs as {} launches; {}", runs.size(),
                                           decision_text(runs.front().by, runs.front().why))};
  for (const LaunchPlan& each : runs) {
    out.push_back(fmt::format("{}: {} in {} workgroups", each.kernel, to_string(each.variant),
                              vyre::size_text(each.grid)));
  }
  return out;
}

std::string fate_text(const ReadyBuffer& buffer, const PlannedBuffer& plan) {
  switch (plan.fate) {
    case BufferFate::dropped: return "passed on in registers; needs no memory";
    case BufferFate::recomputed: return "computed where it is read; needs no memory";
    case BufferFate::registers: return "in memory, and passed on in registers";
    case BufferFate::memory: break;
  }
  if (!plan.memory) return "not used";
  return buffer.uniform ? "uniform" : buffer.temporary() ? "in memory for a while" : "in memory";
}

namespace {

// Whether the stages of a launch run on their own and pass this buffer on.
bool is_passed_apart(const PipelinePlan& plan, std::size_t buffer, RunsOf runs) {
  if (runs.empty() || !plan.buffers[buffer].memory_apart) return false;
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    if (runs[l].size() == 1) continue;
    for (const PlannedPart& part : plan.launches[l].parts) {
      if (std::ranges::find(part.bindings, buffer, &StageBinding::buffer) != part.bindings.end()) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string headline(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs) {
  std::size_t launches = runs.empty() ? plan.launches.size() : 0;
  for (const std::vector<LaunchPlan>& each : runs) launches += each.size();
  const auto counted = [](std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  return fmt::format("{}: {} in {}", pipeline.name,
                     counted(pipeline.stages.size(), "stage", "stages"),
                     counted(launches, "launch", "launches"));
}

std::string plan_text(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs,
                      BandsOf bands) {
  std::string out = headline(pipeline, plan, runs);
  if (!runs.empty()) {
    out += fmt::format(" on {}, mode {}", runs.front().front().device,
                       mode_word(runs.front().front().mode));
  }
  out += fmt::format("; {} bytes of memory, {} saved\n\n", plan.allocated_bytes, plan.saved_bytes);
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const PlannedLaunch& launch = plan.launches[l];
    const bool after_loop = std::ranges::any_of(plan.loops, [&](const PlannedLoop& loop) {
      return loop.first_launch + loop.launch_count == l;
    });
    if (after_loop) out += "==== end of the loop\n";
    const auto inside = std::ranges::find(plan.loops, l, &PlannedLoop::first_launch);
    if (inside != plan.loops.end()) {
      out += loop_text(pipeline, pipeline.loops[inside->loop]);
    } else if (l != 0 && !after_loop) {
      out += fmt::format("---- {}\n", launch.begins_because);
    }
    for (std::size_t i = 0; i < launch.stage_count; ++i) {
      const ReadyStage& stage = pipeline.stages[launch.first_stage + i];
      out += fmt::format("{:<10} {} {}  {}\n", i == 0 ? fmt::format("launch {}", l + 1) : "",
                         launch.stage_count == 1       ? "-"
                         : i == 0                      ? "/"
                         : i + 1 == launch.stage_count ? "\\"
                                                       : "|",
                         stage.name, size_text(pipeline, stage));
    }
    if (!runs.empty()) {
      for (const std::string& line : runs_text(runs[l])) out += below_stages(line);
    }
    if (!bands.empty()) out += below_stages(bands_text(bands[l]));
  }
  if (!plan.loops.empty() &&
      plan.loops.back().first_launch + plan.loops.back().launch_count == plan.launches.size()) {
    out += "==== end of the loop\n";
  }
  out += "\n";
  std::size_t width = 0;
  for (const ReadyBuffer& b : pipeline.buffers) width = std::max(width, b.name.size());
  for (std::size_t b = 0; b < pipeline.buffers.size(); ++b) {
    const ReadyBuffer& buffer = pipeline.buffers[b];
    out +=
        fmt::format("{:<{}}  {:>12} bytes  {}\n", buffer.name, width, buffer.bytes,
                    is_passed_apart(plan, b, runs) ? "in memory while its stages run on their own"
                                                   : fate_text(buffer, plan.buffers[b]));
  }
  return out;
}

std::string plan_json(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs,
                      BandsOf bands) {
  Json json;
  json["pipeline"] = pipeline.name;
  json["dims"] = Json::object();
  for (const auto& [name, value] : pipeline.dims) json["dims"][name] = value;
  json["allocated_bytes"] = plan.allocated_bytes;
  json["saved_bytes"] = plan.saved_bytes;
  json["launches"] = Json::array();
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    Json& launch = json["launches"].emplace_back(launch_json(pipeline, plan.launches[l]));
    if (!bands.empty()) launch["bands"] = bands_json(bands[l]);
    if (runs.empty()) continue;
    launch["runs"] = Json::array();
    for (const LaunchPlan& each : runs[l]) launch["runs"].push_back(Json::parse(plan_json(each)));
  }
  // The groups that would be fused if only bytes, loops and host boundaries counted.
  json["byte_groups"] = Json::array();
  for (const FusionGroup& group : plan.groups.groups) {
    json["byte_groups"].push_back({{"first_stage", group.first_stage},
                                   {"stages", group.stage_count},
                                   {"required_bytes", group.required_bytes},
                                   {"avoided_bytes", group.avoided_intermediate_bytes}});
  }
  json["bytes_bound"] = bytes_bound(pipeline, plan);
  json["loops"] = Json::array();
  for (const PlannedLoop& loop : plan.loops) json["loops"].push_back(loop_json(pipeline, loop));
  json["buffers"] = Json::array();
  for (std::size_t b = 0; b < pipeline.buffers.size(); ++b) {
    json["buffers"].push_back(
        {{"name", pipeline.buffers[b].name},
         {"bytes", pipeline.buffers[b].bytes},
         {"fate", to_string(plan.buffers[b].fate)},
         {"in_memory", plan.buffers[b].memory.has_value() || is_passed_apart(plan, b, runs)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vyre
