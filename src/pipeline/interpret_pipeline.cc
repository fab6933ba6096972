#include "vyre/pipeline/interpret_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "vyre/ir/interpret/interpret.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/launch_request.h"

namespace vyre {
namespace {

class Run {
 public:
  Run(const ReadyPipeline& pipeline, PipelineMemory& memory, const std::function<bool()>& cancelled)
      : pipeline_(pipeline), memory_(memory) {
    limits_.cancelled = cancelled;
  }

  Result<void> all() {
    for (std::size_t b = 0; b < memory_.size(); ++b) {
      if (pipeline_.buffers[b].starts_empty()) clear(b);
    }
    for (std::size_t s = 0; s < pipeline_.stages.size();) {
      const ReadyStage& stage = pipeline_.stages[s];
      if (!stage.loop) {
        VYRE_CHECK(run(stage));
        ++s;
        continue;
      }
      const ReadyLoop& its = pipeline_.loops[*stage.loop];
      VYRE_CHECK(loop(its));
      s += its.stage_count;
    }
    return {};
  }

 private:
  void clear(std::size_t buffer) { std::ranges::fill(memory_[buffer], std::byte{0}); }

  Result<void> loop(const ReadyLoop& loop) {
    for (std::uint64_t round = 0; round < loop.most; ++round) {
      for (const std::size_t b : loop.clear) clear(b);
      for (std::size_t s = loop.first_stage; s < loop.first_stage + loop.stage_count; ++s) {
        if (limits_.cancelled && limits_.cancelled()) return fail(Code::device, "interrupted");
        VYRE_CHECK(run(pipeline_.stages[s]));
      }
      const bool over =
          loop.until &&
          loop.until->holds(std::span(memory_[loop.until->buffer]).subspan(loop.until->offset));
      for (const auto& [a, b] : loop.swap) std::swap(memory_[a], memory_[b]);
      if (over) break;
    }
    return {};
  }

  Result<void> run(const ReadyStage& stage) {
    std::vector<BoundBuffer> bound;
    for (const StageBinding& b : stage.bindings) {
      bound.push_back({b.group, b.binding, memory_[b.buffer]});
    }
    const Extent& workgroup = stage.kernel.program->workgroup;
    LaunchShape shape{.extent = stage.extent};
    if (stage.grid) {
      std::memcpy(shape.grid.data(), memory_[stage.grid->buffer].data() + stage.grid->offset,
                  kGridBytes);
      if (std::ranges::count(shape.grid, 0U) != 0) return {};
      const auto extent = extent_in(DispatchSize::workgroups(shape.grid), workgroup);
      if (!extent) {
        return fail(Code::limit, fmt::format("stage '{}': {}", stage.name, extent.error().what));
      }
      shape.extent = *extent;
    } else {
      shape.grid = grid_covering(stage.extent, workgroup);
    }
    VYRE_CHECK(interpret(stage.kernel, bound, shape, limits_));
    return {};
  }

  const ReadyPipeline& pipeline_;
  PipelineMemory& memory_;
  InterpretOptions limits_;
};

}  // namespace

Result<PipelineMemory> first_memory(const ReadyPipeline& pipeline) {
  PipelineMemory memory;
  for (const ReadyBuffer& b : pipeline.buffers) {
    std::vector<std::byte>& bytes = memory.emplace_back(b.bytes);
    if (b.uniform) bytes = b.contents;
    if (b.source) VYRE_CHECK(put_data(*b.source, b.data(), b.opened, bytes));
  }
  return memory;
}

Result<void> interpret_pipeline(const ReadyPipeline& pipeline, PipelineMemory& memory,
                                const std::function<bool()>& cancelled) {
  return Run(pipeline, memory, cancelled).all();
}

}  // namespace vyre
