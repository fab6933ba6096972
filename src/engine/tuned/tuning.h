// How a session tunes its launches, and what it reports about that.
//
// A dispatch that was prepared without a variant is served by the best one known. In the mode
// `natural` the session also searches: it compiles candidates in the background, compares their
// results with the incumbent's on shadows (copies of the buffers that the program writes), and lets
// them serve some calls, which it times. The cost of that stays below the bound of OnlineOptions.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vyre/target/target.h"
#include "vyre/target/variant.h"
#include "vyre/tune/online/online_tuner.h"
#include "vyre/tune/tuning_mode.h"

namespace vyre {

// One timed call.
struct TunedCall {
  std::chrono::steady_clock::time_point at;  // when its time was known
  std::uint32_t candidate = 0, incumbent = 0;
  double ns = 0;
  bool probe = false;
  Ledger ledger;
  double incumbent_ns = 0;  // its candidate_time; 0 in the mode `on`
};

// Another step of the tuner, with its duration.
struct TunerSpan {
  enum class Kind : std::uint8_t { compile, verify };
  Kind kind = Kind::compile;
  std::uint32_t candidate = 0;
  std::chrono::steady_clock::time_point begin, end;
  std::string outcome;  // why the step failed; empty: it did not
};

// The functions are called from the threads that launch or compile, from several at once, and must
// return quickly.
struct TuneObserver {
  std::function<void(const TunedCall&)> call;
  std::function<void(const TunerSpan&)> span;
};

struct TuningOptions {
  TunerMode mode = kProductionMode;
  // The file that keeps the evidence; absent: it is forgotten with the session.
  std::optional<std::filesystem::path> evidence;
  double share = 0.02;         // the share of the time spent that the search may lose
  double allowance_ns = 20e6;  // what it may lose beside that, at most
  double least_gain = 0.01;    // a candidate that saves a smaller share of the time is not promoted
  // The choice is made for exactly one size. Otherwise all sizes of a bucket share one choice.
  bool exact_size = false;
  // How far floats (f32, f16) may differ from the incumbent's results, as a share of the larger
  // value, for overrides that change the order of a sum. 0: results must be equal bit for bit.
  double tolerance = 0;
  unsigned compilers = 0;  // threads that compile; 0: chosen by the number of processors
  // For programs that serve nobody while they tune: the call that asks for a candidate compiles it,
  // and that time counts neither as spent nor as lost.
  bool compile_at_once = false;
  // Mode `on`: how long the search may take. The first round is always completed.
  std::optional<std::chrono::nanoseconds> sweep_time;
  // Mode `on`: the strategy (search_strategy.h) that chooses which candidate is measured next.
  // `exhaustive` measures all of them in the order of their expected times. Empty: `exhaustive`, or
  // `natural` if overrides make too many candidates.
  std::string strategy;
  std::uint64_t seed = 1;  // of the strategy
  // Mode `on`: when another thread sets it, the search ends with what was found by then.
  const std::atomic<std::uint32_t>* stop = nullptr;
  TuneObserver observer;

  // The mode of the variable VYRE_AUTOTUNER, and the evidence file in the user's cache folder.
  static TuningOptions from_environment();
};

// What the tuner knows about one dispatch at the moment of the call.
struct TuningView {
  TuningKey key;
  TunerMode mode = kProductionMode;
  TunerOrigin origin;
  std::string reason;     // why the incumbent is what it is
  std::string untunable;  // why there is no search; empty: there is one
  bool settled = false;
  std::uint32_t start = 0, incumbent = 0;
  std::optional<std::uint32_t> declared;  // the variant of the program's text
  std::vector<Variant> variants;
  std::vector<CandidateView> candidates;  // in the order of `variants`
  std::vector<double> prior_ns;
  Ledger ledger;
  double compile_ns = 0;           // processor time of the last candidate that was compiled
  double load_ns = 0;              // a running average of what loading a candidate takes
  std::string strategy;            // of the mode `on`; empty in other modes
  std::uint32_t known_before = 0;  // candidates that a sweep did not measure again
  std::string left_out;            // which part of the space was left out, and why; empty: none
};

}  // namespace vyre
