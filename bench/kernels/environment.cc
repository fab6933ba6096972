#include "environment.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace vyre::bench {

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

void settle_environment(const Arguments& arguments, unsigned threads, char** argv) {
  const auto text = std::to_string(threads);
  if (const char* set = std::getenv("VYRE_BENCH_THREADS"); set != nullptr && set == text) return;
  setenv("VYRE_BENCH_THREADS", text.c_str(), 1);
  setenv("POCL_MAX_PTHREAD_COUNT", text.c_str(), 1);
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", argv);
  arguments.refuse("cannot start again with its environment");
}

}  // namespace vyre::bench
