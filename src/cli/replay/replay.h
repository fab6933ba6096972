// vyre replay: plays search strategies against recorded tuning spaces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"

namespace vyre {

struct ReplayOptions {
  std::vector<std::string> files;
  std::vector<std::string> strategies;  // empty: all but exhaustive
  std::uint32_t runs = 100;
  std::uint32_t budget = 200;
  std::uint64_t seed = 1;
  std::string svg;
  bool json = false;
};

CommandHelp declare(OptionSet& set, ReplayOptions& options);
Result<void> check(const ReplayOptions& options);
Exit run_command(const ReplayOptions& options, Streams& streams);

}  // namespace vyre
