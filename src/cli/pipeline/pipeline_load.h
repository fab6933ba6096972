// A pipeline of the command line, checked and planned.
#pragma once

#include <memory>

#include "vyre/cli/run/run.h"
#include "vyre/engine/pipeline/prepared_pipeline.h"
#include "vyre/pipeline/interpret_pipeline.h"

namespace vyre {

// The pipeline of the file, with the data, dims and outputs that the options name. Warnings about
// its WGSL files go to the error stream.
Result<std::shared_ptr<const ReadyPipeline>> load_pipeline(const RunOptions& options,
                                                           Streams& streams);
// Plans the pipeline. Fails if its memory exceeds the budget, or if it is needed and exceeds the
// free memory.
enum class NeedsMemory : std::uint8_t { no, yes };
Result<std::shared_ptr<const PipelinePlan>> plan_loaded(
    const ReadyPipeline& pipeline, bool fuse, const RunOptions& options,
    NeedsMemory needs_memory = NeedsMemory::yes);
RunLimits pipeline_limits(const RunOptions& options);
// What the buffers hold after this number of runs when the interpreter runs one stage after the
// other.
Result<PipelineMemory> interpret_stages(const ReadyPipeline& pipeline, std::uint64_t runs);
// Compares the buffers that have a sink, and returns the number of values. If values differ, the
// error names the first one.
Result<std::uint64_t> compare_with(const PipelineMemory& expected, const ReadyPipeline& pipeline,
                                   const std::vector<std::vector<std::byte>>& found,
                                   const RunOptions& options);

}  // namespace vyre
