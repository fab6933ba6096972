// The compiled code that was kept, as `vyre cache` counts and removes it.
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

// Only files that are named as compiled code is: by a digest.
Result<KeptCode> count_code();
// Removes them, and says what was removed. A process that runs such code goes on undisturbed.
Result<KeptCode> clear_code();

}  // namespace vyre
