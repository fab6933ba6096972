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

// "edges: 5 stages in 3 launches". Without `runs` no device is known, and the plan's launches
// count.
std::string headline(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs = {});
// The plan for people: launches with their stages and what runs for them, boundaries with their
// reasons, buffers.
std::string plan_text(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs = {});
// The same as a JSON object.
std::string plan_json(const ReadyPipeline& pipeline, const PipelinePlan& plan, RunsOf runs = {});

}  // namespace vyre
