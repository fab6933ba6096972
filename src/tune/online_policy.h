// The online search for one key: which candidate the next call runs, and what it may cost. Plain
// computation: no clock, no file, no thread, no device, so that every search can be replayed.
//
// What it keeps true: what is lost (time above the incumbent's, verification, copies, calls slowed
// by compiling) stays below `share` of the time spent plus a first allowance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vyre/tune/evidence.h"

namespace vyre {

struct OnlineCandidate {
  std::string text;     // of its Configuration
  double prior_ns = 0;  // what a model expects, up to a common factor; > 0
};

struct OnlineOptions {
  double share = 0.02;                // of the time spent that may be lost
  double allowance_ns = 20e6;         // at first: the smaller of this ...
  double allowance_calls = 50;        // ... and so many calls of the incumbent
  double clock_tick_ns = 1;           // the least difference that a time can show
  std::uint32_t settled_period = 64;  // once settled, one call in so many is timed
  bool needs_code = false;            // a candidate must be made ready before it runs
  bool needs_verification = false;    // and its results compared with the incumbent's
};

enum class CandidateStage : std::uint8_t { unmade, making, made, verified, dropped };

// What one call does. At most one of `verify` and a probe.
struct OnlineStep {
  std::uint32_t candidate = 0;          // what to run
  bool timed = false;                   // report its time
  bool probe = false;                   // it is not the incumbent
  std::optional<std::uint32_t> make{};  // begin to make it ready, in the background
  std::optional<std::uint32_t>
      verify{};  // compare its results with the incumbent's, beside the call
};

struct Ledger {
  double spent_ns = 0;  // of all calls, timed ones as measured and others as the incumbent's
  double lost_ns = 0;
  double bound_ns = 0;  // what may have been lost by now
};

struct CandidateView {
  std::string text;
  CandidateStage stage = CandidateStage::unmade;
  double expected_ns = 0, uncertainty_ns = 0;
  double median_ns = 0, spread_ns = 0;  // 0: not measured
  std::uint64_t samples = 0;
  std::string dropped{};  // why
};

class OnlinePolicy {
 public:
  // `start` is served first. At least one candidate.
  OnlinePolicy(std::vector<OnlineCandidate> candidates, std::uint32_t start, OnlineOptions options);
  // Takes over what is known: times, verifications, rejections, the incumbent, the ledger. Of a
  // hint (another size or device) only the order: its times as a prior. Candidates that the space
  // does not have are left out.
  void restore(const KeyState& known, bool is_answer);

  OnlineStep next();
  // A timed run has ended; in the order of the steps. `slowed`: something else of the tuner's ran
  // beside it, so that what it took above the usual is lost.
  void report(std::uint32_t candidate, double ns, bool slowed = false);
  void made(std::uint32_t candidate);
  void verified(std::uint32_t candidate, double cost_ns);
  void drop(std::uint32_t candidate, std::string why, double cost_ns = 0);
  void charge(double ns);  // anything else that the tuner cost

  std::uint32_t incumbent() const;
  bool settled() const;
  double expected_ns(std::uint32_t candidate) const;  // measured, else predicted
  Ledger ledger() const;
  std::vector<CandidateView> view() const;
  std::string reason() const;  // why the incumbent is what it is
  // What happened since the last call, for the evidence.
  std::vector<EvidenceEvent> take_events();
};

}  // namespace vyre
