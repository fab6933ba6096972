// The record as a trace in the JSON format of ui.perfetto.dev and chrome://tracing: one process per
// kernel, one thread per track, and counters for the incumbent's time, the time lost and its bound.
#pragma once

#include <string>

#include "vyre/report/tune_record.h"

namespace vyre {

// Calls run one after another, but the times of several may become known at once. Calls that would
// overlap are placed back to back before that moment.
//
// Events of one thread nest or follow one another; spans of a track that overlap without nesting go
// to further threads.
std::string trace_json(const TuneReport& report);

// The format counts microseconds. Readers multiply by 1000 and truncate, so a number that would
// lose a nanosecond is replaced by the next one that does not.
double trace_microseconds(double ns);

}  // namespace vyre
