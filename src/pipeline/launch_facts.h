// Facts about a launch of a pipeline that are known before it runs.
#pragma once

#include <functional>
#include <span>

#include "vyre/ir/access/accesses.h"
#include "vyre/pipeline/ready_pipeline.h"

namespace vyre {

// The contents of a uniform; empty: not known.
using ContentsOf = std::function<std::span<const std::byte>(std::size_t buffer)>;

LaunchFacts launch_facts(const ReadyPipeline& pipeline, const Program& program,
                         const Extent& extent, std::span<const StageBinding> bindings,
                         const ContentsOf& contents_of);

// What is bound to a variable of a program; null if the variable is not a buffer, or if nothing is
// bound to it.
const StageBinding* binding_of(const Global& global, std::span<const StageBinding> bindings);

}  // namespace vyre
