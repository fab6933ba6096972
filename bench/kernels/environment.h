// The threads of a benchmark, and what PoCL and OpenMP read when they are loaded.
#pragma once

#include "arguments.h"

namespace vyre::bench {

unsigned usable_processors();

// Starts the program again where its environment is another: threads of OpenMP that spin after
// their loop would take processors from whoever is timed next.
void settle_environment(const Arguments& arguments, unsigned threads, char** argv);

}  // namespace vyre::bench
