// Compiles candidates beside the calls of a program and has the device load them, as far as the
// ledger of their search allows.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vyre/base/process/fork_watch.h"
#include "vyre/engine/code/compilers_internal.h"
#include "vyre/engine/tuned/tuned_kernel_internal.h"

namespace vyre {

class CandidateMaker {
 public:
  // `options` must live as long as this object.
  CandidateMaker(const TuningOptions& options, std::shared_ptr<Device> device,
                 std::shared_ptr<Queue> queue, std::shared_ptr<CodeStore> codes);

  // Compiles what serves first. If that fails, the declared variant serves.
  Result<void> make_first(TunedKernel& kernel, const WorkLimits& limits);
  // Compiles a candidate while this thread waits. If that fails, the candidate is dropped from the
  // search, unless memory or the limits were the reason.
  Result<void> make_now(TunedKernel& kernel, std::uint32_t candidate,
                        const WorkLimits& limits = {});
  // Compiles the candidates of `to_make` in the background, as far as the ledger allows.
  void make_later(const std::shared_ptr<TunedKernel>& kernel);
  // Allocates shadows in the background, because large ones take as long as many short calls.
  void make_shadows_later(const std::shared_ptr<TunedKernel>& kernel,
                          std::vector<std::uint64_t> bytes);
  // Null until they are compiled and loaded.
  std::shared_ptr<const CompareTools> compare_tools();
  // Code that the device can launch.
  Result<FoundCode> find_code(const Kernel& kernel, const Variant& variant,
                              const CodeOptions& options, const WorkLimits& limits);

  bool compiles() const { return compilers_.busy(); }
  void wait_for_compilers() { compilers_.wait(); }
  unsigned threads() const { return compilers_.count(); }

 private:
  Result<void> check_spills(const TunedKernel& kernel, std::uint32_t index,
                            const WorkLimits& limits);
  void compile_next(const std::shared_ptr<TunedKernel>& kernel);
  void compile_all_and_load(const std::shared_ptr<TunedKernel>& kernel);
  bool load_next(TunedKernel& kernel, bool idle);
  static void leave_unmade(TunedKernel& kernel);

  const TuningOptions& options_;
  std::shared_ptr<Device> device_;
  const LaunchCosts costs_;
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<CodeStore> codes_;
  std::atomic<bool> tools_asked_{false}, tools_ready_{false};
  std::shared_ptr<Queue> aside_;  // of the tools; null: they make their own
  ForkSafeMutex tools_mutex_{HeldFor::work};
  std::uint32_t tools_looks_ = 0;
  std::shared_ptr<const CompareTools> tools_;
  Compilers compilers_;  // last: its threads use the rest
};

}  // namespace vyre
