// A run of a pipeline as one HTML page without references to anything else: the graph before and
// after fusion, bytes, a timeline, and for each launch the reason for its boundary and how it ran.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/engine/session.h"
#include "vyre/pipeline/pipeline_plan.h"
#include "vyre/pipeline/pipeline_plan_text.h"

namespace vyre {

struct PipelineRun {
  std::string command;  // as it was typed
  std::string device;
  std::uint64_t run_ns = 0;              // of the last run
  std::vector<std::uint64_t> launch_ns;  // of each launch on its own; empty: not measured
  std::uint64_t verified = 0;            // values that are the interpreter's; 0: not compared
  std::vector<std::vector<LaunchPlan>> runs{};         // what ran last for each launch
  std::vector<LaunchBands> bands{};                    // by launch
  std::vector<std::optional<FusionChoice>> choices{};  // by launch
  std::string played{};                                // how the last run was submitted
};

// "fused, 1.2 ms; as 3 stages 2.1 ms": which way a launch ran, with the times of both.
std::string choice_text(std::size_t stages, const FusionChoice& choice);

std::string pipeline_page(const ReadyPipeline& pipeline, const PipelinePlan& plan,
                          const PipelinePlan& separate, const PipelineRun& run);

}  // namespace vyre
