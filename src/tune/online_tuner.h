// An online search that many threads use at once, with its evidence. Once settled, asking costs
// one atomic load and one relaxed count; before that a thread that finds another inside is served
// the incumbent and waits for nobody.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vyre/tune/evidence.h"
#include "vyre/tune/mode.h"
#include "vyre/tune/online_policy.h"

namespace vyre {

// Where the first answer came from.
struct TunerOrigin {
  std::optional<MatchKind> match{};  // absent: the prior
  std::string text{};                // one line for a person
};

class OnlineTuner {
 public:
  // Without a store nothing is remembered. Modes: natural_gradient searches; frozen and
  // cached_or_default serve the decision, or `start` where there is none, and never time anything;
  // sweep is the caller's business (it calls `finish` with its winner) and serves like frozen.
  OnlineTuner(TuningKey key, std::vector<OnlineCandidate> candidates, std::uint32_t start,
              TunerMode mode, OnlineOptions options, std::shared_ptr<EvidenceStore> store);
  ~OnlineTuner();  // appends what is not in the file yet

  OnlineStep next();
  void report(const OnlineStep& step, double ns, bool slowed = false);
  // A timed step that could not be timed, or whose run failed.
  void abandon(const OnlineStep& step);
  void made(std::uint32_t candidate);
  void verified(std::uint32_t candidate, double cost_ns);
  void drop(std::uint32_t candidate, std::string why, double cost_ns = 0);
  void charge(double ns);
  // The program is not to be tuned: the incumbent stays.
  void stop_tuning(std::string why);
  // A sweep's result, with its events.
  void finish(std::uint32_t winner, std::vector<EvidenceEvent> events, std::string reason);

  std::uint32_t best() const { return best_.load(std::memory_order_acquire); }
  bool settled() const { return settled_.load(std::memory_order_acquire); }
  const TunerOrigin& origin() const { return origin_; }
  const TuningKey& key() const { return key_; }
  TunerMode mode() const { return mode_; }
  Ledger ledger() const;
  std::vector<CandidateView> view() const;
  std::string reason() const;
  std::string untunable() const;  // why; empty: it is tunable
  Result<void> flush();           // appends what is not in the file yet

 private:
  const TuningKey key_;
  const TunerMode mode_;
  const OnlineOptions options_;
  std::atomic<std::uint32_t> best_{0};
  std::atomic<bool> settled_{false};
  TunerOrigin origin_;
};

}  // namespace vyre
