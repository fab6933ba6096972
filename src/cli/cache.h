// vyre cache: the decisions that were kept.
#pragma once

#include <string>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"

namespace vyre {

struct CacheOptions {
  std::vector<std::string> words;  // an action, and keys for show and clear
  std::string adapter;
  bool yes = false;
  bool json = false;
};

CommandHelp declare(OptionSet& set, CacheOptions& options);
Result<void> check(const CacheOptions& options);
Exit run_command(const CacheOptions& options, Streams& streams);

}  // namespace vyre
