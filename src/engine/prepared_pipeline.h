// A pipeline on a device: memory, code and launches are ready. Run it again and again.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vyre/engine/session.h"
#include "vyre/pipeline/pipeline_plan.h"

namespace vyre {

class PreparedPipeline {
 public:
  // Allocates memory, writes sources and uniforms, and compiles. Plans as `plan` says.
  static Result<PreparedPipeline> make(const Session& session, const ReadyPipeline& pipeline,
                                       const PipelinePlan& plan);

  // Returns when the last launch has ended. Buffers without a source begin with zeros.
  Result<void> run(const RunLimits& limits = {}) const;
  // Of buffers that have memory at the end: those with a source or a sink.
  Result<void> read(std::size_t buffer, std::span<std::byte> bytes) const;

 private:
  struct Step {
    std::vector<Buffer> cleared;
    Dispatch dispatch;
  };
  explicit PreparedPipeline(Session session) : session_(std::move(session)) {}

  Session session_;
  std::vector<Buffer> memory_;
  std::vector<std::optional<std::size_t>> memory_of_;  // by buffer
  std::vector<Step> steps_;
};

}  // namespace vyre
