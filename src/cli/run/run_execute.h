// Runs a planned launch on a device or the interpreter, once or many times.
#pragma once

#include <optional>

#include "vyre/cli/run/run_buffers.h"
#include "vyre/cli/run/run_record.h"
#include "vyre/engine/session.h"

namespace vyre {

// Whether the name means the interpreter.
bool is_interpreter(const std::string& device);

// The initial contents of the buffers that the kernel writes.
class InitialData {
 public:
  static Result<InitialData> of(const RunPlan& plan);

  // By the buffer's place in the plan; empty for one that the kernel only reads.
  std::span<std::byte> bytes(std::size_t buffer) { return copies_[buffer].span(); }
  void restore(RunPlan& plan) const;

 private:
  std::vector<ZeroedBytes> copies_;
};

// Opens the session that runs the kernel. It uses known decisions, and searches only if the mode
// says so.
Result<Session> open_session(const RunOptions& options);

// Both functions leave the results of one run on the planned data in the plan's buffers, and fail
// if a signal interrupts them. `initial` is needed for timing.
Result<RunRecord> run_on_device(const Session& session, const Kernel& kernel, RunPlan& plan,
                                const InitialData* initial, const RunOptions& options, Output& err);
Result<RunRecord> run_on_interpreter(const Kernel& kernel, RunPlan& plan,
                                     const InitialData* initial, const RunOptions& options);

// Runs the interpreter on the initial data, which then hold its results, and compares the plan's
// buffers with them.
Result<Verification> verify(const Kernel& kernel, RunPlan& plan, InitialData& initial,
                            const Tolerance& tolerance);

}  // namespace vyre
