// The whole command in memory, for tests.
#pragma once

#include <string>
#include <vector>

#include "vyre/base/golden_testing.h"

namespace vyre {

struct CommandResult {
  int exit = 0;
  std::string out, err;
};

// Runs `vyre` with these arguments in this process; `input` is its standard input.
CommandResult run_vyre(const std::vector<std::string>& arguments, std::string input = "");

}  // namespace vyre
