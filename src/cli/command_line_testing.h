// The whole command in memory, for tests.
#pragma once

#include <string>
#include <vector>

namespace vyre {

struct CommandResult {
  int exit = 0;
  std::string out, err;
};

// Runs `vyre` with these arguments in this process; `input` is its standard input.
CommandResult run_vyre(const std::vector<std::string>& arguments, std::string input = "");

// Compares text with a file of golden/ beside the tests, fingerprints aside. With
// VYRE_UPDATE_GOLDEN set in the environment the file is written instead.
void expect_golden(const std::string& output, const std::string& file);

}  // namespace vyre
