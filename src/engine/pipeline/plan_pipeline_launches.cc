// What a pipeline would launch first, planned as if its memory were there.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "vyre/engine/pipeline/stage_launches_internal.h"
#include "vyre/engine/tuned/tuned_kernel_internal.h"

namespace vyre {
namespace {

constexpr std::uint64_t kFirstAddress = std::uint64_t{1} << 20U;
constexpr std::uint64_t kAlignment = 4096;

}  // namespace

std::vector<Binding> bindings_of(const std::vector<StageBinding>& bindings,
                                 const ReadyPipeline& pipeline, const PlaceOf& place) {
  std::vector<Binding> out;
  for (const StageBinding& b : bindings) {
    out.push_back({b.group, b.binding, place(b.buffer), 0, pipeline.buffers[b.buffer].bytes});
  }
  return out;
}

FusedStages fused_stages(const PlannedLaunch& launch, const ReadyPipeline& pipeline,
                         const PlaceOf& place) {
  const auto stage_launch = [&](const auto& planned) {
    StageLaunch out{.kernel = planned.kernel,
                    .bindings = bindings_of(planned.bindings, pipeline, place),
                    .extent = planned.extent};
    for (const std::size_t b : planned.cleared) out.cleared.push_back(place(b));
    return out;
  };
  FusedStages out{.fused = stage_launch(launch), .parts = {}};
  for (const PlannedPart& part : launch.parts) out.parts.push_back(stage_launch(part));
  return out;
}

std::unexpected<Error> in_launch(const PlannedLaunch& launch, const ReadyPipeline& pipeline,
                                 Error error) {
  const ReadyStage& first = pipeline.stages[launch.first_stage];
  const ReadyStage& last = pipeline.stages[launch.first_stage + launch.stage_count - 1];
  error.what = launch.stage_count == 1
                   ? fmt::format("{}: stage '{}': {}", first.place, first.name, error.what)
                   : fmt::format("{}: stages '{}' to '{}': {}", first.place, first.name, last.name,
                                 error.what);
  return std::unexpected(std::move(error));
}

// A buffer that is never read or written: only its size and its address matter.
Buffer Session::stand_in(std::uint64_t address, std::uint64_t bytes) const {
  Buffer out;
  out.memory_ = {.address = address, .bytes = bytes, .host = nullptr, .owner = nullptr};
  out.device_ = device_;
  if (!on_host_ && bytes != 0 && bytes <= HostCopy::kMost) {
    out.copy_ = std::make_shared<HostCopy>(bytes);
  }
  return out;
}

Result<std::vector<std::vector<LaunchPlan>>> Session::plan(const ReadyPipeline& pipeline,
                                                           const PipelinePlan& plan,
                                                           const RunLimits& limits) const {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Buffer> memory;
  std::uint64_t address = kFirstAddress;
  const auto add = [&](std::uint64_t bytes) {
    memory.push_back(stand_in(address, bytes));
    address += (bytes / kAlignment + 1) * kAlignment;
  };
  for (const std::uint64_t bytes : plan.memory) add(bytes);
  for (const std::uint64_t bytes : plan.memory_apart) add(bytes);
  const auto place = [&](std::size_t b) -> Buffer {
    const PlannedBuffer& buffer = plan.buffers[b];
    const auto& piece = buffer.memory ? buffer.memory : buffer.memory_apart;
    return piece ? memory[*piece] : Buffer();
  };
  VYRE_TRY(const MemoryInfo info, device_->memory_info());
  std::uint64_t free = info.free - std::min(info.free, plan.allocated_bytes);
  std::vector<bool> taken(memory.size());
  // Counts the memory that the stages of a launch need; false: it does not fit.
  const auto take_apart = [&](const PlannedLaunch& launch) {
    for (const PlannedPart& part : launch.parts) {
      for (const StageBinding& b : part.bindings) {
        const auto piece = plan.buffers[b.buffer].memory_apart;
        if (!piece || taken[*piece]) continue;
        if (!may_take(memory[*piece].size(), free)) return false;
        taken[*piece] = true;
        free -= memory[*piece].size();
      }
    }
    return true;
  };
  std::vector<std::vector<LaunchPlan>> out;
  for (const PlannedLaunch& launch : plan.launches) {
    if (!launch.parts.empty()) {
      const FusedStages stages = fused_stages(launch, pipeline, place);
      const bool apart = may_run_apart(stages) && take_apart(launch);
      auto planned = this->plan(stages, apart, limits.counted_from(begin));
      if (!planned) return in_launch(launch, pipeline, planned.error());
      out.push_back(*std::move(planned));
      continue;
    }
    const auto bytes = bytes_of(bindings_of(launch.bindings, pipeline, place));
    const auto planned =
        launch.grid ? plan_indirect(launch.kernel, bytes)
                    : this->plan(launch.kernel, bytes, DispatchSize::extent(launch.extent));
    if (!planned) return in_launch(launch, pipeline, planned.error());
    out.push_back({*planned});
  }
  return out;
}

}  // namespace vyre
