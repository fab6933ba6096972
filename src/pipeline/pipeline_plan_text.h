// A planned pipeline as text.
#pragma once

#include <string>

#include "vyre/pipeline/pipeline_plan.h"

namespace vyre {

// What became of a buffer: "passed on in registers; needs no memory".
std::string fate_text(const ReadyBuffer& buffer, const PlannedBuffer& plan);
// "edges: 5 stages in 3 launches"
std::string headline(const ReadyPipeline& pipeline, const PipelinePlan& plan);
// The plan for people: launches with their stages, boundaries with their reasons, buffers.
std::string plan_text(const ReadyPipeline& pipeline, const PipelinePlan& plan);
// The same as a JSON object.
std::string plan_json(const ReadyPipeline& pipeline, const PipelinePlan& plan);

}  // namespace vyre
