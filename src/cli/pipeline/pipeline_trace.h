// A run of a pipeline as a trace for ui.perfetto.dev: its launches one after the other, each with
// the time it takes on its own; the launches of a loop are shown once, inside of the loop.
#pragma once

#include <string>

#include "vyre/cli/pipeline/pipeline_page.h"

namespace vyre {

std::string pipeline_trace(const ReadyPipeline& pipeline, const PipelinePlan& plan,
                           const PipelineRun& run);

}  // namespace vyre
