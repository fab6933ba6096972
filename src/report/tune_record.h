// The record of one `vyre tune`: plain data that is written as JSON (tune_json.h), as a page
// (tune_html.h) and as a trace (trace.h).
//
// Texts may hold any bytes; the writers escape them. Times are in nanoseconds; a time that is 0 or
// not finite was not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/tune/evidence/tuning_key.h"
#include "vyre/tune/online/candidate_time.h"
#include "vyre/tune/online/paired_comparison.h"

namespace vyre {

// One line for people: a label and its text.
struct ReportLine {
  std::string label;
  std::string text;
};

struct ReportDevice {
  std::string name{};                  // "NVIDIA H200"
  std::string driver{};                // "580.159"
  std::vector<ReportLine> profile{};   // {"memory", "139 GiB at 4.8 TB/s"}, ...
  double memory_bytes_per_second = 0;  // 0: not known
};

struct CandidateRecord {
  std::string text{};                // as in the evidence; unique in a record
  Configuration parameters{};        // of the text; may be empty
  double prior_ns = 0;               // the model's estimate, up to a common factor; 0: none
  std::vector<double> samples_ns{};  // all times, in the order they were taken
  CandidateTime time{};              // the figure that is shown for it everywhere
  std::string stage{};               // a word: "unmade", "made", "verified", "dropped"
  std::string dropped{};             // why it is out; empty: it is not
  bool verified = false;             // its results were compared and equal
};

// One call, in the order of calls. Indices refer to `candidates`; a call with an invalid one is
// ignored.
struct CallPoint {
  double seconds = 0;           // since the kernel's search began
  std::uint64_t call = 0;       // counted from 0
  std::uint32_t candidate = 0;  // the candidate that ran
  double ns = 0;                // 0: not timed
  bool probe = false;           // it tried a candidate other than the incumbent
  // After this call, and its time as it was known then. In the mode `on`, where only the end
  // decides, the fastest so far. The last call has the decision.
  std::uint32_t incumbent = 0;
  double incumbent_ns = 0;
  double lost_ns = 0;   // in total so far
  double bound_ns = 0;  // the bound on lost_ns at that moment
};

struct TraceSpan {
  std::string name{};
  std::string track{};  // "calls", "compile", "verify", "tuner"
  double start_ns = 0;  // since the report's start
  double duration_ns = 0;
  std::vector<std::pair<std::string, std::string>> arguments{};
};

// A variant to compare with.
struct ReportBaseline {
  std::string candidate{};  // empty: there is none
  double again_ns = 0;      // timed again in the end; 0: it was not
  GainInterval gain{};      // of the decision over it, in pairs of runs in the end ...
  std::size_t pairs = 0;    // ... and their number
};

struct ReportLedger {
  double spent_ns = 0;
  double lost_ns = 0;
  double bound_ns = 0;      // the bound at the end
  double share = 0;         // the share of the time spent that may be lost; 0: there was no bound
  double doubted_ns = 0;    // of single calls that were far too slow, and not repeated yet
  double disturbed_ns = 0;  // of calls that met a pause of the machine
};

// "again, in pairs: 3.1% faster than the first guess (99% interval 1.2 to 5.0) in 40 pairs"; empty
// if there were none.
std::string again_words(const ReportBaseline& side, std::string_view name);

// What a reader of the ledger must know beside what was lost: a sentence each, or none.
std::vector<std::string> ledger_remarks(const ReportLedger& ledger);

struct TuneRecord {
  std::string kernel{};       // the entry point
  std::string file{};         // the file of the kernel
  std::string size{};         // "1,000,000 elements", "1024x1024"
  std::string key{};          // key_id
  std::string decision{};     // a candidate's text; empty: none was made
  std::string reason{};       // the reason for the decision
  std::string origin{};       // where the first answer came from, one line
  std::string verified{};     // how results were compared, one line
  std::string untunable{};    // why it was not tuned; empty: it was
  bool settled = false;       // the search has ended
  ReportBaseline start{};     // the first guess, which would have run without tuning
  ReportBaseline declared{};  // the declared variant
  ReportBaseline chosen{};    // the decision; its candidate may be empty
  double bytes = 0;           // moved by one call; 0: unknown
  ReportLedger ledger{};
  std::string search{};        // the strategy of the search, one line; empty: the online search
  std::string plans{};         // the workgroup written to the decision file; empty: none
  std::string left_out{};      // the part of the space that was left out, and why; empty: none
  std::uint64_t unlisted = 0;  // candidates that were not tried and are not listed
  std::vector<CandidateRecord> candidates{};
  std::vector<CallPoint> calls{};
  std::vector<TraceSpan> spans{};
};

// Everything was measured before anything was served: the mode `on`.
inline bool is_sweep(const TuneRecord& record) { return !record.search.empty(); }

struct TuneReport {
  std::string title{};          // "saxpy on NVIDIA H200"; empty: made of the kernels and the device
  std::string command{};        // the command line
  std::string version{};        // of vyre
  std::int64_t started_ms = 0;  // since 1970, UTC
  double seconds = 0;           // the duration of the run
  double budget_seconds = 0;    // 0: no limit
  std::string mode{};           // "natural", "on"
  bool interrupted = false;     // the user stopped it
  std::vector<std::string> method{};  // how times were measured, one sentence each
  ReportDevice device{};
  std::vector<TuneRecord> kernels{};
};

}  // namespace vyre
