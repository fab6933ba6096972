// A planned pipeline as text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vyre/pipeline/pipeline_plan.h"
#include "vyre/plan/launch_plan.h"

namespace vyre {

// What became of a buffer: "passed on in registers; needs no memory".
std::string fate_text(const ReadyBuffer& buffer, const PlannedBuffer& plan);
// What runs on a device for each launch of a plan: itself, or its stages one after the other.
using RunsOf = std::span<const std::vector<LaunchPlan>>;
// Whether a launch runs in bands of rows together with its neighbours: the launches `first` to
// `last` of the plan, in `rounds` rounds of a loop. If it does not, `why_not` says why it does not
// follow the launch before it in bands; empty: no reason needs to be given.
struct LaunchBands {
  bool banded = false;
  std::size_t first = 0, last = 0;
  std::uint64_t rounds = 1;
  std::uint64_t rows = 0;     // invocations along the slowest axis of the first launch in one band
  std::uint64_t regions = 0;  // parts that threads run at once
  std::string why_not{};
};
// One for each launch of the plan; empty: the device runs launches one after the other.
using BandsOf = std::span<const LaunchBands>;

// "in bands of 16 rows with launches 1 to 3; 8 regions", or why not; empty: nothing is to be said.
std::string bands_text(const LaunchBands& bands);
// What a device runs for one launch of the plan, line by line.
std::vector<std::string> runs_text(const std::vector<LaunchPlan>& runs);

// "edges: 5 stages in 3 launches". If `runs` is empty, no device is known, and the launches of the
// plan are counted.
std::string headline(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs = {});
// The plan for people: launches with their stages and what runs for them, boundaries with their
// reasons, buffers.
std::string plan_text(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs = {},
                      BandsOf bands = {});
// The same as a JSON object.
std::string plan_json(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs = {},
                      BandsOf bands = {});

}  // namespace vyre
