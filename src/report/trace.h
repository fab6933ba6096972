// The record as a trace in the JSON format that ui.perfetto.dev and chrome://tracing open: a
// process a kernel, a thread a track, and counters of the incumbent's time and of what was lost.
#pragma once

#include <string>

#include "vyre/report/tune_record.h"

namespace vyre {

// Calls run one after another, but their times may be known only later, several at once: those that
// would overlap are put back to back before the moment when they were known.
//
// Events of one thread nest or follow one another: spans of a track that overlap without nesting
// go to further threads of it.
std::string trace_json(const TuneReport& report);

}  // namespace vyre
