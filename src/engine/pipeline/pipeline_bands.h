// Which launches of a pipeline a device may run a band of rows at a time, because what they touch
// along the rows is known.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vyre/device/device.h"
#include "vyre/pipeline/launch_facts.h"
#include "vyre/pipeline/pipeline_plan.h"
#include "vyre/pipeline/pipeline_plan_text.h"

namespace vyre {

constexpr std::uint64_t kMostWholeLaunches = 1024;  // of a run that is recorded as a whole

// By slot of the kernel; absent: not known.
using KernelReach = std::optional<std::vector<ReachedBytes>>;

// What a launch of a plan may touch, and each of its parts.
struct LaunchReach {
  KernelReach launch;
  std::vector<KernelReach> parts;
  bool operator==(const LaunchReach&) const = default;
};
using ReachOf = std::span<const std::shared_ptr<const LaunchReach>>;

LaunchReach reach_of(const ReadyPipeline& pipeline, const PlannedLaunch& launch,
                     const ContentsOf& contents_of);

// The number of launches in a run with all rounds of its loops. Absent: the host looks at something
// between them.
std::optional<std::uint64_t> launches_in_run(const ReadyPipeline& pipeline,
                                             const PipelinePlan& plan);

// Of the launches that a device runs for the plan. Empty: it has no bands.
std::vector<LaunchBands> plan_pipeline_bands(const ReadyPipeline& pipeline,
                                             const PipelinePlan& plan, RunsOf runs, ReachOf reach,
                                             const Device& device);

}  // namespace vyre
