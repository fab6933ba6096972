// Random pipelines: random chains of kernels with loops around some of them, buffers that change
// places, grids in buffers, and stages that the host waits for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vyre/pipeline/pipeline.h"

namespace vyre {

struct RandomPipeline {
  Pipeline pipeline;
  std::string text;  // of the whole, for messages
  // Contents that uniforms get after each run, one after the other, in turns.
  std::vector<std::pair<std::string, std::vector<std::byte>>> changes = {};
};

RandomPipeline random_pipeline(std::uint64_t seed);

}  // namespace vyre
