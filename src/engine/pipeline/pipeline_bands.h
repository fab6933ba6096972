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

// A run with more launches than this is not recorded as a whole.
constexpr std::uint64_t kMostWholeLaunches = 1024;

// The bytes that a kernel may touch, by its slots; absent: they are not known.
using KernelReach = std::optional<std::vector<ReachedBytes>>;

// What a launch of a plan may touch, and what each of its stages may touch.
struct LaunchReach {
  KernelReach launch;
  std::vector<KernelReach> parts;
  bool operator==(const LaunchReach&) const = default;
};
using ReachOf = std::span<const std::shared_ptr<const LaunchReach>>;

LaunchReach reach_of(const ReadyPipeline& pipeline, const PlannedLaunch& launch,
                     const ContentsOf& contents_of);

// The number of launches in a run with all rounds of its loops; absent if the host looks at memory
// between them.
std::optional<std::uint64_t> launches_in_run(const ReadyPipeline& pipeline,
                                             const PipelinePlan& plan);

// Which launches of the plan the device runs in bands; empty: none.
std::vector<LaunchBands> plan_pipeline_bands(const ReadyPipeline& pipeline,
                                             const PipelinePlan& plan, RunsOf runs, ReachOf reach,
                                             const Device& device);

}  // namespace vyre
