// The options that the benchmarks beside C++ kernels share.
#pragma once

#include <string>

#include "arguments.h"
#include "measure.h"
#include "problem.h"

namespace vyre::bench {

struct RunOptions {
  Size size = Size::standard;
  double seconds = 1;    // for each kernel
  unsigned threads = 0;  // 0: one for each processor
  TimedBy clock = TimedBy::wall;
  std::string json;

  // Takes the option that `arguments` is at; false if it is not one of these.
  bool take(const Arguments& arguments);
  // Gives the benchmark and the C++ kernels their threads. The program may start again for that.
  void settle(const Arguments& arguments, char** argv);
};

}  // namespace vyre::bench
