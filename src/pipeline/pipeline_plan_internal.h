// The two steps of plan_pipeline, and what they share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>

#include "vyre/pipeline/pipeline_plan.h"

namespace vyre {

// The first and the last stage, or launch, that uses a buffer.
struct BufferLife {
  std::size_t first = SIZE_MAX;
  std::size_t last = 0;
  void add(std::size_t user) {
    first = std::min(first, user);
    last = std::max(last, user);
  }
  bool used() const { return first != SIZE_MAX; }
};

// The buffers that a loop itself clears, tests and exchanges.
std::set<std::size_t> used_beside_stages(const ReadyLoop& loop);

// Whether a kernel, bound like this, writes all of a buffer and reads nothing of its old contents.
bool overwrites_all(const ReadyPipeline& pipeline, const PipelinePlanOptions& options,
                    const Kernel& kernel, const Extent& extent,
                    std::span<const StageBinding> bindings, std::size_t buffer);

// pipeline_launches.cc: which stages become one launch, and the launches of each loop. The plan has
// no memory yet.
Result<PipelinePlan> divide_into_launches(const ReadyPipeline& pipeline,
                                          const PipelinePlanOptions& options);

// pipeline_memory.cc: gives the buffers of the plan their memory, and says what must be cleared and
// when. Fails if the memory does not fit into the budget.
Result<void> assign_memory(const ReadyPipeline& pipeline, const PipelinePlanOptions& options,
                           PipelinePlan& plan);

}  // namespace vyre
