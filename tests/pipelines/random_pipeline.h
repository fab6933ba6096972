// Random pipelines: random chains of kernels with loops around some of them, buffers that change
// places, grids in buffers, and stages that the host waits for.
#pragma once

#include <cstdint>
#include <string>

#include "vyre/pipeline/pipeline.h"

namespace vyre {

struct RandomPipeline {
  Pipeline pipeline;
  std::string text;  // of the whole, for messages
};

RandomPipeline random_pipeline(std::uint64_t seed);

}  // namespace vyre
