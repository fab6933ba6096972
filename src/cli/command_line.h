// The `vyre` command as a function of its arguments and streams.
#pragma once

#include <span>
#include <string>

#include "vyre/cli/streams.h"

namespace vyre {

// `arguments` are those behind the program's name. Returns the exit code.
int run_command_line(std::span<const std::string> arguments, Streams& streams);

// The first half of it: whether the arguments can be understood. Opens no file, prints nothing.
bool understands(std::span<const std::string> arguments);

}  // namespace vyre
