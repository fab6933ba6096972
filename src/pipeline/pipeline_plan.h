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

// A stage of a fused launch, as it runs on its own.
struct PlannedPart {
  Kernel kernel;
  Extent extent{1, 1, 1};
  std::vector<StageBinding> bindings;
  std::vector<std::size_t> cleared;  // buffers that must hold zeros when it begins
};

struct PlannedLaunch {
  std::size_t first_stage = 0;
  std::size_t stage_count = 0;
  Kernel kernel;
  Extent extent{1, 1, 1};
  std::vector<StageBinding> bindings;
  std::optional<GridPlace> grid;     // instead of the extent
  std::string begins_because;        // why it is not one with the launch before
  std::vector<std::size_t> cleared;  // buffers that must hold zeros when it begins
  // Of a fused launch that may also run as its stages, whichever is faster: these stages. Empty:
  // the launch runs as it is.
  std::vector<PlannedPart> parts;
};

// Launches that run again and again.
struct PlannedLoop {
  std::size_t loop = 0;  // of the pipeline
  std::size_t first_launch = 0;
  std::size_t launch_count = 0;
  std::vector<std::size_t> cleared;  // buffers that must hold zeros when the first round begins
};

struct PlannedBuffer {
  BufferFate fate = BufferFate::memory;
  // The piece it lives in; none: it needs no memory. A buffer that changes places in loops begins
  // there.
  std::optional<std::size_t> memory;
  // Where `memory` is none: the piece it lives in while stages of a fused launch run on their own.
  std::optional<std::size_t> memory_apart;
};

struct PipelinePlan {
  std::vector<PlannedLaunch> launches;
  std::vector<PlannedLoop> loops;  // in the order of their launches
  std::vector<PlannedBuffer> buffers;
  std::vector<std::uint64_t> memory;  // bytes of each piece; buffers never alive together share one
  // More pieces, numbered after those of `memory`, which only stages that run on their own use.
  std::vector<std::uint64_t> memory_apart;
  std::string never_apart;            // why fused launches have no parts; empty: they may have
  std::uint64_t allocated_bytes = 0;  // of `memory`
  std::uint64_t saved_bytes = 0;      // of buffers that need no memory, or share it
  FusionPlan groups;                  // what bytes and host boundaries alone allow
};

// Fails when the memory does not fit the budget, with the bytes of each buffer.
Result<PipelinePlan> plan_pipeline(const ReadyPipeline& pipeline,
                                   const PipelinePlanOptions& options);

// Whether a group of buffers that change places stands in its first order at the start of each run:
// none of them keeps its contents.
bool begins_anew(const ReadyPipeline& pipeline, const SwapGroup& group);

}  // namespace vyre
