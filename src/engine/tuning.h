// How a session tunes what it launches, and what it tells of that.
//
// A dispatch that was prepared without a variant serves the best one known. In the mode `natural`
// it also learns: some calls run a candidate instead and are timed, candidates are compiled in the
// background and compared with the incumbent on shadows of what the program writes before any of
// them serves a call. What that costs stays below the bound of OnlineOptions.
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
  double incumbent_ns = 0;
};

// Something else that the tuner did.
struct TunerSpan {
  enum class Kind : std::uint8_t { compile, verify };
  Kind kind = Kind::compile;
  std::uint32_t candidate = 0;
  std::chrono::steady_clock::time_point begin, end;
  std::string outcome;  // "" when all went well
};

// Called from the threads that run, or compile: quick, and safe for several at once.
struct TuneObserver {
  std::function<void(const TunedCall&)> call;
  std::function<void(const TunerSpan&)> span;
};

struct TuningOptions {
  TunerMode mode = kProductionMode;
  // Where evidence is kept from run to run; absent: for this session only.
  std::optional<std::filesystem::path> evidence;
  double share = 0.02;         // of the time spent that may be lost
  double allowance_ns = 20e6;  // at first, at most
  double least_gain = 0.01;    // a candidate that saves less of the time is not promoted
  // A choice for exactly this size, where sizes of a bucket would share one.
  bool exact_size = false;
  // How far results may differ from the incumbent's: a share of the larger value for f32 and f16
  // (for overrides that add up in another order); 0: not in a bit.
  double tolerance = 0;
  unsigned compilers = 0;  // threads; 0: by the number of processors
  // Where nothing is served meanwhile: candidates are compiled by the call that asks for them, and
  // that time counts neither as spent nor as lost.
  bool compile_at_once = false;
  // Mode `on`: as long as this, and at least the first round.
  std::optional<std::chrono::nanoseconds> sweep_time;
  // Mode `on`: who says what is measured next. A strategy of search_strategy.h; `exhaustive` is all
  // of them in the order of the prior. Empty: that, or `natural` where overrides make too many.
  std::string strategy;
  std::uint64_t seed = 1;  // of the strategy
  // Mode `on`: set from elsewhere, it ends with what was found by then.
  const std::atomic<std::uint32_t>* stop = nullptr;
  TuneObserver observer;

  // VYRE_AUTOTUNER, and the evidence of the user's cache folder.
  static TuningOptions from_environment();
};

// What the tuner knows of one dispatch, at the moment of asking.
struct TuningView {
  TuningKey key;
  TunerMode mode = kProductionMode;
  TunerOrigin origin;
  std::string reason;     // why the incumbent is what it is
  std::string untunable;  // why nothing is searched; empty: it is
  bool settled = false;
  std::uint32_t start = 0, incumbent = 0;
  std::optional<std::uint32_t> declared;  // the one that the program's text asks for
  std::vector<Variant> variants;
  std::vector<CandidateView> candidates;  // the same, in the same order
  std::vector<double> prior_ns;
  Ledger ledger;
  double compile_ns = 0;           // processor time of the last candidate that was compiled
  double load_ns = 0;              // a running average of what loading a candidate takes
  std::string strategy;            // who says what a sweep measures next; empty: no sweep
  std::uint32_t known_before = 0;  // candidates that a sweep took from earlier ones
  std::string left_out;            // what of the space is no candidate, and why; empty: nothing
};

}  // namespace vyre
