// What is wrong with a trace, by the rules of the trace event format and of those who open it, for
// tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vyre {

// A sentence for each fault; none when the trace can be opened and shows all of it:
//
// - an object with the array "traceEvents" and a known "displayTimeUnit", and no NaN or infinity;
// - every event has a name, a phase that is X, C or M, and pid and tid that are whole, more than 0
//   and fit into 32 bits;
// - no two processes share a tid: Perfetto names a thread by its tid alone. Counters are on the
//   thread that has the number of its process, slices are not;
// - X and C have times in microseconds that are not negative, counters nothing but numbers;
// - every process and thread has exactly one name;
// - in whole nanoseconds, as readers cut them off, the slices of a thread nest or follow one
//   another: of two that cross, the second is not shown.
std::vector<std::string> trace_faults(std::string_view text);

}  // namespace vyre
