#include "vyre/cli/pipeline/pipeline_trace.h"

#include <fmt/format.h>

#include <set>

#include "vyre/base/arithmetic.h"
#include "vyre/cli/json_text.h"
#include "vyre/report/report_text.h"
#include "vyre/report/trace.h"

namespace vyre {
namespace {

constexpr int kProcess = 1;
constexpr int kThread = 2;

Json metadata(std::string_view what, int thread, const std::string& name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", kProcess},
          {"tid", thread},
          {"args", {{"name", clean_utf8(name)}}}};
}

Json slice(const std::string& name, double from_ns, double ns, Json arguments) {
  return {{"name", clean_utf8(name)},
          {"ph", "X"},
          {"pid", kProcess},
          {"tid", kThread},
          {"ts", trace_microseconds(from_ns)},
          {"dur", trace_microseconds(ns)},
          {"args", std::move(arguments)}};
}

std::string stages_of(const ReadyPipeline& pipeline, const PlannedLaunch& launch) {
  std::string out;
  for (std::size_t i = 0; i < launch.stage_count; ++i) {
    out += (i == 0 ? "" : ", ") + pipeline.stages[launch.first_stage + i].name;
  }
  return out;
}

Json about(const ReadyPipeline& pipeline, const PlannedLaunch& launch) {
  std::set<std::size_t> bound;
  for (const StageBinding& b : launch.bindings) bound.insert(b.buffer);
  std::uint64_t bytes = 0;
  for (const std::size_t b : bound) bytes = saturating_add(bytes, pipeline.buffers[b].bytes);
  Json out{{"stages", launch.stage_count}, {"bytes bound", bytes}};
  if (!launch.begins_because.empty()) {
    out["begins because"] = clean_utf8(launch.begins_because);
  }
  return out;
}

}  // namespace

std::string pipeline_trace(const ReadyPipeline& pipeline, const PipelinePlan& plan,
                           const PipelineRun& run) {
  Json events = Json::array();
  events.push_back(metadata("process_name", kProcess,
                            fmt::format("{} on {}", shortened(pipeline.name, 80), run.device)));
  events.push_back(metadata("thread_name", kThread, "launches"));
  double at = 0;
  auto loop = plan.loops.begin();
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    if (loop != plan.loops.end() && loop->first_launch == l) {
      double round = 0;
      for (std::size_t i = l; i < l + loop->launch_count; ++i) {
        round += static_cast<double>(run.launch_ns[i]);
      }
      const ReadyLoop& its = pipeline.loops[loop->loop];
      events.push_back(slice(fmt::format("one round of '{}'", its.name), at, round,
                             Json::object({{"rounds at most", its.most}})));
      ++loop;
    }
    const auto ns = static_cast<double>(run.launch_ns[l]);
    events.push_back(
        slice(stages_of(pipeline, plan.launches[l]), at, ns, about(pipeline, plan.launches[l])));
    at += ns;
  }
  return Json{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}}.dump(1) + "\n";
}

}  // namespace vyre
