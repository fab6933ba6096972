// Tunes kernels that vyre neither compiles nor launches: CUDA, HIP, OpenCL, OpenMP, plain loops.
// The program asks which candidate the next call should run, runs it, and reports how long it took.
// Nothing here depends on the kernel, a compiler, a driver or a device.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/evidence/evidence.h"
#include "vyre/tune/evidence/tuning_key.h"
#include "vyre/tune/foreign/kernel_choice.h"
#include "vyre/tune/online/online_policy.h"
#include "vyre/tune/tuning_mode.h"

namespace vyre {

struct KernelTunerOptions {
  // Where measurements are kept: the store if there is one; else the file at the path, which must
  // be usable; else the user's file (evidence_path()), without which the tuner logs a warning and
  // works in memory.
  std::shared_ptr<EvidenceStore> store{};
  std::filesystem::path path{};
  std::optional<TunerMode> mode{};  // absent: VYRE_AUTOTUNER decides
  // The candidate that the program would run without a tuner. It is served first, and its results
  // are the reference.
  std::uint32_t start = 0;
  // An estimate of a candidate's time, up to a common factor; empty: all are expected to be equal.
  std::function<double(const Choice&)> expected_ns{};
  double share = 0.02;         // the share of the time spent that the search may lose
  double allowance_ns = 20e6;  // a first allowance in addition, or 50 calls if that is less
  double least_gain = 0.01;    // a candidate that saves less of the time is not promoted
  double clock_tick_ns = 1;    // the resolution of the caller's clock
};

// The candidate that the next call should run.
struct KernelCall {
  Choice choice;
  bool timed = false;    // report the time of this call, or abandon it; other calls need neither
  bool probe = false;    // this call tries a candidate other than the best known one
  std::uint64_t id = 0;  // of a timed call

  Result<std::string_view> value(std::string_view name) const { return choice.value(name); }
  Result<std::int64_t> number(std::string_view name) const { return choice.number(name); }
};

// Whether a candidate's results are right, and optionally what the verification cost. Without a
// cost the wall time is charged, which includes waiting for other work on the device.
struct Verdict {
  template <std::same_as<bool> Bool>
  Verdict(Bool right,
          std::optional<double> its_cost_ns = {})  // NOLINT(google-explicit-constructor)
      : is_right(right), cost_ns(its_cost_ns) {}

  bool is_right;
  std::optional<double> cost_ns;
};

class HostCall;

// Every function may be called from any thread at any time.
class KernelTuner {
 public:
  static Result<KernelTuner> open(const KernelKey& key, std::vector<Configuration> candidates,
                                  KernelTunerOptions options = {});
  KernelTuner(KernelTuner&&) noexcept;
  KernelTuner& operator=(KernelTuner&&) noexcept;
  ~KernelTuner();  // closes, and logs an error instead of returning it

  // Sets the function that says whether a candidate's results are right, or returns an error if it
  // cannot say. next() calls it before it returns a candidate for the first time, on the calling
  // thread and never on two at once; the time is charged like a slow call. Only candidates with
  // right results are returned. The start candidate is the reference and is not verified. Without a
  // verifier nothing is verified. Fails after the first call of next().
  using Verifier = std::function<Result<Verdict>(const Choice&)>;
  Result<void> verify(Verifier verifier);

  KernelCall next();
  // The time of a timed call, from any thread and in any order. Reporting a call that is not timed
  // does nothing. A time that is negative or not a number, and a call that was already reported or
  // abandoned, are errors.
  Result<void> report(const KernelCall& call, double ns);
  // Says that a timed call will not be reported.
  Result<void> abandon(const KernelCall& call);
  // Says that the candidate could not run; next() does not return it again.
  Result<void> failed(const KernelCall& call, std::string why);
  // next() now, and report() when the result is destroyed: for code that runs on the host.
  HostCall timed();

  Choice best() const;
  bool settled() const;  // the search has ended; it opens again if times drift
  Ledger ledger() const;
  std::vector<CandidateView> view() const;
  std::string why() const;      // one line: the served candidate, and why
  std::string explain() const;  // all candidates, the ledger and the store
  const TuningKey& key() const;
  const std::vector<Configuration>& candidates() const;

  // Returns when everything that was learned is in the file, or after kSaveWait with an error that
  // names the file, the reason and how much is not written; the tuner keeps that and tries again.
  // Only open(), save() and close() wait for a file or its lock.
  Result<void> save();
  Result<void> close();  // saves, and ends the search: next() then returns the best one, untimed

 private:
  struct State;
  explicit KernelTuner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Times the code between its construction and its destruction, and reports the time then, unless an
// exception is in flight or the call was dropped.
class HostCall {
 public:
  explicit HostCall(KernelTuner& tuner)
      : tuner_(&tuner), call_(tuner.next()), began_(std::chrono::steady_clock::now()) {}
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;
  ~HostCall();

  const KernelCall& call() const { return call_; }
  const Choice& choice() const { return call_.choice; }
  Result<std::string_view> value(std::string_view name) const { return call_.value(name); }
  Result<std::int64_t> number(std::string_view name) const { return call_.number(name); }

  void failed(std::string why);  // as KernelTuner::failed; no time is reported
  void drop();                   // no time is reported

 private:
  KernelTuner* tuner_;  // null after failed() or drop()
  KernelCall call_;
  int exceptions_ = std::uncaught_exceptions();
  std::chrono::steady_clock::time_point began_;
};

inline HostCall KernelTuner::timed() { return HostCall(*this); }

}  // namespace vyre
