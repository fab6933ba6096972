// Any text as a command line, one argument a line. Arguments are parsed and nothing is done: no
// file is opened.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/cli/command_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> arguments;
  while (true) {
    const std::size_t end = text.find('\n');
    arguments.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  vyre::understands(arguments);
  return 0;
}
