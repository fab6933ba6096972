// Random pipelines over pictures: stages that read neighbours in the ways in which people write
// that, in place, upside down, over other extents, with counts, and with loops around some of them.
#pragma once

#include <cstdint>

#include "random_pipeline.h"

namespace vyre {

RandomPipeline random_stencils(std::uint64_t seed);

}  // namespace vyre
