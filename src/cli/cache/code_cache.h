// Counts and removes the compiled code that is kept on disk.
#pragma once

#include <cstdint>
#include <filesystem>

#include "vyre/base/error.h"

namespace vyre {

struct KeptCode {
  std::filesystem::path folder;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

// Counts only files that have the name of compiled code, which is a digest.
Result<KeptCode> count_code();
// Removes these files, and returns what was removed. Processes that run such code are not
// disturbed.
Result<KeptCode> clear_code();

}  // namespace vyre
