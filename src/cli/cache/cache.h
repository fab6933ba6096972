// vyre cache: shows and changes what is kept on disk: the tuner's evidence, decision files and
// compiled code.
#pragma once

#include <string>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"

namespace vyre {

struct CacheOptions {
  std::vector<std::string> words;  // an action, and what it takes
  std::string store;               // the evidence file; empty: that of the user
  std::string adapter;
  std::string reason;                                  // pin
  std::string program, name, size, device, overrides;  // import --t4: what the results are of
  bool t4 = false;
  bool toml = false;  // decisions of plans, instead of evidence
  bool yes = false;
  bool json = false;
};

CommandHelp declare(OptionSet& set, CacheOptions& options);
Result<void> check(const CacheOptions& options);
Exit run_command(const CacheOptions& options, Streams& streams);

}  // namespace vyre
