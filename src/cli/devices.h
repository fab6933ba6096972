// vyre devices: what can run kernels here.
#pragma once

#include "vyre/cli/command.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/option_set.h"
#include "vyre/target/limits.h"
#include "vyre/target/profile.h"

namespace vyre {

struct DevicesOptions {
  bool json = false;
};

CommandHelp declare(OptionSet& set, DevicesOptions& options);
Exit run_command(const DevicesOptions& options, Streams& streams);

Json to_json(const Limits& limits);
Json to_json(const Profile& profile);

}  // namespace vyre
