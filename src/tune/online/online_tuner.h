// An online search that many threads use at once, with its evidence. When it has settled, a call of
// `next` costs one atomic load and one relaxed count. Before that, a thread that finds another one
// inside gets the incumbent and does not wait.
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

#include "vyre/base/process/fork_watch.h"
#include "vyre/tune/evidence/evidence.h"
#include "vyre/tune/evidence/evidence_fold.h"
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
  // Without a store nothing is remembered. The mode natural_gradient searches. The modes frozen and
  // cached_or_default serve the decision, or `start` if there is none; they time and write nothing.
  // The mode sweep serves like these: the caller measures, and calls `finish` with the winner.
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
  // Leases calls to callers for whom every nanosecond counts: returns how many of the next calls,
  // up to `most`, only run the incumbent, so that they need not ask the tuner. They are counted
  // here. 0: there are none, and `next` says what to do. `ignored` are the bits of attention that
  // can wait until the lease ends.
  std::uint32_t plain_calls(std::uint32_t most, std::uint32_t ignored = 0) {
    if (has_attention(~ignored)) return 0;
    const std::uint64_t call = calls_.load(std::memory_order_relaxed);
    const std::uint64_t wake_at = wake_at_.load(std::memory_order_acquire);
    if (call >= wake_at) return 0;
    const std::uint64_t out = std::min<std::uint64_t>(wake_at - call, most);
    calls_.fetch_add(out, std::memory_order_relaxed);
    return static_cast<std::uint32_t>(out);
  }
  // Bits that the owner defines: what it must look at in its next call.
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
  // As in OnlinePolicy.
  void charge_verification(double cost_ns);
  void charge(double ns);
  void charge_own_work(double ns);
  void pace(double call_ns);
  // The number of calls of `next`, and of those that `plain_calls` has leased.
  std::uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  bool may_lose(double ns);
  bool hold(double most_ns);
  void settle(double most_ns, double lost_ns);
  // Says where `start` came from; called before anything is asked. Evidence takes its place.
  void began_with(std::string text);
  // The program is not to be tuned: the incumbent stays.
  void stop_tuning(std::string why);
  // Keeps what a sweep has learned so far, which is written from time to time.
  void note(std::vector<EvidenceEvent> events);
  // What the store knows of the key, with what was handed over to it.
  std::optional<KeyState> kept() const;
  // Takes the result of a sweep with its last events. If the sweep has not ended, a later one may
  // continue it.
  void finish(const FinalsResult& result, std::vector<EvidenceEvent> events, std::string reason,
              bool ended = true);

  std::uint32_t best() const { return best_.load(std::memory_order_acquire); }
  bool settled() const { return settled_.load(std::memory_order_acquire); }
  const TunerOrigin& origin() const { return origin_; }
  const TuningKey& key() const { return key_; }
  TunerMode mode() const { return mode_; }
  Ledger ledger() const;
  CandidateTime incumbent_time() const;
  std::vector<CandidateView> view() const;
  std::string reason() const;
  std::string untunable() const;  // why the program is not tuned; empty: it is
  // Returns when everything that was learned is in the file, or says why it is not. All other
  // functions leave writing to the store's thread and do not wait for the file.
  Result<void> flush();
  // Hands over all that the store does not have yet.
  void hand_over_now();

 private:
  OnlineStep ask(std::uint64_t call);
  void restore();
  void serve(std::uint32_t candidate);  // serves it from now on, and ends the search
  void publish();                       // copies the policy's state to the atomics
  void count_calls();                   // tells the policy of calls that it does not know yet
  template <typename Change>
  void change(Change&& change);  // changes the policy and publishes its state
  bool writes() const;
  bool wants_flush() const;
  void hand_over();  // gives the events to the store; with the mutex held

  const TuningKey key_;
  const TunerMode mode_;
  const OnlineOptions options_;
  const std::shared_ptr<EvidenceStore> store_;
  std::uint32_t start_ = 0;
  TunerOrigin origin_;

  // Everything that each call reads is in one cache line: after a launch every other line is cold.
  alignas(64) std::atomic<std::uint64_t> calls_{0};
  // Calls before this one only run the incumbent.
  std::atomic<std::uint64_t> wake_at_{std::numeric_limits<std::uint64_t>::max()};
  std::atomic<std::uint32_t> best_{0};
  std::atomic<std::uint32_t> attention_{0};
  std::atomic<bool> settled_{false};

  alignas(64) mutable ForkSafeMutex mutex_;  // protects everything below
  std::unique_ptr<OnlinePolicy> policy_;
  bool searching_ = false;
  bool pinned_ = false;
  bool swept_ = false;
  std::uint64_t counted_ = 0;  // calls that the policy knows of
  std::string fixed_reason_;   // the reason while there is no search
  std::string untunable_;
  std::vector<EvidenceEvent> own_events_;
  EvidenceFold noted_;  // what a sweep has learned
  bool flush_now_ = false;
  std::chrono::steady_clock::time_point flush_at_;    // at the latest
  std::chrono::steady_clock::time_point flush_free_;  // at the earliest
  std::chrono::steady_clock::duration flush_period_{};
};

}  // namespace vyre
