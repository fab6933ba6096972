// A run of a pipeline as one HTML page without references to anything else: the graph before and
// after fusion, bytes, a timeline, and the reason for each boundary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vyre/pipeline/pipeline_plan.h"

namespace vyre {

struct PipelineRun {
  std::string command;  // as it was typed
  std::string device;
  std::uint64_t run_ns = 0;              // of the last run
  std::vector<std::uint64_t> launch_ns;  // of each launch on its own; empty: not measured
  std::uint64_t verified = 0;            // values that are the interpreter's; 0: not compared
};

std::string pipeline_page(const ReadyPipeline& pipeline, const PipelinePlan& plan,
                          const PipelinePlan& separate, const PipelineRun& run);

}  // namespace vyre
