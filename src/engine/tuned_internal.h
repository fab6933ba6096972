// Kernels that a session tunes: one for each key, shared by all dispatches of it.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/engine/code_store.h"
#include "vyre/engine/compilers_internal.h"
#include "vyre/engine/session.h"
#include "vyre/engine/shadows_internal.h"
#include "vyre/engine/tuning.h"
#include "vyre/ir/kernel.h"
#include "vyre/plan/planner.h"

namespace vyre {

// What the bindings of a dispatch ask of its code, in every variant.
struct CodeNeeds {
  bool wide_offsets = false;
  std::vector<std::uint32_t> by_value{};
};

// What a plan may use of what was learned.
PlanMemory plan_memory_of(const TuningOptions& options, const EvidenceStore* store);
// In memory alone where there is no path, or where the file cannot be read, which is warned of.
std::shared_ptr<EvidenceStore> open_evidence(const std::optional<std::filesystem::path>& path);
// Whether a grid is so large that launching it may take longer than a deadline.
bool has_many_groups(const Extent& grid);

struct TunedCandidate {
  std::size_t choice = 0;  // which of the request's kernels
  Kernel kernel;
  Variant variant;
  std::string text;  // of its configuration
  CodeOptions options;
  std::shared_ptr<const LoadedCode> owner{};     // written before `code`, once
  std::atomic<const LoadedCode*> code{nullptr};  // null: not made yet
  std::atomic<CodeSource> source{CodeSource::compiled};
};

// What a call that only serves needs of a candidate, in one place.
struct ServedLaunch {
  std::uint32_t candidate = 0;
  const LoadedCode* code = nullptr;
  Extent grid{}, workgroup{};
  std::uint32_t groups_per_task = 0;
};

// Of one dispatch: those that have served, the last one at hand.
class ServedLaunches {
 public:
  // What the next call launches, where nothing has to be asked before; else null.
  const ServedLaunch* take() {
    const Plain plain = plain_.load(std::memory_order_relaxed);
    if (plain.calls == 0) return nullptr;
    // Of threads at once, some take the same.
    plain_.store({plain.candidate, plain.calls - 1}, std::memory_order_relaxed);
    return find(plain.candidate);
  }
  // So many calls of it need not ask.
  void give(std::uint32_t candidate, std::uint32_t calls) {
    given_.fetch_add(calls, std::memory_order_relaxed);
    plain_.store({candidate, calls}, std::memory_order_relaxed);
  }
  // What was given since the last time: one that asks has made these calls.
  std::uint32_t settle_given() { return given_.exchange(0, std::memory_order_relaxed); }

  const ServedLaunch* find(std::uint32_t candidate) const {
    const ServedLaunch* latest = latest_.load(std::memory_order_acquire);
    return latest != nullptr && latest->candidate == candidate ? latest : nullptr;
  }
  const ServedLaunch* add(const ServedLaunch& launch);

 private:
  // In one line, as long as the first is the latest: after a launch others are far away.
  alignas(64) std::atomic<const ServedLaunch*> latest_{nullptr};
  struct Plain {
    std::uint32_t candidate = 0, calls = 0;
  };
  std::atomic<Plain> plain_{};
  ServedLaunch first_;
  std::mutex mutex_;
  bool has_first_ = false;
  std::deque<ServedLaunch> others_;
  std::atomic<std::uint32_t> given_{0};
};

class TunedKernel {
 public:
  static constexpr double kGuessedLoadNs = 150'000;
  // Launches overlap their beginnings and ends; two events around one do not let it. What that
  // costs the launches of a GPU that is never idle; by how much a time seems longer, at most; and
  // by how much more for one variant than for another.
  static constexpr double kEventsNs = 7000, kEventsBiasNs = 3500, kEventsDoubtNs = 1000;

  TunedKernel(const LaunchSpace& space, std::deque<TunedCandidate> made, TunerMode mode,
              OnlineOptions options, std::shared_ptr<EvidenceStore> store);

  std::deque<TunedCandidate> candidates;
  const std::vector<double> prior;
  const std::uint32_t start;  // what the plan serves first, by whose authority, and why
  const Authority start_by;
  const std::string start_why;
  const std::optional<std::uint32_t> declared;
  std::string strategy;                        // of a sweep
  std::atomic<std::uint32_t> known_before{0};  // candidates that a sweep need not measure again
  const std::string left_out;                  // of the space, and why
  OnlineTuner tuner;
  std::vector<WrittenSlot> written;
  const double items;                           // invocations that times are scaled to
  const bool exact;                             // times are of one size alone: nothing is scaled
  std::atomic<double> compile_ns{0};            // of processor time, the last one
  std::atomic<double> slowed_ns{0};             // of calls while something was compiled
  std::atomic<double> lost_share{1};            // of what compiling took, that calls lost
  std::atomic<double> load_ns{kGuessedLoadNs};  // about, in which launches may wait
  std::mutex making;                            // of those who write a candidate's code

  // ---- What calls look at that are not plain
  // Why they are not: times or comparisons in flight, something to make, a sweep to begin with.
  static constexpr std::uint32_t kInFlight = 1, kToMake = 2, kToSweep = 4;
  std::atomic<std::uint32_t> looks{0}, polls{0};
  std::atomic<std::uint64_t> given{0};  // calls that dispatches were given, and may not have made
  std::atomic<double> incumbent_ns{0};  // of its last timed call

  // ---- For the calls in flight, with `mutex` held
  struct Timing {
    OnlineStep step;
    std::shared_ptr<Event> begin, end;
    std::uint64_t calls = 0, given = 0;  // by then; and those of them that may come later
    double scale = 1;
    double overhead_ns = 0;  // of the host, to time it
    bool slowed = false;
  };
  struct Check {
    std::uint32_t candidate = 0;
    bool of_incumbent = false;  // the incumbent against itself
    std::shared_ptr<Event> begin, middle, after, end;
    std::chrono::steady_clock::time_point began;
    double host_ns = 0;  // that the host took for it
  };
  std::mutex mutex;
  std::deque<Timing> timings;
  std::optional<Check> check;
  std::shared_ptr<Event> pace_from;  // the end of an earlier call that was timed
  std::uint64_t pace_from_calls = 0;
  std::deque<std::uint32_t> to_load;  // compiled; as soon as the ledger allows it
  std::uint32_t load_looks = 0;       // since something is to be loaded
  std::deque<std::uint32_t> to_make;  // as soon as the ledger allows it
  std::vector<DeviceMemory> shadows;  // by position in `written`
  bool shadows_asked = false;         // they are being allocated in the background
  std::string no_shadows;             // why there are none
  std::unique_ptr<Comparer> comparer;
  bool equals_itself = false;
  bool swept = false;
};

// What a sweep has measured.
struct SweptTimes {
  std::span<const DeviceMemory> expected;  // results, by position in `written`
  std::span<const BoundMemory> bindings;   // with shadows in place of what is written
  RunLimits limits;                        // of every launch
  std::vector<std::vector<double>> times;  // by candidate
  std::vector<std::uint32_t> tried{};      // those that were right, in their order
  double best_ns = 0;
};

// What all copies of a session share for tuning.
class Tuning {
 public:
  Tuning(TuningOptions options, std::shared_ptr<Device> device,
         std::shared_ptr<const PlanDevice> plan_device, std::shared_ptr<Queue> queue,
         std::shared_ptr<CodeStore> codes, std::shared_ptr<EvidenceStore> store);

  const TuningOptions& options() const { return options_; }

  // The same object for equal requests. Its incumbent is compiled.
  Result<std::shared_ptr<TunedKernel>> kernel_for(const LaunchRequest& request,
                                                  const CodeNeeds& needs);
  // Compiles a candidate on this thread, and drops it from the search where that fails.
  Result<void> make_now(TunedKernel& kernel, std::uint32_t candidate);
  // Lets the background compile what was asked for, as far as the ledger allows.
  void make_later(const std::shared_ptr<TunedKernel>& kernel);

  // Allocates them in the background: large ones take as long as many short calls.
  void make_shadows_later(const std::shared_ptr<TunedKernel>& kernel,
                          std::vector<std::uint64_t> bytes);

  // Null until it is compiled, and could be loaded.
  std::shared_ptr<const CompareTools> compare_tools();
  bool compiles() const { return compilers_.busy(); }
  void wait_for_compilers() { compilers_.wait(); }
  void tell(const TunedCall& call) const;
  void tell(const TunerSpan& span) const;

 private:
  Result<std::shared_ptr<TunedKernel>> make_kernel_for(const LaunchRequest& request,
                                                       const CodeNeeds& needs);
  OnlineOptions online_options() const;
  Result<void> make_first(TunedKernel& kernel);
  void make_on_host(const std::shared_ptr<TunedKernel>& kernel);
  void make_for_gpu(const std::shared_ptr<TunedKernel>& kernel);
  bool load_next(TunedKernel& kernel, bool idle);
  static void leave_unmade(TunedKernel& kernel);

  TuningOptions options_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<const PlanDevice> plan_device_;
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<CodeStore> codes_;
  std::shared_ptr<EvidenceStore> store_;
  std::atomic<bool> tools_asked_{false}, tools_ready_{false};
  std::shared_ptr<Queue> aside_;  // of the tools; null: they make their own
  std::mutex tools_mutex_;
  std::uint32_t tools_looks_ = 0;
  std::shared_ptr<const CompareTools> tools_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<TunedKernel>> kernels_;
  Compilers compilers_;  // last: its threads use the rest
};

}  // namespace vyre
