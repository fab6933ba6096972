// vyre check: describes a WGSL file, and reports its errors.
#pragma once

#include <string>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/option_set.h"

namespace vyre {

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<Setting> settings;
  std::string device;  // whose limits are enforced; empty: none
  bool features = false;
  bool ir = false;
  bool lenient = false;
  bool json = false;
};

CommandHelp declare(OptionSet& set, CheckOptions& options);
Exit run_command(const CheckOptions& options, Streams& streams);

}  // namespace vyre
