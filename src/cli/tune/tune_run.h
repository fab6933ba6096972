// Tunes one kernel: runs it until the search has ended or the budget is used up.
#pragma once

#include <functional>
#include <string>

#include "vyre/cli/run/compare.h"
#include "vyre/cli/run/run_record.h"
#include "vyre/cli/tune/tune.h"
#include "vyre/engine/session.h"
#include "vyre/report/tune_record.h"

namespace vyre {

// The state that is shown while a search runs.
struct TuneProgress {
  std::string kernel;
  std::uint64_t calls = 0;
  std::size_t tried = 0, candidates = 0;
  std::string best;
  double best_ns = 0;
  double lost_ns = 0, bound_ns = 0;  // 0: no bound is kept
  double seconds_left = 0, share_of_time = 0;
};

struct TuneOutcome {
  TuneRecord record;
  std::optional<Verification> verification;
  bool interrupted = false;
  bool swept = false;  // or searched: measured before anything was served
};

// Fails when the kernel or its data are wrong, or a run fails; interrupted, it returns what was
// learned.
Result<TuneOutcome> tune_kernel(const TuneJob& job, const TuneOptions& options, Streams& streams,
                                std::chrono::steady_clock::time_point started,
                                const std::function<void(const TuneProgress&)>& show);

// The device that the options name, for the report.
Result<ReportDevice> describe_device(const TuneOptions& options);

}  // namespace vyre
