#include "vyre/base/process/processor_name.h"

#include <string_view>

#include "vyre/base/files/file_handle.h"

namespace vyre {

std::optional<std::string> processor_name() {
  const std::string text = system_text("/proc/cpuinfo");
  const std::string_view view = text;
  const std::size_t line = view.find("model name");
  if (line == view.npos) return std::nullopt;
  const std::string_view rest = view.substr(line, view.find('\n', line) - line);
  const std::size_t colon = rest.find(": ");
  if (colon == rest.npos) return std::nullopt;
  return std::string(rest.substr(colon + 2));
}

}  // namespace vyre
