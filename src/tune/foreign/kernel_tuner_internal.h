// The implementation of KernelTuner.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/base/process/fork_watch.h"
#include "vyre/tune/foreign/kernel_sweep_internal.h"
#include "vyre/tune/foreign/kernel_tuner.h"
#include "vyre/tune/online/online_tuner.h"

namespace vyre {

// Timed calls that were not reported yet. Ids are unique in a process, so that a call of another
// tuner is detected. If there are too many, the oldest is given up.
class PendingCalls {
 public:
  struct Entry {
    std::uint64_t id = 0;  // 0: the place is free
    OnlineStep step{};
    bool of_sweep = false;
  };

  // The id of the new call, and the call that was given up for it.
  std::pair<std::uint64_t, std::optional<Entry>> add(const OnlineStep& step, bool of_sweep);
  std::optional<Entry> take(std::uint64_t id);

 private:
  static constexpr std::size_t kPlaces = 1024;
  ForkSafeMutex mutex_;
  std::vector<Entry> places_;  // made with the first call
};

struct KernelTuner::State {
  TuningKey key;
  std::vector<Configuration> candidates;
  std::vector<double> expected_ns;
  std::uint32_t start = 0;
  TunerMode mode = kProductionMode;
  OnlineOptions online_options;
  std::shared_ptr<EvidenceStore> store;  // null: nothing is kept
  std::optional<Error> not_remembered;   // why the store is null

  // Made by the first next(), because the verifier is set after open(); constant from then on.
  std::atomic<bool> started = false;
  ForkSafeMutex start_mutex;
  Verifier verifier;
  std::unique_ptr<OnlineTuner> online;
  enum class Standing : std::uint8_t { unknown, right, out };
  std::unique_ptr<std::atomic<Standing>[]> standing;  // by candidate

  std::atomic<bool> closed = false;
  PendingCalls pending;

  // The verifier runs on one thread at a time. No lock is held while it runs, so it may call the
  // tuner.
  std::atomic<bool> verifying = false;

  std::atomic<bool> sweeping = false;
  ForkSafeMutex sweep_mutex;
  std::optional<KernelSweep> sweep;

  OnlineTuner& tuner();  // makes it if necessary
  Choice choice(std::uint32_t candidate) const { return {candidate, candidates[candidate]}; }
  KernelCall untimed(std::uint32_t candidate) const { return {.choice = choice(candidate)}; }
  KernelCall call_of(const OnlineStep& step, bool of_sweep);

  void take_standing();  // reads what is known about the candidates
  bool may_run(std::uint32_t candidate) const {
    const Standing its = standing[candidate].load(std::memory_order_acquire);
    return its == Standing::right || (its == Standing::unknown && !verifier);
  }
  // Whether the candidate is right; absent while another thread verifies.
  std::optional<bool> verify_now(std::uint32_t candidate);

  KernelCall next();
  // A candidate that may run, if the tuner's choice may not, or not yet.
  KernelCall instead_of(std::uint32_t candidate);
  std::optional<KernelCall> next_of_sweep();
  void finish_sweep();  // with the sweep's lock held
  // Passes new times of the sweep to the search, with the sweep's lock held. `all`: includes
  // candidates that have only warmed up.
  std::vector<EvidenceEvent> take_times(bool all);
  Result<void> save(bool closing);
  void give_up(const PendingCalls::Entry& entry);
  void drop(std::uint32_t candidate, std::string why, double cost_ns);
};

// The longest time of a call in nanoseconds: 31 years.
inline bool is_time(double ns) { return ns >= 0 && ns <= 1e18; }

// For explain().
std::string explain_kernel(const TuningKey& key, const std::vector<CandidateView>& view,
                           std::uint32_t best, const Ledger& ledger, const std::string& why);

}  // namespace vyre
