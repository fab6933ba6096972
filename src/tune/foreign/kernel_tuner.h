// Tunes kernels that vyre neither made nor runs: CUDA, HIP, OpenCL, OpenMP, plain loops. The
// program asks which candidate the next call runs, runs it, and says how long it took. Nothing here
// knows the kernel: no IR, no compiler, no driver, no device.
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
  // Where measurements are kept. Given a store, that; else the file at the path, and an error if it
  // cannot be used; else the user's own (evidence_path()), and a warning if it cannot.
  std::shared_ptr<EvidenceStore> store{};
  std::filesystem::path path{};
  std::optional<TunerMode> mode{};  // else what VYRE_AUTOTUNER says
  // Served first, and the reference: what the program would run if it had no tuner.
  std::uint32_t start = 0;
  // What a candidate's time may be, up to a common factor; without it all look alike at first.
  std::function<double(const Choice&)> expected_ns{};
  double share = 0.02;         // of the time spent that trying things may cost
  double allowance_ns = 20e6;  // and this at first, or 50 calls if that is less
  double clock_tick_ns = 1;    // the least difference that the caller's clock can show
};

// What the next call does.
struct KernelCall {
  Choice choice;
  bool timed = false;    // report its time, or abandon it; other calls need neither
  bool probe = false;    // not what is known to be best
  std::uint64_t id = 0;  // of a timed call

  Result<std::string_view> value(std::string_view name) const { return choice.value(name); }
  Result<std::int64_t> number(std::string_view name) const { return choice.number(name); }
};

// What a verifier says of a candidate: true or false, and, where it knows better than the clock,
// what finding out has cost. (A clock sees the wait for a busy device too, which costs nothing.)
struct Verdict {
  template <std::same_as<bool> Bool>
  Verdict(Bool right,
          std::optional<double> its_cost_ns = {})  // NOLINT(google-explicit-constructor)
      : is_right(right), cost_ns(its_cost_ns) {}

  bool is_right;
  std::optional<double> cost_ns;
};

class HostCall;

// Everything may be called from any thread at any time.
class KernelTuner {
 public:
  static Result<KernelTuner> open(const KernelKey& key, std::vector<Configuration> candidates,
                                  KernelTunerOptions options = {});
  KernelTuner(KernelTuner&&) noexcept;
  KernelTuner& operator=(KernelTuner&&) noexcept;
  ~KernelTuner();  // as close(), but for the error

  // How to tell whether a candidate computes what it should; an error where that cannot be told.
  // next() calls it, on the thread that called and never on two at once, before it hands out a
  // candidate for the first time; the time it takes is charged like a slow call. What it does not
  // say to be right is never handed out. The start candidate is the reference, and is not asked
  // about. Without a verifier every candidate is taken to be right. An error once the tuner was
  // asked anything.
  using Verifier = std::function<Result<Verdict>(const Choice&)>;
  Result<void> verify(Verifier verifier);

  KernelCall next();
  // The time of a timed call, at any time, from any thread, in any order; for other calls nothing
  // happens. An error for a time that is none, and for a call that waits for no time.
  Result<void> report(const KernelCall& call, double ns);
  // A timed call whose time will not come.
  Result<void> abandon(const KernelCall& call);
  // The candidate could not run: it is not handed out again. Ask next() for another.
  Result<void> failed(const KernelCall& call, std::string why);
  // next() and report() around code that runs on the host to its end.
  HostCall timed();

  Choice best() const;
  bool settled() const;  // nothing is left to try, until times drift
  Ledger ledger() const;
  std::vector<CandidateView> view() const;
  std::string why() const;      // one line: what is served, and why
  std::string explain() const;  // all candidates, the ledger, where it is kept
  const TuningKey& key() const;
  const std::vector<Configuration>& candidates() const;

  // Returns when everything that was learned is in the file. An error names the file and says why
  // something is not there, and how much; it is kept, and tried again. Waits kSaveWait at most;
  // no other call but open() and close() waits for a file or its lock.
  Result<void> save();
  Result<void> close();  // save(), and the end of tuning: next() serves the best, untimed

 private:
  struct State;
  explicit KernelTuner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Times from its making to its end; reports then, unless an exception passes or it was dropped.
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

  void failed(std::string why);  // instead of a time
  void drop();                   // no time

 private:
  KernelTuner* tuner_;  // null: it is over
  KernelCall call_;
  int exceptions_ = std::uncaught_exceptions();
  std::chrono::steady_clock::time_point began_;
};

inline HostCall KernelTuner::timed() { return HostCall(*this); }

}  // namespace vyre
