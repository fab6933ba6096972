// Any text as a file of stages: an error, or stages with a name and a layout each.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "vyre/cli/stage_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = vyre::parse_stages(text, "stages.toml");
  if (!file) {
    if (file.error().what.empty()) std::abort();
    return 0;
  }
  if (file->names.size() != file->stages.size() || file->layouts.size() != file->stages.size()) {
    std::abort();
  }
  return 0;
}
