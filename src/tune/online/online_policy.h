// The online search for one key: which candidate the next call runs, and what it may cost. Plain
// computation: no clock, no file, no thread, no device; a search with a seed can be replayed.
//
// Three sentences say what happens to a candidate. It is *asked* for a call, alone in the order of
// a lower confidence bound until its own times are known and then in pairs with the incumbent, as
// long as it may be faster and the ledger can pay for the most that the call may cost. It *serves*
// once the pairs prove it faster by `least_gain` (paired_comparison.h). It is *dropped* when the
// pairs show that it gains less, when its results are wrong, or when it fails.
//
// A guess that serves in place of the declared variant is compared with the declared one before
// anything else. If the pairs show that it is slower, its calls are charged accordingly. When these
// charges have used up the bound, the declared variant serves again.
//
// Before a search ends, candidates that were not much slower are timed once more: the machine may
// have been slow at the time.
//
// Two promises hold. First, the loss stays within the bound of regret_ledger.h; the loss includes
// slower candidates, a first guess that is slower than the declared variant, verification, copies,
// and calls that are slowed by compiling. Second, at most the share `error` of all searches
// promotes a candidate that is no faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/tune/evidence/evidence.h"
#include "vyre/tune/online/candidate_time.h"
#include "vyre/tune/online/online_policy_statistics.h"
#include "vyre/tune/online/paired_comparison.h"
#include "vyre/tune/online/regret_ledger.h"

namespace vyre {

struct OnlineCandidate {
  std::string text;     // of its Configuration
  double prior_ns = 0;  // the time that a model expects, up to a common factor; > 0
};

struct OnlineOptions {
  double share = 0.02;          // the share of the time spent that may be lost
  double allowance_ns = 20e6;   // the first allowance is the smaller of this ...
  double allowance_calls = 50;  // ... and this many calls of the incumbent
  double least_gain = 0.01;     // a candidate that saves a smaller share is not promoted
  double error = 0.01;          // the share of searches that may promote one that is no faster
  std::uint64_t seed = 0;       // of the coin that orders the calls of a pair; 0: unpredictable
  double clock_tick_ns = 1;     // the least difference that a time can show
  std::uint32_t settled_period = 64;  // once settled, one call in this many is timed
  double timing_ns = 0;               // the cost of timing a call
  double timing_bias_ns = 0;          // how much longer a call seems when it is timed by itself
  double timing_doubt_ns = 0;         // how much that bias may differ between two candidates
  bool needs_code = false;            // a candidate must be compiled before it runs
  bool makes_beside = false;          // compiling takes no time from the calls
  std::uint32_t most_making = 4;      // candidates that are compiled at the same time
  double making_ns = 0;               // what loading a candidate takes from a call
  double least_verification_ns = 0;   // the least time that comparing results takes
  bool needs_verification = false;    // results are compared with the incumbent's before it serves
  // The candidate that the program would run without a tuner; absent: the one that serves first.
  std::optional<std::uint32_t> declared{};
};

enum class CandidateStage : std::uint8_t { unmade, making, made, verified, dropped };

// What one call does. A call that probes a candidate does not verify another one.
struct OnlineStep {
  std::uint32_t candidate = 0;          // runs
  bool timed = false;                   // its time must be reported
  bool probe = false;                   // it is not the incumbent
  std::optional<std::uint32_t> make{};  // to be compiled in the background
  // Its results are compared with the incumbent's beside the call.
  std::optional<std::uint32_t> verify{};
  std::uint64_t ticket = 0;  // identifies a timed step
};

struct CandidateView {
  std::string text;
  CandidateStage stage = CandidateStage::unmade;
  CandidateTime time;  // the time that every report shows
  std::uint64_t samples = 0;
  std::string dropped{};  // why
};

class OnlinePolicy {
 public:
  // `start` is served first. At least one candidate.
  OnlinePolicy(std::vector<OnlineCandidate> candidates, std::uint32_t start, OnlineOptions options);
  // Takes over what is known: times, verifications, rejections, the incumbent and the ledger. From
  // a hint (another size or device), and from times of another size, only the order of the
  // candidates is taken over. Candidates that the space does not have are ignored.
  void restore(const KeyState& known, bool is_answer, bool same_size = true);

  // The first call only serves: a program that calls once pays nothing.
  OnlineStep next();
  // Reports a timed run. Steps may be reported in any order. `slowed`: something was compiled
  // meanwhile, so time above the usual counts as lost.
  void report(const OnlineStep& step, double ns, bool slowed = false);
  // A step whose run was not timed, or whose verification did not take place.
  void abandon(const OnlineStep& step);
  void made(std::uint32_t candidate);
  void leave_unmade(std::uint32_t candidate);  // it could not be compiled now, and may be later
  void verified(std::uint32_t candidate, double cost_ns);
  // The cost of a comparison that verified nothing: of the incumbent with itself.
  void charge_verification(double ns);
  void drop(std::uint32_t candidate, std::string why, double cost_ns = 0);
  void charge(double ns);  // counts any other cost of the tuner as lost
  // Counts work of the tuner on the calling thread as lost. Work that seems to take longer than it
  // can was interrupted by the system.
  void charge_own_work(double ns);
  void charge_question(double ns);  // likewise, the duration of a call of `next` or `report`
  // The mean time of some hundred consecutive calls on a device. A call takes no longer than that,
  // even if it seems to when it is timed alone.
  void pace(double call_ns);
  // Whether the ledger allows a step now that costs this much.
  bool may_lose(double ns) const { return ledger_.may_lose(ns); }
  // Holds back the most that a step of the owner may cost, if the ledger allows it; `settle` tells
  // what it did cost.
  bool hold(double most_ns);
  void settle(double most_ns, double lost_ns);

  // The number of calls from now on that would only run the incumbent, untimed, if nothing is
  // reported meanwhile. `skip` says how many of these took place without asking.
  std::uint64_t idle_calls() const;
  void skip(std::uint64_t calls);

  std::uint32_t incumbent() const { return incumbent_; }
  bool settled() const { return settled_; }
  double expected_ns(std::uint32_t candidate) const;  // measured, else predicted
  // Whether times vary so much that no gain could be proved. Nothing is tried until they are calm.
  bool quiet() const { return quiet_; }
  Ledger ledger() const { return ledger_.view(); }
  CandidateTime incumbent_time() const;
  std::vector<CandidateView> view() const;
  KeyState state() const;      // with the times, in the form of the evidence
  std::string reason() const;  // why the incumbent is what it is
  // Whether something was decided that must be in the evidence after a restart.
  bool has_decisions() const { return decisions_; }
  // What happened since the last call, for the evidence.
  std::vector<EvidenceEvent> take_events();

 private:
  // The number of candidates that are considered at a time, the incumbent included.
  static constexpr std::size_t kMostActive = 64;
  // The first run of a candidate takes about this many times as long as later ones.
  static constexpr double kFirstRun = 1.35;

  // Consecutive times of one kind that are far longer than usual.
  struct Pauses {
    std::uint32_t count = 0;
    double least_ns = 0;           // of them
    double doubted_ns = 0;         // of the first one, until the next time decides
    std::uint64_t calm_times = 0;  // the usual times of the incumbent before the last of them
  };
  struct Candidate {
    std::string text;
    double prior_ns = 0;
    CandidateStage stage = CandidateStage::unmade;
    std::string dropped{};
    bool verified_before = false;  // by another process
    bool verifying = false;
    double verifying_ns = 0;          // what the ledger holds back for its verification
    bool closed = false;              // does not gain enough over the incumbent
    std::vector<double> recent_ns{};  // times since the incumbent's last drift
    std::vector<double> kept_ns{};    // the last kRecentSamples, as the evidence keeps them
    double median_ns = 0, spread_ns = 0;
    double log_prior = 0, log_median = 0;
    std::uint64_t samples = 0;
    double first_ns = 0;          // the first time, which is not used; 0: there is none yet
    PairedComparison versus{};    // pairs of calls with the incumbent
    std::uint32_t final = 0;      // the number of that comparison in the search; 0: none yet
    std::size_t saved_pairs = 0;  // the pairs of `versus` that are in the evidence
    std::uint32_t outstanding = 0;
    std::uint32_t abandoned = 0;
    Pauses pauses{};
    bool looked_again = false;  // its first times were forgotten: the machine may have been slow
    std::vector<double> unsaved_ns{};
    // Its probes beside the present incumbent: the number of those that count, how much longer than
    // the incumbent they and the first one took, and how much of that is charged.
    std::uint32_t probes = 0;
    double above_ns = 0, first_above_ns = 0, charged_ns = 0;

    bool measured() const { return !recent_ns.empty(); }
    bool usable() const { return stage != CandidateStage::dropped; }
  };
  struct Estimate {
    double mu = 0, sigma = 0;
    double low = 0, high = 0;  // the least and the largest plausible time
  };
  // A timed step that was not reported yet.
  struct Grant {
    std::uint64_t ticket = 0, call = 0, pair = 0;
    std::uint32_t candidate = 0;
    bool probe = false;
    double reserve_ns = 0;
  };
  // Two consecutive calls, one of the candidate and one of the incumbent, in the order of a coin. A
  // time of 0 is not known yet.
  struct Pair {
    std::uint64_t id = 0;
    std::uint32_t candidate = 0;
    double probe_ns = 0, incumbent_ns = 0;
  };
  // The second call of a pair.
  struct SecondCall {
    std::uint64_t pair = 0;
    std::uint32_t candidate = 0;
  };

  // online_policy_restore.cc: what is known at the start.
  void restore_answer(const KeyState& known);
  void restore_times(const KeyState& known);
  void restore_pairs(Candidate& candidate, const CandidateState& state);
  void restore_order(const KeyState& known, bool is_answer);
  std::optional<std::uint32_t> find(std::string_view text) const;

  // online_policy.cc: what to do next.
  double call_ns() const;  // the incumbent's time among other calls; 0: not known
  void count_calls(std::uint64_t calls);
  OnlineStep grant(OnlineStep step, std::uint64_t pair, double reserve_ns);
  OnlineStep time_incumbent(OnlineStep step) { return grant(step, 0, 0); }
  OnlineStep begin_pair(OnlineStep step, std::uint32_t candidate);
  OnlineStep end_pair(OnlineStep step);
  OnlineStep plain_step(OnlineStep step);
  OnlineStep probe_or_verify(OnlineStep step, std::uint32_t candidate);
  bool incumbent_is_known() const;
  bool may_step(std::uint32_t candidate) const;
  double step_cost(std::uint32_t candidate) const;
  double usual_verification() const;
  double verification_cost() const;
  void end_verification(Candidate& candidate);
  bool calls_are_too_short() const;
  std::uint32_t most_making() const;
  bool is_alone() const;
  std::uint64_t timed_period(std::uint64_t least) const;
  std::uint64_t timing_period() const;
  std::optional<std::uint32_t> choose();
  // Whether a guess serves that was not yet proved as fast as the declared variant.
  bool is_guess() const;
  bool may_test_guess() const;
  void judge_guess();
  void charge_guess();
  void end_guess();
  double least_proved_gain() const;
  void look_for_calm();
  std::optional<std::uint32_t> finalist(bool is_clear) const;
  bool seems_clear(std::uint32_t candidate) const;
  std::optional<std::uint32_t> to_make() const;
  bool look_again();
  void settle();
  std::string closest() const;

  // online_policy_estimate.cc: what is believed.
  void believe();
  void fit_prior();
  double predicted_ns(const Candidate& candidate) const;
  void set_prior(Candidate& candidate, double ns);
  Estimate estimate(std::uint32_t candidate) const;
  bool is_screened(std::uint32_t candidate) const;
  double timing_doubt() const;
  double usual_noise() const;
  double least_gain() const;
  bool worth_trying(std::uint32_t candidate) const;

  // online_policy_learn.cc: what times teach.
  std::vector<Grant>::iterator grant_of(const OnlineStep& step);
  void forget(std::vector<Grant>::iterator grant);
  void forget_pair(std::uint64_t id);
  void learn(const Grant& grant, double ns, bool slowed);
  std::optional<double> believed_ns(Pauses& pauses, double ns, double usual_ns, bool is_free);
  bool has_pauses() const;
  void watch_pauses(double ns);
  void end_doubt(Pauses& pauses, double confirmed_ns);
  void charge_probe(Candidate& candidate, double ns, bool first);
  void close_charges();
  void add_sample(std::uint32_t candidate, double ns);
  void drifted(std::size_t run);
  void fill_pair(const Grant& grant, double ns);
  void judge(std::uint32_t candidate);
  EvidenceEvent shown_by(const PairedComparison& versus) const;
  bool is_refuted(const PairedComparison& versus) const;
  void promote(std::uint32_t candidate, EvidenceEvent why);
  void forget_pairs();
  void refresh(Candidate& candidate);
  void decide(EvidenceEvent event);
  void save_times();

  std::vector<Candidate> candidates_;
  OnlineOptions options_;
  std::uint32_t incumbent_ = 0;
  bool settled_ = false;
  std::string reason_;
  EvidenceEvent promotion_;  // the most recent one

  std::uint64_t calls_ = 0;
  std::uint64_t tickets_ = 0, pairs_ = 0;
  std::vector<Grant> grants_;
  std::uint32_t probes_out_ = 0;  // the probes among them
  std::uint32_t verifying_ = 0;
  bool made_one_ = false;
  std::vector<Pair> open_pairs_;
  std::optional<SecondCall> second_;  // present: the next call completes this pair
  std::uint32_t finals_ = 0;          // comparisons that were begun ...
  std::uint32_t finals_before_ = 0;   // ... and the number of them with earlier incumbents
  FairCoin coin_;
  std::uint64_t until_timed_ = 0;
  double affordable_at_ns_ = 0;  // nothing is tried until the ledger has this much room

  bool believed_ = false;                // the estimates are up to date
  bool fitted_ = false;                  // the models behind them can be used
  std::size_t fit_size_ = 0, news_ = 0;  // candidates in the fit, and samples that came after it
  double fit_level_ = 0;                 // the logarithm of the incumbent's time at the fit
  double log_factor_ = 0, prior_error_ = 0;  // of the prior, as logarithms
  std::vector<Estimate> estimates_;
  std::vector<std::uint32_t> active_;  // the candidates considered now, without the incumbent

  RegretLedger ledger_;
  std::uint32_t declared_ = 0;
  bool guessed_ = false;     // what serves was chosen by a guess
  double served_calls_ = 0;  // calls that the incumbent has served
  // The share of each of these calls that a guess loses, and the loss that was charged for it.
  double guess_share_ = 0, guess_lost_ns_ = 0;
  bool quiet_ = false;
  std::uint64_t incumbent_times_ = 0, incumbent_pauses_ = 0, calm_times_ = 0;
  double question_ns_ = 0;             // the average cost of a call of `next`
  double pace_ns_ = 0;                 // the time from call to call; 0: not known
  std::uint64_t uncounted_calls_ = 0;  // calls before the incumbent's time was known
  double verification_ns_ = 0;         // the cost of the last verification; 0: none yet
  Pauses verification_pauses_;
  DriftWatch drift_;
  std::uint32_t drifts_ = 0;

  std::vector<EvidenceEvent> events_;
  bool decisions_ = false;
  double saved_spent_ns_ = 0, saved_lost_ns_ = 0;
};

}  // namespace vyre
