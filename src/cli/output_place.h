// Where files are written after a run: what can be known before should not cost the run.
#pragma once

#include <filesystem>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

// Fails if no file can be written there; `option` begins the error.
Result<void> check_output_place(std::string_view option, const std::filesystem::path& path);

}  // namespace vyre
