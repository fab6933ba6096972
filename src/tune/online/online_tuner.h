// An online search that many threads use at once, with its evidence. Once settled, asking costs
// one atomic load and one relaxed count; before that a thread that finds another inside is served
// the incumbent and waits for nobody.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vyre/base/fork_watch.h"
#include "vyre/tune/evidence/evidence.h"
#include "vyre/tune/online/online_policy.h"
#include "vyre/tune/online/paired_finals.h"
#include "vyre/tune/tuning_mode.h"

namespace vyre {

// Where the first answer came from.
struct TunerOrigin {
  std::optional<MatchKind> match{};  // absent: the prior
  std::string text{};                // one line for a person
};

class OnlineTuner {
 public:
  // Without a store nothing is remembered. Modes: natural_gradient searches; frozen and
  // cached_or_default serve the decision, or `start` where there is none, never time anything and
  // never write; sweep is the caller's business (it calls `finish` with its winner) and serves like
  // frozen.
  OnlineTuner(TuningKey key, std::vector<OnlineCandidate> candidates, std::uint32_t start,
              TunerMode mode, OnlineOptions options, std::shared_ptr<EvidenceStore> store);
  ~OnlineTuner();  // hands over what the store does not have yet
  OnlineTuner(const OnlineTuner&) = delete;
  OnlineTuner& operator=(const OnlineTuner&) = delete;

  OnlineStep next() {
    const std::uint64_t call = calls_.fetch_add(1, std::memory_order_relaxed);
    if (call < wake_at_.load(std::memory_order_acquire)) [[likely]]
      return {.candidate = best()};
    return ask(call);
  }
  // For those to whom every nanosecond counts: how many calls from now on, up to `most`, are the
  // incumbent's and nothing else, so that neither the tuner nor its owner has to look at them. They
  // are counted here. 0: nothing was, and `next` says what to do. `ignored` of what the owner has
  // to look at can wait so long.
  std::uint32_t plain_calls(std::uint32_t most, std::uint32_t ignored = 0) {
    if (has_attention(~ignored)) return 0;
    const std::uint64_t call = calls_.load(std::memory_order_relaxed);
    const std::uint64_t wake_at = wake_at_.load(std::memory_order_acquire);
    if (call >= wake_at) return 0;
    const std::uint64_t out = std::min<std::uint64_t>(wake_at - call, most);
    calls_.fetch_add(out, std::memory_order_relaxed);
    return static_cast<std::uint32_t>(out);
  }
  // What the owner has to look at in its next call: bits of its own.
  bool has_attention(std::uint32_t bits) const {
    return (attention_.load(std::memory_order_acquire) & bits) != 0;
  }
  void set_attention(std::uint32_t bits, bool on) {
    if (has_attention(bits) == on) return;
    if (on) {
      attention_.fetch_or(bits, std::memory_order_release);
    } else {
      attention_.fetch_and(~bits, std::memory_order_release);
    }
  }
  void report(const OnlineStep& step, double ns, bool slowed = false);
  // A timed step that could not be timed, or whose run failed.
  void abandon(const OnlineStep& step);
  void made(std::uint32_t candidate);
  void leave_unmade(std::uint32_t candidate);
  void verified(std::uint32_t candidate, double cost_ns);
  void drop(std::uint32_t candidate, std::string why, double cost_ns = 0);
  void charge(double ns);
  void pace(double call_ns);
  // That were asked for or given by `plain_calls` so far.
  std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  bool may_lose(double ns);
  // Where `start` came from, for those who ask; before anyone does. What is known says more.
  void began_with(std::string text);
  // The program is not to be tuned: the incumbent stays.
  void stop_tuning(std::string why);
  // What a sweep has learned so far. It is written from time to time.
  void note(std::vector<EvidenceEvent> events);
  // A sweep's result, with its last events. One that did not end may go on another time.
  void finish(const FinalsResult& result, std::vector<EvidenceEvent> events, std::string reason,
              bool ended = true);

  std::uint32_t best() const { return best_.load(std::memory_order_acquire); }
  bool settled() const { return settled_.load(std::memory_order_acquire); }
  const TunerOrigin& origin() const { return origin_; }
  const TuningKey& key() const { return key_; }
  TunerMode mode() const { return mode_; }
  Ledger ledger() const;
  std::vector<CandidateView> view() const;
  std::string reason() const;
  std::string untunable() const;  // why; empty: it is tunable
  // Returns when what was learned is in the file, or says why it is not. Every other call hands it
  // over and waits for no file.
  Result<void> flush();
  // Hands over all that the store does not have yet.
  void hand_over_now();

 private:
  OnlineStep ask(std::uint64_t call);
  void restore();
  void serve(std::uint32_t candidate);  // from now on, and search no more
  void publish();                       // what the policy says, for those that do not lock
  void count_calls();                   // of which the policy does not know yet
  template <typename Change>
  void change(Change&& change);  // of the policy, and all that follows from it
  bool writes() const;
  bool wants_flush() const;
  void hand_over();  // to the store, with the mutex held

  const TuningKey key_;
  const TunerMode mode_;
  const OnlineOptions options_;
  const std::shared_ptr<EvidenceStore> store_;
  std::uint32_t start_ = 0;
  TunerOrigin origin_;

  // What every call looks at, in one line: after a launch others are far away.
  alignas(64) std::atomic<std::uint64_t> calls_{0};
  // Calls before this one need nobody's thought.
  std::atomic<std::uint64_t> wake_at_{std::numeric_limits<std::uint64_t>::max()};
  std::atomic<std::uint32_t> best_{0};
  std::atomic<std::uint32_t> attention_{0};
  std::atomic<bool> settled_{false};

  alignas(64) mutable ForkSafeMutex mutex_;  // of all below
  std::unique_ptr<OnlinePolicy> policy_;
  bool searching_ = false;
  bool pinned_ = false;
  bool swept_ = false;
  std::uint64_t counted_ = 0;  // calls that the policy knows of
  std::string fixed_reason_;   // while nothing is searched
  std::string untunable_;
  std::vector<EvidenceEvent> own_events_;
  KeyState noted_;  // times of a sweep, in the order of their events
  bool flush_now_ = false;
  std::chrono::steady_clock::time_point flush_at_;    // at the latest
  std::chrono::steady_clock::time_point flush_free_;  // at the earliest
  std::chrono::steady_clock::duration flush_period_{};
};

}  // namespace vyre
