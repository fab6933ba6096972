// Files of recorded tuning spaces.
#pragma once

#include <string>

#include "vyre/base/error.h"
#include "vyre/tune/search/recorded_space.h"

namespace vyre {

// A space from a file, plain or gzip. Errors name the file.
Result<RecordedSpace> read_recorded_space(const std::string& path);

}  // namespace vyre
