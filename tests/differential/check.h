// One program on the oracle and on a device, and smaller programs that still disagree.
#pragma once

#include <cstdint>
#include <string>

#include "support/runner.h"

namespace vyre {

struct Subject {
  std::string text;  // WGSL; lines at its top give the extent and the elements
  std::uint64_t data_seed = 0;
};

enum class CheckVerdict : std::uint8_t {
  same,
  rejected,  // by the front end
  too_long,  // beyond the oracle's budget
  differs,
};

struct CheckOutcome {
  CheckVerdict verdict = CheckVerdict::same;
  std::string message;  // of the rejection or the difference
  unsigned variants = 0;
};

// Compares so many variants, chosen by the seed; 0: all of them.
CheckOutcome check(const Runner& runner, const Subject& subject, unsigned variants);

// Deletes statements as long as the program still differs or ends the process. Every attempt runs
// in a process of its own, and one that takes longer than a few seconds counts as a failure too.
std::string shrink(const std::string& device, const Subject& subject, unsigned variants,
                   unsigned attempts);

}  // namespace vyre
