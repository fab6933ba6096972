// What a tuner begins with, and the best of everything it could choose, for a problem on the CPU.
#pragma once

#include <string>

#include "problem.h"
#include "vyre/base/error.h"

namespace vyre::bench {

struct Choices {
  std::string best, guess;  // variants
  std::size_t variants = 0;
  // Shares of the best: 1 is as fast as anything that could have been chosen.
  double declared_of_best = 0, guess_of_best = 0;
};

Result<Choices> measure_choices(const Problem& problem, unsigned threads);

}  // namespace vyre::bench
