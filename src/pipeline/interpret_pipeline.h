// A pipeline in the reference interpreter: one stage after the other, nothing fused.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "vyre/pipeline/ready_pipeline.h"

namespace vyre {

// The bytes of each buffer of the pipeline.
using PipelineMemory = std::vector<std::vector<std::byte>>;

// What the buffers hold before the first run: sources, uniforms, zeros.
Result<PipelineMemory> first_memory(const ReadyPipeline& pipeline);
// One run. Buffers that neither a source nor the caller fills begin with zeros.
Result<void> interpret_pipeline(const ReadyPipeline& pipeline, PipelineMemory& memory,
                                const std::function<bool()>& cancelled = {});

}  // namespace vyre
