// Which stages of a pipeline become one launch, and which memory they use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/fuse/launch_fusion.h"
#include "vyre/pipeline/ready_pipeline.h"

namespace vyre {

struct PipelinePlanOptions {
  bool fuse = true;
  std::optional<std::uint64_t> memory_budget;  // the most bytes that may be allocated
  FusionLimits limits;
  // Contents of uniforms that replace those of the pipeline. Empty contents mean that they are not
  // known: the plan is then right whatever the uniform holds.
  std::vector<std::pair<std::size_t, std::vector<std::byte>>> uniforms{};
  // Whether a device may run neighbouring launches a band of rows at a time.
  bool bands = true;

  // The contents of a uniform on which a plan with these options may rely; empty: none.
  std::span<const std::byte> contents_of(const ReadyPipeline& pipeline, std::size_t buffer) const;
};

// Why a launch is not fused with the launch before it.
enum class LaunchBoundary : std::uint8_t {
  first_launch,
  fusion_off,
  host_looks,  // the host may read what earlier launches wrote
  loop_begins,
  loop_ends,
  grid_computed,    // the grid of one of them is in a buffer
  over_budget,      // the bytes of the stages together are more than the budget
  too_many_stages,  // of one launch
  not_fusable,      // the programs cannot be fused: `refusal` says why
};
std::string_view to_string(LaunchBoundary boundary);

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
  std::optional<GridPlace> grid;  // instead of the extent
  LaunchBoundary boundary = LaunchBoundary::first_launch;
  std::optional<RefusalReason> refusal;
  std::string begins_because;        // the boundary as a sentence
  std::vector<std::size_t> cleared;  // buffers that must hold zeros when it begins
  // The stages of a fused launch that may also run one by one, whichever is faster. Empty: only the
  // launch itself can run.
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
  // The piece of memory that holds the buffer; none: it needs no memory. A buffer that changes
  // places in loops begins there.
  std::optional<std::size_t> memory;
  // If `memory` is none: the piece that holds the buffer when the stages of a fused launch run one
  // by one.
  std::optional<std::size_t> memory_apart;
};

struct PipelinePlan {
  std::vector<PlannedLaunch> launches;
  std::vector<PlannedLoop> loops;  // in the order of their launches
  std::vector<PlannedBuffer> buffers;
  std::vector<std::uint64_t> memory;  // bytes of each piece; buffers never alive together share one
  // More pieces, numbered after those of `memory`, that are used only when stages of fused launches
  // run one by one.
  std::vector<std::uint64_t> memory_apart;
  std::string never_apart;            // why no fused launch has parts; empty: some may have them
  std::uint64_t allocated_bytes = 0;  // of `memory`
  std::uint64_t saved_bytes = 0;      // of buffers that need no memory, or share it
  FusionPlan groups;                  // what bytes and host boundaries alone would allow
  PipelinePlanOptions made_with;
};

// Fails when the memory does not fit the budget, with the bytes of each buffer.
Result<PipelinePlan> plan_pipeline(const ReadyPipeline& pipeline,
                                   const PipelinePlanOptions& options);

// Whether the plan would be another one if the contents of these uniforms were not known. If not,
// the plan is right whatever they hold. (If a guard holds because of either of two uniforms, the
// plan relies on neither of them alone, but on both together.)
bool relies_on(const ReadyPipeline& pipeline, const PipelinePlan& plan,
               std::span<const std::size_t> uniforms);

// Whether two plans of one pipeline launch the same kernels on the same memory.
bool is_same_work(const PipelinePlan& a, const PipelinePlan& b);

// The bytes of the buffers that the launches bind, summed over all launches and all rounds of
// loops. A loop with a condition counts with its largest number of rounds.
std::uint64_t bytes_bound(const ReadyPipeline& pipeline, const PipelinePlan& plan);

// "x 4000, y 400": the bytes of each buffer that has memory.
std::string bytes_of_each(const ReadyPipeline& pipeline, const PipelinePlan& plan);

// Whether a group of buffers that change places is in its first order at the start of each run,
// because none of them keeps its contents.
bool begins_anew(const ReadyPipeline& pipeline, const SwapGroup& group);

}  // namespace vyre
