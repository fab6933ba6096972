// A planned pipeline as text.
#pragma once

#include <string>

#include "vyre/pipeline/pipeline_plan.h"

namespace vyre {

// "edges: 5 stages in 3 launches"
std::string headline(const ReadyPipeline& pipeline, const PipelinePlan& plan);
// The plan for people: launches with their stages, boundaries with their reasons, buffers.
std::string plan_text(const ReadyPipeline& pipeline, const PipelinePlan& plan);
// The same as a JSON object.
std::string plan_json(const ReadyPipeline& pipeline, const PipelinePlan& plan);

}  // namespace vyre
