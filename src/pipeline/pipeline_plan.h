// Which stages of a pipeline become one launch, and which memory they use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/fuse/launch_fusion.h"
#include "vyre/pipeline/ready_pipeline.h"

namespace vyre {

struct PipelinePlanOptions {
  bool fuse = true;
  std::optional<std::uint64_t> memory_budget;  // of everything that is allocated
  FusionLimits limits;
};

struct PlannedLaunch {
  std::size_t first_stage = 0;
  std::size_t stage_count = 0;
  Kernel kernel;
  Extent extent{1, 1, 1};
  std::vector<StageBinding> bindings;
  std::string begins_because;        // why it is not one with the launch before
  std::vector<std::size_t> cleared;  // pieces of memory that must hold zeros when it begins
};

struct PlannedBuffer {
  BufferFate fate = BufferFate::memory;
  std::optional<std::size_t> memory;  // the piece it lives in; none: it needs no memory
};

struct PipelinePlan {
  std::vector<PlannedLaunch> launches;
  std::vector<PlannedBuffer> buffers;
  std::vector<std::uint64_t> memory;  // bytes of each piece; buffers never alive together share one
  std::uint64_t allocated_bytes = 0;
  std::uint64_t saved_bytes = 0;  // of buffers that need no memory, or share it
  FusionPlan groups;              // what bytes and host boundaries alone allow
};

// Fails when the memory does not fit the budget, with the bytes of each buffer.
Result<PipelinePlan> plan_pipeline(const ReadyPipeline& pipeline,
                                   const PipelinePlanOptions& options);

// "edges: 5 stages in 3 launches"
std::string headline(const ReadyPipeline& pipeline, const PipelinePlan& plan);
// The plan for people: launches with their stages, boundaries with their reasons, buffers.
std::string plan_text(const ReadyPipeline& pipeline, const PipelinePlan& plan);

}  // namespace vyre
