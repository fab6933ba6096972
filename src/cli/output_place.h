// Checks before a run that its files can be written, so that a wrong path does not cost the run.
#pragma once

#include <filesystem>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

// Fails if no file can be written there; `option` begins the error.
Result<void> check_output_place(std::string_view option, const std::filesystem::path& path);

}  // namespace vyre
