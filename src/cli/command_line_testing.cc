#include "vyre/cli/command_line_testing.h"

#include "vyre/cli/command_line.h"

namespace vyre {

CommandResult run_vyre(const std::vector<std::string>& arguments, std::string input) {
  CommandResult result;
  Output out(result.out);
  Output err(result.err);
  Streams streams{out, err, [&](std::uint64_t) -> Result<std::string> { return input; }};
  result.exit = run_command_line(arguments, streams);
  return result;
}

}  // namespace vyre
