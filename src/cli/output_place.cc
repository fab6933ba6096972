#include "vyre/cli/output_place.h"

#include <fmt/format.h>
#include <unistd.h>

namespace vyre {

Result<void> check_output_place(std::string_view option, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return fail(Code::invalid_input, fmt::format("{}: {} is a folder", option, path.string()));
  }
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return {};
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    return fail(Code::invalid_input,
                fmt::format("{}: there is no folder {}", option, folder.string()));
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    return fail(Code::invalid_input,
                fmt::format("{}: the folder {} cannot be written to", option, folder.string()));
  }
  return {};
}

}  // namespace vyre
