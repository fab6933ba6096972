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
// Fails where its memory is more than the budget, or more than there is and needed.
enum class NeedsMemory : std::uint8_t { no, yes };
Result<std::shared_ptr<const PipelinePlan>> plan_loaded(
    const ReadyPipeline& pipeline, bool fuse, const RunOptions& options,
    NeedsMemory needs_memory = NeedsMemory::yes);
RunLimits pipeline_limits(const RunOptions& options);
// What the buffers hold after this number of runs when the interpreter runs one stage after the
// other.
Result<PipelineMemory> interpret_stages(const ReadyPipeline& pipeline, std::uint64_t runs);
// Compares the buffers that have a sink. Fails where values differ, and says the first.
Result<std::uint64_t> compare_with(const PipelineMemory& expected, const ReadyPipeline& pipeline,
                                   const std::vector<std::vector<std::byte>>& found,
                                   const RunOptions& options);

}  // namespace vyre
