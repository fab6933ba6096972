// Launches the engine's kernels: a pool of workers for each, with their control words.
#pragma once

#include <array>
#include <map>
#include <utility>
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

// For tests: from now on, graphs and graph programs that are prepared for the CPU use the kernels
// that are made for GPUs.
void use_groups_on_host(bool use);

// Every program that is prepared for a graph has one. One thread at a time may use it.
class FrontierWorkers {
 public:
  // `bindings` are those of all kernels; each takes what it uses.
  static Result<FrontierWorkers> make(const Session& session, FrontierCode& code,
                                      std::uint32_t workers);

  std::vector<Binding> bindings{};
  std::array<std::uint32_t, control::kWords> words{};  // the host's copy of the control words

  std::uint32_t most_workers() const { return workers_; }
  std::uint32_t lanes() const { return lanes_; }
  bool in_groups() const { return lanes_ != 1; }        // workers are workgroups
  std::uint32_t crowd() const { return crowd_; }        // workgroups that may wait for each other
  std::uint32_t prepared() const { return prepared_; }  // launches that were made ready so far
  std::uint64_t bytes() const { return control_.size() + inputs_.size(); }

  // Clears what an earlier run may have left.
  Result<void> begin_run();
  // Clears the words that the kernels of the round before have written.
  void begin_round();
  // Workgroups may still run when it returns; a single worker has ended.
  Result<void> launch(FrontierKernel kernel, const FrontierWork& work, const RunLimits& limits);
  // Runs the kernel `crowd`, after which the words are as at the beginning of a run. False: the
  // device runs not even two workgroups that wait for each other, and nothing has run.
  Result<bool> launch_crowd(std::uint32_t count, const RunLimits& limits);
  // The workers of the largest launch since the last call.
  std::uint32_t take_launched() { return std::exchange(launched_, 0U); }
  // Waits until all launches have ended; the words hold what those of this round left.
  Result<void> fetch();

 private:
  FrontierWorkers(Session session, FrontierCode& code)
      : session_(std::move(session)), code_(&code) {}
  Result<const Dispatch*> dispatch(FrontierKernel kernel, std::uint32_t workers,
                                   const RunLimits& limits);
  Result<void> try_crowd(std::uint32_t count, const RunLimits& limits);
  Result<void> launch_groups(const Dispatch& dispatch, const RunLimits& limits);

  Session session_;
  FrontierCode* code_;
  std::uint32_t workers_ = 1, lanes_ = 1, solo_lanes_ = 1, crowd_lanes_ = 1, crowd_ = 0;
  std::uint32_t prepared_ = 0, launched_ = 0;
  std::uint32_t bank_ = 0;
  bool bank_used_ = false;
  bool on_host_ = false;
  Buffer control_, inputs_;
  std::map<std::pair<FrontierKernel, std::uint32_t>, Dispatch> dispatches_;  // by workgroups
};

// The number of workers that keep the device busy.
Result<std::uint32_t> device_workers(const Session& session);

}  // namespace vyre
