// The launches of a planned pipeline, with the memory that they bind.
#pragma once

#include <functional>

#include "vyre/engine/session.h"
#include "vyre/pipeline/pipeline_plan.h"

namespace vyre {

using PlaceOf = std::function<Buffer(std::size_t buffer)>;

std::vector<Binding> bindings_of(const std::vector<StageBinding>& bindings,
                                 const ReadyPipeline& pipeline, const PlaceOf& place);
FusedStages fused_stages(const PlannedLaunch& launch, const ReadyPipeline& pipeline,
                         const PlaceOf& place);
// The error with the place and the names of the stages of a launch.
std::unexpected<Error> in_launch(const PlannedLaunch& launch, const ReadyPipeline& pipeline,
                                 Error error);
// Whether this much of the free memory may be used for buffers that are needed only when the stages
// of a fused launch run one by one.
inline bool may_take(std::uint64_t bytes, std::uint64_t free) { return bytes <= free / 2; }

}  // namespace vyre
