// The record of one `vyre tune`: plain data that is written as JSON (tune_json.h), as a page
// (tune_html.h) and as a trace (trace.h).
//
// All texts may hold any bytes: the writers escape them. Times are nanoseconds; a time of 0, or one
// that is not finite, is one that was not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/tune/evidence/tuning_key.h"
#include "vyre/tune/online/candidate_time.h"

namespace vyre {

// One line for a person: what it is, and its text.
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
  std::string text{};                // as in the evidence; one record has each text once
  Configuration parameters{};        // of the text; may be empty
  double prior_ns = 0;               // what the model expected, up to a common factor; 0: nothing
  std::vector<double> samples_ns{};  // all times, in the order they were taken
  CandidateTime time{};              // the figure that is shown for it everywhere
  std::string stage{};               // a word: "unmade", "made", "verified", "dropped"
  std::string dropped{};             // why it is out; empty: it is not
  bool verified = false;             // its results were compared and equal
};

// One call, in the order of calls. Indices are into `candidates`; one beyond them is left out.
struct CallPoint {
  double seconds = 0;           // since the kernel's search began
  std::uint64_t call = 0;       // counted from 0
  std::uint32_t candidate = 0;  // what ran
  double ns = 0;                // 0: not timed
  bool probe = false;           // it was not the incumbent
  std::uint32_t incumbent = 0;  // after this call
  double incumbent_ns = 0;      // what is known of it then
  double lost_ns = 0;           // so far, in total
  double bound_ns = 0;          // what may have been lost by then
};

struct TraceSpan {
  std::string name{};
  std::string track{};  // "calls", "compile", "verify", "tuner"
  double start_ns = 0;  // since the report's start
  double duration_ns = 0;
  std::vector<std::pair<std::string, std::string>> arguments{};
};

// A choice that was there without tuning.
struct ReportBaseline {
  std::string candidate{};  // empty: there is none
  double again_ns = 0;      // timed again in the end, taking turns; 0: it was not
};

struct ReportLedger {
  double spent_ns = 0;
  double lost_ns = 0;
  double bound_ns = 0;  // what may have been lost in the end
  double share = 0;     // of the time spent that may be lost; 0: no bound was kept
};

struct TuneRecord {
  std::string kernel{};       // the entry point
  std::string file{};         // where it stands
  std::string size{};         // "1,000,000 elements", "1024x1024"
  std::string key{};          // key_id
  std::string decision{};     // a candidate's text; empty: none was made
  std::string reason{};       // why it, in words
  std::string origin{};       // where the first answer came from, one line
  std::string verified{};     // how results were compared, one line
  std::string untunable{};    // why it was not tuned; empty: it was
  bool settled = false;       // nothing was left to try
  ReportBaseline start{};     // what would have run without tuning: the prior's guess
  ReportBaseline declared{};  // the workgroup as the kernel's text declares it
  ReportBaseline chosen{};    // the decision; its candidate may be left empty
  double bytes = 0;           // that one call moves; 0: not known
  ReportLedger ledger{};
  std::string search{};    // who said what was tried, one line; empty: the online search
  std::string plans{};     // the workgroup that plans of the launch resolve now; empty: as before
  std::string left_out{};  // what of the space is no candidate, and why; empty: nothing
  std::uint64_t unlisted = 0;  // candidates that were not tried, and are not in the list
  std::vector<CandidateRecord> candidates{};
  std::vector<CallPoint> calls{};
  std::vector<TraceSpan> spans{};
};

struct TuneReport {
  std::string title{};          // "saxpy on NVIDIA H200"; empty: made of the kernels and the device
  std::string command{};        // to repeat it, as typed
  std::string version{};        // of vyre
  std::int64_t started_ms = 0;  // since 1970, UTC
  double seconds = 0;           // that it took
  double budget_seconds = 0;    // that it was given; 0: no limit
  std::string mode{};           // "natural", "on"
  bool interrupted = false;     // a person stopped it; what was learned by then is here
  std::vector<std::string> method{};  // how it was measured, a sentence each
  ReportDevice device{};
  std::vector<TuneRecord> kernels{};
};

}  // namespace vyre
