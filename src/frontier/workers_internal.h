// Launches the engine's kernels: a pool of workers for each, with their control words.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "vyre/engine/session.h"
#include "vyre/frontier/code_internal.h"

namespace vyre {

// What a launch works on: `count` things, of which a worker takes at most `most` at a time.
struct FrontierWork {
  std::uint32_t count = 0;
  std::uint32_t most = 64;
  std::uint32_t workers = 1;
};

// One for a program that is prepared for a graph. For one thread at a time.
class FrontierWorkers {
 public:
  // `bindings` are those of all kernels; each takes what it uses.
  static Result<FrontierWorkers> make(const Session& session, FrontierCode& code,
                                      std::uint32_t workers);

  std::vector<Binding> bindings{};
  std::array<std::uint32_t, control::kWords> words{};  // the host's copy of the control buffer

  std::uint32_t most_workers() const { return workers_; }
  std::uint32_t lanes() const { return lanes_; }
  std::uint32_t prepared() const { return prepared_; }  // launches that were made ready so far
  Buffer control() const { return control_; }

  // Forgets what the kernels of the round before left in the words.
  void begin_round();
  // Returns when the launch has ended; the words hold what it left.
  Result<void> launch(FrontierKernel kernel, const FrontierWork& work, const RunLimits& limits);

 private:
  FrontierWorkers(Session session, FrontierCode& code)
      : session_(std::move(session)), code_(&code) {}
  Result<const Dispatch*> dispatch(FrontierKernel kernel, bool alone, const RunLimits& limits);

  Session session_;
  FrontierCode* code_;
  std::uint32_t workers_ = 1, lanes_ = 1, prepared_ = 0;
  bool on_host_ = false;
  Buffer control_;
  std::array<std::array<std::optional<Dispatch>, 2>, kFrontierKernels> dispatches_;
};

// The number of workgroups that the device runs at once.
Result<std::uint32_t> device_workers(const Session& session);

}  // namespace vyre
