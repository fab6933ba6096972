// The `vyre` command as a function of its arguments and streams.
#pragma once

#include <span>
#include <string>

#include "vyre/cli/streams.h"

namespace vyre {

// `arguments` do not include the program's name. Returns the exit code.
int run_command_line(std::span<const std::string> arguments, Streams& streams);

// Whether the arguments can be parsed. Opens no file and prints nothing.
bool understands(std::span<const std::string> arguments);

}  // namespace vyre
