// Kernels that a session tunes: one for each key, shared by all dispatches of it.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/base/guarded.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/engine/code/code_store.h"
#include "vyre/engine/session.h"
#include "vyre/engine/tuned/compile_cost_internal.h"
#include "vyre/engine/tuned/shadows_internal.h"
#include "vyre/engine/tuned/tuning.h"
#include "vyre/ir/kernel.h"
#include "vyre/plan/planner.h"

namespace vyre {

// What the bindings of a dispatch require of its code, in every variant.
struct CodeNeeds {
  bool wide_offsets = false;
  std::vector<std::uint32_t> by_value{};
};

// Whether a buffer needs offsets of 64 bits.
bool is_wide(std::span<const BoundMemory> bindings);
// Whether a grid is so large that launching it may take longer than a deadline.
bool has_many_groups(const Extent& grid);
bool has_many_groups(const Variant& variant, const Extent& extent, TargetKind kind);
// For launches of at most `largest` invocations.
CodeOptions code_options(const CodeNeeds& needs, const Variant& variant, const Extent& largest,
                         TargetKind kind);

// Code that the first of several threads sets, and that calls read without a lock.
class OnceCode {
 public:
  const LoadedCode* get() const { return code_.load(std::memory_order_acquire); }  // null: not set
  CodeSource source() const { return get() == nullptr ? CodeSource::compiled : found_.source; }
  void set(const FoundCode& found) {
    std::call_once(once_, [&] {
      found_ = found;
      code_.store(found_.code.get(), std::memory_order_release);
    });
  }

 private:
  std::once_flag once_;
  FoundCode found_;  // written before `code_`
  std::atomic<const LoadedCode*> code_{nullptr};
};

// One launch of a candidate.
struct CandidateLaunch {
  Kernel kernel;
  Variant variant;
  CodeOptions options;
  // For each slot of the kernel, the slot of the dispatch whose binding it takes; empty: equal
  // slots.
  std::vector<std::uint32_t> slots{};
  std::optional<Extent> extent{};  // absent: the extent of the call
  // Slots of the dispatch whose buffers are set to zeros before the launch.
  std::vector<std::uint32_t> cleared{};
  OnceCode code{};

  // Whether the launch takes the call's bindings and extent unchanged.
  bool is_plain() const { return slots.empty() && !extent && cleared.empty(); }
};

// One way to serve a call: launches that run one after the other. A kernel on its own is a list of
// one; the parts of a pipeline and the kernel that fuses them are two candidates for one call.
struct TunedCandidate {
  std::size_t choice = 0;  // which of the request's kernels
  std::string text;        // of its configuration
  std::deque<CandidateLaunch> launches{};
  // The candidate whose launches this one fuses. The fused candidate is dropped if its code spills
  // registers and the code of those launches does not. A candidate that fuses nothing is compared
  // with the declared one in the same way.
  std::optional<std::uint32_t> fuses{};

  const CandidateLaunch& first() const { return launches.front(); }
  bool is_made() const;
};

// The slots of the dispatch that the candidates write. A slot that not all of them write is not a
// result of the call: it passes values between the launches of one candidate.
std::vector<WrittenSlot> written_by(const std::deque<TunedCandidate>& candidates);

// One launch of a candidate that has several, with the grid that covers its extent.
struct PartLaunch {
  const CandidateLaunch* of = nullptr;
  Extent extent{}, grid{};
};

// Everything about a candidate that a call needs to launch it.
struct ServedLaunch {
  std::uint32_t candidate = 0;
  std::uint32_t groups_per_task = 0;
  const LoadedCode* code = nullptr;
  Extent grid{}, workgroup{};
  // If the candidate has several launches: all of them. The members above are then not used.
  std::unique_ptr<const std::vector<PartLaunch>> parts{};
};

// The launches that have served one dispatch. The most recent one is found without a lock.
class ServedLaunches {
 public:
  // What the next call launches if a lease is left; null: the tuner must be asked.
  const ServedLaunch* take() {
    const Lease lease = lease_.load(std::memory_order_relaxed);
    if (lease.calls == 0) return nullptr;
    // Racing threads may consume the same call of a lease. That is harmless: the count is an
    // estimate.
    lease_.store({lease.candidate, lease.calls - 1}, std::memory_order_relaxed);
    return find(lease.candidate);
  }
  // The next calls, this many of them, run the candidate without asking the tuner.
  void give(std::uint32_t candidate, std::uint32_t calls) {
    given_.fetch_add(calls, std::memory_order_relaxed);
    lease_.store({candidate, calls}, std::memory_order_relaxed);
  }
  // The number of calls that were leased since this was last called.
  std::uint32_t settle_given() { return given_.exchange(0, std::memory_order_relaxed); }

  const ServedLaunch* find(std::uint32_t candidate) const {
    const ServedLaunch* latest = latest_.load(std::memory_order_acquire);
    return latest != nullptr && latest->candidate == candidate ? latest : nullptr;
  }
  const ServedLaunch* add(ServedLaunch launch);

 private:
  // Kept in one cache line, as long as the first launch is the latest: after a launch every other
  // line is cold.
  alignas(64) std::atomic<const ServedLaunch*> latest_{nullptr};
  struct Lease {
    std::uint32_t candidate = 0, calls = 0;
  };
  std::atomic<Lease> lease_{};
  ServedLaunch first_;
  ForkSafeMutex mutex_;
  bool has_first_ = false;
  std::deque<ServedLaunch> others_;
  std::atomic<std::uint32_t> given_{0};
};

// A timed call whose time is not known yet.
struct PendingTime {
  OnlineStep step;
  std::shared_ptr<Event> begin, end;
  std::uint64_t calls = 0;  // counted by the tuner when it was made ...
  std::uint64_t given = 0;  // ... of which this many were leased out and may come later
  double scale = 1;         // converts the time to the size that the key stands for
  double overhead_ns = 0;   // the time that timing the call took
  bool slowed = false;      // something was compiled during the call
};

// A comparison whose outcome is not known yet.
struct PendingCheck {
  std::uint32_t candidate = 0;
  bool of_incumbent = false;  // the incumbent is compared with itself
  OnlineStep asked{};         // the step whose verification that serves
  std::shared_ptr<Event> begin, middle, after, end;
  std::chrono::steady_clock::time_point began;
  double host_ns = 0;  // the time that submitting it took
};

// What a search does beside the calls of a program.
struct SearchWork {
  std::deque<PendingTime> timings;
  std::optional<PendingCheck> check;
  std::shared_ptr<Event> pace_from;   // the end of an earlier timed call ...
  std::uint64_t pace_from_calls = 0;  // ... and the calls up to it
  std::deque<std::uint32_t> to_make;  // candidates to compile, as soon as the ledger allows it
  std::deque<std::uint32_t> to_load;  // compiled candidates that the device does not hold yet
  std::uint32_t load_looks = 0;  // calls that have found the device busy since the last loading
  std::vector<DeviceMemory> shadows;  // by position in TunedKernel::written
  bool shadows_asked = false;         // shadows are being allocated in the background
  std::string no_shadows;             // why there are none
  std::unique_ptr<Comparer> comparer;
  bool equals_itself = false;  // the incumbent's results do not depend on the order of invocations
  bool swept = false;
};

// One kernel that is tuned: its candidates, its search, and what the search does beside calls.
// Shared by all dispatches of one key.
class TunedKernel {
 public:
  TunedKernel(const LaunchSpace& space, std::deque<TunedCandidate> made, TunerMode mode,
              const OnlineOptions& options, std::shared_ptr<EvidenceStore> store,
              const LaunchCosts& costs);

  const TunedCandidate& incumbent() const { return candidates[tuner.best()]; }
  // What a time of this extent is multiplied with to compare it with others.
  double scale_for(const Extent& extent) const;

  std::deque<TunedCandidate> candidates;
  const std::vector<double> prior;
  const std::uint32_t start;  // the candidate that the plan serves first, who decided that, and why
  const Authority start_by;
  const std::string start_why;
  const std::optional<std::uint32_t> declared;
  std::string strategy;                        // of the mode `on`
  std::atomic<std::uint32_t> known_before{0};  // candidates that a sweep need not measure again
  const std::string left_out;                  // which part of the space was left out, and why
  OnlineTuner tuner;
  const bool settled_before;  // there was nothing to search when it was made
  const std::vector<WrittenSlot> written;
  CompileCost compile_cost;
  std::atomic<double> load_ns;          // a running average of what loading takes from launches
  std::atomic<double> incumbent_ns{0};  // of its last timed call

  // Reasons for a call to do more than the tuner's next step: times or comparisons are pending,
  // candidates wait to be compiled or loaded, or a sweep comes first.
  static constexpr std::uint32_t kInFlight = 1, kToMake = 2, kToSweep = 4;
  std::atomic<std::uint32_t> looks{0}, polls{0};
  std::atomic<std::uint64_t> given{0};  // calls that were leased to dispatches and may come later
  Guarded<SearchWork> work;

 private:
  const double items_;  // invocations that times are scaled to
  const bool exact_;    // the key is for one size alone, so times need no scale
};

// Who decided what a tuned kernel serves at this moment, and why.
struct Decided {
  Authority by = Authority::declared;
  std::string why;
};
Decided decided_now(const TunedKernel& kernel);
// The plan of each launch of a candidate that serves the step.
Result<std::vector<LaunchPlan>> plans_of(const LaunchStep& step, const TunedCandidate& candidate,
                                         const Decided& decided, TunerMode mode);
std::vector<BindingBytes> bytes_of(std::span<const Binding> bindings);

// What a sweep has measured.
struct SweptTimes {
  std::span<const DeviceMemory> expected;  // results, by position in `written`
  std::span<const BoundMemory> bindings;   // with shadows in place of what is written
  RunLimits limits;                        // of every launch
  std::vector<std::vector<double>> times;  // by candidate
  std::vector<std::uint32_t> tried{};      // those that were right, in their order
  double best_ns = 0;
};

}  // namespace vyre
