#include "vyre/engine/prepared_pipeline.h"

#include <utility>

namespace vyre {

Result<PreparedPipeline> PreparedPipeline::make(const Session& session,
                                                const ReadyPipeline& pipeline,
                                                const PipelinePlan& plan) {
  PreparedPipeline out(session);
  for (const std::uint64_t bytes : plan.memory) {
    VYRE_TRY(Buffer memory, session.buffer(bytes));
    out.memory_.push_back(std::move(memory));
  }
  for (std::size_t b = 0; b < pipeline.buffers.size(); ++b) {
    const ReadyBuffer& buffer = pipeline.buffers[b];
    out.memory_of_.push_back(plan.buffers[b].memory);
    if (!plan.buffers[b].memory || buffer.starts_empty()) continue;
    const Buffer& memory = out.memory_[*plan.buffers[b].memory];
    if (buffer.uniform) {
      VYRE_CHECK(session.write(memory, 0, buffer.contents));
      continue;
    }
    if (memory.host() != nullptr) {
      const std::span bytes(memory.host(), buffer.bytes);
      VYRE_CHECK(put_data(*buffer.source, buffer.data(), buffer.opened, bytes));
      continue;
    }
    std::vector<std::byte> bytes(buffer.bytes);
    VYRE_CHECK(put_data(*buffer.source, buffer.data(), buffer.opened, bytes));
    VYRE_CHECK(session.write(memory, 0, bytes));
  }
  for (const PlannedLaunch& launch : plan.launches) {
    Step& step = out.steps_.emplace_back();
    for (const std::size_t piece : launch.cleared) step.cleared.push_back(out.memory_[piece]);
    std::vector<Binding> bindings;
    for (const StageBinding& b : launch.bindings) {
      bindings.push_back({b.group, b.binding, out.memory_[*plan.buffers[b.buffer].memory], 0,
                          pipeline.buffers[b.buffer].bytes});
    }
    VYRE_TRY(step.dispatch,
             session.prepare(launch.kernel, bindings, DispatchSize::extent(launch.extent)));
  }
  return out;
}

Result<void> PreparedPipeline::run(const RunLimits& limits) const {
  for (const Step& step : steps_) {
    for (const Buffer& memory : step.cleared) VYRE_CHECK(session_.clear(memory));
    VYRE_CHECK(session_.submit(step.dispatch, limits));
  }
  return session_.wait();
}

Result<void> PreparedPipeline::read(std::size_t buffer, std::span<std::byte> bytes) const {
  return session_.read(memory_[*memory_of_[buffer]], 0, bytes);
}

}  // namespace vyre
