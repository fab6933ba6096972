// vyre devices: lists the devices that can run kernels.
#pragma once

#include "vyre/cli/command.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/option_set.h"
#include "vyre/target/limits.h"
#include "vyre/target/profile.h"
#include "vyre/target/target.h"

namespace vyre {

struct DevicesOptions {
  bool json = false;
};

CommandHelp declare(OptionSet& set, DevicesOptions& options);
Exit run_command(const DevicesOptions& options, Streams& streams);

// Fails if a word cannot name a device, whether the device exists or not. `others` is the end of
// the list of names in the message.
Result<void> check_device_name(std::string_view name, std::string_view others);

// "Xeon(R): 2 cores, vectors of 16 f32, 260 MiB of cache, 8.4 GB/s"
std::string summary(const Profile& profile, TargetKind target);

Json to_json(const Limits& limits);
Json to_json(const Profile& profile);

}  // namespace vyre
