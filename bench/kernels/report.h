// What the benchmark prints.
#pragma once

#include "measure.h"

namespace vyre::bench {

struct Report {
  std::string processor;
  unsigned threads = 1;
  TimedBy clock = TimedBy::wall;
  std::vector<Measured> kernels;
  LaunchCosts launch;
};

std::string processor_name();
void print_row(const Measured& m, bool with_heading);
void print_summary(const Report& report);
std::string to_json(const Report& report);

}  // namespace vyre::bench
